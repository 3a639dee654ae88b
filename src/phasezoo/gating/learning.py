"""How gates are learned: what a user calls, and what they get back.

The training needs torch and stands above everything that asks a gate; it is found by
:mod:`phasezoo.resolver` when it is first called.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasezoo.gating.learned import LearnedGate
from phasezoo.resolver import gate_trainer


@dataclass(frozen=True)
class Estimate:
    """A mean over held-out positions with a 95 % interval, for which whole games are resampled.

    The ends are infinite if there are fewer than four games, or all are alike.
    """

    mean: float
    """The mean."""
    low: float
    """Where the interval begins."""
    high: float
    """Where it ends."""

    def __str__(self) -> str:
        """The mean and the ends of the interval."""
        is_known = math.isfinite(self.low) and math.isfinite(self.high)
        ends = f"[{self.low:.4f}, {self.high:.4f}]" if is_known else "(no interval)"
        return f"{self.mean:.4f} {ends}"


@dataclass(frozen=True)
class GateTraining:
    """A learned gate and how it does on games that it did not learn from."""

    gate: LearnedGate
    """The gate."""
    directory: Path
    """Where it is kept."""
    metric: str
    """``"accuracy"``: the share of positions on which it agrees with its labels. ``"loss"``: the
    reported total of the experts' mixture (``docs/definitions/losses.md``)."""
    scores: Mapping[str, Estimate]
    """The metric of the gate, before its training too, and of what it is compared with.

    Of labels: ``learned``, ``untrained``, ``most frequent phase``. Of experts: ``soft``, ``exact``
    (the gate with either routing), ``untrained`` (``soft``), ``equal shares``, ``only NAME`` for
    each expert alone, and the specification of each fixed gate."""
    gains: Mapping[str, Estimate]
    """By how much the gate (with experts: routing ``soft``) is better than each of the others;
    above 0 it helped, and an interval above 0 says that this is no chance of the games drawn."""
    shares: Mapping[str, float]
    """The share of the held-out positions that the gate gives to each phase."""
    positions: int
    """Different training positions that were drawn."""
    held_out: int
    """Held-out positions that it was measured on."""
    seconds: float
    """Wall time."""

    def __str__(self) -> str:
        """A table of the scores, with the gains beside them."""
        lines = [f"{self.gate.spec}: {self.metric} on {self.held_out:,} held-out positions"]
        width = max(map(len, self.scores))
        for name, score in self.scores.items():
            gain = f"   gain over it {self.gains[name]}" if name in self.gains else ""
            lines.append(f"  {name:{width}}  {score}{gain}")
        return "\n".join(lines)


def train(
    store: Any,
    *,
    out: str | Path,
    labels: Any = None,
    experts: Any = None,
    names: Sequence[str] | None = None,
    compare: Sequence[Any] = (),
    network: str = "mlp-64x1",
    planes: str | None = None,
    positions: int = 10_000,
    seed: int = 0,
    splits: Any = None,
    **config: Any,
) -> GateTraining:
    """Train a small network that assigns phases, and keep it as the gate ``learned:OUT``.

    It learns either from ``labels``, to answer as another gate does, or end to end over frozen
    ``experts``: then the mixture of their policies and values, weighed by the network's
    probabilities as routing ``soft`` does, is to lose least. The network is chosen on the
    validation games and measured on the test games. Positions of these that occur among the
    training positions are left out, unless no other is there.

    Args:
        store: Games (:class:`phasezoo.training.GameStore`).
        out: A new folder for the gate, or that of an earlier gate, which is replaced.
        labels: The gate to learn from, or its specification.
        experts: The experts to route to: an evaluator for each phase's name, a mixture, or what
            ``training.train_experts`` gave, or its folder.
        names: Other names for the labels' phases, or the order of the experts' phases.
        compare: Fixed gates with the experts' phases, to measure beside the learned one; the gate
            that a mixture comes with is measured anyway.
        network: ``mlp-WIDTHxLAYERS``: hidden layers of so many units.
        planes: The planes that the network looks at; default the game's own.
        positions: How many training positions are drawn; each is seen ``epochs`` times.
        seed: Splits the games, draws the positions, the initial weights and the order.
        splits: Train, validation and test games; default the store split by ``seed``. Experts
            are too sure of games that they trained on: a router learns better from
            others.
        **config: ``epochs``, ``batch_size``, ``learning_rate``, ``weight_decay`` and ``balance``
            (:class:`phasezoo.training.gates.config.GateConfig`).

    Raises:
        CheckpointError: ``out`` holds something else, or the disk refuses.
        InvalidConfig: Both or neither of ``labels`` and ``experts`` are given, an option does not
            exist or is out of range, or ``names`` do not fit.
        InvalidEvaluation: An expert's answer is not valid.
        InvalidGate: There is no such gate.
        InvalidPlaneSpec: The game has no such planes.
        MissingDependency: Torch is not installed.
        StoreError: There are too few games.
    """
    result: GateTraining = gate_trainer()(
        store, out=out, labels=labels, experts=experts, names=names, compare=compare,
        network=network, planes=planes, positions=positions, seed=seed, splits=splits,
        config=config,
    )  # fmt: skip
    return result
