"""Batches of leaves: states asked about without a search, and several batches in one call."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.errors import InvalidArray
from phasezoo.games import PackedPlanes
from phasezoo.games.varlen import offsets_of
from phasezoo.inference.evaluator import Evaluation, Leaves, Legal, answer_at
from phasezoo.types import Planes


class StateBatch:
    """States of one game, not over, each its own tree; the same face as a search's leaves.

    Args:
        states: At least one; none of them over.
        phases: The phase of each; default 0.
        threads: Threads that make planes; default all that this process may use.
        players: Who sees each state and is to move; default the state's player to move.

    Raises:
        InvalidArray: There are no states, one is over, or ``phases`` has another length.
    """

    def __init__(
        self,
        states: Sequence[Any],
        phases: Sequence[int] | npt.NDArray[Any] | None = None,
        threads: int | None = None,
        players: Sequence[int] | None = None,
    ) -> None:
        self._states = list(states)
        if not self._states:
            message = "a batch of no states: give at least one"
            raise InvalidArray(message)
        over = next((i for i, state in enumerate(self._states) if state.is_terminal), None)
        if over is not None:
            message = (
                f"state {over} of the batch is over: only positions with a move can be evaluated"
            )
            raise InvalidArray(message)
        count = len(self._states)
        self.phases = np.zeros(count, np.int8) if phases is None else np.asarray(phases, np.int8)
        if self.phases.shape != (count,):
            message = (
                f"phases has shape {list(self.phases.shape)}, expected [{count}], one per state"
            )
            raise InvalidArray(message)
        given = [state.to_play for state in self._states] if players is None else players
        self.players = np.asarray(given, np.int64)
        self.trees = np.arange(count, dtype=np.int32)
        self.root_phases = self.phases
        self.parent_phases = np.full(count, -1, np.int8)
        self.depths = np.zeros(count, np.int32)
        self.visits = np.zeros(count, np.int64)
        self._threads = threads
        self._planes: dict[tuple[str, bool], Planes | PackedPlanes] = {}
        self._legal: Legal | None = None

    def __len__(self) -> int:
        return len(self._states)

    @property
    def num_actions(self) -> int:
        """A."""
        return games.game_of(self._states[0]).num_actions

    @property
    def legal(self) -> Legal:
        """``(offsets int64[B + 1], actions int32[total])``."""
        if self._legal is None:
            rows = [
                games.legal_actions_of(state, int(player))
                for state, player in zip(self._states, self.players, strict=True)
            ]
            offsets = offsets_of([len(row) for row in rows])
            self._legal = offsets, np.concatenate(rows).astype(np.int32)
        return self._legal

    def planes(self, spec: str, packed: bool = False) -> Planes | PackedPlanes:
        """``float32[B, C, H, W]``, or packed, made once per spec and form."""
        if (spec, packed) not in self._planes:
            players = self.players.tolist()
            self._planes[spec, packed] = games.encode(
                self._states, spec, players=players, threads=self._threads, packed=packed
            )
        return self._planes[spec, packed]

    def states(self) -> list[Any]:
        """Return the states."""
        return list(self._states)

    def select(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> "StateBatch":
        """Return the batch of these rows, in this order; they keep their tree numbers."""
        batch = StateBatch(
            [self._states[row] for row in rows],
            self.phases[rows],
            self._threads,
            self.players[rows].tolist(),
        )
        batch.trees = self.trees[rows]
        return batch


def _joined(name: str) -> Any:
    """Return the property that joins a column of all parts."""
    return property(lambda self: np.concatenate([getattr(part, name) for part in self.parts]))


class LeafBatches:
    """Leaf batches one after the other, with the face of one; see :class:`Leaves`."""

    def __init__(self, parts: Sequence[Leaves]) -> None:
        self.parts = tuple(parts)
        self._starts = np.cumsum([0, *map(len, self.parts)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def num_actions(self) -> int:
        """A."""
        return self.parts[0].num_actions

    phases = _joined("phases")
    parent_phases = _joined("parent_phases")
    root_phases = _joined("root_phases")
    depths = _joined("depths")
    visits = _joined("visits")
    trees = _joined("trees")
    players = _joined("players")

    @property
    def legal(self) -> Legal:
        """``(offsets int64[B + 1], actions int32[total])``."""
        each = [part.legal for part in self.parts]
        lengths = np.concatenate([np.diff(offsets) for offsets, _ in each])
        return offsets_of(lengths), np.concatenate([actions for _, actions in each])

    def planes(self, spec: str, packed: bool = False) -> Planes | PackedPlanes:
        """``float32[B, C, H, W]``, or packed."""
        if packed:
            return PackedPlanes.joined([part.planes(spec, packed=True) for part in self.parts])
        return np.concatenate([part.planes(spec) for part in self.parts])

    def states(self) -> list[Any]:
        """Return the states."""
        return [state for part in self.parts for state in part.states()]

    def select(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> "LeafBatches":
        """Return the batch of these rows, in this order."""
        place = np.searchsorted(self._starts, np.asarray(rows), side="right") - 1
        pairs = zip(place.tolist(), np.asarray(rows).tolist(), strict=True)
        runs = groupby(pairs, key=lambda pair: pair[0])
        return LeafBatches(
            [
                self.parts[part].select(np.array([row - self._starts[part] for _, row in run]))
                for part, run in runs
            ]
        )

    def split(self, evaluation: Evaluation) -> Iterator[tuple[Leaves, Evaluation]]:
        """Yield each part with its share of ``evaluation``, as of :func:`evaluate_leaves`."""
        start = 0
        for part, row in zip(self.parts, self._starts[:-1].tolist(), strict=True):
            end = start + int(part.legal[0][-1])
            rows = slice(row, row + len(part))
            yield part, answer_at(evaluation, rows, slice(start, end))
            start = end
