"""Samples of scores, and scores and gaps with their 95 % intervals.

The helpers are those of matches and of the other studies; which of them fits is decided here, once
(``docs/definitions/generalise.md``).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import MIN_PAIRS, Interval, score_ends
from phasezoo.arena.statistics.rates import rate_of
from phasezoo.errors import InvalidEvaluation
from phasezoo.training.resampling import resample_games
from phasezoo.training.sampled_means import between_trainings, over_trainings
from phasezoo.training.score import Score


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


def samples_of(answer: Any, scores: Sequence[Score], where: str) -> dict[str, Sample]:
    """Return the result of a measure by the names of its scores.

    Raises:
        InvalidEvaluation: It does not fit the scores.
    """
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
    found = over_trainings(drawn.means, drawn.resampled)
    return None if found is None else _trusted(found, _ratios(sums, counts))


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
    found = over_trainings(means, sign * (drawn.resampled[..., 0] - drawn.resampled[..., 1]))
    if found is None:
        return None
    ratios = _ratios(*both)
    return _trusted(found, ratios[..., 0] - ratios[..., 1])


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


def _trusted(found: Interval, ratios: Array) -> Interval:
    """Return the interval, unless too few groups have the score or all of them are alike.

    A bootstrap of groups that are alike has no width, however few they are.
    """
    known = ratios[np.isfinite(ratios).reshape(len(ratios), -1).all(axis=1)]
    if len(known) >= MIN_GROUPS and np.ptp(known, axis=0).max() > 0:
        return found
    return Interval(found.value, -math.inf, math.inf)
