"""What one name of an agent stands for: what makes it, and the options that it takes."""

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from phasezoo.agents.config import Limit
from phasezoo.agents.option_values import UNKNOWN, is_written, read_value, write_value
from phasezoo.agents.parameters import Parameters, parameters_of
from phasezoo.agents.spec_text import SpecText
from phasezoo.errors import InvalidConfig

__all__ = ["AgentKind", "Part"]

MOST_TOLD = 15
"""Options of an agent that a message lists; of those that have more it names similar ones."""


@dataclass(frozen=True)
class Part:
    """An argument of an agent that is made from options of its own, such as its limit."""

    argument: str
    """What the agent takes."""
    make: Callable[..., Any]
    """Makes it; its parameters are the options."""
    prefix: str = ""
    """Stands before the names of the options."""
    like: Callable[..., Any] | None = None
    """What takes the options that ``make`` passes on."""
    always: bool = False
    """Whether it is made even if none of its options is given."""

    @cached_property
    def options(self) -> dict[str, Any]:
        """The types of its options by name."""
        kinds = parameters_of(self.make, self.like).kinds
        return {self.prefix + name: kind for name, kind in kinds.items()}

    def made(self, given: dict[str, Any], taken: Collection[str] = ()) -> dict[str, Any]:
        """``given`` with the argument in place of its options, but for those ``taken`` by others.

        Raises:
            InvalidConfig: Both are given.
        """
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


@dataclass(frozen=True)
class AgentKind:
    """What makes the agents of one name.

    Its options are the parameters of ``make``, and where that passes options on, those of the
    classes that it inherits from, or of ``like``, down to the fields of ``config``. A limit is
    given whole or by its fields.
    """

    make: Callable[..., Any]
    """A class or function."""
    first: str | None = None
    """The option that a text may give first, without its name."""
    like: Callable[..., Any] | None = None
    """What takes the options that ``make`` passes on."""
    own_parts: tuple[Part, ...] = ()
    """Arguments made from options of their own, besides limits."""
    read: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """What reads the values of options that have no type of their own."""
    rest: str | None = None
    """The argument that collects, as a dictionary, whatever options are not known."""
    sets_name: bool = True
    """Whether agents are told their ``name``, also if ``make`` takes none."""
    names_code: bool = False
    """Whether its texts name a module, a program or a file of pickled objects."""

    @cached_property
    def _signature(self) -> Parameters:
        return parameters_of(self.make, self.like)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The arguments that are made from options of their own."""
        limits = [
            Part(name, Limit, name.removesuffix("limit"))
            for name, kind in self._signature.kinds.items()
            if kind in (Limit, Limit | None) and name.endswith("limit")
        ]
        return (*self.own_parts, *limits)

    @cached_property
    def options(self) -> dict[str, Any]:
        """The types of the options that a text can give, by name."""
        replaced = {part.argument for part in self.parts} | {self.rest}
        own = {
            name: kind
            for name, kind in self._signature.kinds.items()
            if name not in replaced and (name in self.read or is_written(kind))
        }
        parts = {name: kind for part in self.parts for name, kind in part.options.items()}
        more = {name: kind for name, kind in parts.items() if is_written(kind) and name not in own}
        found = {**own, **more}
        return {**found, "name": str | None} if self.sets_name else found

    def read_options(self, spec: SpecText) -> dict[str, Any]:
        """The values of a text's options.

        Raises:
            InvalidConfig: An option is not known, or its text is no value of it.
        """
        given = dict(spec.options)
        if spec.first is not None:
            if self.first is None:
                message = f"{spec.name}:{spec.first} needs a key: {self._told(spec.name)}"
                raise InvalidConfig(message)
            if self.first in given:
                message = f"{spec.name}:{spec.first} and {self.first}= say the same thing"
                raise InvalidConfig(message)
            given = {self.first: spec.first, **given}
        self._check_known(spec.name, given, self.options)
        return {key: self._value(key, text) for key, text in given.items()}

    def build(self, name: str, given: Mapping[str, Any]) -> Any:
        """The agent, from the values of its options.

        Raises:
            InvalidConfig: An option is not known, missing, or out of range.
        """
        options = dict(given)
        self._check_known(name, options, {*self.options, *self._signature.kinds})
        is_own = "name" in self._signature.kinds or not self.sets_name
        called = None if is_own else options.pop("name", None)
        for part in self.parts:
            options = part.made(options, self._signature.kinds)
        if self.rest is not None:
            options = self._collected(options, self.rest)
        missing = [key for key in self._signature.required if key not in options]
        if missing:
            example = self._example(name, missing[0])
            message = f"{name} needs {', '.join(f'{key}=' for key in missing)}{example}"
            raise InvalidConfig(message)
        agent = self.make(**options)
        if called is not None:
            agent.name = called
        return agent

    def written(self, given: Mapping[str, Any]) -> tuple[str | None, dict[str, str]] | None:
        """What a text gives first, and its other options; None if a value has no text."""
        values = dict(given)
        if self.rest is not None and isinstance(values.get(self.rest), Mapping):
            values |= values.pop(self.rest)
        for part in self.parts:
            value = values.get(part.argument)
            if part.make is Limit and isinstance(value, Limit):
                del values[part.argument]
                ends = {
                    part.prefix + each.name: getattr(value, each.name)
                    for each in fields(Limit)
                    if getattr(value, each.name) != each.default
                }
                if not ends.keys().isdisjoint(self._signature.kinds):
                    return None  # the agent itself takes an option of that name
                values |= ends
        texts = {key: write_value(value) for key, value in values.items()}
        if any(text is None for text in texts.values()) or not texts.keys() <= self._textual(texts):
            return None
        whole = {key: text for key, text in texts.items() if text is not None}
        first = whole.pop(self.first, None) if self.first is not None else None
        return first, whole

    def _textual(self, texts: Mapping[str, Any]) -> set[str]:
        """The options among them that a text can give."""
        is_any = self._signature.is_open or self.rest is not None
        return set(texts) if is_any else set(self.options)

    def _collected(self, options: Mapping[str, Any], rest: str) -> dict[str, Any]:
        """The options, those that ``make`` does not take among them as the argument ``rest``."""
        own = {key: value for key, value in options.items() if key in self._signature.kinds}
        more = {key: value for key, value in options.items() if key not in own}
        return {**own, rest: {**(own.get(rest) or {}), **more}} if more else own

    def _value(self, key: str, text: str) -> Any:
        if key in self.read:
            return self.read[key](text)
        is_rest = self.rest is not None and key not in self.options
        return text if is_rest else read_value(key, self.options.get(key, UNKNOWN), text)

    def _check_known(self, name: str, given: Mapping[str, Any], known: Collection[str]) -> None:
        if self.rest is not None:
            self._check_rest(name, [key for key in given if key not in known])
        if self.rest is not None or self._signature.is_open:
            return
        unknown = [key for key in given if key not in known]
        if unknown:
            close = difflib.get_close_matches(unknown[0], self.options, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(f'{each}=' for each in close)}?" if close else ";"
            message = f"{unknown[0]}=: {name} has no such option{hint} {self._told(name)}".rstrip()
            raise InvalidConfig(message)

    def _check_rest(self, name: str, unknown: Sequence[str]) -> None:
        """Refuse what is meant for the agent itself and misspelt."""
        for key in unknown:
            close = difflib.get_close_matches(key, self.options, n=1, cutoff=0.8)
            if close and key.islower():
                message = (
                    f"{key}=: {name} has no such option; did you mean {close[0]}=? (One that is "
                    f"really called so is given in Python, by {self.rest}=)"
                )
                raise InvalidConfig(message)

    def _told(self, name: str) -> str:
        if len(self.options) > MOST_TOLD:
            return f"agents.options({name!r}) lists all"
        return f"its options are {', '.join(self.options)}"

    def _example(self, name: str, missing: str) -> str:
        given = f"{missing.upper()}" if missing == self.first else f"{missing}=…"
        return f", such as {name}:{given}"
