"""One agent in one game: searches in a thread, reports as it goes, and can be stopped."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from phasezoo import agents, games
from phasezoo.agents.search.mcts_session import MCTSSession
from phasezoo.agents.search.uct import UCTSession
from phasezoo.apps.web.analysis import Analysis, analysis_of, answered
from phasezoo.apps.web.bounds import Bounds
from phasezoo.envs.rendering.choice import name_of
from phasezoo.errors import GameForfeited, IllegalAction
from phasezoo.inference.counts import Counts
from phasezoo.inference.mixture import MixtureOfExperts

REPORT_EVERY = 0.12
"""Seconds between two reports of a search."""

SLICE_MS = 150.0
SLICES = 12
"""A search with rollouts is carried out in so many parts, or so many milliseconds, to be seen."""


class Stop:
    """Ends a search: at once when it is set, and by itself when its time is over."""

    def __init__(self, seconds: float) -> None:
        self._set = threading.Event()
        self.is_dropped = False
        """Whether nobody waits for the answer."""
        self._seconds = seconds
        self._ends: float | None = None

    def begin(self) -> None:
        """The time counts from now."""
        self._ends = time.monotonic() + self._seconds

    def set(self) -> None:
        """End it: what was found is the answer."""
        self._set.set()

    def drop(self) -> None:
        """End it: nobody waits for the answer."""
        self.is_dropped = True
        self._set.set()

    @property
    def is_set(self) -> bool:
        """Whether the search has to end."""
        return self._set.is_set() or (self._ends is not None and time.monotonic() >= self._ends)


class Answer(NamedTuple):
    """Action of an agent, and its analysis."""

    action: int | None
    """None if it gave the game up, or only looked."""
    analysis: Analysis
    forfeit: str | None = None
    """Why it gave up."""


class Searcher:
    """An agent that plays for one player of one game, or analyses it.

    Args:
        agent: Who plays; of a text, so that others may have it too.
        text: That text.
        game: The game.
        player: For whom.
        seed: Seeds its session.
        lock: Held while it is asked, if its evaluator takes one question at a time.
        bounds: Limits that all searchers of a server share.
    """

    def __init__(
        self,
        agent: Any,
        text: str,
        game: games.Game,
        player: int,
        seed: int,
        lock: "threading.Lock | None" = None,
        bounds: Bounds | None = None,
    ) -> None:
        self.agent = agent
        self.text = text
        self.player = player
        self._game = game
        self._seed = seed
        self._lock = lock or threading.Lock()
        self._bounds = bounds or Bounds()
        self._session: Any = self._opened()
        self.is_engine = isinstance(agent, agents.EngineAgent)
        """Whether it has a process of its own."""
        self.tree_mb = self._bounds.tree_mb_of(agent)
        """About how large its tree gets."""

    def _opened(self) -> Any:
        """A session of the agent."""
        if hasattr(self.agent, "evaluator") and isinstance(self.agent, agents.MCTSAgent):
            return self.agent.session(self._seed, self._game)
        if hasattr(self.agent, "session"):
            return self.agent.session(self._seed)
        return agents.CallableAgent(self.agent).session(self._seed)

    def forget(self) -> None:
        """Let its tree and its process go; it goes on with new ones when it is asked again."""
        self._bounds.drop(self)
        self._session = None
        if self.is_engine:
            self.agent.close()

    def search(
        self,
        state: Any,
        stop: Stop,
        report: Callable[[Analysis], None],
        *,
        for_ever: bool = False,
        player: int | None = None,
    ) -> Answer:
        """Return the action to play in ``state``; called by a thread of its own."""
        acting = self.player if player is None else player
        began = time.perf_counter()
        with self._lock, self._bounds.holding(self):
            stop.begin()
            session = self._session = self._session or self._opened()
            if isinstance(session, UCTSession):
                found = self._by_slices(session, state, acting, stop, report, for_ever=for_ever)
            elif isinstance(session, MCTSSession):
                found = self._watched(session, state, acting, stop, report, for_ever=for_ever)
            else:
                found = self._asked(session, state, acting)
        found.analysis.setdefault("seconds", round(time.perf_counter() - began, 3))
        return Answer(found.action, {**found.analysis, "agent": self.text}, found.forfeit)

    def reviewed(self, state: Any, stop: Stop) -> Analysis:
        """Analyse one position of a game within the agent's own limit; called by a thread.

        Returns:
            The analysis; of a mixture with ``expert_moves``, what each expert's policy plays.
        """
        analysis = self.search(state, stop, lambda _: None, player=int(state.to_play)).analysis
        evaluator = getattr(self.agent, "evaluator", None)
        if not isinstance(evaluator, MixtureOfExperts):
            return analysis
        with self._lock:
            names = zip(evaluator.names, evaluator.experts, evaluator.has_own_expert, strict=True)
            found = {
                name: int(agents.PolicyAgent(expert).select_batch([state])[0])
                for name, expert, is_own in names
                if is_own
            }
        return {
            **analysis,
            "expert_moves": {name: name_of(state, a) for name, a in found.items()},
        }

    def _watched(
        self,
        session: MCTSSession,
        state: Any,
        player: int,
        stop: Stop,
        report: Callable[[Analysis], None],
        *,
        for_ever: bool,
    ) -> Answer:
        """A search by batches of leaves."""
        before = session.counts
        reported_at = time.monotonic()

        def watch() -> None:
            nonlocal reported_at
            now = time.monotonic()
            if now - reported_at >= REPORT_EVERY:
                result = session.report()
                # Experts may let the root wait in a queue: then there is nothing to report yet.
                if result is not None and (result.nodes or result.visits.any()):
                    reported_at = now
                    report(self._analysis(result, state, player, session.counts - before))
            if stop.is_set:
                session.stop()

        more: dict[str, Any] = {}
        if for_ever and isinstance(self.agent, agents.MCTSAgent):
            more = {"limit": agents.Limit(infinite=True)}
        result = session.search(state, player, watch=watch, **more)
        return Answer(
            int(result.action), self._analysis(result, state, player, session.counts - before)
        )

    def _by_slices(
        self,
        session: UCTSession,
        state: Any,
        player: int,
        stop: Stop,
        report: Callable[[Analysis], None],
        *,
        for_ever: bool,
    ) -> Answer:
        """A search with rollouts, a part after the other."""

        def watch() -> None:
            if stop.is_set:
                session.stop()

        left = agents.Limit(simulations=10**9) if for_ever else self.agent.limit
        simulations, began = 0, time.perf_counter()
        while True:
            part, left = _sliced(left, self.agent.limit)
            result = session.search(state, part, watch=watch)
            simulations += int(result.simulations)
            analysis = self._analysis(result, state, player, None)
            analysis["simulations"] = simulations
            analysis["seconds"] = round(time.perf_counter() - began, 3)
            if left is None or stop.is_set or result.ended in ("memory", "solved"):
                return Answer(int(result.action), analysis)
            report(analysis)

    def _asked(self, session: Any, state: Any, player: int) -> Answer:
        """An agent that cannot be watched."""
        try:
            if hasattr(session, "move"):
                move = session.move(state)
            else:
                move = agents.Move(session.act(state, player))
        except GameForfeited as error:
            return Answer(None, {"player": player, "moves": [], "lines": []}, str(error))
        if move.forfeit is not None:
            return Answer(None, {"player": player, "moves": [], "lines": []}, move.forfeit.message)
        if move.search is not None:
            analysis = self._analysis(move.search, state, player, None)
        else:
            analysis = answered(move.action, state, player, move.value)
            analysis["nodes"] = move.nodes
        return Answer(move.action, analysis)

    def _analysis(self, result: Any, state: Any, player: int, spent: Counts | None) -> Analysis:
        return analysis_of(result, self._game, state, player, self.agent, spent) | {
            "agent": self.text
        }

    def checked(self, answer: Answer, legal: list[int], runner: Any) -> int:
        """The answer's action, if it is legal."""
        action = int(runner.index(answer.action))
        if action not in legal:
            message = f"{self.text} answered {answer.action}, which is not legal there"
            raise IllegalAction(message)
        return action


def _sliced(left: agents.Limit, whole: agents.Limit) -> tuple[agents.Limit, agents.Limit | None]:
    """A part of what is left of a limit, and the rest."""
    for name in ("simulations", "nodes"):
        most = getattr(left, name)
        if most is not None:
            part = min(most, max(getattr(whole, name) or most, SLICES) // SLICES, 2_000)
            rest = most - part
            return agents.Limit(**{name: part}), (
                None if not rest else agents.Limit(**{name: rest})
            )
    most_ms = left.movetime_ms
    if most_ms is None or most_ms <= SLICE_MS:
        return left, None
    return replace(left, movetime_ms=SLICE_MS), replace(left, movetime_ms=most_ms - SLICE_MS)
