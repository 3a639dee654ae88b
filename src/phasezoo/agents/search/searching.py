"""The common part of agents that search."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.arguments import checked_player, states_and_players
from phasezoo.agents.base import DeprecatedSeats, called_session, session_pool_of, state_in
from phasezoo.agents.limit import Limit
from phasezoo.agents.search.mcts_session import MCTSSession
from phasezoo.errors import InvalidArray
from phasezoo.games.queries import to_play_of
from phasezoo.types import SIMULTANEOUS


class SearchingAgent(DeprecatedSeats, ABC):
    """An agent that searches, in one game or in many positions at once.

    It is configuration; :meth:`session` plays a game, :meth:`search` looks at one position.
    """

    name: str
    seed: int
    player: int
    """Whom calls of the agent move, if players move at once."""
    ends_by_itself: bool = False
    """Whether a search without a limit ends, as one of so many layers does."""
    game: games.Game | None
    _batches: int = 0

    @abstractmethod
    def session_pool(
        self,
        game: games.Game,
        *,
        limit: Limit | None = None,
        pool_rows: int | None = None,
        threads: int | None = None,
    ) -> Any:
        """Open a pool of games; ``limit`` replaces the agent's own."""

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``, in the game that it continues.

        Each thread has a game of its own.

        Raises:
            InvalidState: There is no state in ``info``. Environments of games with hidden
                information put none there: ``session(seed).act(env.unwrapped.game_state, player)``.
            InvalidEvaluation: The evaluator's answer is not valid.
        """
        state = state_in(info, self.name)
        return int(called_session(self).act(state))

    def session(self, seed: int, game: str | games.Game | None = None) -> MCTSSession:
        """A game that draws from ``seed`` alone."""
        return MCTSSession(self, seed, self.game if game is None else games.make(game))

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: an action for each state, all searched at once with trees of their own."""
        listed, acting = states_and_players(states, players)
        if not listed:
            message = "select_batch() was given no states"
            raise InvalidArray(message)
        game = games.game_of(listed[0]) if self.game is None else self.game
        pool = session_pool_of(self, game)
        rng = np.random.default_rng([self.seed, self._batches])
        self._batches += 1
        rows = {}
        for row, (state, player) in enumerate(zip(listed, acting, strict=True)):
            slot = pool.open(int(rng.integers(2**63)))
            pool.ask(slot, state, self.acting(state, player))
            rows[slot] = row
        actions = np.empty(len(listed), dtype=np.int64)
        while rows:
            for slot, move in pool.poll():
                actions[rows.pop(slot)] = move.action
        return actions

    def acting(self, state: Any, player: int | None = None) -> int:
        """Who acts in ``state``: ``player``, or whose turn it is, or the agent's ``player``.

        Raises:
            InvalidConfig: There is no such player.
        """
        if player is None and (to_play := to_play_of(state)) != SIMULTANEOUS:
            return to_play
        game = games.game_of(state) if self.game is None else self.game
        return checked_player(self.player if player is None else player, game)

    def __getstate__(self) -> dict[str, Any]:
        """The configuration: a copy starts a game of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_called"}
