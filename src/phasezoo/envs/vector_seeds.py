"""The seeds of many games: one generator per game, drawn as a scalar environment draws."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

from phasezoo.errors import InvalidConfig

Seed = int | Sequence[int | None] | None


def _whole(seed: Any) -> int:
    """A seed as Gymnasium takes it."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        message = f"seed {seed!r}: give whole numbers from 0, or None"
        raise InvalidConfig(message)
    return number


class GameSeeds:
    """Gives every game its next seed.

    Game ``i`` of a vector has a generator of its own, seeded like that of the ``i``-th environment
    of a ``SyncVectorEnv``, and every game that begins takes one draw of it.

    Args:
        num_envs: How many games there are.
    """

    def __init__(self, num_envs: int) -> None:
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self.next = np.zeros(num_envs, dtype=np.uint64)
        """``uint64[N]``: the seeds of the games that begin next."""

    def seed(self, seed: Any, mask: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_]:
        """Seed generators before a reset.

        Args:
            seed: For game ``i``, ``seed + i``; or a list with one seed, or None, for each.
            mask: The games that are reset; None for all.

        Returns:
            ``bool[N]``: the games that were seeded anew.
        """
        count = len(self._generators)
        if seed is None:
            seeds: Sequence[int | None] = [None] * count
        elif isinstance(seed, int | np.integer) or (isinstance(seed, np.ndarray) and not seed.ndim):
            seeds = [_whole(seed) + row for row in range(count)]
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
            seeds = [each if each is None else _whole(each) for each in seed]
        else:
            message = f"seed={seed!r}: expected a whole number, or a list with one for each game"
            raise InvalidConfig(message)
        if len(seeds) != count:
            message = (
                f"seed has {len(seeds)} entries for {count} games; give one number, or one each"
            )
            raise InvalidConfig(message)
        reseeded = np.zeros(count, dtype=np.bool_)
        for row, given in enumerate(seeds):
            if mask is not None and not mask[row]:
                continue
            if given is not None or self._generators[row] is None:
                self._generators[row] = seeding.np_random(given)[0]
                reseeded[row] = given is not None
                self.draw([row])
        return reseeded

    def draw(self, rows: Sequence[int]) -> None:
        """Draw the next seeds of games that have begun."""
        for row in rows:
            generator = self._generators[row]
            if generator is not None:
                self.next[row] = generator.integers(1 << 63)
