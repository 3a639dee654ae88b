"""Other searches in which the phase mixture plays one network: settings that differ."""

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from phasezoo.errors import InvalidConfig
from phasezoo.inference.routing import Routing

if TYPE_CHECKING:
    from phasezoo.experiments.m2cts.duel.config import M2ctsConfig

__all__ = ["EQUAL_COST", "RECALIBRATED", "Search", "searches_of"]

EQUAL_COST = "equal-cost"
"""The setting that has no value: the mixture gets as many nodes as cost what one network's do."""

RECALIBRATED = "recalibrated"
"""The setting that has no value: the values of all networks are recalibrated on validation
games."""


@dataclass(frozen=True)
class Search:
    """How both sides of a match search."""

    text: str
    """As the settings spell it, such as ``search-batch=16,nodes=200``."""
    config: "M2ctsConfig"
    """The settings with what differs."""
    recalibrated: bool
    """Whether values are recalibrated (``docs/definitions/seam.md#recalibrated-values``)."""
    equal_cost: bool
    """Whether inference, and not the nodes, is as dear on both sides
    (``docs/definitions/matches.md#what-is-compared``)."""

    def at_equal_nodes(self, others: "Sequence[Search]") -> "Search | None":
        """The search among others that differs by nothing else; None: that of the match itself."""
        return next((one for one in others if not one.equal_cost and _is_same(one, self)), None)


def searches_of(config: "M2ctsConfig") -> list[Search]:
    """The other searches that the settings name.

    Raises:
        InvalidConfig: One cannot be read, is out of range, or is there already.
    """
    found: list[Search] = []
    itself = Search("", config, recalibrated=False, equal_cost=False)
    for text in config.searches:
        search = _read(text, config)
        same = [one for one in (itself, *found) if _is_same(one, search)]
        if any(one.equal_cost == search.equal_cost for one in same):
            message = f"--searches {text}: there already, or the search of the match itself"
            raise InvalidConfig(message)
        found.append(search)
    for search in found:
        is_played = _is_same(itself, search) or search.at_equal_nodes(found) is not None
        if search.equal_cost and not is_played:
            plain = ",".join(part for part in search.text.split(",") if part != EQUAL_COST)
            message = (
                f"--searches {search.text}: give {plain} too, whose games tell how many calls of "
                "the networks each side makes"
            )
            raise InvalidConfig(message)
    return found


def _is_same(one: Search, other: Search) -> bool:
    """Whether two searches differ by cost at the most."""
    return (_what_counts(one.config), one.recalibrated) == (
        _what_counts(other.config),
        other.recalibrated,
    )


def _what_counts(config: "M2ctsConfig") -> "M2ctsConfig":
    """Settings without those that a search by time makes no use of."""
    config = dataclasses.replace(config, searches=())
    if config.movetime is None:
        return config
    return dataclasses.replace(config, nodes=1, simulations_per_node=None)


def _read(text: str, config: "M2ctsConfig") -> Search:
    """``SETTING=VALUE``, ``recalibrated`` or ``equal-cost``, several with commas."""
    changes: dict[str, Any] = {}
    names: set[str] = set()
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name in names:
            message = f"--searches {text}: {name} stands there twice"
            raise InvalidConfig(message)
        names.add(name)
        if part in (RECALIBRATED, EQUAL_COST):
            continue
        if name not in _KINDS:
            known = ", ".join(f"{each}=…" for each in _KINDS)
            message = (
                f"--searches {text}: {part!r} is none of {known}, {RECALIBRATED} and {EQUAL_COST}"
            )
            raise InvalidConfig(message)
        try:
            changes[name.replace("-", "_")] = _KINDS[name](value)
        except ValueError as error:
            message = f"--searches {text}: {error}"
            raise InvalidConfig(message) from error
    if "movetime" in changes and ("nodes" in changes or "simulations_per_node" in changes):
        message = f"--searches {text}: give time or nodes and simulations, not both"
        raise InvalidConfig(message)
    if "nodes" in changes:
        changes["movetime"] = None
    changed = dataclasses.replace(config, searches=(), **changes)
    try:
        changed.validate()
    except InvalidConfig as error:
        message = f"--searches {text}: {error}"
        raise InvalidConfig(message) from error
    if EQUAL_COST in names and changed.movetime is not None:
        message = f"--searches {text}: costs are made equal by nodes, not by time; leave one out"
        raise InvalidConfig(message)
    return Search(text, changed, RECALIBRATED in names, EQUAL_COST in names)


def _one_of(values: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in values:
            message = f"{text!r} is none of {', '.join(values)}"
            raise ValueError(message)
        return text

    return read


def _number(kind: type[int | float], called: str) -> Callable[[str], int | float]:
    def read(text: str) -> int | float:
        try:
            return kind(text)
        except ValueError:
            message = f"{text!r} is no {called}"
            raise ValueError(message) from None

    return read


_WHOLE = _number(int, "whole number")

_KINDS: Mapping[str, Callable[[str], Any]] = {
    "search-batch": _WHOLE,
    "nodes": _WHOLE,
    "movetime": _number(float, "number"),
    "simulations-per-node": _WHOLE,
    "routing": _one_of(typing.get_args(Routing)),
    "search": _one_of(("default", "published")),
}
"""The settings that may differ, and what reads their values."""
