"""One ``go``: a search within its limits, and its one answer."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from phasezoo.agents.limit import Limit, TimeControl
from phasezoo.apps.uci.alarm import Alarm
from phasezoo.apps.uci.commands import Go
from phasezoo.apps.uci.player import Player
from phasezoo.apps.uci.positions import actions_after_end
from phasezoo.apps.uci.report import (
    SearchContext,
    best_move,
    error_line,
    info_lines,
    over_line,
    phase_line,
    wdl_text,
)
from phasezoo.data.centipawns import centipawns_of_value
from phasezoo.errors import PhasezooError


def limit_of(go: Go, player: int, overhead_ms: float, spent_ms: float = 0.0) -> Limit | None:
    """Return the limit of a search; None if ``go`` sets none.

    Args:
        go: The arguments of ``go``.
        player: Who is to move; White is 0.
        overhead_ms: Time that a move loses on its way.
        spent_ms: Time since the command came.
    """
    words = {
        "nodes": go.nodes,
        "depth": go.depth,
        "mate": go.mate,
        "movetime_ms": _movetime(go, overhead_ms, spent_ms),
        "clock": _clock(go, player, overhead_ms, spent_ms),
    }
    given = {name: value for name, value in words.items() if value is not None}
    return Limit(**given) if given else None  # type: ignore[arg-type]


def most_ms(go: Go, player: int, overhead_ms: float) -> float | None:
    """When the move has to be played, from the time at which the command came; None: any time.

    That is so of a ``movetime`` of 0 too: nobody could keep to it.
    """
    clock = _clock(go, player, overhead_ms, 0.0)
    times = [] if clock is None else [clock.most_ms]
    if go.movetime:
        # Half of what is meant to be lost on the way: the search itself ends sooner.
        times.append(go.movetime - _lost(go.movetime, overhead_ms) / 2)
    return min(times, default=None)


def _movetime(go: Go, overhead_ms: float, spent_ms: float) -> float | None:
    if go.movetime is None:
        return None
    return max(go.movetime - _lost(go.movetime, overhead_ms) - spent_ms, 1e-3)


def _lost(movetime: float, overhead_ms: float) -> float:
    """Return the time that counts as lost on the way: half of it at most."""
    return min(overhead_ms, movetime / 2)


def _clock(go: Go, player: int, overhead_ms: float, spent_ms: float) -> TimeControl | None:
    """Return the clock of ``player``; the other's if theirs is not given."""
    left, increment = (go.wtime, go.winc) if player == 0 else (go.btime, go.binc)
    if left is None:
        left, increment = (go.btime, go.binc) if player == 0 else (go.wtime, go.winc)
    if left is None:
        return None
    return TimeControl(max(left - spent_ms, 0.0), increment or 0, go.movestogo, overhead_ms)


FIRST_INFO = 0.1
"""Seconds until the first lines about a search."""

RAREST_INFO = 1.0
"""Seconds between lines later on; until then the time between them doubles."""

SHORT_MS = 5.0
"""Milliseconds of a search that is not worth another thread."""

ANSWER_SECONDS = 0.005
"""Seconds in which a search that has ended is answered."""


class View(NamedTuple):
    """Options of the engine that a search uses."""

    overhead_ms: float
    """Time that a move loses on its way."""
    memory_mb: int
    """Limit of a tree that has none of its own."""
    shows_wdl: bool
    """Whether chances of win, draw and loss are shown."""
    lines: int
    """Moves whose lines are shown."""


class Search:
    """A search that is asked for, carried out by a thread, and answered exactly once.

    It is answered when it has ended; not before ``stop`` or ``ponderhit`` if one has to come; and
    at the latest when the clock says so, with what has been found until then.

    Args:
        go: The arguments of ``go``.
        state: Where; None if the position was refused.
        view: Options that it uses.
        say: Writes a line.
        alarm: Says when it has to be answered.
        refused: Why there is no position; empty if there is one.
    """

    def __init__(
        self,
        go: Go,
        state: Any,
        view: View,
        say: Callable[[str], None],
        alarm: Alarm,
        refused: str = "",
    ) -> None:
        self.go = go
        self.done = threading.Event()
        """Set when the thread has nothing to do with it any more."""
        self._state = state
        self._view = view
        self._say = say
        self._began = self._due = time.perf_counter()
        self._lock = threading.RLock()
        self._is_answered = False
        self._is_stopped = False
        self._is_pondering = go.ponder
        self._changes = False
        self._has_looked = self._has_waited = False
        self._player: Player | None = None
        self._released = threading.Event()
        self._alarm = alarm
        self._next_info = self._began + FIRST_INFO
        self._oracle_rows = self._rows = 0
        self._refused = refused
        self._among = self._searched_alone()
        if not (go.infinite or go.ponder):
            self._released.set()
            self._set_alarm()

    @property
    def is_short(self) -> bool:
        """Whether it ends so soon that handing it to another thread could take as long."""
        if not self._released.is_set() or self._refused:
            return False
        limit = limit_of(self.go, self._state.to_play, self._view.overhead_ms)
        if limit is None or not limit.is_timed:
            return False
        times = [] if limit.clock is None else [limit.clock.target_ms]
        times += [] if limit.movetime_ms is None else [limit.movetime_ms]
        return min(times) <= SHORT_MS

    def stop(self) -> None:
        """End it: the answer comes as soon as the root has been looked at."""
        self._is_stopped = True
        self._released.set()
        with self._lock:
            player = self._player
            if player is None or not player.searches:  # others ask by themselves
                return
            if self._has_looked or self._is_answered:
                player.session.stop()

    def ponderhit(self) -> None:
        """The move that was pondered on was played: the clock runs from now."""
        if not self._is_pondering:
            return
        self._due = time.perf_counter()
        self._is_pondering, self._changes = False, True
        if not self.go.infinite:
            self._set_alarm()
            self._released.set()

    def run(self, player: Player | None) -> None:
        """Search and answer; by the one thread that searches."""
        try:
            if self._refused:
                self._tell([f"info string {self._refused}"])
                self._released.wait()
                self._answer(["bestmove 0000"])
            elif self._state.is_terminal:
                self._released.wait()
                self._answer(self._over())
            elif player is None:
                self._released.wait()
                self._answer(["info string error: there is no agent to play", "bestmove (none)"])
            elif player.searches:
                self._search(player)
            else:
                self._act(player)
        except Exception as error:  # whatever an agent or an evaluator of one's own raises
            self._released.wait()
            self._answer([error_line(error), "bestmove (none)"])
        finally:
            with self._lock:
                self._player = None
            self._alarm.clear()
            self.done.set()

    def _search(self, player: Player) -> None:
        before = player.session.counts
        self._rows, self._oracle_rows = before.rows, before.oracle_rows
        with self._lock:
            if self._is_answered:  # the clock has run out while another search was busy
                return
            self._player = player
        result = player.session.search(
            self._state, searchmoves=self._among, limit=self._limit(player), watch=self._watch
        )
        if not self._released.is_set():
            self._tell(self._lines(player, result)[:-1])
            self._released.wait()
        self._answer(self._lines(player, result))

    def _act(self, player: Player) -> None:
        """An agent that reports nothing before its move plays as it would anywhere."""
        with self._lock:
            self._player = player
        limit = self._limit(player)
        move = player.move(self._state, limit, lambda: self._is_answered or self._is_stopped)
        action, value = int(move.action), 0.0 if move.value is None else move.value
        if self._among is not None and action not in self._among:
            chosen, action, value = self._state.uci(action), self._among[0], 0.0
            reason = f"this agent looks at all moves and chose {chosen}"
            self._tell([f"info string searchmoves: {reason}: the first of those asked for"])
        name = self._state.uci(action)
        self._released.wait()
        score = f"score cp {centipawns_of_value(value)}{self._chances(value)}"
        work = f"{score} nodes {move.nodes} time {self._ms()}"
        self._answer([f"info depth 1 {work} pv {name}", f"bestmove {name}"])

    def _watch(self) -> None:
        """After every batch of leaves."""
        player = self._player
        if player is None:
            return
        # Experts may let the root wait in a queue.
        self._has_looked = self._has_looked or not _is_blind(player.session.report())
        if self._is_answered or (self._is_stopped and self._has_looked):
            player.session.stop()
        if not self._has_looked or self._is_stopped:
            return
        if self._changes:
            self._changes = False
            limit = self._limit(player)
            player.session.change_limit(limit)
        now = time.perf_counter()
        if now >= self._next_info:
            self._next_info = now + min(now - self._began, RAREST_INFO)
            self._tell(info_lines(player.session.report(), self._context(player)))

    def _limit(self, player: Player) -> Limit:
        if self._is_pondering:
            return Limit(infinite=True)
        spent = (time.perf_counter() - self._due) * 1e3
        asked = limit_of(self.go, self._state.to_play, self._view.overhead_ms, spent)
        if self.go.infinite:
            return Limit(infinite=True) if asked is None else replace(asked, infinite=True)
        return asked or player.limit or Limit(nodes=1)

    def _searched_alone(self) -> list[int] | None:
        """The actions that are searched alone; says which of the moves asked for are not legal."""
        if self._refused:
            return None
        found = set()
        for move in self.go.searchmoves:
            try:
                found.add(int(self._state.parse_uci(move)))
            except PhasezooError as error:
                self._say(f"info string searchmoves: {error}")
        return sorted(found) or None

    def _chances(self, value: float) -> str:
        """Chances of a value that nobody split into wins and draws."""
        return wdl_text(value, 0.0, self._view.shows_wdl)

    def _set_alarm(self) -> None:
        if self._refused:
            return
        most = most_ms(self.go, self._state.to_play, self._view.overhead_ms)
        if most is not None:
            self._alarm.set(self._due + most / 1e3, self._run_out)

    def _run_out(self) -> None:
        """The clock says so: answer with what there is, whatever the evaluator is doing."""
        with self._lock:
            player = self._player
            if self._is_answered or self._state.is_terminal:
                return
            found = None if player is None or not player.searches else player.session.report()
            if player is not None and found is not None:
                self._answer(self._lines(player, found))
            elif player is not None and not self._has_waited:
                # It has just ended, or is just beginning.
                self._has_waited = True
                self._alarm.set(time.perf_counter() + ANSWER_SECONDS, self._run_out)
                return
            else:
                self._answer(self._blind())
        self.stop()

    def _lines(self, player: Player, result: Any) -> list[str]:
        """Everything that is said of a result, the move to play last."""
        if _is_blind(result):
            return self._blind()
        rows = player.session.counts.rows - self._rows
        phase = phase_line(result, player.agent.gate, player.agent.evaluator, rows)
        return [
            *([] if phase is None else [phase]),
            *info_lines(result, self._context(player)),
            best_move(result, self._state),
        ]

    def _over(self) -> list[str]:
        """The answer of a game that is over.

        Other programs do not know all rules that end a game here: they get a move as long as there
        is one.
        """
        over = over_line(self._state, self._view.shows_wdl)
        moves = actions_after_end(self._state) if self._among is None else iter(self._among)
        action = next(moves, None)
        if action is None:
            return [over, "bestmove (none)"]
        move, which = self._state.uci(action), self._which
        return [
            f"info string the game is over by {self._state.outcome.reason}: the first {which}",
            f"{over} pv {move}",
            f"bestmove {move}",
        ]

    @property
    def _which(self) -> str:
        """The moves that may be played, in words."""
        return "legal move" if self._among is None else "of searchmoves"

    def _blind(self) -> list[str]:
        """Return the answer if there was no time to look at the position."""
        among = self._state.legal_actions if self._among is None else self._among
        move = self._state.uci(int(among[0]))
        score = f"score cp 0{self._chances(0.0)}"
        return [
            f"info string no time to look at the position: the first {self._which}",
            f"info depth 0 {score} nodes 0 time {self._ms()} pv {move}",
            f"bestmove {move}",
        ]

    def _context(self, player: Player) -> SearchContext:
        view = self._view
        return SearchContext(
            self._state,
            time.perf_counter() - self._began,
            player.agent.config.memory_mb or view.memory_mb,
            view.shows_wdl,
            view.lines,
            player.session.counts.oracle_rows - self._oracle_rows,
        )

    def _ms(self) -> int:
        return max(round((time.perf_counter() - self._began) * 1e3), 1)

    def _tell(self, lines: Iterable[str]) -> None:
        """Say this of a search that is not answered yet."""
        with self._lock:
            if not self._is_answered:
                self._say("\n".join(lines))

    def _answer(self, lines: list[str]) -> None:
        """Say this, if nothing has been answered yet."""
        with self._lock:
            if not self._is_answered:
                self._is_answered = True
                self._say("\n".join(lines))


def _is_blind(result: Any) -> bool:
    """Whether nobody has evaluated the root, so that all moves are alike and count as lost."""
    return result.nodes == 0 and not result.visits.any() and bool((result.q == -1.0).all())
