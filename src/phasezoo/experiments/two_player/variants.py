"""Variants of a run: other mixtures, and other searches in which the phase mixture plays."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from phasezoo.errors import InvalidConfig
from phasezoo.specs import fields_of
from phasezoo.training.experts import PlannedTraining
from phasezoo.training.strategies import Strategy, plan_strategy

if TYPE_CHECKING:
    from phasezoo.data.positions import PositionTable
    from phasezoo.experiments.two_player.config import M2ctsConfig
    from phasezoo.training.planned import TrainedNetwork

BASELINE, EXPERT, PLACEBO = "baseline", "expert", "placebo"
"""Roles of the networks that every run has: the one network, the mixture under study, its
placebo."""

ONE = "one network"
"""How the baseline is called in tables."""

STARTED = " start"
"""Ends the role of networks that a variant's experts begin from."""

_TAKEN = frozenset({BASELINE, "mixture", "alone", "from", "search", "learned"})
"""First parts of names that networks and matches of other roles have."""

_TAKEN_BEGINNINGS = ("alone-", "from-", "search-")
"""Of these the names of a phase or a search follow."""


@dataclass(frozen=True)
class Variant:
    """A mixture of experts."""

    role: str
    """Role of its networks: ``expert`` (the mixture under study), ``placebo``, or the
    variant's own text."""
    gate: str
    """Divides the positions."""
    strategy: Strategy
    """How its experts learn."""
    plays: bool
    """True if it plays matches against one network."""

    @property
    def folder(self) -> str:
        """First part of the names of its networks' directories."""
        kept = "".join(letter if letter.isalnum() else "-" for letter in self.role)
        return "-".join(filter(None, kept.lower().split("-")))


def variants_of(config: "M2ctsConfig", phases: int) -> tuple[Variant, ...]:
    """The mixture under study, its placebo, and what else the settings name."""
    strategy = Strategy.parse(config.strategy)
    found = [
        Variant(EXPERT, config.gate, strategy, plays=True),
        Variant(PLACEBO, f"hash:{phases}", strategy, plays=False),
    ]
    for text in config.arms:
        variant = _read_variant(text, config)
        if (variant.gate, variant.strategy) == (found[1].gate, strategy):
            found[1] = replace(found[1], plays=True)
            continue
        if any((variant.gate, variant.strategy) == (one.gate, one.strategy) for one in found):
            message = f"--arms {text}: there already, or the mixture under study itself"
            raise InvalidConfig(message)
        same = next((one.role for one in found if one.folder == variant.folder), None)
        is_taken = variant.folder in _TAKEN or variant.folder.startswith(_TAKEN_BEGINNINGS)
        if same is not None or is_taken:
            taken = f"a folder of the run {variant.folder!r}" if same is None else f"{same!r}"
            message = (
                f"--arms {text}: its files would be named as those of {taken}; spell it otherwise"
            )
            raise InvalidConfig(message)
        found.append(variant)
    return tuple(found)


def mixture_name(role: str) -> str:
    """How the mixture of a variant's experts is called in tables."""
    return "phase mixture" if role == EXPERT else f"{role} mixture"


def mixtures(cards: "Sequence[TrainedNetwork]") -> "dict[str, list[TrainedNetwork]]":
    """Return the records of every mixture, of networks that its experts began from too."""
    found: dict[str, list[TrainedNetwork]] = {}
    for card in cards:
        if card.role != BASELINE:
            found.setdefault(mixture_name(card.role.removesuffix(STARTED)), []).append(card)
    return found


def plan_variant(
    variant: Variant, train: "PositionTable", positions: int
) -> tuple[list[PlannedTraining], list[PlannedTraining]]:
    """The trainings of a variant: those that its experts begin from, and the experts."""
    plan = plan_strategy(train, variant.strategy, positions)
    last = set(plan.experts.values())

    def named(name: str | None) -> str | None:
        if name is None:
            return None
        return f"{variant.folder}-{name.removeprefix(EXPERT + '-')}"

    stages = [
        replace(stage, name=f"{named(stage.name)}", start=named(stage.start))
        for stage in plan.stages
    ]
    is_last = [stage.name in last for stage in plan.stages]
    begun = [stage for stage, done in zip(stages, is_last, strict=True) if not done]
    return begun, [stage for stage, done in zip(stages, is_last, strict=True) if done]


def _read_variant(text: str, config: "M2ctsConfig") -> Variant:
    """``STRATEGY``, ``GATE`` or ``STRATEGY@GATE``."""
    strategy, at, gate = text.partition("@")
    if not at:
        try:
            return Variant(text, config.gate, Strategy.parse(text), plays=True)
        except InvalidConfig:
            if text.startswith("weighted"):
                raise
            strategy, gate = config.strategy, text
    return Variant(text, gate, Strategy.parse(strategy), plays=True)


EQUAL_COST = "equal-cost"
"""The setting that has no value: the mixture gets as many nodes as cost what one network's do."""

RECALIBRATED = "recalibrated"
"""The setting that has no value: the values of all networks are recalibrated on validation
games."""

SETTINGS = ("search-batch", "nodes", "movetime", "simulations-per-node", "routing", "search")
"""The settings that may differ."""


@dataclass(frozen=True)
class Search:
    """How both sides of a match search."""

    text: str
    """As the settings spell it, such as ``search-batch=16,nodes=200``."""
    config: "M2ctsConfig"
    """The settings with what differs."""
    recalibrated: bool
    """True if values are recalibrated (``docs/definitions/seam.md#recalibrated-values``)."""
    equal_cost: bool
    """True if inference, and not the number of nodes, costs the same on both sides
    (``docs/definitions/matches.md#what-is-compared``)."""

    def at_equal_nodes(self, others: "Sequence[Search]") -> "Search | None":
        """The search among others that differs by nothing else; None: that of the match itself."""
        return next((one for one in others if not one.equal_cost and _is_same(one, self)), None)


def searches_of(config: "M2ctsConfig") -> list[Search]:
    """The other searches that the settings name."""
    found: list[Search] = []
    itself = Search("", config, recalibrated=False, equal_cost=False)
    for text in config.searches:
        search = _read_search(text, config)
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
    """Return whether two searches differ by cost at the most."""
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


def _read_search(text: str, config: "M2ctsConfig") -> Search:
    """``SETTING=VALUE``, ``recalibrated`` or ``equal-cost``, several with commas."""
    changes: dict[str, Any] = {}
    kind: Any = type(config)
    options = {option.name: option for option in fields_of(kind)}
    names: set[str] = set()
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name in names:
            message = f"--searches {text}: {name} stands there twice"
            raise InvalidConfig(message)
        names.add(name)
        if part in (RECALIBRATED, EQUAL_COST):
            continue
        if name not in SETTINGS:
            known = ", ".join(f"{each}=…" for each in SETTINGS)
            message = (
                f"--searches {text}: {part!r} is none of {known}, {RECALIBRATED} and {EQUAL_COST}"
            )
            raise InvalidConfig(message)
        field = name.replace("-", "_")
        try:
            changes[field] = options[field].read(value)
        except InvalidConfig as error:
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
