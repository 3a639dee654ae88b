"""The range and the unit of an option's numbers, as its annotation says them.

Ranges are those of the library annotated-types: ``Annotated[int, Ge(1)]``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeAlias

from annotated_types import Ge, GroupedMetadata, Gt, Interval, Le, Lt, MinLen, MultipleOf

PositiveInt: TypeAlias = Annotated[int, Ge(1)]
NonNegativeInt: TypeAlias = Annotated[int, Ge(0)]
UInt32: TypeAlias = Annotated[int, Interval(ge=0, le=2**32 - 1)]
"""A whole number as the core counts."""
PositiveUInt16: TypeAlias = Annotated[int, Interval(ge=1, le=2**16 - 1)]
"""Sizes of batches and numbers of threads."""
Even: TypeAlias = Annotated[int, Ge(0), MultipleOf(2)]
PositiveFloat: TypeAlias = Annotated[float, Gt(0)]
NonNegativeFloat: TypeAlias = Annotated[float, Ge(0)]
Share: TypeAlias = Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class Unit:
    """The unit of a number, to stand in its annotation."""

    name: str
    """Such as ``"milliseconds"``."""


@dataclass(frozen=True)
class Range:
    """The numbers that an option takes and their unit, or the least length of a list."""

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    multiple: int = 1
    length: int = 0
    unit: str = ""

    @classmethod
    def of(cls, notes: Sequence[Any]) -> "Range":
        """The range that an annotation's notes say; those that say none are left alone."""
        found: dict[str, Any] = {}
        for note in _single(notes):
            for kind, attribute, field in _BOUNDS:
                if isinstance(note, kind):
                    found[field] = getattr(note, attribute)
        return cls(**found)

    @property
    def is_endless(self) -> bool:
        """Whether nothing bounds it above."""
        return math.isinf(self.most) and math.isinf(self.below)

    def holds(self, number: float) -> bool:
        """Whether a number lies in the range; NaN and infinities never do."""
        if not (self.least <= number <= self.most and self.above < number < self.below):
            return False
        return self.multiple == 1 or number % self.multiple == 0

    @cached_property
    def words(self) -> str:
        """The range after "a number", with what stands between the two."""
        least, most = f"{_digits(self.least)}", f"{_digits(self.most)}"
        above, below = f"above {_digits(self.above)}", f"below {_digits(self.below)}"
        has_most, has_below = math.isfinite(self.most), math.isfinite(self.below)
        end = f"to {most}" if has_most else f"to {below}" if has_below else ""
        if math.isfinite(self.least):
            return f" from {least} {end}" if end else f", {least} or more"
        if math.isfinite(self.above):
            return f" {above}, {end}" if end else f" {above}"
        return f", {most} or less" if has_most else f" {below}" if has_below else ""


_BOUNDS = (
    (Ge, "ge", "least"),
    (Le, "le", "most"),
    (Gt, "gt", "above"),
    (Lt, "lt", "below"),
    (MultipleOf, "multiple_of", "multiple"),
    (MinLen, "min_length", "length"),
    (Unit, "name", "unit"),
)


def _single(notes: Sequence[Any]) -> Iterator[Any]:
    """The notes of an annotation, with grouped ones such as ``Interval`` taken apart."""
    for note in notes:
        if isinstance(note, GroupedMetadata):
            yield from _single(list(note))
        else:
            yield note


def _digits(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"
