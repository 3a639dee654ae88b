"""The mixtures of a run: how each divides the positions, and how its experts learn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.training.positions import PositionTable
from phasezoo.training.strategies import PlannedStage, Strategy, plan_strategy

__all__ = [
    "BASELINE",
    "EXPERT",
    "ONE",
    "PLACEBO",
    "STARTED",
    "Arm",
    "arms_of",
    "mixture_name",
    "mixtures",
    "plan_arm",
]

BASELINE, EXPERT, PLACEBO = "baseline", "expert", "placebo"
"""Roles of the networks that every run has: the one network, the mixture under study, its
placebo."""

ONE = "one network"
"""How the baseline is called in tables."""

STARTED = " start"
"""Ends the role of networks that an arm's experts begin from."""


_TAKEN = frozenset({BASELINE, "mixture", "alone", "from", "search", "learned"})
"""First parts of names that networks and matches of other roles have."""

_TAKEN_BEGINNINGS = ("alone-", "from-", "search-")
"""Of these the names of a phase or a search follow."""


@dataclass(frozen=True)
class Arm:
    """A mixture of experts."""

    role: str
    """What its networks are for: ``expert`` (the mixture under study), ``placebo``, or the arm's
    own text."""
    gate: str
    """What divides the positions."""
    strategy: Strategy
    """How its experts learn."""
    plays: bool
    """Whether it plays matches against one network."""

    @property
    def folder(self) -> str:
        """First part of the names of its networks' directories."""
        kept = "".join(letter if letter.isalnum() else "-" for letter in self.role)
        return "-".join(filter(None, kept.lower().split("-")))


def arms_of(config: M2ctsConfig, phases: int) -> tuple[Arm, ...]:
    """The mixture under study, its placebo, and what else the settings name.

    Args:
        config: The settings.
        phases: How many phases the gate under study has; the placebo has as many parts.

    Raises:
        InvalidConfig: An arm is named twice, or cannot be read.
    """
    strategy = Strategy.parse(config.strategy)
    found = [
        Arm(EXPERT, config.gate, strategy, plays=True),
        Arm(PLACEBO, f"hash:{phases}", strategy, plays=False),
    ]
    for text in config.arms:
        arm = _read(text, config)
        if (arm.gate, arm.strategy) == (found[1].gate, strategy):
            found[1] = replace(found[1], plays=True)
            continue
        if any((arm.gate, arm.strategy) == (one.gate, one.strategy) for one in found):
            message = f"--arms {text}: there already, or the mixture under study itself"
            raise InvalidConfig(message)
        same = next((one.role for one in found if one.folder == arm.folder), None)
        is_taken = arm.folder in _TAKEN or arm.folder.startswith(_TAKEN_BEGINNINGS)
        if same is not None or is_taken:
            taken = f"a folder of the run {arm.folder!r}" if same is None else f"{same!r}"
            message = (
                f"--arms {text}: its files would be named as those of {taken}; spell it otherwise"
            )
            raise InvalidConfig(message)
        found.append(arm)
    return tuple(found)


def mixture_name(role: str) -> str:
    """How the mixture of an arm's experts is called in tables."""
    return "phase mixture" if role == EXPERT else f"{role} mixture"


def mixtures(cards: Sequence[NetworkCard]) -> dict[str, list[NetworkCard]]:
    """What the networks of every mixture got, those that its experts began from included."""
    found: dict[str, list[NetworkCard]] = {}
    for card in cards:
        if card.role != BASELINE:
            found.setdefault(mixture_name(card.role.removesuffix(STARTED)), []).append(card)
    return found


def plan_arm(
    arm: Arm, train: PositionTable, positions: int
) -> tuple[list[PlannedStage], list[PlannedStage]]:
    """The trainings of an arm: those that its experts begin from, and the experts.

    Args:
        arm: The mixture.
        train: All training positions, labelled by its gate.
        positions: Training positions that all of them see together.

    Raises:
        InvalidConfig: There are fewer positions to see than experts need.
        StoreError: A phase has no training position.
    """
    plan = plan_strategy(train, arm.strategy, positions)
    last = set(plan.experts.values())

    def named(name: str | None) -> str | None:
        if name is None:
            return None
        return f"{arm.folder}-{name.removeprefix(EXPERT + '-')}"

    stages = [
        replace(stage, name=f"{named(stage.name)}", start=named(stage.start))
        for stage in plan.stages
    ]
    is_last = [stage.name in last for stage in plan.stages]
    begun = [stage for stage, done in zip(stages, is_last, strict=True) if not done]
    return begun, [stage for stage, done in zip(stages, is_last, strict=True) if done]


def _read(text: str, config: M2ctsConfig) -> Arm:
    """``STRATEGY``, ``GATE`` or ``STRATEGY@GATE``."""
    strategy, at, gate = text.partition("@")
    if not at:
        try:
            return Arm(text, config.gate, Strategy.parse(text), plays=True)
        except InvalidConfig:
            if text.startswith("weighted"):
                raise
            strategy, gate = config.strategy, text
    return Arm(text, gate, Strategy.parse(strategy), plays=True)
