"""A session pool that searches by beams: one pool of trees, one evaluator."""

from typing import Any

from phasezoo import _core, games
from phasezoo.agents.base import Move
from phasezoo.agents.limit import Limit
from phasezoo.agents.search.continuation import steps_between
from phasezoo.agents.search.fresh_pool import FreshTreePool
from phasezoo.agents.search.slot import Asked, Played, Slot
from phasezoo.agents.search.tree_pool import DEFAULT_POOL_ROWS
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import at_least
from phasezoo.types import SIMULTANEOUS, Gate


class BeamPool(FreshTreePool):
    """A pool of games that are searched by beams; see :class:`~phasezoo.agents.base.SessionPool`.

    Every round asks the evaluator about one layer of each game's beam.

    Args:
        game: What is played; one player moves at a time.
        evaluator: Answers the rows of all trees.
        settings: How every tree searches (``_core.beam_settings``).
        limit: When every search ends, if not by its schedule.
        gate: Says the phases of rows; None: all are phase 0.
        positions: Positions of a whole beam, its root among them.
        plies: How many plies of a principal variation are played, the first among them, in slots
            that are asked for every ply: where one agent plays all players. In others the
            variation is dropped at the first action that was not this slot's.
        pool_rows: The most rows handed to the evaluator at once, unless one layer has more; default
            ``positions``, or 256 if that is more. No layer is cut.
        threads: Threads that make planes.

    Raises:
        GameMismatch: The evaluator is a network of another game.
        InvalidConfig: Players of the game move at once.
    """

    def __init__(
        self,
        game: games.Game,
        evaluator: Any,
        settings: dict[str, Any],
        limit: Limit,
        gate: Gate | None,
        *,
        positions: int,
        plies: int = 1,
        pool_rows: int | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(game, evaluator, limit, gate, threads)
        if game.native and game.search_others:
            raise no_turns(game)
        if pool_rows is None:
            pool_rows = max(DEFAULT_POOL_ROWS, positions)
        self._pool_rows = at_least("pool_rows", pool_rows, 1)
        self._settings = settings
        self._positions = positions
        self._plies = plies
        self._lines: dict[int, list[tuple[int, float]]] = {}
        """The rest of each slot's variation: actions, each with what its player expects."""
        self._own: dict[int, int] = {}
        """Each slot's own action that was answered last and has not been played."""
        self._ready: list[tuple[int, Move]] = []
        """Moves that need no search."""
        self._open_pool()

    def _open_pool(self) -> None:
        game: Any = self.game.name if self.game.native else self.game
        self._pool = _core.SearchPool.beam(game, self._settings, self._gate, self._threads)
        self._drive(self._positions, overlaps=False)  # a round is one layer of every tree

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Report ``action``, which led to ``state``."""
        if self._own.pop(slot, None) != int(action):
            self._lines.pop(slot, None)
        super().tell(slot, action, state)
        self._pool.advance(self._slots[slot].tree, int(action))

    def _check(self, state: Any, player: int) -> None:
        if state.to_play == SIMULTANEOUS:
            raise no_turns(self.game)

    def _begin_asked(self, number: int, asked: Asked) -> None:
        """Begin a search, unless the variation of the last one goes on there."""
        line = self._lines.get(number)
        if line and line[0][0] in games.legal_actions_of(asked.state, asked.player):
            action, value = line.pop(0)
            self._own[number] = action
            self._ready.append((number, Move(action, value)))
            return
        super()._begin_asked(number, asked)

    def poll(self) -> list[tuple[int, Move]]:
        """Return the moves that need no search, or else those of one round of searching."""
        if self._ready:
            ready, self._ready = self._ready, []
            return ready
        return super().poll()

    def close(self, slot: int) -> None:
        """Leave the game, and drop its tree."""
        self._lines.pop(slot, None)
        self._own.pop(slot, None)
        self._ready = [each for each in self._ready if each[0] != slot]
        super().close(slot)

    def _steps(self, last: Any, state: Any) -> list[tuple[Any, Any]] | None:
        """How a game went on from ``last`` to ``state``; None if that is another game."""
        return steps_between(last, state)

    def _follow(self, slot: Slot, played: Played) -> None:
        self._pool.advance(slot.tree, int(played.action))

    def _finish(self, tree: int) -> Move:
        number = self._asked[tree]
        move = super()._finish(tree)
        if self._plies > 1:
            line = list(self.result.pv)
            rest = range(1, min(self._plies, len(line)))
            self._lines[number] = [(line[ply], self._expected(tree, line[:ply])) for ply in rest]
            self._own[number] = move.action
        return move

    def _expected(self, tree: int, path: list[int]) -> float:
        """The value after ``path`` for the player to move there."""
        node: Any = self._pool.inspect(tree, path)  # the line is in the tree
        return float(node.mean)


def no_turns(game: games.Game) -> InvalidConfig:
    """Return the error of a beam in a game whose players move at once."""
    return InvalidConfig(
        f"players of {game.name!r} move at once, and a beam is for games in which one player moves "
        "at a time: search it by DecoupledMCTSAgent, or by MCTSAgent with others="
    )
