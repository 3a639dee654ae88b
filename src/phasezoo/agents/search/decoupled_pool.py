"""A session pool that searches the actions of all players: one pool of trees, one evaluator."""

from collections.abc import Sequence
from typing import Any

from phasezoo import _core, games
from phasezoo.agents.limit import Limit
from phasezoo.agents.search.fresh_pool import FreshTreePool
from phasezoo.agents.search.slot import Asked, Slot
from phasezoo.agents.search.tree_pool import rows_or_default
from phasezoo.errors import InvalidState
from phasezoo.types import Gate


class DecoupledPool(FreshTreePool):
    """A pool of games with decoupled searches; see :class:`~phasezoo.agents.base.SessionPool`.

    Every move is searched with a new tree and random numbers that depend on how many searches there
    were, so that a copy, or what was pickled, goes on as the original would.

    Args:
        game: What is played.
        evaluator: Answers the leaves of all trees.
        settings: How every tree searches (``_core.decoupled_settings``).
        limit: When every search ends.
        gate: Says the phases of leaves; None: all are phase 0.
        pool_rows: The most rows handed to the evaluator at once; at least those of one batch:
            a leaf has a row for each player who moves.
        threads: Threads that make planes.
        information: ``"observed"`` or ``"full"``.

    Raises:
        GameMismatch: The evaluator is a network of another game.
        InvalidConfig: An option does not fit the game.
    """

    def __init__(
        self,
        game: games.Game,
        evaluator: Any,
        settings: dict[str, Any],
        limit: Limit,
        gate: Gate | None,
        *,
        pool_rows: int | None = None,
        threads: int | None = None,
        information: str = "observed",
    ) -> None:
        super().__init__(game, evaluator, limit, gate, threads)
        self._tree_rows = settings["batch_size"] * game.num_players
        batch = f"batch_size={settings['batch_size']} with {game.num_players} players"
        self._pool_rows = rows_or_default(pool_rows, self._tree_rows, batch)
        self._settings = settings
        self._tracker = game.tracker if information == "observed" else None
        self._open_pool()

    def _open_pool(self) -> None:
        game: Any = self.game.name if self.game.native else self.game
        self._pool = _core.SearchPool.decoupled(game, self._settings, self._gate, self._threads)
        self._drive(self._tree_rows, overlaps=self.game.native)

    def _check(self, state: Any, player: int) -> None:
        if self._is_out(state, player):
            message = (
                f"player {player} has nothing to search for: their game is over, or others move"
            )
            raise InvalidState(message)

    def _new_slot(self, seed: int, history: Sequence[Any]) -> Slot:
        return Slot(
            int(self._pool.add(seed)),
            seed,
            history,
            self._gate,
            is_one_players=True,
            tracker=self._tracker,
        )

    def _options(self, asked: Asked) -> dict[str, Any]:
        return {"player": asked.player}
