"""The values that an option takes: read from texts, checked, described and written again.

An annotation says it all: ``Annotated[int, Ge(1)] | None``, ``Literal["sgd", "adamw"]``. Ranges are
those of the library annotated-types. A class whose objects texts can write has ``expected``, what
such a text looks like; ``read(text)``, which raises ``InvalidConfig`` for any other; and ``text``,
which is None for an object that no text can write.
"""

import math
import os
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from phasezoo.errors import InvalidConfig
from phasezoo.specs.ranges import Range
from phasezoo.specs.text import did_you_mean

UNKNOWN: Any = object()
"""The annotation of an option without one: its values are taken for what they look like."""

REQUIRED: Any = object()
"""The default of an option that has none."""

NONE = "none"
"""None, as texts write it."""


@dataclass(frozen=True)
class Default:
    """The default of an option, where its annotation has to say that too: in a ``TypedDict``."""

    value: Any
    """It."""


class Kind:
    """One type among those that an annotation allows.

    Args:
        type_: The type, a ``Literal``, or :data:`UNKNOWN`.
        notes: The notes of its annotation.
    """

    def __init__(self, type_: Any, notes: Sequence[Any]) -> None:
        self.type = type_
        self.choices = get_args(type_) if get_origin(type_) is Literal else ()
        self.range = Range.of(notes)
        self.origin = get_origin(type_)
        self.items: Values | None = None
        if self.origin is Sequence or (self.origin is tuple and get_args(type_)[-1:] == (...,)):
            self.items = values_of(get_args(type_)[0])
        self.written: Any = type_ if hasattr(type_, "expected") else None

    @property
    def order(self) -> int:
        """Its place among those that are tried on a text, the narrowest first."""
        if self.choices:
            return 0
        return 2 if self.written is not None else _ORDER.get(self.type, len(_ORDER))

    @property
    def is_plain(self) -> bool:
        """Whether its values are numbers, texts, true or false."""
        return bool(self.choices) or self.type in (bool, int, float, str)

    @property
    def in_texts(self) -> bool:
        """Whether a text can write its values."""
        if self.items is not None:
            return self.items.in_texts
        return bool(self.choices) or self.written is not None or self.type in _READERS

    def words(self, *, as_text: bool) -> str:
        """Describe its values; empty if there is nothing to say."""
        if self.choices:
            words = [write_value(c) or "" if as_text else repr(c) for c in self.choices]
            return " or ".join(words) if len(words) < 3 else f"one of {', '.join(words)}"
        if self.written is not None and as_text:
            return str(self.written.expected)
        if self.type is type(None):
            return NONE if as_text else "None"
        if self.type is bool:
            return "true or false" if as_text else "True or False"
        if self.type in (int, float):
            number = "whole number" if self.type is int else "number"
            if self.type is float and not as_text and self.range.is_endless:
                number = "finite number"
            article = "an even" if self.range.multiple == 2 else "a"
            unit = f"{self.range.unit}, " if self.range.unit else ""
            return f"{unit}{article} {number}{self.range.words}"
        if self.type in _WORDS:
            return _WORDS[self.type]
        if self.items is not None:
            some = f"{self.range.length} or more" if self.range.length else "a list"
            each = self.items.words(as_text=as_text)
            return f"{some}, each {each}" if each else ""
        if as_text:
            return ""
        return f"a {getattr(self.type, '__name__', self.type)}"

    def read(self, text: str) -> Any:
        """The value that a text writes; raises ``ValueError`` if there is no such value."""
        if self.choices:
            return {write_value(choice): choice for choice in self.choices}[text]
        if self.items is not None:
            return tuple(self.items.read(each.strip()) for each in text.split(","))
        return self.written.read(text) if self.written is not None else _READERS[self.type](text)

    def taken(self, value: Any) -> Any:
        """The value as the option keeps it; raises ``ValueError`` if it is not allowed."""
        if self.choices:
            if not any(type(value) is type(choice) and value == choice for choice in self.choices):
                raise ValueError
            return value
        if self.type in (int, float):
            return self._number(value)
        if self.type is Path:
            if not isinstance(value, str | os.PathLike):
                raise ValueError
            return value
        if self.items is not None:
            if not isinstance(value, list | tuple) or len(value) < self.range.length:
                raise ValueError
            return tuple(self.items.taken(each) for each in value)
        kind = self.origin or self.type
        if isinstance(kind, type) and _is_checked(kind) and not isinstance(value, kind):
            raise ValueError
        return value

    def _number(self, value: Any) -> int | float:
        kind = type(value)
        if kind.__module__ == "numpy" and kind.__name__ != "ndarray" and hasattr(value, "item"):
            value = value.item()  # NumPy itself is not loaded for this
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole and (self.type is int or not isinstance(value, float)):
            raise ValueError
        if not self.range.holds(value) or (self.type is not int and not math.isfinite(value)):
            raise ValueError
        number: int | float = value
        return number


def _is_checked(kind: type) -> bool:
    """Whether ``isinstance`` can say what belongs to a class."""
    is_open = getattr(kind, "_is_protocol", False) and not getattr(
        kind, "_is_runtime_protocol", False
    )
    return kind is not Any and not is_open


class Values:
    """All values that an annotation allows."""

    def __init__(self, annotation: Any) -> None:
        self.kinds = tuple(Kind(type_, notes) for type_, notes in _members(annotation, ()))
        self._takes_none = any(kind.type is type(None) for kind in self.kinds)
        self._readers = sorted(
            (kind for kind in self.kinds if kind.in_texts), key=lambda kind: kind.order
        )
        if annotation is UNKNOWN:
            looks = (type(None), bool, int, float, str)
            self._readers = [Kind(type_, ()) for type_ in looks]

    @property
    def in_texts(self) -> bool:
        """Whether a text can write values besides None."""
        return any(kind.type is not type(None) for kind in self._readers)

    def words(self, *, as_text: bool = False) -> str:
        """Describe the values, such as ``"a whole number, 1 or more"``."""
        kinds = sorted(self.kinds, key=lambda kind: kind.type is type(None))
        words = dict.fromkeys(filter(None, (kind.words(as_text=as_text) for kind in kinds)))
        return (", or " if any(", " in each for each in words) else " or ").join(words)

    def expected(self, given: Any, *, as_text: bool = False) -> str:
        """Describe the values, and name the choice that a text may mean."""
        several = [
            each for kind in self.kinds for each in (kind.items.kinds if kind.items else (kind,))
        ]
        choices = [write_value(choice) or "" for kind in several for choice in kind.choices]
        hint = did_you_mean(given, choices) if isinstance(given, str) else "."
        return self.words(as_text=as_text) + hint.removesuffix(".")

    @property
    def range_words(self) -> str:
        """The range of its numbers, such as ``"1 or more"``; empty without a range."""
        for kind in self.kinds:
            if kind.items is not None and kind.items.range_words:
                return f"each {kind.items.range_words}"
            if kind.type in (int, float) and kind.range.words:
                return kind.range.words.strip(", ")
        return ""

    def read(self, text: str) -> Any:
        """The value that a text writes; raises ``ValueError`` if there is no such value."""
        for kind in self._readers:
            try:
                return kind.read(text)
            except (ValueError, KeyError):
                continue
        raise ValueError

    def taken(self, value: Any) -> Any:
        """The value as an option keeps it; raises ``ValueError`` if it is not allowed."""
        if value is None and self._takes_none:
            return None
        for kind in self.kinds:
            try:
                return kind.taken(value)
            except (ValueError, OverflowError):
                continue
        raise ValueError


@lru_cache(maxsize=4096)
def _cached(annotation: Any) -> Values:
    return Values(annotation)


def values_of(annotation: Any) -> Values:
    """The values that an annotation allows."""
    try:
        return _cached(annotation)
    except TypeError:  # notes that cannot be hashed
        return Values(annotation)


def _members(annotation: Any, notes: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The types of an annotation, each with its notes."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        yield from _members(inner, (*notes, *more))
    elif get_origin(annotation) in (Union, types.UnionType):
        for each in get_args(annotation):
            yield from _members(each, notes)
    else:
        yield (type(None) if annotation is None else annotation), notes


def read_value(name: str, annotation: Any, text: str) -> Any:
    """Read the value that a text writes.

    Args:
        name: The option's name, for the message.
        annotation: What it takes, as for :func:`values_of`.
        text: A whole or decimal number; ``true`` or ``false``; ``none`` for None; a word of a
            ``Literal``; what a :class:`Written` class reads; or any text.
    """
    values = values_of(annotation)
    try:
        value = values.read(text)
    except ValueError:
        if not values.words(as_text=True):
            message = f"{name}= has no value that can be written as text"
            raise InvalidConfig(message) from None
        raise _refused(name, text, values.expected(text, as_text=True)) from None
    try:
        return values.taken(value)
    except ValueError:
        raise _refused(name, value, values.words(as_text=True)) from None


def _shown(name: str, value: Any) -> str:
    return f"{name}={value!r}"


def as_typed(name: str, value: Any) -> str:
    """Name and value as the command line has them: ``--max-plies 0``."""
    words = " ".join(map(str, value)) if isinstance(value, tuple | list) else value
    return f"--{name.replace('_', '-')} {words}"


def check_value(
    name: str, annotation: Any, value: Any, shown: Callable[[str, Any], str] = _shown
) -> Any:
    """Check a value; numbers of NumPy become Python's, lists tuples.

    Returns:
        The value as the option keeps it.
    """
    values = values_of(annotation)
    try:
        return values.taken(value)
    except ValueError:
        raise _refused(name, value, values.expected(value), shown) from None


def _refused(
    name: str, value: Any, words: str, shown: Callable[[str, Any], str] = _shown
) -> InvalidConfig:
    try:
        given = shown(name, value)
    except ValueError:  # a whole number of thousands of digits
        given = f"{name}= with a number of thousands of digits"
    return InvalidConfig(f"{given}: expected {words}")


def write_value(value: Any) -> str | None:
    """Return the text that reads as ``value``; None if no text does."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | str | Path) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    if isinstance(value, tuple) and value:
        texts = [write_value(each) for each in value]
        whole = [text for text in texts if text and "," not in text]
        return ",".join(whole) if len(whole) == len(texts) else None
    return value.text if hasattr(value, "expected") else None


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


def _path(text: str) -> Path:
    if not text:  # else the current folder
        raise ValueError(text)
    return Path(text)


_READERS: dict[Any, Callable[[str], Any]] = {
    type(None): _none,
    bool: _bool,
    int: int,
    float: _float,
    str: str,
    Path: _path,
    Any: str,
    UNKNOWN: str,
}
_ORDER = {type_: place for place, type_ in enumerate(_READERS, start=1)}
_WORDS: dict[Any, str] = {
    str: "a text",
    Path: "a path",
    Any: "a text",
    UNKNOWN: "a text",
}
