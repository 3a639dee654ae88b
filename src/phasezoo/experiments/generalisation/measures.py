"""Measures of a model, the samples they return, and the matrix of scores and gaps.

The helpers of intervals are those of matches and of the other studies; which of them fits is
decided here, once (``docs/definitions/generalise.md``).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo import agents
from phasezoo.arena.statistics.intervals import MIN_PAIRS, Interval, score_ends
from phasezoo.arena.statistics.rates import rate_of
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.experiments.generalisation.config import GeneraliseConfig, OwnConfig, SupportsMeasure
from phasezoo.experiments.generalisation.learners import EvaluationMatch, EvaluationSet
from phasezoo.experiments.study import RunResults
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.training.probes.probe import Score
from phasezoo.training.resampling import between_trainings, over_trainings, resample_games
from phasezoo.training.solved import Starts, moves_of


@dataclass(frozen=True)
class Sample:
    """A score over G independent groups of the test data: games, starts, openings."""

    sums: tuple[float, ...]
    """Sums over the members of each group."""
    counts: tuple[float, ...]
    """Number of members of each group; 0 if the score does not exist there."""

    @classmethod
    def of(cls, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> Self:
        """Make a sample from the mean of each group, all of one member or of ``counts``."""
        means = np.asarray(values, dtype=np.float64)
        sizes = np.ones_like(means) if counts is None else np.asarray(counts, dtype=np.float64)
        return cls(tuple((means * sizes).tolist()), tuple(sizes.tolist()))

    @classmethod
    def by_group(cls, values: npt.ArrayLike, group: npt.ArrayLike, groups: int) -> Self:
        """Make a sample from numbers that belong to groups 0 to ``groups - 1``."""
        own = np.asarray(group, dtype=np.int64)
        sums = np.bincount(own, np.asarray(values, dtype=np.float64), groups)
        return cls(tuple(sums.tolist()), tuple(np.bincount(own, minlength=groups).tolist()))

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.sums)


def agent_of(model: Any, seed: int, nodes: int = 0) -> Any:
    """Return a model as an agent: an evaluator plays its policy, or searches with it."""
    if not hasattr(model, "evaluate"):
        return agents.make(model) if isinstance(model, str) else model
    if nodes == 0:
        return agents.PolicyAgent(model, seed=seed)
    return agents.MCTSAgent(model, limit=agents.Limit(nodes=nodes), seed=seed)


@dataclass(frozen=True)
class Losses:
    """Losses of an evaluator on an :class:`EvaluationSet` (``docs/definitions/losses.md``)."""

    scores: tuple[Score, ...] = (
        Score("policy loss", "lower", unit="nats"),
        Score("top-1 accuracy", unit="%"),
        Score("value loss", "lower"),
    )

    def __call__(self, model: Any, data: EvaluationSet, seed: int) -> Mapping[str, Sample]:
        """Return means over positions, with games as groups."""
        del seed
        losses = _losses(model, data)
        games, group = np.unique(losses.game, return_inverse=True)
        columns = losses.policy, losses.correct, losses.value
        return {
            score.name: Sample.by_group(column, group, len(games))
            for score, column in zip(self.scores, columns, strict=True)
        }


def _losses(model: Any, data: EvaluationSet) -> Any:
    """Evaluate positions; those of a mixture by the expert of their phase."""
    from phasezoo.training.evaluation import evaluate_network, evaluate_networks, mixture_losses

    if not isinstance(model, MixtureOfExperts):
        return evaluate_network(model, data.store, data.rows)
    rows = data.store.positions(model.gate).matching(data.rows)
    experts = dict(zip(model.names, model.experts, strict=True))
    found = evaluate_networks(experts, data.store, rows)
    return mixture_losses({rows.phase_index(name): losses for name, losses in found.items()})


@dataclass(frozen=True)
class Regret:
    """Loss of an agent's moves by the game's own solution (``Game.action_scores``).

    With v the best action's outcome for who moves (1 a win, 0 a draw, -1 a loss) and w that of the
    action chosen, the *regret* is (v - w) / 2: 1 if a win was turned into a loss. The *distance
    lost* is by how much the score of the action chosen falls behind the best, where the outcome is
    the same. *Best moves* are those that lose neither.
    """

    nodes: int = 0
    """Nodes of an evaluator's search; 0: it plays its policy without search."""
    agent: Callable[[Any, int], Any] | None = None
    """Makes the agent from a model and a seed; None: :func:`agent_of`."""
    scores: tuple[Score, ...] = (
        Score("best moves", kind="share", unit="%"),
        Score("regret", "lower", kind="share"),
        Score("distance lost", "lower"),
    )

    def __call__(self, model: Any, data: Starts, seed: int) -> Mapping[str, Sample]:
        """Judge one move in each state."""
        judged = data.judge(moves_of(_made(self, model, seed), data.states, seed))
        kept = judged.lost == 0
        samples = Sample.of(judged.best), Sample.of(judged.lost), Sample.of(judged.distance, kept)
        return {score.name: sample for score, sample in zip(self.scores, samples, strict=True)}


@dataclass(frozen=True)
class Play:
    """Result of an agent in an :class:`EvaluationMatch`, by groups of games with one opening."""

    nodes: int = 0
    """Nodes of an evaluator's search; 0: it plays its policy without search."""
    agent: Callable[[Any, int], Any] | None = None
    """Makes the agent from a model and a seed; None: :func:`agent_of`."""
    scores: tuple[Score, ...] = (
        Score("score", kind="share", unit="%"),
        Score("games won", kind="share", unit="%"),
    )

    def __call__(self, model: Any, data: EvaluationMatch, seed: int) -> Mapping[str, Sample]:
        """Play the match."""
        from phasezoo import arena

        made = _made(self, model, seed)
        match = arena.play_match(
            made, data.opponent, game=data.game, games=data.games, seed=seed, **data.options
        )
        group = [record.group for record in match.games]
        columns = [r.score for r in match.games], [float(r.won) for r in match.games]
        return {
            score.name: Sample.by_group(column, group, max(group) + 1)
            for score, column in zip(self.scores, columns, strict=True)
        }


def _made(measure: "Regret | Play", model: Any, seed: int) -> Any:
    made = model if measure.agent is None else measure.agent(model, seed)
    return agent_of(made, seed, measure.nodes)


@dataclass(frozen=True)
class Together:
    """Two measures of one model; the test data are a pair, one part for each."""

    first: SupportsMeasure
    """First measure, whose first score is the main one."""
    second: SupportsMeasure
    """Second measure."""

    @property
    def scores(self) -> tuple[Score, ...]:
        """Scores of both."""
        return (*self.first.scores, *self.second.scores)

    def __call__(self, model: Any, data: tuple[Any, Any], seed: int) -> Mapping[str, Any]:
        """Measure by both."""
        found: dict[str, Any] = {}
        for measure, part in zip((self.first, self.second), data, strict=True):
            answer: Any = measure(model, part, seed)
            by_name = isinstance(answer, Mapping)
            found |= answer if by_name else {measure.scores[0].name: answer}
        return found


def samples_of(answer: Any, scores: Sequence[Score], where: str) -> dict[str, Sample]:
    """Return the result of a measure by the names of its scores."""
    if not isinstance(answer, Mapping):
        answer = {scores[0].name: answer}
    if set(answer) != {score.name for score in scores}:
        message = (
            f"{where}: the measure answered {', '.join(map(str, answer))}; its scores are "
            f"{', '.join(score.name for score in scores)}"
        )
        raise InvalidEvaluation(message)
    return {score.name: _sample(answer[score.name], score, where) for score in scores}


def _sample(answer: Any, score: Score, where: str) -> Sample:
    try:
        sample = answer if isinstance(answer, Sample) else Sample.of(answer)
        known = len(sample.counts) == sample.groups > 0 and all(
            math.isfinite(total) and 0 <= count < math.inf
            for total, count in zip(sample.sums, sample.counts, strict=True)
        )
    except (TypeError, ValueError):
        known = False
    if not known:
        message = (
            f"{where}: {score.name} is {str(answer)[:80]}; expected a finite number for each group "
            "of the test data, or a Sample"
        )
        raise InvalidEvaluation(message)
    if score.kind == "share" and not all(
        count > 0 and -1e-9 <= total / count <= 1 + 1e-9
        for total, count in zip(sample.sums, sample.counts, strict=True)
    ):
        message = f"{where}: {score.name} is a share, but of some group it is not in [0, 1]"
        raise InvalidEvaluation(message)
    return sample


MIN_GROUPS = 10
"""Fewest groups with the score from which a bootstrap estimates the ends."""

Array = npt.NDArray[np.float64]


def score_of(samples: Sequence[Sample], score: Score, seed: int, resamples: int) -> Interval | None:
    """Estimate the score of a cell from each training's sample; None if nothing was counted.

    The ends are infinite if too little was counted to say where they are.
    """
    sums, counts = _stacked(samples)
    if score.kind == "share":
        by_group = sums / counts
        means = np.clip(by_group.mean(axis=1), 0.0, 1.0)
        size = max(1, math.floor(counts.min()))
        own = rate_of(means.tolist(), size) if len(means) >= MIN_PAIRS else None
        if own is None:
            return Interval(float(means.mean()), -math.inf, math.inf)
        return _with_trainings(own, by_group.mean(axis=0), (0.0, 1.0))
    rng = np.random.default_rng(seed)
    drawn = resample_games(sums, counts, rng, resamples)
    return _over_groups(drawn.means, drawn.resampled, _ratios(sums, counts))


def gap_of(
    own: Sequence[Sample], there: Sequence[Sample], score: Score, seed: int, resamples: int
) -> Interval | None:
    """Estimate how much worse a cell is than the diagonal of its column.

    It is above 0 if the cell is worse, whichever numbers are good. Groups are compared with
    themselves: both were tested on the same. None if nothing was counted.
    """
    sign = 1.0 if score.better == "lower" else -1.0
    (sums, counts), (sums_there, counts_there) = _stacked(own), _stacked(there)
    if score.kind == "share":
        by_group = sign * (sums / counts - sums_there / counts_there)
        return _share_gap(by_group)
    both = np.stack([sums, sums_there], axis=2), np.stack([counts, counts_there], axis=2)
    drawn = resample_games(*both, np.random.default_rng(seed), resamples)
    means = sign * (drawn.means[:, 0] - drawn.means[:, 1])
    resampled = sign * (drawn.resampled[..., 0] - drawn.resampled[..., 1])
    ratios = _ratios(*both)
    return _over_groups(means, resampled, ratios[..., 0] - ratios[..., 1])


def _share_gap(by_group: Array) -> Interval:
    """Take differences in [-1, 1] for scores in [0, 1], whose interval is that of matches."""
    means = by_group.mean(axis=1)
    scores = (means + 1) / 2
    value = float(means.mean())
    if len(means) < MIN_PAIRS:
        return Interval(value, -math.inf, math.inf)
    low, high = score_ends(float(scores.mean()), float(scores.var()), len(scores))
    ends = min(2 * float(low) - 1, value), max(2 * float(high) - 1, value)
    return _with_trainings(Interval(value, *ends), by_group.mean(axis=0), (-1.0, 1.0))


def _with_trainings(own: Interval, trainings: Array, bounds: tuple[float, float]) -> Interval:
    """Widen an interval over groups by the spread between K trainings."""
    if len(trainings) == 1:
        return own
    between = between_trainings(trainings)
    low = own.value - math.hypot(own.value - own.low, between)
    high = own.value + math.hypot(own.high - own.value, between)
    return Interval(own.value, max(low, bounds[0]), min(high, bounds[1]))


def _stacked(samples: Sequence[Sample]) -> tuple[Array, Array]:
    """Return sums and counts, ``float64[G, K]`` each."""
    sums = np.array([sample.sums for sample in samples], dtype=np.float64).T
    return sums, np.array([sample.counts for sample in samples], dtype=np.float64).T


def _ratios(sums: Array, counts: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: Array = sums / counts
    return ratios


def _over_groups(means: Array, resampled: Array, ratios: Array) -> Interval | None:
    """Return the interval over trainings and groups; infinite ends if few groups have the score."""
    known = int(np.isfinite(ratios).all(axis=1).sum())
    found = over_trainings(means, resampled, known)
    if found is None or known >= MIN_GROUPS:
        return found
    return Interval(found.value, -math.inf, math.inf)


@dataclass(frozen=True)
class Cell:
    """One row's model, or the mean of several trainings, on one column, by one score."""

    train: str
    """Split of the training."""
    test: str
    """Split of the test."""
    score: Interval | None
    """Score with its 95 % interval, whose ends are infinite if too little was counted; None if
    nothing was counted."""
    gap: Interval | None
    """Difference to the diagonal of its column; above 0 is worse. None on the diagonal, and if no
    row was trained on this split."""
    groups: int
    """Number of independent groups behind it: games, starts, openings."""
    members: int
    """Number of members of these groups."""

    @property
    def is_diagonal(self) -> bool:
        """True if it was tested on the split it was trained on."""
        return self.train == self.test


@dataclass(frozen=True)
class Matrix:
    """One score of an axis."""

    axis: str
    """Name of the axis."""
    about: str
    """Description of its splits."""
    score: Score
    """Score of the numbers."""
    rows: list[str]
    """Splits trained on."""
    columns: list[str]
    """Splits tested on."""
    cells: list[Cell]
    """Cells, row by row."""
    trainings: int
    """Number of trainings of each row."""
    removed: dict[str, int] = field(default_factory=dict)
    """Number of positions left out of a column's test because training games contain them. Columns
    whose tests are no positions of stored games are missing."""

    def cell(self, train: str, test: str) -> Cell:
        """Return a cell.

        Args:
            train: Its row.
            test: Its column.

        Raises:
            InvalidConfig: There is no such row or column.
        """
        for cell in self.cells:
            if (cell.train, cell.test) == (train, test):
                return cell
        message = (
            f"{train!r} on {test!r}: rows of {self.axis} are {', '.join(self.rows)}, columns "
            f"{', '.join(self.columns)}"
        )
        raise InvalidConfig(message)

    def mean_gap(self, train: str) -> float | None:
        """Return the mean gap of a row; None if no cell of it has one."""
        gaps = [c.gap.value for c in self.cells if c.train == train and c.gap is not None]
        return math.fsum(gaps) / len(gaps) if gaps else None


@dataclass(frozen=True)
class Results(RunResults):
    """Results of a run."""

    config: GeneraliseConfig | OwnConfig
    """The settings."""
    matrices: list[Matrix]
    """Matrices, axis by axis, each score of each."""
    skipped: dict[str, str]
    """Axes that could not be done here, with the reason."""

    def matrix(self, axis: str | None = None, score: str | None = None) -> Matrix:
        """Return the matrix of an axis by a score.

        Args:
            axis: The axis; None: the first.
            score: The score; None: the first.

        Raises:
            InvalidConfig: There is no such matrix.
        """
        for matrix in self.matrices:
            if axis in (None, matrix.axis) and score in (None, matrix.score.name):
                return matrix
        known = ", ".join(f"{m.axis}: {m.score.name}" for m in self.matrices)
        message = f"axis {axis!r}, score {score!r}: there are {known}"
        raise InvalidConfig(message)
