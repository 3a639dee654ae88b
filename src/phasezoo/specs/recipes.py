"""Recipes: the class or function that a name in a text calls, and its options."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, get_args

from phasezoo.errors import InvalidConfig
from phasezoo.specs.options import Option, Options, options_of, unknown_option
from phasezoo.specs.text import SpecText, did_you_mean
from phasezoo.specs.values import UNKNOWN, write_value

MOST_LISTED = 15
"""Options that a message lists; of more it names similar ones."""


@dataclass(frozen=True)
class Part:
    """An argument that is made from options of its own, such as the limit of a search."""

    argument: str
    """The argument's name."""
    make: Callable[..., Any]
    """Makes it; its parameters are the options."""
    prefix: str = ""
    """Stands before the names of the options."""
    like: Callable[..., Any] | None = None
    """Takes the options that ``make`` passes on."""
    always: bool = False
    """Whether it is made even if none of its options is given."""

    @cached_property
    def options(self) -> dict[str, Option]:
        """Its options by name."""
        return {self.prefix + n: o for n, o in options_of(self.make, self.like).by_name.items()}

    def put_into(self, given: Mapping[str, Any], taken: Collection[str] = ()) -> dict[str, Any]:
        """The arguments with this one in place of its options, less those ``taken`` by others."""
        names = self.options.keys() - set(taken)
        own = {name: value for name, value in given.items() if name in names}
        rest = {name: value for name, value in given.items() if name not in own}
        if own and rest.get(self.argument) is not None:
            message = f"{next(iter(own))}= and {self.argument}= say the same thing: give one"
            raise InvalidConfig(message)
        if not own and not (self.always and rest.get(self.argument) is None):
            return rest
        made = self.make(**{name.removeprefix(self.prefix): value for name, value in own.items()})
        return {**rest, self.argument: made}

    def taken_apart(self, value: Any) -> dict[str, Any] | None:
        """The options that make ``value``, if it is of the dataclass ``make``; else None."""
        if not isinstance(self.make, type) or not isinstance(value, self.make):
            return None
        found = {each.name: (getattr(value, each.name), each.default) for each in fields(self.make)}
        return {self.prefix + n: own for n, (own, default) in found.items() if own != default}


@dataclass(frozen=True)
class Recipe:
    """Makes the things of one name.

    Its options are the parameters of ``make``, and where that passes options on, those of the
    classes that it inherits from, or of ``like``, down to the fields of ``config``.
    """

    make: Callable[..., Any]
    """A class or function."""
    first: str | None = None
    """The option that a text may give first, without its name."""
    like: Callable[..., Any] | None = None
    """Takes the options that ``make`` passes on."""
    own_parts: tuple[Part, ...] = ()
    """Arguments made from options of their own."""
    read: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Functions that read the values of options that have no type of their own."""
    rest: str | None = None
    """The argument that collects, as a dictionary, all options that are not known."""
    sets_name: bool = False
    """Whether what is made gets a ``name`` that is given, also if ``make`` takes none."""
    names_code: bool = False
    """Whether its texts name a module, a program or a file of pickled objects."""
    inlined: tuple[type, ...] = ()
    """Dataclasses whose fields stand in place of an argument that ends in the class's name: a
    ``first_limit: Limit`` is given by ``first_nodes=``."""
    lister: str = "options"
    """The function that lists all options, for messages."""

    @cached_property
    def signature(self) -> Options:
        """The parameters."""
        return options_of(self.make, self.like)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The arguments that are made from options of their own."""
        found = [
            Part(name, kind, name.removesuffix(kind.__name__.lower()))
            for name, option in self.signature.by_name.items()
            for kind in self.inlined
            if kind in (option.annotation, *get_args(option.annotation))
            and name.endswith(kind.__name__.lower())
        ]
        return (*self.own_parts, *found)

    @cached_property
    def options(self) -> dict[str, Option]:
        """The options that a text can give, by name."""
        replaced = {part.argument for part in self.parts} | {self.rest}
        own = {
            name: option
            for name, option in self.signature.by_name.items()
            if name not in replaced and (name in self.read or option.values.in_texts)
        }
        parts = {name: option for part in self.parts for name, option in part.options.items()}
        more = {n: o for n, o in parts.items() if o.values.in_texts and n not in own}
        named = {"name": Option("name", str | None, None)} if self.sets_name else {}
        return {**own, **more, **named}

    def read_options(self, spec: SpecText) -> dict[str, Any]:
        """The values of a text's options."""
        given = dict(spec.options)
        if spec.first is not None:
            if self.first is None:
                message = f"{spec.name}:{spec.first} needs a key: {self._listed(spec.name)}"
                raise InvalidConfig(message)
            if self.first in given:
                message = f"{spec.name}:{spec.first} and {self.first}= say the same thing"
                raise InvalidConfig(message)
            given = {self.first: spec.first, **given}
        self._check_known(spec.name, given, self.options)
        return {key: self._value(key, text) for key, text in given.items()}

    def build(self, name: str, given: Mapping[str, Any]) -> Any:
        """Make the thing from the values of its options."""
        options = dict(given)
        known = self.signature.by_name
        self._check_known(name, options, {*self.options, *known})
        is_own = "name" in known or not self.sets_name
        called = None if is_own else options.pop("name", None)
        for part in self.parts:
            options = part.put_into(options, known)
        if self.rest is not None:
            options = self._collected(options, self.rest)
        missing = [key for key in self.signature.required if key not in options]
        if missing:
            value = missing[0].upper() if missing[0] == self.first else f"{missing[0]}=…"
            needed = ", ".join(f"{key}=" for key in missing)
            after = "," if ":" in name else ":"
            message = f"{name} needs {needed}, such as {name}{after}{value}"
            raise InvalidConfig(message)
        made = self.make(**options)
        if called is not None:
            made.name = called
        return made

    def written(self, given: Mapping[str, Any]) -> tuple[str | None, dict[str, str]] | None:
        """The first item of a text and its other options; None if a value has no text."""
        values = dict(given)
        if self.rest is not None and isinstance(values.get(self.rest), Mapping):
            values |= values.pop(self.rest)
        for part in self.parts:
            own = part.taken_apart(values.get(part.argument))
            if own is not None:
                if not own.keys().isdisjoint(self.signature.by_name):
                    return None  # an option of the thing itself has that name
                del values[part.argument]
                values |= own
        texts = {key: self._text(key, value) for key, value in values.items()}
        whole = {key: text for key, text in texts.items() if text is not None}
        is_any = self.signature.is_open or self.rest is not None
        if len(whole) < len(texts) or not (is_any or whole.keys() <= self.options.keys()):
            return None
        first = whole.pop(self.first, None) if self.first is not None else None
        return first, whole

    def _collected(self, options: Mapping[str, Any], rest: str) -> dict[str, Any]:
        """The options, those that ``make`` does not take among them as the argument ``rest``."""
        own = {key: value for key, value in options.items() if key in self.signature.by_name}
        more = {key: value for key, value in options.items() if key not in own}
        return {**own, rest: {**(own.get(rest) or {}), **more}} if more else own

    def _value(self, key: str, text: str) -> Any:
        if key in self.read:
            return self.read[key](text)
        if key in self.options:
            return self.options[key].read(text)
        return text if self.rest is not None else Option(key, UNKNOWN).read(text)

    def _text(self, key: str, value: Any) -> str | None:
        """The text of a value; None for a text that would read as none, true or a number."""
        text = write_value(value)
        reads_else = isinstance(value, str) and isinstance(
            self._value(key, value), bool | int | float | None
        )
        return None if reads_else else text

    def _check_known(self, name: str, given: Collection[str], known: Collection[str]) -> None:
        unknown = [key for key in given if key not in known]
        if self.rest is not None:
            self._check_rest(name, unknown)
        elif unknown and not self.signature.is_open:
            raise InvalidConfig(unknown_option(unknown[0], name, self.options, self._listed(name)))

    def _check_rest(self, name: str, unknown: Collection[str]) -> None:
        """Refuse an option of the thing itself that is misspelt."""
        for key in unknown:
            hint = did_you_mean(key, self.options, form="{}=", cutoff=0.8)
            if hint != "." and key.islower():
                message = (
                    f"{key}=: {name} has no such option{hint} (One that is really called so is "
                    f"given in Python, by {self.rest}=)"
                )
                raise InvalidConfig(message)

    def _listed(self, name: str) -> str:
        if len(self.options) > MOST_LISTED:
            return f"phasezoo.{self.lister}({name!r}) in Python, and the docs, list all"
        return f"its options are {', '.join(self.options)}"
