"""Losses of networks on positions outside their training, position by position.

Losses stay per position, with the game they come from, so that means can be taken over any set of
positions and intervals by resampling whole games (``docs/definitions/statistics.md``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from phasezoo.data.batches import Batch, SparsePolicy
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import PositionStore
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.inference.evaluator import Evaluation, Evaluator, name_of
from phasezoo.training.losses import POLICY_SHARE, VALUE_SHARE

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class MeanLosses:
    """Losses over a set of positions; NaN over none."""

    positions: int
    """How many positions."""
    total: float
    """0.01 value + 0.99 policy (``docs/definitions/losses.md``)."""
    policy: float
    """Cross-entropy of the action played, or of the distribution that the games tell, over all
    actions, legal or not, in nats."""
    value: float
    """Squared error of the value against the result."""
    accuracy: float
    """Share of positions whose likeliest action is the one played."""
    top3: float = float("nan")
    """Share of positions whose three likeliest actions hold the one played."""
    top5: float = float("nan")
    """The same of the five likeliest."""
    best_three: float = float("nan")
    """Probability that the network gives to its three likeliest actions together."""


@dataclass(frozen=True)
class PositionLosses:
    """How one network did on each of P positions, in the order of the position table."""

    policy: Floats
    """``float32[P]``: cross-entropy of the action played, or of the distribution that the games
    tell, over all actions, in nats."""
    value: Floats
    """``float32[P]``: squared error of the value against the result, both for to_play."""
    correct: npt.NDArray[np.bool_]
    """``bool[P]``: whether the likeliest action is the one played."""
    phase: npt.NDArray[np.int8]
    """``int8[P]``: the phase by the position table's gate."""
    game: npt.NDArray[np.int32]
    """``int32[P]``: index of the game in the store."""
    rank: npt.NDArray[np.int32] | None = None
    """``int32[P]``: how many actions the network finds likelier than the one played; None if they
    were not counted."""
    best_three: Floats | None = None
    """``float32[P]``: probability of the three likeliest actions together, over all actions, legal
    or not; None if it was not measured."""
    answer: Floats | None = None
    """``float32[P]``: the network's value in [-1, 1] for to_play; None if not kept."""
    result: Floats | None = None
    """``float32[P]``: the game's result for to_play; None if not kept."""
    wdl: Floats | None = None
    """``float32[P, 3]``: probabilities of (win, draw, loss); None without such a head."""

    @classmethod
    def of_nothing(cls, rows: PositionTable) -> "PositionLosses":
        """Return the losses on no positions, as where all test positions occur in train.

        Args:
            rows: A table without rows.
        """
        empty, ranks = np.empty(0, dtype=np.float32), np.empty(0, dtype=np.int32)
        measured = (empty, empty, empty > 0, rows.phase, rows.game, ranks, empty)
        return cls(*measured, answer=empty, result=empty, wdl=empty.reshape(0, 3))

    def __len__(self) -> int:
        """P."""
        return len(self.policy)

    @property
    def total(self) -> npt.NDArray[np.float64]:
        """``float64[P]``: the reported total of each position."""
        policy, value = self.policy.astype(np.float64), self.value.astype(np.float64)
        return POLICY_SHARE * policy + VALUE_SHARE * value

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Each metric of :class:`MeanLosses` for each of the P positions."""
        found: dict[str, npt.NDArray[Any]] = {
            "total": self.total,
            "policy": self.policy,
            "value": self.value,
            "accuracy": self.correct,
        }
        if self.rank is not None:
            found.update(top3=self.rank < 3, top5=self.rank < 5)
        if self.best_three is not None:
            found["best_three"] = self.best_three
        return found

    def mean(self, phase: int | None = None) -> MeanLosses:
        """The means over the positions of a phase, or over all of them."""
        rows = np.arange(len(self)) if phase is None else np.flatnonzero(self.phase == phase)
        means = {
            name: float(column[rows].mean(dtype=np.float64)) if len(rows) else float("nan")
            for name, column in self.columns().items()
        }
        return MeanLosses(len(rows), **means)


def evaluate_network(
    evaluator: Evaluator,
    store: PositionStore,
    rows: PositionTable,
    batch_size: int = 256,
    threads: int | None = None,
) -> PositionLosses:
    """Measure one evaluator (see :func:`evaluate_networks`)."""
    return evaluate_networks({"network": evaluator}, store, rows, batch_size, threads)["network"]


def evaluate_networks(
    evaluators: Mapping[str, Evaluator],
    store: PositionStore,
    rows: PositionTable,
    batch_size: int = 256,
    threads: int | None = None,
) -> dict[str, PositionLosses]:
    """Measure several evaluators on the same positions, whose planes are made once.

    Args:
        evaluators: What to measure, by name; each answers planes with policy logits over all
            actions and a value.
        store: The games.
        rows: Positions of that store.
        batch_size: Positions answered at once.
        threads: Threads that make planes.

    Raises:
        InvalidConfig: There is nothing to measure, or the evaluators want different planes.
        InvalidEvaluation: An evaluator gave no policy logits, or numbers that are not finite.
        StoreError: There are no positions.
    """
    specs = {evaluator.plane_spec for evaluator in evaluators.values()}
    if len(specs) != 1 or None in specs:
        message = (
            f"the evaluators want the planes {sorted(map(str, specs))}: measure those that share "
            "one kind of planes together"
        )
        raise InvalidConfig(message)
    packed = all(getattr(evaluator, "packed", False) for evaluator in evaluators.values())
    spec = str(specs.pop())
    sampler = Sampler(store, rows, spec, batch_size, threads=threads, packed=packed)
    parts: dict[str, list[_Part]] = {name: [] for name in evaluators}
    for batch in sampler.in_order():
        for name, evaluator in evaluators.items():
            shown: Any = batch.planes if packed else batch.float_planes
            answer = evaluator.evaluate(shown)
            parts[name].append(_measure(answer, batch, name_of(evaluator)))
    return {name: _joined(measured, rows) for name, measured in parts.items()}


def mixture_losses(
    experts: Mapping[int, PositionLosses], value: PositionLosses | None = None
) -> PositionLosses:
    """The losses of a mixture that answers each position with the expert of its phase.

    Args:
        experts: Losses of each phase's expert, all on the same positions.
        value: Losses of the network whose values it answers; None: the experts'.
    """
    some = next(iter(experts.values()))
    if any(losses.wdl is None for losses in experts.values()):
        some = replace(some, wdl=None)
    missing = sorted(set(np.unique(some.phase).tolist()) - set(experts))
    if missing:
        message = f"no losses of an expert for the phases {missing}; given are {sorted(experts)}"
        raise InvalidConfig(message)
    mixed = {name: column.copy() for name, column in _measured(some).items()}
    for phase, losses in experts.items():
        own = some.phase == phase
        for name, column in mixed.items():
            column[own] = _measured(losses)[name][own]
    if value is not None:
        mixed |= {name: getattr(value, name) for name in ("value", "answer", "wdl")}
    return PositionLosses(phase=some.phase, game=some.game, **mixed)


_PLACES = ("phase", "game")
"""The columns that tell where a position is, not how a network did there."""


def _measured(losses: PositionLosses) -> dict[str, npt.NDArray[Any]]:
    columns = vars(losses).items()
    return {name: c for name, c in columns if name not in _PLACES and c is not None}


class _Part(NamedTuple):
    """How one network did on each position of a batch."""

    policy: Floats
    value: Floats
    correct: npt.NDArray[np.bool_]
    rank: npt.NDArray[np.int32]
    best_three: Floats
    answer: Floats
    result: Floats
    wdl: Floats | None


def _joined(parts: list[_Part], rows: PositionTable) -> PositionLosses:
    columns = zip(_Part._fields, zip(*parts, strict=True), strict=True)
    whole: dict[str, Any] = {
        name: None if found[0] is None else np.concatenate(found) for name, found in columns
    }
    return PositionLosses(phase=rows.phase, game=rows.game, **whole)


def _measure(answer: Evaluation, batch: Batch, name: str) -> _Part:
    """Losses, rank and hit of each position of a batch."""
    logits = answer.policy_logits
    if logits is None or logits.ndim != 2 or len(logits) != len(batch):
        given = "none" if logits is None else str(list(logits.shape))
        message = f"{name}: policy_logits {given}, expected float32[{len(batch)}, A]"
        raise InvalidEvaluation(message)
    played = logits[np.arange(len(batch)), batch.action]
    highest = logits.max(axis=1)
    # Shifted by the highest logit, so that no exponential overflows.
    shares = np.exp(logits - highest[:, None])
    whole = shares.sum(axis=1)
    wanted = played if batch.policy is None else _expected(logits, batch.policy)
    policy = np.log(whole) + highest - wanted
    expected = answer.values()
    value = np.square(expected - batch.value)
    if not (np.isfinite(policy).all() and np.isfinite(value).all()):
        message = f"{name}: answered with numbers that are not finite; the network is broken"
        raise InvalidEvaluation(message)
    # Among equals the first is called the likeliest, as argmax has it.
    earlier = np.arange(logits.shape[1]) < batch.action[:, None]
    ahead = (logits > played[:, None]) | ((logits == played[:, None]) & earlier)
    rank = np.count_nonzero(ahead, axis=1).astype(np.int32)
    three = _largest(shares, 3) / whole
    return _Part(policy, value, rank == 0, rank, three, expected, batch.value, answer.wdl)


def _largest(shares: Floats, count: int) -> Floats:
    """``float32[B]``: sum of the largest numbers of each row, none of which is negative.

    Each is overwritten. A few passes cost a tenth of what :func:`numpy.partition` does.
    """
    rows, found = np.arange(len(shares)), np.zeros(len(shares), np.float32)
    for _ in range(count):
        best = shares.argmax(axis=1)
        found += shares[rows, best]
        shares[rows, best] = 0
    return found


def _expected(logits: Floats, policy: SparsePolicy) -> Floats:
    """``float32[B]``: mean logit under the distribution over actions of each row."""
    actions, probabilities = policy.padded()
    known = np.take_along_axis(logits, actions, axis=1)
    known[probabilities == 0] = 0  # what rows are filled up with may be minus infinity
    mean: Floats = (known * probabilities).sum(axis=1)
    return mean
