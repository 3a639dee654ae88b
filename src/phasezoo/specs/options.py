"""The options of dataclasses, classes and functions: their annotations and defaults."""

import ast
import dataclasses
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from phasezoo.errors import InvalidConfig
from phasezoo.specs.removed import removal_of
from phasezoo.specs.text import did_you_mean
from phasezoo.specs.values import (
    REQUIRED,
    UNKNOWN,
    Default,
    Values,
    check_value,
    read_value,
    values_of,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Config = TypeVar("Config", bound="DataclassInstance")

_ATTRIBUTE = re.compile(r"^ {4}(?P<name>\w+): (?P<text>.*(?:\n {5,}.*)*)", re.MULTILINE)
"""An entry of the section ``Attributes:``."""


@dataclass(frozen=True)
class Option:
    """One option, by its name."""

    name: str
    """Its parameter's or field's name."""
    annotation: Any
    """The annotation of its values; :data:`UNKNOWN` without one."""
    default: Any = REQUIRED
    """The value if it is not given."""

    @cached_property
    def values(self) -> Values:
        """The values that it takes."""
        return values_of(self.annotation)

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED

    def read(self, text: str) -> Any:
        """The value that a text writes."""
        return read_value(self.name, self.annotation, text)

    def check(self, value: Any) -> Any:
        """The value as it is kept."""
        return check_value(self.name, self.annotation, value)


@dataclass(frozen=True)
class Options:
    """The options of something that is called by name."""

    by_name: Mapping[str, Option]
    """The options, in the order of the signature."""
    is_open: bool = False
    """Whether any other is taken too."""
    positional: tuple[str, ...] = ()
    """Those that may be given by their place."""
    is_variadic: bool = False
    """Whether any number is taken by place."""

    @property
    def required(self) -> tuple[str, ...]:
        """The options without a default."""
        return tuple(name for name, option in self.by_name.items() if option.is_required)


@lru_cache(maxsize=256)
def fields_of(config: type) -> tuple[Option, ...]:
    """The options of a dataclass: the fields that its constructor takes."""
    hints = _hints(config)
    return tuple(
        Option(each.name, hints.get(each.name, each.type), _default_of(each))
        for each in dataclasses.fields(config)
        if each.init
    )


@lru_cache(maxsize=256)
def descriptions_of(config: type) -> dict[str, str]:
    """Return the descriptions of a class's fields by name, with those that it inherits.

    Args:
        config: The class. They stand below its fields, or in the section ``Attributes:`` of its
            docstring; a class that was made by a function has only what it inherits.
    """
    found: dict[str, str] = {}
    for kind in reversed(config.__mro__[:-1]):
        _, _, section = inspect.cleandoc(vars(kind).get("__doc__") or "").partition("Attributes:\n")
        found |= {each["name"]: each["text"] for each in _ATTRIBUTE.finditer(section)}
        try:
            source = inspect.getsource(kind)
        except (OSError, TypeError):
            continue
        body = ast.parse(textwrap.dedent(source)).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, text in pairwise(body.body):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                assert isinstance(field.target, ast.Name)
                found[field.target.id] = inspect.cleandoc(ast.literal_eval(text.value))
    return found


def options_of(make: Callable[..., Any], like: Callable[..., Any] | None = None) -> Options:
    """The options of a class or function, those among them that it passes on.

    Args:
        make: The class or function. A class passes ``**options`` on to the class that it inherits
            from, or to its argument ``config``, if that is a dataclass; ``**options: Unpack[…]`` of
            a ``TypedDict`` lists them.
        like: Takes what ``make`` itself passes on to another.
    """
    found = _own_options(make)
    if like is None or not found.is_open:
        return found
    more = _own_options(like)
    if found.required:
        more = Options({n: _given(o) for n, o in more.by_name.items()}, more.is_open)
    return Options({**more.by_name, **found.by_name}, more.is_open)


def _given(option: Option) -> Option:
    """An option that is not asked for."""
    return dataclasses.replace(option, default=None) if option.is_required else option


_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _own_options(make: Callable[..., Any]) -> Options:
    found: dict[str, Option] = {}
    positional: list[str] = []
    is_open = is_variadic = False
    for place, each in enumerate(_chain(make)):
        hints = _hints(each)
        is_open = False
        parameters = list(signature_of(each).parameters.values())
        if inspect.isclass(make) and parameters and parameters[0].kind in _BY_PLACE:
            del parameters[0]  # the object itself
        for parameter in parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                listed = _unpacked(hints.get(parameter.name))
                found = {**listed, **found}
                is_open = not listed
                continue
            is_required = parameter.default is parameter.empty
            if parameter.kind is parameter.VAR_POSITIONAL:
                is_variadic |= not place
                continue
            if place and is_required:  # given by what passes the options on
                continue
            default = REQUIRED if is_required else parameter.default
            annotation = hints.get(parameter.name, parameter.annotation)
            if annotation is parameter.empty or isinstance(annotation, str):
                annotation = UNKNOWN
            found.setdefault(parameter.name, Option(parameter.name, annotation, default))
            if parameter.kind is not parameter.KEYWORD_ONLY and not place:
                positional.append(parameter.name)
        if not is_open:
            break
    config = _dataclass_in(found["config"].annotation) if "config" in found else None
    if is_open and config is not None:
        found = {**{option.name: option for option in fields_of(config)}, **found}
        is_open = False
    return Options(found, is_open, tuple(positional), is_variadic)


@lru_cache(maxsize=64)
def options_in(table: type) -> dict[str, Option]:
    """The options of a ``TypedDict``; a :class:`Default` in an annotation says what holds without.

    Args:
        table: The class, whose options a function takes by ``**options: Unpack[table]``.
    """
    hints = typing.get_type_hints(table, include_extras=True)
    return {name: Option(name, hint, _default_in(hint)) for name, hint in hints.items()}


def _default_in(annotation: Any) -> Any:
    notes = getattr(annotation, "__metadata__", ())
    return next((note.value for note in notes if isinstance(note, Default)), None)


def _unpacked(annotation: Any) -> dict[str, Option]:
    """The options of ``**options: Unpack[SomeTypedDict]``; none for any other annotation."""
    is_table = typing.get_origin(annotation) is typing.Unpack
    return options_in(typing.get_args(annotation)[0]) if is_table else {}


def _chain(make: Callable[..., Any]) -> Iterator[Any]:
    """The functions called one after another, as long as options are passed on."""
    if not inspect.isclass(make):
        yield make
        return
    for kind in make.__mro__[:-1]:
        if "__init__" in vars(kind):
            yield vars(kind)["__init__"]


_ANYTHING = inspect.Signature([inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)])


def signature_of(of: Any) -> inspect.Signature:
    """The signature of a class or function; of one that does not tell, one that takes anything."""
    try:
        return inspect.signature(of)
    except (TypeError, ValueError):
        return _ANYTHING


def _hints(of: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(of, include_extras=True)
    except (NameError, TypeError):  # names that only a type checker imports
        return {}


def _dataclass_in(annotation: Any) -> type | None:
    """The dataclass of an optional one."""
    members = typing.get_args(annotation) or (annotation,)
    kinds = (each for each in members if isinstance(each, type))
    return next((each for each in kinds if dataclasses.is_dataclass(each)), None)


def _default_of(field: "dataclasses.Field[Any]") -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return REQUIRED


def check(config: "DataclassInstance", shown: Callable[[str, Any], str] | None = None) -> None:
    """Check every field of a frozen dataclass by its annotation, in ``__post_init__``.

    Numbers of NumPy become Python's, lists of a field ``tuple[…]`` tuples.

    Args:
        config: The object.
        shown: How a message shows name and value; default ``name=value``.
    """
    for option in fields_of(type(config)):
        value = getattr(config, option.name)
        try:
            taken = option.values.taken(value)
        except ValueError:
            own = {} if shown is None else {"shown": shown}
            taken = check_value(option.name, option.annotation, value, **own)
        if taken is not value:
            object.__setattr__(config, option.name, taken)


def check_arguments(thing: object, *names: str) -> None:
    """Check attributes of an object by the annotations of its constructor's arguments.

    Args:
        thing: The object; it keeps each value as its option does.
        *names: The attributes, which are called as the arguments.
    """
    options = options_of(type(thing)).by_name
    for name in names:
        setattr(thing, name, options[name].check(getattr(thing, name)))


def changed(config: Config, changes: Mapping[str, Any], what: str = "option") -> Config:
    """A copy of a frozen dataclass with fields changed by name."""
    known = [option.name for option in fields_of(type(config))]
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise InvalidConfig(unknown_option(unknown[0], what, known))
    return dataclasses.replace(config, **changes)


def changed_among(config: Any, *names: str) -> list[str]:
    """Those of a dataclass' fields ``names`` that are not what they are by default."""
    return [name for name in names if getattr(config, name) != getattr(type(config), name)]


def joined(spec: object, own: Mapping[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a text gives and those beside it."""
    twice = sorted(own.keys() & beside.keys())
    if twice:
        message = f"{str(spec)!r} has {', '.join(twice)} too: give it once"
        raise InvalidConfig(message)
    return {**own, **beside}


def unknown_option(name: str, of: str, known: Collection[str], listed: str | None = None) -> str:
    """The message about an option that does not exist.

    Args:
        name: The option that was given.
        of: What does not have it.
        known: The options that it has.
        listed: What the message says of them; default their names.
    """
    if gone := removal_of(name):
        return gone
    hint = did_you_mean(name, known, most=3, form="{}=", cutoff=0.5)
    there_are = f"there are {', '.join(known)}" if known else "it has none"
    return f"{name}=: {of} has no such option{';' if hint == '.' else hint} {listed or there_are}"
