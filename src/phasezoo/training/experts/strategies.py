"""How phase experts learn: which trainings a strategy consists of, and how much each one sees.

``docs/definitions/strategies.md`` says the same in words and formulas.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import list_of
from phasezoo.inference.storage.experts import ValueSource
from phasezoo.specs import did_you_mean, read_spec
from phasezoo.training.experts.plans import (
    PlannedTraining,
    phase_counts,
    plan_baseline,
    plan_experts,
    share_positions,
    training_names,
)
from phasezoo.types import PhaseInput

Budget: TypeAlias = Literal["equal", "study"]
"""``equal``: baseline and mixture see as many positions. ``study``: the M2CTS paper's amounts."""

FARTHEST_FIRST = "farthest-first"
"""An order of stages: the phases farthest from the expert's own first, its own last."""

START = "start"
"""Name of the network of all phases that staged experts begin from."""

SHARED = "shared"
"""Name of the one network that receives the phase, and of which all experts are parts."""

AS_ONE = get_args(PhaseInput)
"""Kinds whose experts are one network that receives the phase."""

_PLAIN = ("separated", "staged", *AS_ONE)

KINDS = (*_PLAIN, "weighted")
"""First parts of the texts of strategies."""

STRATEGIES = f"{', '.join(_PLAIN)} or weighted:FACTOR"
"""How a strategy may be written."""


@dataclass(frozen=True)
class Strategy:
    """How experts learn: separated, staged or weighted (Helfenstein et al., M2CTS), or as one.

    As one network that receives the phase: in one of the ways of :data:`AS_ONE`.
    """

    kind: Literal["separated", "staged", "weighted"] | PhaseInput
    """The strategy."""
    factor: float | None = None
    """How much more a position of an expert's own phase counts, if ``weighted``."""

    def __str__(self) -> str:
        """The specification."""
        if self.factor is None:
            return self.kind
        return f"{self.kind}:{str(float(self.factor)).removesuffix('.0')}"

    @property
    def phase_input(self) -> PhaseInput | None:
        """How one network receives the phase; None: every expert is a network of its own."""
        if self.kind == "separated" or self.kind == "staged" or self.kind == "weighted":
            return None
        return self.kind

    @property
    def begins_from_another(self) -> bool:
        """Whether experts begin with a trained network, a part of which they may leave as it is."""
        return self.kind == "staged" or self.phase_input not in (None, "planes")

    @classmethod
    def parse(cls, spec: str) -> "Strategy":
        """Read one of :data:`STRATEGIES`.

        Raises:
            InvalidConfig: It is another text.
        """
        if spec in _PLAIN:
            return cls(spec)  # type: ignore[arg-type]  # one of these
        match = re.fullmatch(r"weighted:([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)", str(spec))
        if match is None or not 0 < float(match[1]) < 1e9:
            hint = did_you_mean(str(spec).partition(":")[0], (*_PLAIN, "weighted"))
            message = (
                f"strategy {spec!r}: expected {STRATEGIES} with a factor above 0, such as "
                f"weighted:4{hint}"
            )
            raise InvalidConfig(message)
        return cls("weighted", float(match[1]))


def check_freeze(strategy: Strategy, freeze: str | None, *, is_trained: bool) -> None:
    """Refuse to freeze what a strategy's experts have to learn.

    Args:
        strategy: The strategy.
        freeze: The part that stays as it is; None: nothing.
        is_trained: Whether all networks begin with a trained one.
    """
    if freeze is None:
        return
    if freeze == "heads" and strategy.phase_input is not None:
        message = (
            f"freeze='heads': what {strategy} has by phase would not learn, and all experts would "
            "be alike; freeze the body, or choose separated, staged or weighted:FACTOR"
        )
        raise InvalidConfig(message)
    if not is_trained and not strategy.begins_from_another:
        message = (
            f"freeze={freeze!r}: {strategy} experts begin with new weights, which have to learn; "
            "choose staged, heads, policies, film, adapters, blocks or router, or give a trained "
            "network"
        )
        raise InvalidConfig(message)


def read_strategy(text: str) -> tuple[Strategy, dict[str, str]]:
    """Read a strategy with options, such as ``weighted:4,value=shared``, and these as texts.

    Raises:
        InvalidConfig: It is not one.
    """
    spec = read_spec(text, "strategy", "staged:value=shared")
    name = spec.name if spec.first is None else f"{spec.name}:{spec.first}"
    return Strategy.parse(name), dict(spec.options)


def check_learns_by_play(strategy: Strategy, given: str) -> None:
    """Refuse strategies that are for stored games alone."""
    if strategy.phase_input is not None:
        message = (
            f"{given}: is for training on stored games; experts that learn by play are separated, "
            "staged or weighted:FACTOR"
        )
        raise InvalidConfig(message)


@dataclass(frozen=True)
class StrategyPlan:
    """All trainings of a baseline and its experts."""

    strategy: Strategy
    """How the experts learn."""
    budget: Budget
    """How the amounts were chosen."""
    baseline: PlannedTraining
    """The one network that the mixture is compared with."""
    stages: tuple[PlannedTraining, ...]
    """The mixture's trainings, each after those that it starts from."""
    experts: dict[str, str]
    """The name of each phase's last training, in the gate's order, without phases that the one
    network answers."""
    value: ValueSource = "own"
    """Origin of the mixture's values."""
    has_fallback: bool = False
    """Whether the one network answers for some phases."""

    @property
    def trainings(self) -> tuple[PlannedTraining, ...]:
        """All trainings, in the order in which they are done."""
        return (self.baseline, *self.stages)

    def stage(self, name: str) -> PlannedTraining:
        """The training called ``name``."""
        return next(stage for stage in self.trainings if stage.name == name)

    def lineage(self, name: str) -> tuple[PlannedTraining, ...]:
        """The trainings that lead to the network ``name``, first to last."""
        known = {stage.name: stage for stage in self.trainings}
        found = [known[name]]
        while found[0].start is not None:
            found.insert(0, known[found[0].start])
        return tuple(found)

    @property
    def work(self) -> int:
        """Total of positions of all trainings that the mixture needs."""
        ends = list(self.experts.values())
        if self.has_fallback or self.value in ("shared", "distilled"):
            ends.append(self.baseline.name)
        needed = {s.name: s.positions for end in ends for s in self.lineage(end)}
        return sum(needed.values())


def phase_weights(phases: int, own: int, factor: float) -> npt.NDArray[np.float64]:
    """Return the weight of each phase, ``float64[phases]``, if one counts ``factor``-fold.

    With n phases ``w_other = n / (factor + n - 1)`` and ``w_own = factor * w_other``, so that the
    mean over the phases is 1 (M2CTS, Table VIII).
    """
    if not 0 <= own < phases or not 0 < factor < np.inf:
        message = (
            f"phases={phases}, own={own}, factor={factor}: expected one of the phases, counted "
            "from 0, and a finite factor above 0"
        )
        raise InvalidConfig(message)
    weights = np.full(phases, phases / (factor + phases - 1))
    weights[own] *= factor
    return weights


def plan_strategy(
    train: PositionTable,
    strategy: Strategy,
    positions: int,
    budget: Budget = "equal",
    order: str | Sequence[str] | None = None,
    value: ValueSource = "own",
    phases: Sequence[str] | None = None,
    *,
    freezes: bool = False,
) -> StrategyPlan:
    """Plan all trainings of a baseline and its experts.

    Args:
        train: All training positions, labelled by the gate.
        strategy: How the experts learn.
        positions: Training positions that the baseline sees; with ``budget="equal"`` the mixture
            sees the same total.
        budget: ``"study"``: every weighted or stage-wise expert sees ``positions``, and staged
            experts begin from the baseline itself.
        order: Stages of staged experts: None: all phases together, then the own phase.
            ``"farthest-first"``, or all phases in some order: phase after phase, the own one last.
        value: Origin of the mixture's values.
        phases: The phases that get an expert; None: all. The baseline answers for the others.
        freezes: Whether experts keep a part of what they start from, so that they need a start.
    """
    chosen = _chosen(train.names, phases)
    _check_value(value, strategy)
    if budget not in get_args(Budget):
        message = f"budget={budget!r}: expected equal or study"
        raise InvalidConfig(message)
    if order is not None and strategy.kind != "staged":
        message = f"order={order!r}: only staged experts learn in stages, not {strategy} ones"
        raise InvalidConfig(message)
    if len(train.names) < 2:
        message = (
            f"gate {train.gate!r} has one phase, and experts need two or more to differ: give "
            "another gate"
        )
        raise InvalidConfig(message)
    baseline = plan_baseline(positions)
    if strategy.kind == "separated":
        stages = tuple(plan_experts(train, positions))
        if value == "all" and budget == "study":
            stages = tuple(replace(stage, positions=positions) for stage in stages)
    elif strategy.kind == "weighted":
        stages = _weighted(train, strategy.factor or 1.0, positions, budget)
    elif strategy.phase_input is not None:
        stages = _as_one(train, positions, strategy.phase_input)
        if freezes:
            begun = baseline if budget == "study" else None
            stages = _after_half(stages, positions, begun)
    elif order is None:
        stages = _after_all_phases(train, positions, baseline if budget == "study" else None)
    else:
        stages = _phase_after_phase(train, positions, budget, order)
    stages = tuple(_teaching(stage, value, baseline, train) for stage in stages)
    last = {stage.phase: stage.name for stage in stages if stage.name.startswith("expert-")}
    experts = {name: last[name] for name in chosen}
    plan = StrategyPlan(
        strategy, budget, baseline, stages, experts, value, len(chosen) < len(train.names)
    )
    needed = {stage.name for name in experts.values() for stage in plan.lineage(name)}
    return replace(plan, stages=tuple(stage for stage in stages if stage.name in needed))


def _chosen(names: Sequence[str], phases: Sequence[str] | None) -> tuple[str, ...]:
    """The phases that get an expert, in the gate's order."""
    if phases is None:
        return tuple(names)
    given = [phases] if isinstance(phases, str) else list(phases)
    if not given or not set(given) <= set(names) or len(set(given)) < len(given):
        message = (
            f"phases={phases!r}: expected one or more of {', '.join(map(repr, names))}, each once; "
            "the one network answers for the others"
        )
        raise InvalidConfig(message)
    return tuple(name for name in names if name in given)


def _check_value(value: ValueSource, strategy: Strategy) -> None:
    """Refuse a source of values that does not exist or does not fit the strategy."""
    if value not in get_args(ValueSource):
        message = f"value={value!r}: expected {', '.join(get_args(ValueSource))}"
        raise InvalidConfig(message)
    if value in ("distilled", "all") and strategy.phase_input is not None:
        message = (
            f"value={value!r}: is for experts that are networks of their own, and under "
            f"{str(strategy)!r} all are one; choose own or shared, or another strategy"
        )
        raise InvalidConfig(message)


def _teaching(
    stage: PlannedTraining, value: ValueSource, baseline: PlannedTraining, train: PositionTable
) -> PlannedTraining:
    """A stage with what its value learns from; networks of all phases stay as they are."""
    if stage.phase is None or stage.is_part:
        return stage
    if value == "distilled":
        return replace(stage, teacher=baseline.name)
    if value == "all":
        weights = stage.weights or _own_alone(train, stage.phase)
        return replace(stage, weights=weights, weighs_policy_alone=True)
    return stage


def _own_alone(train: PositionTable, phase: str) -> tuple[float, ...]:
    """Weights of 0 for other phases, and a mean of 1 over all training positions."""
    counts = phase_counts(train)
    own = train.names.index(phase)
    return tuple(float(counts.sum() / counts[own]) * (k == own) for k in range(len(counts)))


def _weighted(
    train: PositionTable, factor: float, positions: int, budget: Budget
) -> tuple[PlannedTraining, ...]:
    """Every expert from scratch on all positions, those of its own phase counting more."""
    return tuple(
        replace(
            plan,
            positions=positions if budget == "study" else plan.positions,
            weights=tuple(phase_weights(len(train.names), index, factor).tolist()),
        )
        for index, plan in enumerate(plan_experts(train, positions))
    )


def _as_one(
    train: PositionTable, positions: int, phase_input: PhaseInput
) -> tuple[PlannedTraining, ...]:
    """One network of all phases that receives the phase, and what it is in each of them."""
    phase_counts(train)  # or refuse: it would never receive a phase without positions
    shared = PlannedTraining(SHARED, train.gate, None, positions, phase_input=phase_input)
    names = training_names("expert", train.names)
    parts = [
        PlannedTraining(name, train.gate, phase, 0, start=SHARED)
        for name, phase in zip(names, train.names, strict=True)
    ]
    return shared, *parts


def _after_half(
    stages: tuple[PlannedTraining, ...], positions: int, begun: PlannedTraining | None
) -> tuple[PlannedTraining, ...]:
    """The one network with heads by phase, begun as staged experts are."""
    shared, *parts = stages
    if begun is not None:
        return replace(shared, start=begun.name), *parts
    first, own = share_positions(positions, [1, 1])
    start = PlannedTraining(START, "none", None, first)
    return start, replace(shared, positions=own, start=START), *parts


def _after_all_phases(
    train: PositionTable, positions: int, begun: PlannedTraining | None
) -> tuple[PlannedTraining, ...]:
    """Every expert on its own phase, from a network of all phases.

    That network is ``begun``. If it is None, for equal work, it is one of its own with half of the
    positions.
    """
    own, first = positions, begun
    if first is None:
        shared, own = share_positions(positions, [1, 1])
        first = PlannedTraining(START, "none", None, shared)
    experts = tuple(replace(plan, start=first.name) for plan in plan_experts(train, own))
    return experts if begun is not None else (first, *experts)


def _phase_after_phase(
    train: PositionTable, positions: int, budget: Budget, order: str | Sequence[str]
) -> tuple[PlannedTraining, ...]:
    """Every expert through all phases, its own last."""
    counts = phase_counts(train)
    stages: list[PlannedTraining] = []
    for own, plan in enumerate(plan_experts(train, positions)):
        budgeted = positions if budget == "study" else plan.positions
        shares = share_positions(budgeted, counts)
        before: str | None = None
        for number, phase in enumerate(_ordered(train.names, own, order), start=1):
            last = phase == own
            name = plan.name if last else f"stage-{number}-of-{plan.name}"
            stages.append(
                PlannedTraining(name, plan.gate, train.names[phase], shares[phase], start=before)
            )
            before = name
    return tuple(stages)


def _ordered(names: tuple[str, ...], own: int, order: str | Sequence[str]) -> list[int]:
    """The phases as one expert goes through them."""
    if order == FARTHEST_FIRST:
        return sorted(range(len(names)), key=lambda phase: (-abs(phase - own), phase))
    given = list_of("order", [order] if isinstance(order, str) else order, "phases")
    if sorted(map(str, given)) != sorted(names):
        message = (
            f"order={order!r}: expected {FARTHEST_FIRST!r} or all of the phases "
            f"{', '.join(map(repr, names))}"
        )
        raise InvalidConfig(message)
    return [names.index(phase) for phase in given if names.index(phase) != own] + [own]
