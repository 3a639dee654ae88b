"""Checks that the settings of every study share."""

from collections.abc import Iterable, Mapping
from typing import Any

from phasezoo.errors import InvalidConfig

__all__ = ["check_even", "check_least", "check_positive", "option"]


def option(name: str) -> str:
    """How the command line spells a setting."""
    return "--" + name.replace("_", "-")


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
