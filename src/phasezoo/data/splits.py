"""The interface that training needs of a store of games, and such a store in three parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from phasezoo.data.batches import Batch
from phasezoo.data.positions import PhaseTable, PositionTable, count_phases
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.specs import check_value

SPLITS = ("train", "validation", "test")
"""The names of a store's parts, in the order of their fractions."""

FRACTIONS = (0.8, 0.1, 0.1)
"""The shares of games of the parts, where nothing else is asked for."""


class PositionStore(Protocol):
    """Games whose positions can be labelled, split and made into batches.

    :class:`phasezoo.training.GameStore` keeps those of every game.
    """

    @property
    def game(self) -> Game:
        """The game."""
        ...

    @property
    def variant(self) -> str:
        """The game's name."""
        ...

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """``int64[N + 1]``: game ``i`` has the plies ``offsets[i]`` to ``offsets[i + 1]``."""
        ...

    @property
    def returns(self) -> npt.NDArray[np.float32]:
        """``float32[N, players]``: how each game ended for each player."""
        ...

    @property
    def num_symmetries(self) -> int:
        """Number of symmetries of a position, the identity included."""
        ...

    @property
    def is_symmetric(self) -> bool:
        """Whether the usual start has all these symmetries."""
        ...

    @property
    def has_history(self) -> bool:
        """Whether planes show moves before the position, which can be left out."""
        ...

    @property
    def has_values(self) -> bool:
        """Whether it is known what searches expected, which values can be mixed with."""
        ...

    def __len__(self) -> int:
        """Return the number N of games."""
        ...

    def split(self, seed: int, fractions: Sequence[float] | None = None) -> "Splits":
        """Split by game into train, validation and test."""
        ...

    def positions(self, gate: Any = "none", *, threads: int | None = None) -> PositionTable:
        """Return every position, game by game, each with its phase."""
        ...

    def batch(
        self,
        table: PositionTable,
        rows: npt.NDArray[np.int64],
        planes: str,
        *,
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
        value_mix: float = 0.0,
        threads: int | None = None,
        packed: bool = False,
    ) -> Batch:
        """Return the batch of some rows of a table of this store.

        Args:
            table: Positions, from :meth:`positions`.
            rows: ``int64[B]``: indices into the table.
            planes: Which input planes.
            hidden: ``bool[B]``: whose last moves are left out of the planes; None: nobody's.
            symmetries: ``uint8[B]``: by which symmetry each is turned; None: none is.
            value_mix: Share (0 to 1) of what searches expected in the values.
            threads: Threads; default all that this process may use.
            packed: Whether the planes come packed.
        """
        ...


@dataclass(frozen=True)
class Splits:
    """A store in three parts, split by game."""

    train: PositionStore
    """For training."""
    validation: PositionStore
    """For choosing among checkpoints."""
    test: PositionStore
    """Read once, at the end."""
    value_games: PositionStore | None = None
    """Games whose results are learned from and whose moves are not; None: there are none."""

    def positions(
        self, gate: Any = "none", *, threads: int | None = None
    ) -> dict[str, PositionTable]:
        """Return the positions of each part by its name."""
        return {name: getattr(self, name).positions(gate, threads=threads) for name in SPLITS}

    def phase_table(self, gate: Any = "none", *, threads: int | None = None) -> PhaseTable:
        """Games and positions per phase, of each part and of all games."""
        return count_phases(self.positions(gate, threads=threads))


def _cuts(games: int, fractions: Sequence[float]) -> list[int]:
    """Return the two places at which ``games`` ranked games are cut into parts of these shares."""
    try:
        shares = np.asarray(fractions, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.zeros(0)
    if shares.shape != (3,) or not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-9:
        message = (
            f"fractions={fractions!r}: give three shares (train, validation, test) that "
            "are not negative and add up to 1, such as (0.8, 0.1, 0.1)"
        )
        raise InvalidConfig(message)
    return [round(share * games) for share in np.cumsum(shares)[:2]]


def ranked(
    hashes: npt.NDArray[np.uint64], fractions: Sequence[float]
) -> list[npt.NDArray[np.int64]]:
    """Games of each part if they are ranked by their hashes; those with the same stay together.

    Args:
        hashes: ``uint64[N]``: of each game.
        fractions: Shares of train, validation and test.

    Returns:
        Indices, rising, of train, validation and test.
    """
    count = len(hashes)
    order = np.argsort(hashes, kind="stable")
    in_order = hashes[order]
    bounds = [0]
    for cut in _cuts(count, fractions):
        bound = max(cut, bounds[-1])
        while 0 < bound < count and in_order[bound] == in_order[bound - 1]:
            bound += 1
        bounds.append(bound)
    return [np.sort(order[low:high]) for low, high in pairwise([*bounds, count])]


def split_word(seed: int) -> int:
    """Return a seed of any size and sign as the 64 bits that the core takes."""
    size, is_negative = seed_words(seed)
    words = [size, is_negative] if is_negative else size
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])


def seed_words(seed: int) -> list[int]:
    """Return a seed of any size and sign as words that a seed sequence takes."""
    seed = check_value("seed", int, seed)
    return [abs(seed), int(seed < 0)]
