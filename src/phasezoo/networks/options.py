"""The options of a factory: what its signature says of them, and texts that give them.

A factory is called as ``factory(input_shape, num_actions, **options)``. Its options are the
parameters after the first two, apart from ``num_players``, which it gets if it takes it.
"""

import difflib
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from phasezoo.errors import InvalidConfig

__all__ = ["Between", "Option", "OptionTable", "OptionValue"]

OptionValue: TypeAlias = int | float | bool | str
"""What an option may be; all of it can be written to JSON."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,11})")
_BOOLEANS = {"true": True, "false": False}
_KINDS: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "a text",
}


@dataclass(frozen=True)
class Between:
    """The range of a number, to stand in an annotation: ``Annotated[int, Between(1, 100)]``."""

    low: float
    """The least that is allowed."""
    high: float
    """The most that is allowed."""


@dataclass(frozen=True)
class Option:
    """One option of a factory."""

    name: str
    """Its parameter's name."""
    kind: type | None
    """``int``, ``float``, ``bool`` or ``str``; None if the signature does not say."""
    choices: tuple[OptionValue, ...] = ()
    """All values that are allowed, if they are listed."""
    between: Between | None = None
    """The numbers that are allowed, if there are bounds."""
    required: bool = False
    """Whether it has no default; such an option is the network's size and part of its name."""

    def allowed(self) -> str:
        """What it may be, in words."""
        if self.choices:
            return "one of " + ", ".join(map(_shown, self.choices))
        kind = "a value" if self.kind is None else _KINDS[self.kind]
        if self.between is not None:
            return f"{kind} of {self.between.low:g} to {self.between.high:g}"
        return kind

    def read(self, given: object) -> OptionValue:
        """The value that ``given``, a text or the value itself, stands for.

        Raises:
            ValueError: It is none that is allowed.
        """
        value = self._typed(given)
        if self.choices and value not in self.choices:
            raise ValueError
        if self.between is not None and not (
            isinstance(value, int | float) and self.between.low <= value <= self.between.high
        ):
            raise ValueError
        return value

    def _typed(self, given: object) -> OptionValue:
        if isinstance(given, str) and self.kind is not str:
            given = _literal(given, as_text=self.kind is None)
        right: dict[type | None, bool] = {
            None: isinstance(given, int | float | str),
            int: isinstance(given, int) and not isinstance(given, bool),
            float: isinstance(given, int | float) and not isinstance(given, bool),
            bool: isinstance(given, bool),
            str: isinstance(given, str),
        }
        if not right[self.kind] or (isinstance(given, float) and not math.isfinite(given)):
            raise ValueError
        value = typing.cast("OptionValue", given)
        return float(value) if self.kind is float else value


@dataclass(frozen=True)
class OptionTable:
    """All options of a factory."""

    options: Mapping[str, Option]
    """By name, in the signature's order."""
    open: bool
    """Whether the factory takes any option (``**options``)."""
    takes_num_players: bool
    """Whether it wants to know how many play."""

    @classmethod
    def of(cls, factory: Callable[..., Any]) -> "OptionTable":
        """Read the signature of ``factory``.

        Raises:
            InvalidConfig: It cannot be called with an input shape and a number of actions.
        """
        parameters = _parameters(factory)
        positional = [
            p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        rest = [p for p in parameters if p not in positional[:2]]
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        if len(positional) < 2 and not variadic:
            message = (
                f"{_name(factory)}{inspect.Signature(parameters)}: a factory of networks is called "
                "as factory(input_shape, num_actions, **options) and answers a torch.nn.Module"
            )
            raise InvalidConfig(message)
        named = [p for p in rest if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        options = {p.name: _option(p) for p in named}
        others = next((p for p in parameters if p.kind is p.VAR_KEYWORD), None)
        listed = {} if others is None else _unpacked(others.annotation)
        options |= listed
        takes_num_players = options.pop("num_players", None) is not None
        return cls(options, others is not None and not listed, takes_num_players)

    def required(self) -> list[Option]:
        """The options that make up the size, in the signature's order."""
        return [option for option in self.options.values() if option.required]

    def read(self, given: Mapping[str, object], where: str) -> dict[str, OptionValue]:
        """The values of the options ``given``, texts or values.

        Raises:
            InvalidConfig: There is no such option, or a value is not allowed; the message begins
                with ``where``.
        """
        return {name: self._read(name, value, where) for name, value in given.items()}

    def _read(self, name: str, value: object, where: str) -> OptionValue:
        option = self.options.get(name)
        if option is None:
            if not self.open:
                message = f"{where}: {self._unknown(name)}"
                raise InvalidConfig(message)
            option = Option(name, kind=None)
        try:
            return option.read(value)
        except ValueError:
            message = f"{where}: {name}={_shown(value)}; expected {option.allowed()}"
            raise InvalidConfig(message) from None

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.options, n=1)
        hint = f"; did you mean {close[0]}?" if close else "."
        known = "; ".join(f"{o.name}: {o.allowed()}" for o in self.options.values())
        return f"no option {name!r}{hint} Options are {known}"


def _parameters(factory: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        signature = inspect.signature(factory, eval_str=True)
    except NameError:  # annotations that only a type checker can read
        signature = inspect.signature(factory)
    except (TypeError, ValueError) as error:
        message = f"{_name(factory)}: its signature cannot be read ({error}); wrap it in a function"
        raise InvalidConfig(message) from error
    return list(signature.parameters.values())


def _option(parameter: inspect.Parameter) -> Option:
    """What ``parameter``'s annotation and default say."""
    required = parameter.default is parameter.empty
    option = _annotated(parameter.name, parameter.annotation, required=required)
    if option.kind is None and not required and _is_kind(type(parameter.default)):
        return replace(option, kind=type(parameter.default))
    return option


def _unpacked(annotation: Any) -> dict[str, Option]:
    """The options of ``**options: Unpack[SomeTypedDict]``; none for any other annotation."""
    if typing.get_origin(annotation) is not typing.Unpack:
        return {}
    hints = typing.get_type_hints(typing.get_args(annotation)[0], include_extras=True)
    return {name: _annotated(name, hint, required=False) for name, hint in hints.items()}


def _annotated(name: str, annotation: Any, *, required: bool) -> Option:
    between = None
    if typing.get_origin(annotation) is typing.Annotated:
        annotation, *extra = typing.get_args(annotation)
        between = next((e for e in extra if isinstance(e, Between)), None)
    annotation = _without_none(annotation)
    if typing.get_origin(annotation) is typing.Literal:
        choices = typing.get_args(annotation)
        return Option(name, type(choices[0]), choices, between, required)
    return Option(name, annotation if _is_kind(annotation) else None, (), between, required)


def _is_kind(annotation: Any) -> bool:
    return any(annotation is kind for kind in _KINDS)


def _without_none(annotation: Any) -> Any:
    """``int`` of ``int | None``: an option is left out rather than said to be None."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        rest = [a for a in typing.get_args(annotation) if a is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def _literal(text: str, *, as_text: bool) -> object:
    """The boolean or number that ``text`` looks like, else ``text`` itself if that will do."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    try:
        return float(text) if text.isascii() else text
    except ValueError:
        return text if as_text else None


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(factory: object) -> str:
    return str(getattr(factory, "__qualname__", factory))
