"""Means over test positions of several kinds, with intervals by games and trainings."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from phasezoo.arena.elo import Interval
from phasezoo.experiments.statistics import over_trainings, resample_games

__all__ = ["Means", "Sample", "means_of"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """A number of some positions."""

    values: Array
    """``float64[K, P]``: in each of K trainings."""
    game: Indices
    """``int64[P]``: the game of each, from 0."""
    kind: Indices
    """``int64[P]``: which of the kinds each belongs to."""


@dataclass(frozen=True)
class Means:
    """Means of named samples by kind; the last kind is all positions together."""

    _names: list[str]
    _means: Array
    _resampled: Array
    _games: Indices

    def mean(self, name: str, kind: int) -> Interval | None:
        """The mean of a sample over a kind, or None over nothing."""
        row = self._names.index(name)
        games = int(self._games[row, kind])
        return over_trainings(
            self._means[:, row, kind], self._resampled[:, :, row, kind], games=games
        )

    def difference(self, name: str, other: str, kind: int) -> Interval | None:
        """The mean of a sample less another's, the same games being drawn for both."""
        one, two = self._names.index(name), self._names.index(other)
        games = int(min(self._games[one, kind], self._games[two, kind]))
        return over_trainings(
            self._means[:, one, kind] - self._means[:, two, kind],
            self._resampled[:, :, one, kind] - self._resampled[:, :, two, kind],
            games=games,
        )

    def ratio(self, name: str, other: str, kind: int) -> Interval | None:
        """The mean of a sample by another's; None if that may be zero."""
        one, two = self._names.index(name), self._names.index(other)
        games = int(min(self._games[one, kind], self._games[two, kind]))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self._means[:, one, kind] / self._means[:, two, kind]
            drawn = self._resampled[:, :, one, kind] / self._resampled[:, :, two, kind]
        return over_trainings(found, drawn, games=games) if np.isfinite(found).all() else None


def means_of(
    samples: Mapping[str, Sample],
    kinds: int,
    games: int,
    rng: np.random.Generator,
    resamples: int,
) -> Means:
    """Take means by kind, and draw games again for their intervals.

    Args:
        samples: By name; all of as many trainings.
        kinds: How many kinds there are besides all together.
        games: How many games there are.
        rng: Draws them.
        resamples: Number of draws.
    """
    sums, counts = [], []
    for sample in samples.values():
        cell = sample.game * kinds + sample.kind
        counts.append(_by_game(np.ones(len(cell)), cell, games, kinds))
        sums.append(np.stack([_by_game(row, cell, games, kinds) for row in sample.values]))
    # [sample, training, game, kind] -> [game, training, sample, kind], as resample_games wants it
    stacked = np.transpose(np.stack(sums), (2, 1, 0, 3))
    positions = np.transpose(np.stack(counts), (1, 0, 2))
    found = resample_games(stacked, positions[:, None], rng, resamples)
    return Means(list(samples), found.means, found.resampled, (positions > 0).sum(axis=0))


def _by_game(values: Array, cell: Indices, games: int, kinds: int) -> Array:
    sums = np.bincount(cell, weights=values, minlength=games * kinds).reshape(games, kinds)
    return np.concatenate([sums, sums.sum(axis=1, keepdims=True)], axis=1)
