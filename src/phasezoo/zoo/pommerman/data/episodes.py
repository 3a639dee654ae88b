"""Episodes of Pommerman as training positions: what every living player saw and did."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo import _core, gating
from phasezoo.errors import CorruptRecord, InvalidConfig, InvalidPlaneSpec
from phasezoo.games.registry import make
from phasezoo.training.batches import Batch
from phasezoo.training.positions import PositionTable
from phasezoo.training.splits import Splits, cuts, split_word

__all__ = ["EpisodeColumns", "EpisodeStore"]

PLANES = "standard"
"""The planes that the core writes of its samples."""

_CHUNK = 64
"""Episodes whose states are asked about together by a Python gate."""


@dataclass(frozen=True)
class EpisodeColumns:
    """What is known of P positions; those of an episode follow each other, step by step."""

    row: npt.NDArray[np.int64]
    """``int64[P]``: the position's row among the samples."""
    player: npt.NDArray[np.int8]
    """``int8[P]``: who sees the position, and acts."""
    value: npt.NDArray[np.int8]
    """``int8[P]``: how the episode ended for them: +1 won, -1 lost or died, 0 otherwise."""
    step: npt.NDArray[np.int32]
    """``int32[P]``: steps since the start."""
    left: npt.NDArray[np.int32]
    """``int32[P]``: steps to the end of the episode, not of the player; 1 before its last."""
    key: npt.NDArray[np.uint64]
    """``uint64[P]``: equal for equal positions seen by the same player, but for the step."""

    def select(self, rows: npt.NDArray[np.int64]) -> "EpisodeColumns":
        """The columns of some of the positions."""
        return EpisodeColumns(**{name: column[rows] for name, column in vars(self).items()})


class EpisodeStore:
    """Episodes that agents played against each other, by default as for the published networks.

    Four unbiased simple agents play, and every action of a living player is a position to learn
    from (``docs/definitions/data.md#pommermans-episodes``). The states are kept, planes are made of
    them when they are asked for: a million positions are played in about a second.

    A "game" of a table is an episode here, and its plies are the players' actions, one after the
    other by seats; :attr:`columns` tells the steps, at the place ``offsets[game] + ply``.

    Args:
        game: One of Pommerman's, such as ``"pommerman-ffa"``.
        positions: Positions wanted; all of the last episode's are kept, which makes some more.
        seed: Decides the episodes; the first ones are the same however many are played.
        agent: Who plays, such as ``"simple_unbiased"`` or ``"simple"``.
        fog: Whether players see four cells far; None: as the mode has it.
        collapse: Whether the board shrinks from step 500 on.
        threads: Threads that play; default all that this process may use.

    Raises:
        InvalidConfig: There is no such agent, or a number is out of range.
        UnknownGame: The game is none of Pommerman's.
    """

    num_symmetries = 8
    is_symmetric = True
    has_history = False
    has_values = False

    def __init__(
        self,
        game: str,
        positions: int,
        *,
        seed: int = 0,
        agent: str = "simple_unbiased",
        fog: bool | None = None,
        collapse: bool = False,
        threads: int | None = None,
    ) -> None:
        if positions < 1:
            message = f"positions={positions}: must be 1 or more"
            raise InvalidConfig(message)
        if not 0 <= seed < 2**64:
            message = f"seed={seed}: must be from 0 to {2**64 - 1:,}"
            raise InvalidConfig(message)
        self.game = make(game)
        self.variant = game
        self.samples = _core.PommermanSamples(
            game,
            positions,
            seed=seed,
            agent=agent,
            fog=fog,
            collapse=collapse,
            threads=threads,
        )
        samples = self.samples
        self.columns = EpisodeColumns(
            row=np.arange(len(samples), dtype=np.int64),
            player=samples.players,
            value=samples.values,
            step=samples.steps,
            left=samples.left,
            key=samples.keys,
        )
        counts = np.bincount(samples.episodes, minlength=samples.num_episodes)
        self.offsets: npt.NDArray[np.int64] = np.cumsum([0, *counts], dtype=np.int64)

    def __len__(self) -> int:
        """The number of episodes."""
        return len(self.offsets) - 1

    @property
    def num_positions(self) -> int:
        """How many positions there are: one for each action of a living player."""
        return len(self.columns.row)

    def __repr__(self) -> str:
        positions = f"{self.num_positions:,} positions"
        return f"<EpisodeStore of {len(self):,} episodes of {self.variant}, {positions}>"

    def subset(self, episodes: npt.ArrayLike) -> Self:
        """Some of the episodes, in the order given; the states themselves are shared.

        Raises:
            CorruptRecord: There is no such episode.
        """
        index = np.ascontiguousarray(episodes, dtype=np.int64)
        wrong = index[(index < 0) | (index >= len(self))]
        if wrong.size:
            message = f"episode {wrong[0]}: there are {len(self)} episodes, counted from 0"
            raise CorruptRecord(message)
        counts = np.diff(self.offsets)[index]
        offsets = np.cumsum([0, *counts], dtype=np.int64)
        # Each position's place in its episode, moved to where the episode begins here.
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[index] - offsets[:-1], counts)
        part = object.__new__(type(self))
        part.game, part.variant, part.samples = self.game, self.variant, self.samples
        part.columns, part.offsets = self.columns.select(places), offsets
        return part

    def split(self, seed: int, fractions: Sequence[float] = (0.8, 0.1, 0.1)) -> Splits:
        """Split by episode into train, validation and test: no episode is in two parts.

        Args:
            seed: Chooses the split, the same on every machine.
            fractions: Shares of train, validation and test; they add up to 1.

        Raises:
            InvalidConfig: The fractions are not three shares of a whole.
        """
        bounds = [0, *cuts(len(self), fractions), len(self)]
        order = _core.permuted(len(self), split_word(seed), 0, len(self))
        return Splits(*(self.subset(np.sort(order[a:b])) for a, b in pairwise(bounds)))

    def positions(self, gate: Any = "none", *, threads: int | None = None) -> PositionTable:
        """Every position with its phase, as its player sees it, and its key.

        A monotone gate is given the phase one step before of the same player. A gate in Python is
        asked about the positions of some episodes at the same step at once.

        Args:
            gate: A gate or its specification.
            threads: Not used: the core's gates label a million positions in a fraction of a second.

        Raises:
            InvalidGate: The gate is none, does not fit the game, or answers no phase.
        """
        made = gating.make(gate, self.variant)
        if isinstance(made, _core.Gate):
            phase = self.samples.phases(made)[self.columns.row]
        else:
            phase = self._label_in_python(made)
        counts = np.diff(self.offsets)
        game = np.repeat(np.arange(len(self), dtype=np.int32), counts)
        ply = (np.arange(self.num_positions) - self.offsets[game]).astype(np.int32)
        return PositionTable(
            game, ply, self.columns.player, phase, self.columns.key, tuple(made.names), made.spec
        )

    def batch(
        self,
        table: PositionTable,
        rows: npt.NDArray[np.int64],
        planes: str = PLANES,
        *,
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
        value_mix: float = 0.0,
        threads: int | None = None,
    ) -> Batch:
        """The batch of some rows of a table of this store.

        Args:
            table: Positions, from :meth:`positions`.
            rows: ``int64[B]``: indices into the table.
            planes: ``"standard"``.
            hidden: None: the planes show no moves before the position.
            symmetries: ``uint8[B]`` from 0 to 7: how planes and action are turned; None: not.
            value_mix: Not used: nobody searched.
            threads: Threads; default all that this process may use.

        Raises:
            CorruptRecord: The table is of another store.
            InvalidConfig: ``hidden`` is given.
            InvalidPlaneSpec: The core writes no such planes of its samples.
        """
        if planes != PLANES:
            message = f"planes {planes!r}: episodes of {self.variant} are shown as {PLANES!r} only"
            raise InvalidPlaneSpec(message)
        if hidden is not None:
            message = f"planes of {self.variant} show no last moves that could be hidden"
            raise InvalidConfig(message)
        game = table.game[rows]
        places = self._places(game, table.ply[rows])
        columns = self.columns
        shown, action = self.samples.batch(columns.row[places], symmetries, threads)
        value = columns.value[places]
        return Batch(
            planes=shown,
            action=action,
            value=value.astype(np.float32),
            wdl=1 - value.astype(np.int64),
            plies_left=columns.left[places].astype(np.float32),
            phase=table.phase[rows],
            game=game,
            weight=np.ones(len(rows), dtype=np.float32),
        )

    def _places(
        self, game: npt.NDArray[np.int32], ply: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int64]:
        """Where positions are in the columns.

        Raises:
            CorruptRecord: There is no such position.
        """
        if game.max(initial=-1) < len(self):
            places: npt.NDArray[np.int64] = self.offsets[game] + ply
            if (places < self.offsets[game + 1]).all():
                return places
        message = f"{self!r} has no such positions: give rows of this very store's positions()"
        raise CorruptRecord(message)

    def _label_in_python(self, gate: Any) -> npt.NDArray[np.int8]:
        phase = np.empty(self.num_positions, dtype=np.int8)
        columns = self.columns
        for first in range(0, len(self), _CHUNK):
            last = min(first + _CHUNK, len(self))
            low, high = self.offsets[first], self.offsets[last]
            seat = self._seats(first, last)
            before = np.zeros(seat.max(initial=0) + 1, dtype=np.int64)
            step = columns.step[low:high]
            order = np.argsort(step, kind="stable")
            bounds = np.flatnonzero(np.diff(step[order], prepend=-1, append=-1))
            for start, end in pairwise(bounds.tolist()):
                now = order[start:end]
                rows = low + now
                states = [self.samples.state(row) for row in columns.row[rows].tolist()]
                previous = None if step[now[0]] == 0 else before[seat[now]]
                before[seat[now]] = gate.batch(states, columns.player[rows].tolist(), previous)
                phase[rows] = before[seat[now]]
        return phase

    def _seats(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """A number of each position's episode and player, from 0."""
        counts = np.diff(self.offsets[first : last + 1])
        episode = np.repeat(np.arange(last - first), counts)
        low, high = self.offsets[first], self.offsets[last]
        return episode * 4 + self.columns.player[low:high]
