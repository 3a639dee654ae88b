"""States as a batch of leaves, for evaluators that are asked without a search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.errors import InvalidArray
from phasezoo.games import PackedPlanes
from phasezoo.games.varlen import offsets_of
from phasezoo.inference.evaluator import Legal
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
