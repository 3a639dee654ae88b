"""Checks that the settings of every study share."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasezoo.errors import InvalidConfig

__all__ = [
    "MOST_AN_UPDATE",
    "check_even",
    "check_least",
    "check_most",
    "check_once",
    "check_positive",
    "check_rising",
    "check_training_batch",
    "listed",
    "option",
]

MOST_AN_UPDATE = 65_536
"""Training positions of one update, at the most."""


def option(name: str) -> str:
    """How the command line spells a setting."""
    return "--" + name.replace("_", "-")


def listed(values: Iterable[object]) -> str:
    """How the command line spells several values."""
    return " ".join(map(str, values))


def check_least(config: Any, least: Mapping[str, int]) -> None:
    """Refuse numbers below their bounds; None, where a setting may be that, has none.

    Raises:
        InvalidConfig: There is one; the message names the option.
    """
    for name, bound in least.items():
        value = getattr(config, name)
        if value is not None and value < bound:
            message = f"{option(name)} {value}: must be {bound:,} or more"
            raise InvalidConfig(message)


def check_most(config: Any, most: Mapping[str, int]) -> None:
    """Refuse numbers above their bounds; None, where a setting may be that, has none.

    Raises:
        InvalidConfig: There is one; the message names the option.
    """
    for name, bound in most.items():
        value = getattr(config, name)
        if value is not None and value > bound:
            message = f"{option(name)} {value}: must be {bound:,} or less"
            raise InvalidConfig(message)


def check_training_batch(config: Any) -> None:
    """Refuse more training positions an update than any accelerator takes at once.

    Raises:
        InvalidConfig: There are more than 65,536.
    """
    check_most(config, {"training_batch": MOST_AN_UPDATE})


def check_positive(config: Any, names: Iterable[str]) -> None:
    """Refuse numbers that are not above zero and finite; None has no bounds.

    Raises:
        InvalidConfig: There is one; the message names the option.
    """
    for name in names:
        value = getattr(config, name)
        if value is not None and not 0 < value < float("inf"):
            message = f"{option(name)} {value}: must be above 0 and finite"
            raise InvalidConfig(message)


def check_even(config: Any, name: str) -> None:
    """Refuse an odd number of games.

    Raises:
        InvalidConfig: It is odd; the message names the option.
    """
    value = getattr(config, name)
    if value % 2:
        message = (
            f"{option(name)} {value}: must be even, because every opening is played with both "
            "colours"
        )
        raise InvalidConfig(message)


def check_rising(
    name: str, values: Sequence[float], least: float = 1, most: float = math.inf
) -> None:
    """Refuse values that do not rise strictly between bounds, or are not finite, or none.

    Raises:
        InvalidConfig: It is so; the message names the option.
    """
    finite = all(math.isfinite(value) and least <= value <= most for value in values)
    rising = all(before < after for before, after in itertools.pairwise(values))
    if not values or not finite or not rising:
        bounds = f"of {least:g} or more" if most == math.inf else f"from {least:g} to {most:,.0f}"
        message = f"{option(name)} {listed(values)}: must be one or more rising values {bounds}"
        raise InvalidConfig(message)


def check_once(name: str, values: Sequence[object]) -> None:
    """Refuse a value that is named twice.

    Raises:
        InvalidConfig: There is one; the message names the option.
    """
    if len(set(values)) < len(values):
        message = f"{option(name)} {listed(values)}: each must be there once"
        raise InvalidConfig(message)
