"""Tree search for one player of a game whose players move at once."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phasezoo import _core, games
from phasezoo.agents.base import state_in
from phasezoo.agents.config import Limit, SearchConfig, limit_or
from phasezoo.agents.mcts import search_gate_of
from phasezoo.agents.search_seats import SearchSeats, params_of
from phasezoo.envs.referee import one_of
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.types import Gate

__all__ = ["INFORMATION", "SinglePlayerMCTSAgent", "SinglePlayerMCTSSession", "SinglePlayerSeats"]

DEFAULT_LIMIT = Limit(simulations=100)
"""Simulations a move of the published engine (``facts/pommerman.md`` §17.2)."""

INFORMATION = ("observed", "full")
"""What a search knows: what its player may know, or the whole state."""

PUBLISHED = SearchConfig(virtual_style="virtual_loss", solver=False, reuse_tree=False)
"""The published settings where they differ from those of chess: virtual loss, no solver, a new tree
for every move (``facts/pommerman.md`` §17.2). Priors have temperature 1.7 and no noise, as where
the engine is loaded as an agent; self-play and the engine's own evaluations have 1.0 and noise
0.25."""


class SinglePlayerMCTSAgent:
    """PUCT search over one's own actions, the others moved by an agent of theirs.

    Single-player MCTS as in the published Pommerman engine (M2CTS, section on Pommerman;
    ``facts/crazyara.md`` §8.4): edges are the player's own actions, without those that do nothing;
    the others answer once for every node; values are not negated; one's own death ends a line with
    -1 (-0.5 while a team mate lives), a win is 1, a game without winner 0. It is the tree of
    :class:`MCTSAgent`, over another model.

    With ``information="observed"`` the root is rebuilt from what the player has seen of the game:
    who picked up which power-up, laid or kicked which bomb; nothing is known to lie under wood, and
    whom he does not see stands still. The others draw from the search's own random numbers.

    Args:
        evaluator: Answers leaves; a mixture brings its gate with it. others: Who moves the others:
        ``"simple_unbiased"``, ``"simple"``, ``"random"``, ``"stop"``, or
            an agent with ``select_batch(states, players)``, such as a ``PolicyAgent``, which is
            asked once for every node and is slow.
        limit: When a search ends; default 100 simulations.
        seed: Seeds everything random in its calls and searches.
        information: ``"observed"``, or ``"full"``: the true state, which tables must name.
        player: Whom its calls move.
        game: The game's name; default that of the states it is shown.
        gate: Says the phases of leaves; default the mixture's.
        config: How to search; default the published settings.
        name: How reports call it.
        threads: Threads that walk trees and make planes.
        overrides: Fields of ``config`` by name.

    Raises:
        InvalidConfig: An option does not exist or is out of range.
        GateMismatch: ``gate`` is not the one that the mixture routes by.
    """

    def __init__(
        self,
        evaluator: Any,
        *,
        others: Any = "simple_unbiased",
        limit: Limit | None = None,
        seed: int = 0,
        information: str = "observed",
        player: int = 0,
        game: str | None = None,
        gate: str | Gate | None = None,
        config: SearchConfig | None = None,
        name: str | None = None,
        threads: int | None = None,
        **overrides: Any,
    ) -> None:
        self.evaluator = evaluator
        self.others = others
        self.limit = limit_or(limit, DEFAULT_LIMIT)
        self.information = one_of("information", information, INFORMATION)
        self.config = (PUBLISHED if config is None else config).with_(**overrides)
        if self.config.reuse_tree:
            message = (
                "reuse_tree=True: what the others did is seen only afterwards, so that every move "
                "is "
                "searched with a new tree; leave it out"
            )
            raise InvalidConfig(message)
        params_of(self.config)  # refuses what is out of range now, not at the first move
        if isinstance(others, str):
            _core.PommermanAgent(others)
        self.seed = seed
        self.player = player
        self.game = None if game is None else games.make(game)
        self.gate = search_gate_of(evaluator, gate, game)
        mixed = isinstance(evaluator, MixtureOfExperts)
        self.name = ("M2CTS" if mixed else "MCTS") if name is None else name
        self.threads = threads
        self._called: SinglePlayerMCTSSession | None = None

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``.

        Raises:
            InvalidState: ``info`` has no state: environments of games with hidden information put
            none
                there. Give ``session(seed).act(env.unwrapped.game_state, player)`` instead.
        """
        if self._called is None:
            self._called = self.session(self.seed)
        return self._called.act(state_in(info, self.name), self.player)

    def search(self, state: Any, player: int = 0) -> Any:
        """Search ``state`` for ``player``, of whose game nothing else is known.

        Returns:
            A ``SearchResult``, as :meth:`MCTSAgent.search` gives it; values are for ``player``.

        Raises:
            InvalidState: The game is over, or over for the player.
            InvalidEvaluation: The evaluator's answer is not valid.
            UnknownGame: The state belongs to no registered game.
        """
        return self.session(self.seed).search(state, player)

    def session(self, seed: int) -> "SinglePlayerMCTSSession":
        """One player's game, which draws from ``seed`` alone."""
        return SinglePlayerMCTSSession(self, seed)

    def seats(
        self,
        game: games.Game,
        *,
        limit: Limit | None = None,
        pool_rows: int | None = None,
        threads: int | None = None,
    ) -> "SinglePlayerSeats":
        """Many games at once, in one pool; ``limit`` replaces the agent's own."""
        return SinglePlayerSeats(
            game,
            self.evaluator,
            self.config,
            self.limit if limit is None else limit,
            self.gate,
            pool_rows=pool_rows,
            threads=self.threads if threads is None else threads,
            others=self.others,
            information=self.information,
        )

    def __getstate__(self) -> dict[str, Any]:
        """The configuration: a copy starts a game of its own."""
        return self.__dict__ | {"_called": None}

    def __repr__(self) -> str:
        return (
            f"SinglePlayerMCTSAgent({self.evaluator!r}, others={self.others!r}, "
            f"limit={self.limit}, "
            f"information={self.information!r}, seed={self.seed})"
        )


class SinglePlayerMCTSSession:
    """One player's game of a :class:`SinglePlayerMCTSAgent`: what he saw, his random stream."""

    def __init__(self, agent: SinglePlayerMCTSAgent, seed: int) -> None:
        self._agent = agent
        self._seed = seed
        self._seats: SinglePlayerSeats | None = None
        self._seat = 0

    def act(self, state: Any, player: int | None = None) -> int:
        """The action of ``player``; the dead stop."""
        seen_by = self._agent.player if player is None else player
        if getattr(state, "is_idle", lambda _: False)(seen_by):
            return 0
        return int(self.search(state, seen_by).action)

    def search(self, state: Any, player: int = 0) -> Any:
        """As :meth:`SinglePlayerMCTSAgent.search`, with what was seen of the game before."""
        if self._seats is None:
            game = games.game_of(state) if self._agent.game is None else self._agent.game
            self._seats = self._agent.seats(game)
            self._seat = self._seats.open(self._seed)
        self._seats.ask(self._seat, state, player)
        while not self._seats.poll():
            pass
        return self._seats.result

    def __getstate__(self) -> dict[str, Any]:
        """Without what was seen: a copy knows of the game what it sees from then on."""
        return self.__dict__ | {"_seats": None}


class SinglePlayerSeats(SearchSeats):
    """Games that share a pool, one player of each searching; see :class:`SearchSeats`.

    Args:
        game: What is played.
        evaluator: Answers the leaves of all trees.
        config: How every tree searches.
        limit: When every search ends.
        gate: Says the phases of leaves.
        others: Who moves the other players.
        information: ``"observed"`` or ``"full"``.
        options: Those of :class:`SearchSeats`.
    """

    def __init__(
        self,
        game: games.Game,
        evaluator: Any,
        config: SearchConfig,
        limit: Limit,
        gate: Gate | None,
        *,
        others: Any,
        information: str,
        **options: Any,
    ) -> None:
        super().__init__(game, evaluator, config, limit, gate, others=others, **options)
        self._observed = information == "observed"
        self._streams: dict[int, np.random.Generator] = {}
        self._history: dict[int, list[Any]] = {}
        self._trackers: dict[int, tuple[int, _core.PommermanTracker]] = {}

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Take a seat: a tree of its own."""
        seat = super().open(seed)
        self._streams[seat] = np.random.default_rng(seed)
        self._history[seat] = list(history)
        return seat

    def tell(self, seat: int, action: Any, state: Any) -> None:
        """See what a step led to."""
        if seat not in self._trackers:
            self._history[seat].append(state)
        else:
            self._see(seat, self._trackers[seat][0], state)

    def ask(self, seat: int, state: Any, player: int) -> None:
        """Begin a search of ``player`` at ``state``.

        Raises:
            InvalidState: The game is over, or over for the player.
        """
        if player not in games.acting_players(state) or state.is_idle(player):
            message = f"player {player} has nothing to search for: his game is over"
            raise InvalidState(message)
        tracker = self._see(seat, player, state)
        root = tracker.state() if self._observed else state
        seed = int(self._streams[seat].integers(2**63))
        self._begin(seat, root, player=player, seed=seed, observed=self._observed)

    def close(self, seat: int) -> None:
        """Leave the game, and drop its tree."""
        super().close(seat)
        self._trackers.pop(seat, None)
        del self._streams[seat], self._history[seat]

    def _see(self, seat: int, player: int, state: Any) -> _core.PommermanTracker:
        known = self._trackers.get(seat)
        if known is None or known[0] != player:
            known = self._trackers[seat] = player, _core.PommermanTracker(player)
            for before in self._history[seat]:
                self._look(seat, known, before)
        self._look(seat, known, state)
        return known[1]

    def _look(self, seat: int, known: tuple[int, _core.PommermanTracker], state: Any) -> None:
        player, tracker = known
        tracker.observe(state)
        self._phases[seat].see(state, player)
