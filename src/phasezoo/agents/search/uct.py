"""UCT with rollouts as an agent."""

import copy
import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from phasezoo import _core, games
from phasezoo.agents.arguments import name_or, seed_of
from phasezoo.agents.base import Move, OneSearch, PlayingAgent, SequentialPool
from phasezoo.agents.limit import Limit, limit_or
from phasezoo.agents.search.continuation import steps_between
from phasezoo.errors import InvalidConfig
from phasezoo.games.contracts import check_state
from phasezoo.games.queries import to_play_of
from phasezoo.specs import NonNegativeFloat, check_arguments
from phasezoo.types import SIMULTANEOUS

DEFAULT_LIMIT = Limit(simulations=3000)
"""Simulations a move of the study of the rook endgame (Kohne 2012)."""

STUDY_THRESHOLD = 100
"""Visits up to which a node of that study plays rollouts."""

MOST = 2**32 - 1
"""The largest count of an option."""

_LEAST_MS = 1.0
"""Milliseconds of a search whose clock has run out."""

Rollout = str | Callable[[Any, np.random.Generator], int]
"""``"random"``, a policy that the game brings, or a callable ``(state, rng) -> action``."""


class UCTAgent(PlayingAgent):
    """Monte Carlo tree search with UCB1 and rollouts (Kocsis and Szepesvári 2006; Kohne 2012).

    A node tries every legal action once, in random order, with a rollout behind each (Browne et al.
    2012, algorithm 2). Then it selects the child with the highest ``q + c * sqrt(ln N / n)``, ``q``
    in [0, 1] being the share of wins and half the draws below it. The most visited child of the
    root is played. If a game asks one side to win and the other to prevent it, wins alone count:
    ``q`` is their share for the attacker, and the share of what is no win for the defender.

    The agent is configuration; :meth:`session` plays a game, whose tree is kept from move to move.
    If the opponent's reply is not in the tree, the tree *collapses* to its root, and the session
    counts it. Calling the agent plays the game it is shown; each thread has a game of its own.

    Args:
        c: The exploration constant, from 0.
        threshold: Visits up to which a node plays a rollout through what the tree holds, whose
            first new position is added, and selects nothing; from 0. Default 0, or 100 with
            ``expansion="rollouts"``.
        expansion: Which actions enter the tree at a node visited more often: ``"untried"``, every
            legal one before a child is selected; ``"rollouts"``, only those that its rollouts have
            played, as in the study of 2012. Then give a ``threshold`` above the number of legal
            actions.
        rollout: ``"random"``; the name of a policy that the game brings, with changes after a
            colon if it knows any (``"krk:closer,window"``; in chess ``"lone-king"``, for endings
            against a lone king); or a callable ``(state, rng) -> action``, which is slow.
        limit: When a search ends: ``simulations``, ``nodes`` (positions added to the tree) or
            ``movetime_ms`` or ``clock``; default 3,000 simulations.
        first_limit: The same for the first search of a game; default ``limit``.
        selection: ``"ucb1"``, or ``"puct"``: ``q + c * P * sqrt(N) / (1 + n)`` (AlphaZero 2018)
            with the same prior ``P`` for all children in the tree.
        defender: What the nodes of a defender maximise: ``"oppose"`` what is no win, ``"follow"``
            the attacker's wins.
        ties: Which of equally good children selection takes: ``"first"`` the one that entered the
            tree first, ``"random"`` any.
        choice: What is played: ``"careful"`` takes counts that differ by one for equal, and of
            equal ones a win at once, the more visited, the one with more wins;
            ``"most_visited"`` any of the most visited.
        ends: What a rollout does that meets the game's end on its way through the tree:
            ``"count"`` it, or ``"restart"`` where selection ended, without adding a node.
        root_visits: Visits that a new root begins with, from 0.
        max_rollout_plies: Plies after which a rollout is a draw, or no win of the attacker;
            default the game's own limit, if it has one. Without one, a rollout that goes on long
            after its search should have ended, by time or because it is stopped, is a draw too.
        memory_mb: Size, in MiB, at which the tree stops growing and a search ends.
        seed: Seeds everything random in its calls and searches.
        game: The game's name; default that of the states it is shown.
        name: How reports call it.

    Raises:
        InvalidConfig: An option is out of range.
        UnknownGame: No game has that name.
    """

    keeps_clocks = True

    def __init__(
        self,
        *,
        c: NonNegativeFloat = 1.0,
        threshold: Annotated[int, Interval(ge=0, le=MOST)] | None = None,
        expansion: Literal["untried", "rollouts"] = "untried",
        rollout: Rollout = "random",
        limit: Limit | None = None,
        first_limit: Limit | None = None,
        selection: Literal["ucb1", "puct"] = "ucb1",
        defender: Literal["oppose", "follow"] = "oppose",
        ties: Literal["first", "random"] = "first",
        choice: Literal["careful", "most_visited"] = "careful",
        ends: Literal["count", "restart"] = "count",
        root_visits: Annotated[int, Interval(ge=0, le=MOST)] = 0,
        max_rollout_plies: Annotated[int, Interval(ge=1, le=MOST)] | None = None,
        memory_mb: Annotated[int, Interval(ge=1, le=MOST)] = 2048,
        seed: int = 0,
        game: str | games.Game | None = None,
        name: str = "UCT",
    ) -> None:
        self.c = c
        self.threshold = threshold
        self.expansion = expansion
        self.rollout = rollout
        self.limit = limit_or(limit, DEFAULT_LIMIT)
        self.first_limit = limit_or(first_limit, self.limit)
        self.selection = selection
        self.defender = defender
        self.ties = ties
        self.choice = choice
        self.ends = ends
        self.root_visits = root_visits
        self.max_rollout_plies = max_rollout_plies
        self.memory_mb = memory_mb
        self.seed = seed_of(seed)
        self.game = None if game is None else games.make(game)
        self.name = name_or(name, "UCT")
        self._was_warned = False
        self._check_types()
        self._check_limits()
        self._check_ranges()

    def _check_types(self) -> None:
        """Refuse what the core could not even read."""
        rollout: Any = self.rollout
        if not isinstance(rollout, str) and not callable(rollout):
            message = (
                f"rollout={rollout!r}: expected 'random', the name of a policy that the game "
                "brings, or a callable (state, rng) -> action"
            )
            raise InvalidConfig(message)
        words = ("expansion", "selection", "defender", "ties", "choice", "ends")
        numbers = ("c", "threshold", "root_visits", "max_rollout_plies", "memory_mb")
        check_arguments(self, *words, *numbers)

    def _check_limits(self) -> None:
        """Refuse limits that rollouts know nothing of."""
        for limit in (self.limit, self.first_limit):
            if limit.depth is not None or limit.mate is not None or limit.infinite:
                message = (
                    f"limit={limit}: a search with rollouts ends by nodes, simulations, "
                    "movetime_ms or clock"
                )
                raise InvalidConfig(message)

    def _check_ranges(self) -> None:
        """Refuse now what no game, or not the agent's, could be searched with."""
        if self.game is not None:
            self.open_search(self.game, self.seed)
            return
        # The refusal of a game that brings the policy says most.
        policy = str(self.rollout).partition(":")[0]
        made = map(games.make, games.names())
        known = [game for game in made if game.native and not game.search_others]
        known.sort(key=lambda game: policy not in _core.rollout_policies(game.name))
        refusals = []
        for game in known:
            try:
                self.open_search(game, self.seed)
            except InvalidConfig as error:
                refusals.append(error)
            else:
                return
        raise refusals[0]

    def open_search(self, game: games.Game | None, seed: int) -> _core.UctSearch:
        """A native search of ``game`` with these options and an empty tree.

        Raises:
            InvalidConfig: An option is out of range, or does not fit the game.
        """
        plies = self.max_rollout_plies
        if plies is None and game is not None:
            plies = game.max_rollout_plies
        return _core.UctSearch(
            game.name if game is not None and game.native else game,
            c=self.c,
            threshold=self._visits_before_selecting,
            expansion=self.expansion,
            rollout=self.rollout,
            selection=self.selection,
            defender=self.defender,
            ties=self.ties,
            choice=self.choice,
            ends=self.ends,
            root_visits=self.root_visits,
            max_rollout_plies=plies,
            memory_mb=self.memory_mb,
            seed=seed,
        )

    @property
    def _visits_before_selecting(self) -> int:
        if self.threshold is not None:
            return self.threshold
        return STUDY_THRESHOLD if self.expansion == "rollouts" else 0

    def _warn_if_empty(self, result: _core.UctResult) -> None:
        """Say once if a search by the agent's own limit, of several actions, has chosen nothing."""
        threshold, made = self._visits_before_selecting, int(result.visits.sum())
        if threshold == 0 and self.expansion == "rollouts":
            found = "the root knows the one action of its first rollout"
            advice = "a threshold above the number of legal actions"
        elif made + self.root_visits <= threshold:
            found = f"the root was visited {made:,} times and has not chosen once: what is played "
            found += "is what rollouts play"
            advice = "more simulations or a smaller threshold"
        else:
            return
        if not self._was_warned:
            self._was_warned = True
            message = f"{self.name}: with threshold={threshold} {found}; give {advice}"
            warnings.warn(message, stacklevel=4)

    def search(self, state: Any) -> _core.UctResult:
        """Search ``state`` with a new tree; the same state always gives the same result.

        Returns:
            A ``UctResult``: ``action``; ``actions``, ``visits``, ``totals`` and ``q`` of the root's
            children in the tree; ``value`` in [0, 1] for the player to move; ``nodes``,
            ``simulations``, ``rollout_plies``, ``depth``, ``tree_nodes``, ``collapsed``,
            ``seconds``; ``ended``, the limit or ``"exhausted"``, ``"memory"``, ``"stopped"``.

        Raises:
            InvalidState: The game is over.
            UnknownGame: The state belongs to no registered game.
        """
        return self.session(self.seed).search(state)

    def session(self, seed: int) -> "UCTSession":
        """A game that draws from ``seed`` alone."""
        return UCTSession(self, seed)

    def session_pool(
        self,
        game: games.Game,
        *,
        limit: Limit | None = None,
        pool_rows: int | None = None,
        threads: int | None = None,
    ) -> SequentialPool:
        """Open a pool of games, searched one after another; ``limit`` replaces the agent's own."""
        agent = self
        if limit is not None:
            agent = copy.copy(self)
            agent.limit = agent.first_limit = limit
        return SequentialPool(agent)

    def __repr__(self) -> str:
        return (
            f"UCTAgent(c={self.c}, threshold={self._visits_before_selecting}, "
            f"rollout={self.rollout!r}, limit={self.limit}, seed={self.seed})"
        )


class UCTSession:
    """One game of a :class:`UCTAgent`: its tree, its random stream.

    A copy, or what was pickled, goes on as the original would: the first time it is asked, it makes
    the tree again by the searches that made the original's. A rollout policy of one's own must
    answer alike then.
    """

    def __init__(self, agent: UCTAgent, seed: int) -> None:
        self._agent = agent
        self._seed = seed_of(seed)
        self._search: _core.UctSearch | None = None
        self._last: Any = None
        self._searches: list[_Searched] = []
        self._one_search = OneSearch()
        self._is_stopped = False

    @property
    def collapses(self) -> int:
        """How often, in this game, a reply was not in the tree."""
        with self._one_search:
            self._rebuild()
            return 0 if self._search is None else self._search.collapses

    def act(self, state: Any, player: int | None = None) -> int:
        """The action for ``state``; the tree is kept if it continues the last one shown."""
        return int(self.search(state).action)

    def move(
        self,
        state: Any,
        limit: Limit | None = None,
        *,
        watch: Callable[[], object] | None = None,
    ) -> Move:
        """As :meth:`act`, with the value and the work behind it; the rest as in :meth:`search`."""
        result = self.search(state, limit, watch=watch)
        return Move(
            int(result.action), 2.0 * result.value - 1.0, int(result.nodes), int(result.simulations)
        )

    def search(
        self,
        state: Any,
        limit: Limit | None = None,
        *,
        watch: Callable[[], object] | None = None,
    ) -> _core.UctResult:
        """As :meth:`UCTAgent.search`, going on with the tree of this game.

        Args:
            state: Where the game stands.
            limit: When this search ends; default as the agent says.
            watch: Called some times a second; it may :meth:`stop` the search.
        """
        if to_play_of(state) == SIMULTANEOUS:
            message = (
                f"{self._agent.name}: the players of {games.game_of(state).name!r} move at once, "
                "and this search walks games in which one player moves at a time; take "
                "MCTSAgent(evaluator, others=…), which says who moves the others"
            )
            raise InvalidConfig(message)
        with self._one_search:
            self._is_stopped = False
            self._rebuild()
            search, played, own = self._followed(state)
            is_own = limit is None
            limit = own if limit is None else limit
            self._last = None
            for action in played:
                search.advance(action)
            result = _run(search, state, limit, self._going_on(watch))
            if limit.is_timed or result.ended == "stopped":
                limit = Limit(simulations=int(result.simulations))
            self._searches.append(_Searched(tuple(played), state, limit))
            self._last = state
        if is_own and len(state.legal_actions) > 1:
            self._agent._warn_if_empty(result)
        return result

    def stop(self) -> None:
        """End the search that runs, from any thread, by what it has found; if none, nothing."""
        self._is_stopped = True

    def _going_on(self, watch: Callable[[], object] | None) -> Callable[[], bool]:
        def goes_on() -> bool:
            if watch is not None:
                watch()
            return not self._is_stopped

        return goes_on

    def _followed(self, state: Any) -> tuple[_core.UctSearch, list[int], Limit]:
        """A search, the actions that lead from where it stands to ``state``, and its limit."""
        steps = None if self._last is None else steps_between(self._last, state)
        if self._search is not None and steps is not None:
            return self._search, [int(action) for action, _ in steps], self._agent.limit
        if self._search is not None:
            # Another game: another tree, but not the random numbers of the last one again.
            self._seed = int(np.random.default_rng(self._seed).integers(2**63))
        self._searches = []
        self._search = self._open(state)
        return self._search, [], self._agent.first_limit

    def _open(self, state: Any) -> _core.UctSearch:
        game = games.game_of(state) if self._agent.game is None else self._agent.game
        if not game.native:
            check_state(state, game.num_players)
        return self._agent.open_search(game, self._seed)

    def _rebuild(self) -> None:
        """Make the tree of a copy."""
        if self._search is not None or not self._searches:
            return
        self._search = self._open(self._searches[0].state)
        for played, state, limit in self._searches:
            for action in played:
                self._search.advance(action)
            _run(self._search, state, limit)

    def __getstate__(self) -> dict[str, Any]:
        """Without the tree, and with what it is made from again."""
        return self.__dict__ | {"_search": None, "_searches": list(self._searches)}


class _Searched(NamedTuple):
    """A search of a game."""

    played: tuple[int, ...]
    """Actions since the search before."""
    state: Any
    limit: Limit
    """The reason of the end where it has ended."""


def _run(
    search: _core.UctSearch,
    state: Any,
    limit: Limit,
    keep_on: Callable[[], bool] | None = None,
) -> _core.UctResult:
    times = [] if limit.movetime_ms is None else [limit.movetime_ms]
    if limit.clock is not None:
        times.append(max(limit.clock.target_ms, _LEAST_MS))
    return search.search(
        state,
        nodes=limit.nodes,
        simulations=limit.simulations,
        movetime_ms=min(times, default=None),
        keep_on=keep_on,
    )
