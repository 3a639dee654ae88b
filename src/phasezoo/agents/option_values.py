"""Values of options as text: read as the type that the option has, and written again."""

import math
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from phasezoo.agents.limit import TimeControl
from phasezoo.errors import InvalidConfig

__all__ = ["UNKNOWN", "is_written", "read_value", "told_kind", "write_value"]

UNKNOWN: Any = object()
"""The type of an option that says none: its values are taken for what they look like."""

NONE = "none"


def read_value(option: str, kind: Any, text: str) -> Any:
    """The value that ``text`` writes.

    Args:
        option: Its name, for the message.
        kind: Its type: ``str``, ``int``, ``float``, ``bool``, a ``Literal``, a ``TimeControl``,
            ``None`` or a union with one of these; ``Any`` is text; :data:`UNKNOWN` what it looks
            like.
        text: A whole or decimal number; ``true`` or ``false``; ``none`` for None; or any text.

    Raises:
        InvalidConfig: The text is no value of the type.
    """
    for read in _readers(kind):
        try:
            return read(text)
        except ValueError:
            continue
    expected = told_kind(kind)
    if not expected:
        message = f"{option}= has no value that can be written as text"
        raise InvalidConfig(message)
    message = f"{option}={text!r}: expected {expected}"
    raise InvalidConfig(message)


def is_written(kind: Any) -> bool:
    """Whether a type has values besides None that can be written as text."""
    return told_kind(kind) not in ("", NONE)


def told_kind(kind: Any) -> str:
    """What values of a type look like, in words; empty if none can be written."""
    words = ["a text"] if kind is UNKNOWN else []
    for member in _members(kind):
        if get_origin(member) is Literal:
            words += [str(value) for value in get_args(member)]
        elif member in _WORDS:
            words.append(_WORDS[member])
    return " or ".join(dict.fromkeys(words))


def write_value(value: Any) -> str | None:
    """The text that reads as ``value``; None if there is none."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, TimeControl):
        return value.text
    if isinstance(value, int | str | Path) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    return None


def _members(kind: Any) -> list[Any]:
    if get_origin(kind) in (Union, types.UnionType):
        return [member for each in get_args(kind) for member in _members(each)]
    return [kind]


def _readers(kind: Any) -> list[Callable[[str], Any]]:
    """What reads values of a type, the narrowest first."""
    found = [(_ORDER[member], _READERS[member]) for member in _members(kind) if member in _READERS]
    literals = [
        (0, _one_of(get_args(member))) for member in _members(kind) if get_origin(member) is Literal
    ]
    if kind is UNKNOWN:
        found = [
            (_ORDER[member], _READERS[member]) for member in _READERS if member is not TimeControl
        ]
    return [read for _, read in sorted(literals + found, key=lambda each: each[0])]


def _one_of(values: tuple[Any, ...]) -> Callable[[str], Any]:
    by_text = {write_value(value): value for value in values}

    def read(text: str) -> Any:
        if text not in by_text:
            raise ValueError(text)
        return by_text[text]

    return read


def _none(text: str) -> None:
    if text.lower() != NONE:
        raise ValueError(text)


def _bool(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _clock(text: str) -> TimeControl:
    try:
        return TimeControl.read(text)
    except InvalidConfig as error:
        raise ValueError(text) from error


_READERS: dict[Any, Callable[[str], Any]] = {
    type(None): _none,
    TimeControl: _clock,
    bool: _bool,
    int: int,
    float: _float,
    str: str,
    Path: str,
    Any: str,
}
_ORDER = {kind: place for place, kind in enumerate(_READERS, start=1)}
_WORDS = {
    type(None): NONE,
    TimeControl: "a clock, such as 60+0.6 or 40/300",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a text",
    Any: "a text",
}
