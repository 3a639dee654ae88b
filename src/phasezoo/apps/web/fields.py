"""Fields of a page's message, each checked; one that does not fit is refused by name."""

from collections.abc import Mapping
from typing import Annotated, Any

from annotated_types import Interval

from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig
from phasezoo.runs import jsonable
from phasezoo.specs import Unit, values_of

LONGEST_MESSAGE = 256 * 1024
"""Bytes of a message; the JSON of a Pommerman state takes about 20 kB."""

LONGEST_TEXT = 4_000
"""Letters of a field, unless it may have more."""


class Fields:
    """The fields of a message."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """A text."""
        value = self.given.get(name)
        if not isinstance(value, str) or len(value) > longest:
            raise self._refused(name, f"a text of at most {longest:,} letters")
        return value

    def text_or_none(self, name: str, longest: int = LONGEST_TEXT) -> str | None:
        """A text that says something; None if it is missing, null or empty."""
        if self.given.get(name) in (None, ""):
            return None
        return self.text(name, longest).strip() or None

    def number(self, name: str, low: int, high: int) -> int:
        """A whole number in a range, both ends included."""
        number: int = self._checked(name, Annotated[int, Interval(ge=low, le=high)])
        return number

    def number_or(self, name: str, default: int | None, low: int, high: int) -> int | None:
        """The same; ``default`` if it is missing or null."""
        return default if self.given.get(name) is None else self.number(name, low, high)

    def seconds(self, name: str, default: float, most: float) -> float:
        """Seconds from 0 to ``most``."""
        if name not in self:
            return default
        allowed = Annotated[float, Interval(ge=0, le=most), Unit("seconds")]
        return float(self._checked(name, allowed))

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false."""
        if default is not None and name not in self:
            return default
        return bool(self._checked(name, bool))

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An object; empty if it is missing or null."""
        value = self.given.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._refused(name, "an object")
        return value

    def texts_or_none(self, name: str, most: int) -> list[str | None]:
        """Texts, or nulls."""
        value = self.given.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise self._refused(name, f"a list of at most {most} texts")
        return [Fields({name: each}).text_or_none(name) for each in value]

    def _checked(self, name: str, annotation: Any) -> Any:
        try:
            return values_of(annotation).taken(self.given.get(name))
        except ValueError:
            raise self._refused(name, values_of(annotation).words()) from None

    def _refused(self, name: str, expected: str) -> InvalidConfig:
        if name not in self.given:
            return InvalidConfig(f"{name!r} is missing from the message: expected {expected}")
        shown = repr(self.given[name])
        shown = shown if len(shown) <= 60 else f"{shown[:59]}…"
        return InvalidConfig(f"{name}={shown}: expected {expected}")


def read_message(text: str) -> dict[str, Any]:
    """A message as an object."""
    if len(text) > LONGEST_MESSAGE:
        message = f"a message of {len(text):,} letters: at most {LONGEST_MESSAGE:,} are read"
        raise InvalidConfig(message)
    try:
        given = jsonable.parsed(text)
    except ValueError as error:
        message = f"the message is no JSON ({str(error)[:80]}): send an object such as {{'do': …}}"
        raise InvalidConfig(message) from error
    if not isinstance(given, dict):
        message = f"the message is {type_name(given)}: send an object such as {{'do': …}}"
        raise InvalidConfig(message)
    return given
