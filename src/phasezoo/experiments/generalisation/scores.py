"""What one number of the matrix is, and what it is the mean of."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidEvaluation
from phasezoo.training.score import Score

__all__ = ["Sample", "Score", "samples_of"]


@dataclass(frozen=True)
class Sample:
    """A score over G independent groups of what was tested: games, starts, openings."""

    sums: tuple[float, ...]
    """Over each group's members."""
    counts: tuple[float, ...]
    """Members of each group; 0 if the score does not exist there."""

    @classmethod
    def of(cls, values: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> Self:
        """From the mean of each group, all of one member or of ``counts``."""
        means = np.asarray(values, dtype=np.float64)
        sizes = np.ones_like(means) if counts is None else np.asarray(counts, dtype=np.float64)
        return cls(tuple((means * sizes).tolist()), tuple(sizes.tolist()))

    @classmethod
    def by_group(cls, values: npt.ArrayLike, group: npt.ArrayLike, groups: int) -> Self:
        """From numbers that belong to groups 0 to ``groups - 1``."""
        own = np.asarray(group, dtype=np.int64)
        sums = np.bincount(own, np.asarray(values, dtype=np.float64), groups)
        return cls(tuple(sums.tolist()), tuple(np.bincount(own, minlength=groups).tolist()))

    @property
    def groups(self) -> int:
        """G."""
        return len(self.sums)


def samples_of(answer: Any, scores: Sequence[Score], where: str) -> dict[str, Sample]:
    """What a measure answered, by the names of its scores.

    Raises:
        InvalidEvaluation: It is not what the scores say.
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
