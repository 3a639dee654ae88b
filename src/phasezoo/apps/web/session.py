"""One game on the server: who plays, the moves, and the analyses of searches."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from phasezoo import games
from phasezoo.apps.web.analysis import Analysis
from phasezoo.apps.web.phases import PhaseStrip, gates_of, suggested_gates
from phasezoo.apps.web.pictures import name_of
from phasezoo.apps.web.search import Answer, Searcher, Stop
from phasezoo.apps.web.workers import Workers
from phasezoo.errors import IllegalAction, InvalidGate, InvalidState, PhasezooError
from phasezoo.observation import GameRunner, Turn
from phasezoo.types import SIMULTANEOUS

MOST_PLIES = 5_000
"""Plies of a game; longer ones end."""

REVIEW_SECONDS = 3.0
"""The longest that the analysis of a game takes for a position."""

MOST_POSITIONS = 20_000
"""Positions of a game and its variations."""


@dataclass
class Controller:
    """Who plays for a player."""

    text: str | None = None
    """The agent's text; None: a person."""
    searcher: Searcher | None = None


@dataclass
class Played:
    """A ply that was played, or read from a file."""

    action: Any
    """The action, or that of each player where all move at once; None if it is not known."""
    name: str
    analyses: dict[int, Analysis] = field(default_factory=dict)
    """Analyses of searches, by player."""


@dataclass(eq=False)
class Position:
    """A position of a game, in a tree: later moves of one position are its variations."""

    number: int
    """Its number among the positions of the game, in the order of play."""
    turn: Turn
    parent: "Position | None" = None
    played: Played | None = None
    """The ply that led to it; None at the start."""
    children: list["Position"] = field(default_factory=list)
    review: Analysis | None = None
    """What the analysis of the game found here."""

    def path(self) -> list["Position"]:
        """The positions from the start to this one."""
        found = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return found[::-1]

    def line(self) -> list["Position"]:
        """The positions from the start through this one to the end of its first line."""
        found = self.path()
        while found[-1].children:
            found.append(found[-1].children[0])
        return found


class GameSession:
    """A game that goes on: all its methods are called by the server's one event loop.

    Agents think in threads, and hand their answers to that loop; an answer to a position that is
    not on the board any more is dropped.

    Args:
        name: Its secret name.
        game: The game.
        start: Where it starts.
        workers: Threads that think.
        changed: Called at each change.
    """

    def __init__(
        self,
        name: str,
        game: games.Game,
        start: Any,
        workers: Workers,
        changed: Callable[["GameSession"], None],
    ) -> None:
        self.name = name
        self.game = game
        self.runner = GameRunner(game, illegal="raise", max_plies=MOST_PLIES)
        self.controllers = [Controller() for _ in range(game.num_players)]
        self.analyst: Searcher | None = None
        self.analyst_player = 0
        self.looks = False
        """Whether the analyst looks at the position on the board."""
        self.plays = True
        """Whether agents move."""
        self.pace = 0.0
        """Least seconds between two plies of agents."""
        self.trouble: str | None = None
        """Why an agent does not move."""
        self.sleeps = False
        self.title: str | None = None
        self.names: Sequence[str | None] = ()
        """Names of the players, of a game that was read."""
        self.live: dict[int, Analysis] = {}
        """Analyses of searches that go on, by player; the analyst is -1."""
        self._workers = workers
        self._changed = changed
        self._answers: dict[int, tuple[int, Analysis | None]] = {}
        self._jobs: dict[int, Stop] = {}
        self._epoch = 0
        self._review: asyncio.Task[None] | None = None
        self.begin(start)

    # What was played

    def begin(self, start: Any) -> None:
        """Start anew from a state."""
        self._interrupt()
        self._count = 0
        self.names = ()
        self.positions: list[Position] = [Position(0, self.runner.begin(start))]
        """The line on the board, from the start to where the game stands."""
        self.forfeit: str | None = None
        self._specs: Sequence[Any] = getattr(self, "_specs", ())
        self._own_gates = bool(self._specs)
        self._retell()

    def load(self, plies: Sequence[tuple[Played, Any]]) -> None:
        """Go on with plies that were played elsewhere, each with the state that it led to."""
        self._interrupt()
        for played, state in plies:
            self._append(replace(self.runner.turn(state), ply=len(self.positions)), played)
        self.plays = False

    def _append(self, turn: Turn, played: Played) -> None:
        """The line goes on by a ply."""
        self._count += 1
        last = self.positions[-1]
        last.children.append(Position(self._count, turn, last, played))
        self.positions.append(last.children[-1])
        self._tell_phase(turn.state)

    @property
    def turns(self) -> list[Turn]:
        """The turns of the line on the board."""
        return [each.turn for each in self.positions]

    @property
    def played(self) -> list[Played]:
        """The plies of the line on the board."""
        return [each.played for each in self.positions if each.played is not None]

    @property
    def ply(self) -> int:
        """Plies of the line on the board."""
        return len(self.positions) - 1

    def _all_positions(self) -> Iterator[Position]:
        """The positions of the game, each before its moves, a variation after the line's move."""
        left = [self.positions[0]]
        while left:
            each = left.pop()
            yield each
            left += reversed(each.children)

    def tree(self) -> list[tuple[int, int, str]]:
        """Each position's number, that of the one before, and the move; empty if no moves vary."""
        found = [
            (each.number, each.parent.number, each.played.name)
            for each in self._all_positions()
            if each.parent is not None and each.played is not None
        ]
        return found if len(found) > self.ply else []

    def switch(self, number: int) -> int:
        """Put the line through a position on the board; return the position's ply.

        Raises:
            InvalidState: There is no such position.
        """
        found = next((each for each in self._all_positions() if each.number == number), None)
        if found is None:
            message = f"position {number}: the game has no such position any more"
            raise InvalidState(message)
        if found not in self.positions:
            self._replace_line(found.line())
            self.go_on()
        return len(found.path()) - 1

    def _replace_line(self, line: list[Position]) -> None:
        """Put another line of the game on the board."""
        self._interrupt()
        shared = sum(one is other for one, other in zip(self.positions, line, strict=False))
        self.positions = line
        self.forfeit = None
        self.strip.cut(shared)
        for each in line[shared:]:
            self._tell_phase(each.turn.state)
        self.strip.cut(len(line))  # a gate that fails meanwhile has begun anew

    @property
    def turn(self) -> Turn:
        """Where the game stands."""
        return self.positions[-1].turn

    @property
    def is_over(self) -> bool:
        """Whether nothing can be played any more."""
        return self.turn.ending is not None or self.forfeit is not None

    @property
    def is_simultaneous(self) -> bool:
        """Whether several players move now."""
        return bool(self.turn.state.to_play == SIMULTANEOUS)

    def waits_for(self) -> list[int]:
        """The players who have not answered yet."""
        if self.is_over:
            return []
        acting = games.acting_players(self.turn.state)
        return [player for player in acting if player not in self._answers]

    def person(self) -> int | None:
        """The player for whom a person is to act now; None if nobody has to."""
        waiting = (p for p in self.waits_for() if self.controllers[p].text is None)
        return next(waiting, None)

    def person_at(self, ply: int) -> int | None:
        """The player for whom a person may act at a ply of the line; None if nobody may."""
        if ply == self.ply:
            return self.person()
        acting = games.acting_players(self.positions[ply].turn.state)
        return next((each for each in acting if self.controllers[each].text is None), None)

    def play(self, ply: int, action: int) -> int:
        """A person's action; at an earlier ply it begins a variation.

        Returns:
            The ply after it.

        Raises:
            IllegalAction: It is not legal.
            InvalidState: The game has no such ply, is over, has too many positions, or no person
                is to move.
        """
        if ply > self.ply:
            message = f"the game is at ply {self.ply}, and the move was for ply {ply}"
            raise InvalidState(message)
        player = self.person_at(ply)
        if player is None:
            what = "the game is over" if self.is_over else "no person is to move now"
            msg = f"{what}: undo, begin a new game, or take a seat"
            raise InvalidState(msg)
        position = self.positions[ply]
        legal = self.runner.legal_actions(position.turn, player).tolist()
        if action not in legal:
            message = f"action {action} is not legal for player {player} at ply {ply}"
            raise IllegalAction(message)
        if sum(1 for _ in self._all_positions()) >= MOST_POSITIONS:
            message = f"a game has at most {MOST_POSITIONS:,} positions: undo, or begin a new game"
            raise InvalidState(message)
        for child in position.children:  # the move was played before
            if child.played is not None and child.played.action == action:
                return self.switch(child.number)
        if ply < self.ply:
            self._replace_line(self.positions[: ply + 1])
        self._answer(player, action, None)
        self.go_on()
        return ply + 1

    def undo(self, to: int | None = None) -> None:
        """Take back to a ply; by default the last ply of a person, and what followed it.

        Raises:
            InvalidState: There is nothing to take back.
        """
        if not self.ply:
            message = "nothing was played yet: there is no move to undo"
            raise InvalidState(message)
        if to is None:
            to = self.ply - 1
            while to > 0 and not self._is_persons(to) and self._has_person():
                to -= 1
        if not 0 <= to <= self.ply:
            message = f"ply {to}: the game has the plies 0 to {self.ply}"
            raise InvalidState(message)
        if to < self.ply:
            self.positions[to].children.remove(self.positions[to + 1])
        self._replace_line(self.positions[: to + 1])
        self.plays = self._has_person()
        self.go_on()

    def _has_person(self) -> bool:
        return bool(self.persons())

    def _is_persons(self, ply: int) -> bool:
        acting = games.acting_players(self.positions[ply].turn.state)
        return any(self.controllers[player].text is None for player in acting)

    # Who plays

    def assign(self, player: int, searcher: Searcher | None) -> None:
        """Let an agent, or with None a person, play for ``player`` from now on."""
        self._cancel(player)
        self._let_go(self.controllers[player].searcher)
        self.controllers[player] = Controller(None if searcher is None else searcher.text, searcher)
        if not self._own_gates:
            self._retell()

    def compare(self, specs: Sequence[Any]) -> None:
        """Show the phases by these gates; none: those of the agents who play.

        Raises:
            InvalidGate: One does not fit, or fails.
        """
        try:
            PhaseStrip(self.game, specs, 0).follow(turn.state for turn in self.turns)
        except PhasezooError:
            raise
        except Exception as error:
            message = f"a gate failed: {type(error).__name__}: {error}"
            raise InvalidGate(message) from error
        self._specs, self._own_gates = specs, bool(specs)
        self._retell()

    def _retell(self) -> None:
        """The phases of the whole game by the gates that are shown."""
        specs = self._specs
        if not self._own_gates:
            searchers = [each.searcher for each in self.controllers if each.searcher is not None]
            found = (gates_of(getattr(each.agent, "evaluator", None)) for each in searchers)
            specs = next((each for each in found if each), suggested_gates(self.game)[:1])
        self.strip = PhaseStrip(self.game, specs, 0)
        for turn in self.turns:
            self._tell_phase(turn.state)

    def _tell_phase(self, state: Any) -> None:
        """Add a state to the strip; a gate that fails is shown no longer, and the game goes on."""
        try:
            self.strip.add(state)
        except Exception as error:  # whatever a gate of one's own raises
            self.trouble = f"a gate failed: {error}"[:500]
            self._specs, self._own_gates = (), True
            self.strip = PhaseStrip(self.game, ())
            self.strip.follow(turn.state for turn in self.turns)

    def look(self, searcher: Searcher | None, player: int, *, on: bool) -> None:
        """Let an agent look at every position on the board until it is stopped."""
        self._cancel(-1)
        self._let_go(self.analyst)
        self.analyst, self.analyst_player = searcher, player
        self.looks = on and searcher is not None
        self.go_on()

    def review(self, searcher: Searcher | None) -> None:
        """Let an agent analyse every position of the line on the board; None ends it.

        Raises:
            InvalidState: Several players move at once.
        """
        if self._review is not None:
            self._review.cancel()
            self._review = None
        if searcher is not None:
            if self.is_simultaneous:
                message = f"{self.game.name!r}: games in which all move at once are not analysed"
                raise InvalidState(message)
            for each in self.positions:
                each.review = None
            self._review = asyncio.get_running_loop().create_task(
                self._reviewed(searcher, self.positions)
            )
        self._changed(self)

    async def _reviewed(self, searcher: Searcher, line: Sequence[Position]) -> None:
        """Analyse the positions of a line one after the other."""
        stop = None
        try:
            for position in line:
                if position.turn.ending is not None:
                    continue
                stop = Stop(min(self._workers.most_seconds, REVIEW_SECONDS))
                work = partial(searcher.reviewed, position.turn.state, stop)
                position.review = await self._workers.run(work, "look", stop)
                self._changed(self)
        except Exception as error:
            self.trouble = f"{searcher.text} failed: {self._reason(error)}"[:500]
        finally:
            if stop is not None:
                stop.drop()
            self._let_go(searcher)
        self._review = None
        self._changed(self)

    @property
    def is_reviewed(self) -> bool:
        """Whether an analysis of the game goes on."""
        return self._review is not None

    # Thinking

    def go_on(self) -> None:
        """Ask the agents that are to move, and report the change."""
        self._ask_agents()
        if self.looks and self.analyst is not None and -1 not in self._jobs and not self.is_over:
            acting = games.acting_players(self.turn.state)
            wanted = self.analyst_player if self.is_simultaneous else acting[0]
            if wanted in acting:
                self._ask(-1, self.analyst, player=wanted)
        self._changed(self)

    def _ask_agents(self) -> None:
        for player in self.waits_for():
            if self.runner.is_idle(self.turn, player):  # whatever they answer means nothing
                legal = self.runner.legal_actions(self.turn, player)
                self._answer(player, int(legal[0]), None)
                if player not in self._answers:  # the ply was played by it
                    self._ask_agents()
                    return
                continue
            searcher = self.controllers[player].searcher
            if searcher is not None and self.plays and player not in self._jobs:
                self._ask(player, searcher)

    def hurry(self) -> None:
        """Those who think play what they have found."""
        for job in self._jobs.values():
            job.set()

    def run(self, *, on: bool) -> None:
        """Let agents move, or not."""
        self.plays, self.trouble = on, None
        if not on:
            for player in [each for each in self._jobs if each >= 0]:
                self._cancel(player)
        self.go_on()

    def _ask(self, who: int, searcher: Searcher, player: int | None = None) -> None:
        """Begin a search of the position on the board."""
        loop, epoch, state = asyncio.get_running_loop(), self._epoch, self.turn.state
        stop = self._jobs[who] = Stop(self._workers.most_seconds)

        def report(analysis: Analysis) -> None:
            with contextlib.suppress(RuntimeError):  # the server is being shut down
                loop.call_soon_threadsafe(self._hear, epoch, who, stop, analysis)

        search = partial(searcher.search, state, stop, report, for_ever=who < 0, player=player)
        run = self._workers.run
        work = run(search, "look", stop) if who < 0 else run(search, "play", stop, self.pace)
        task = loop.create_task(work)
        task.add_done_callback(partial(self._finished, epoch, who, stop))

    def _hear(self, epoch: int, who: int, stop: Stop, analysis: Analysis) -> None:
        if epoch == self._epoch and self._jobs.get(who) is stop:
            self.live[who] = analysis
            self._changed(self)

    def _finished(self, epoch: int, who: int, stop: Stop, task: "asyncio.Task[Answer]") -> None:
        """Take the result of a search."""
        if task.cancelled():
            return
        error = task.exception()
        if epoch != self._epoch or self._jobs.get(who) is not stop:
            return  # the board has changed
        del self._jobs[who]
        if error is not None:
            self._fail(who, error)
        elif who < 0:
            self.live[who] = {**task.result().analysis, "done": True}
        else:
            self._take(who, task.result())
        self._changed(self)

    def _take(self, player: int, answer: Answer) -> None:
        """An agent's answer."""
        searcher = self.controllers[player].searcher
        if answer.action is None or searcher is None:
            self.forfeit = f"{self.controllers[player].text} gives up: {answer.forfeit}"
            self._interrupt()
            return
        try:
            legal = self.runner.legal_actions(self.turn, player).tolist()
            action = searcher.checked(answer, legal, self.runner)
        except PhasezooError as error:
            self._fail(player, error)
            return
        self._answer(player, action, answer.analysis)
        self.go_on()

    def _fail(self, who: int, error: BaseException) -> None:
        """An agent has failed: the game waits for a person to decide."""
        name = self.analyst.text if who < 0 and self.analyst else self.controllers[max(who, 0)].text
        self.trouble = f"{name} failed: {self._reason(error)}"[:500]
        if who < 0:
            self.looks = False
        else:
            self.plays = False

    def _reason(self, error: BaseException) -> str:
        """Why an agent failed, for the page; errors of its code go to the log."""
        if isinstance(error, PhasezooError):
            return str(error)
        logging.getLogger("phasezoo.web").error("an agent failed", exc_info=error)
        return type(error).__name__

    def _answer(self, player: int, action: int, analysis: Analysis | None) -> None:
        """Keep an answer; when all have answered, play."""
        self._answers[player] = action, analysis
        if self.waits_for():
            return
        answers = self._answers
        before = self.turn
        at_once = self.is_simultaneous
        chosen: Any = action
        if at_once:
            chosen = [answers.get(each, (0, None))[0] for each in range(self.game.num_players)]
        after = self.runner.play(before, chosen)
        names = {p: name_of(self.game, before.state, a) for p, (a, _) in sorted(answers.items())}
        analyses = {p: analysis for p, (_, analysis) in answers.items() if analysis is not None}
        if -1 in self.live and not at_once:
            analyses.setdefault(player, self.live[-1])
        self._interrupt()
        self._append(after, Played(chosen, "/".join(names.values()), analyses))

    def _interrupt(self) -> None:
        """Drop all searches: the position has changed."""
        self._epoch += 1
        for job in self._jobs.values():
            job.drop()
        self._jobs.clear()
        self._answers.clear()
        self.live.clear()

    def _cancel(self, who: int) -> None:
        job = self._jobs.pop(who, None)
        if job is not None:
            job.drop()
        self.live.pop(who, None)

    def rest(self) -> None:
        """Nobody watches: agents wait until :meth:`wake`, and the analyst's tree is let go."""
        self._cancel(-1)
        self.review(None)
        self._let_go(self.analyst)
        self.analyst, self.looks = None, False
        if self._jobs:
            self._interrupt()
            self.sleeps = True

    def wake(self) -> None:
        """Go on: the game is watched again."""
        if self.sleeps:
            self.sleeps = False
            self.go_on()

    def release(self) -> None:
        """Nobody has watched for a while: trees and engines are let go until it is watched."""
        for each in self.controllers:
            self._let_go(each.searcher)

    def _let_go(self, searcher: Searcher | None) -> None:
        if searcher is not None:
            self._workers.begin(searcher.forget)

    def close(self) -> None:
        """Nobody needs it any more."""
        self.plays = self.looks = False
        if self._review is not None:
            self._review.cancel()
        self._interrupt()
        self._let_go(self.analyst)
        self.release()

    # What is known of it

    @property
    def searching(self) -> list[int]:
        """Players whose agents search; the analyst is -1."""
        return sorted(self._jobs)

    def player_names(self) -> list[str]:
        """Who plays, as texts."""
        names = [*self.names, *[None] * len(self.controllers)]
        return [
            each.text or name or "a person"
            for each, name in zip(self.controllers, names, strict=False)
        ]

    def persons(self) -> list[int]:
        """Return the players for whom persons play."""
        return [k for k, each in enumerate(self.controllers) if each.text is None]

    def result(self) -> dict[str, Any] | None:
        """How the game ended; None while it goes on."""
        ending = self.turn.ending
        if self.forfeit is not None:
            return {"result": None, "reason": self.forfeit, "winners": None}
        if ending is None:
            return None
        reason = ending.reason if ending.terminated else "length limit"
        return {"result": ending.result, "reason": reason, "winners": ending.winners}
