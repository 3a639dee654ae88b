"""One game on the server: who plays, the moves, and the analyses of searches."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from phasezoo import games
from phasezoo.apps.web.analysis import Analysis
from phasezoo.apps.web.analyst import Analyst
from phasezoo.apps.web.game_tree import GameTree, Played, Plies, Position
from phasezoo.apps.web.phases import PhaseStrip, gates_of, suggested_gates
from phasezoo.apps.web.search import Answer, Searcher, Stop
from phasezoo.apps.web.workers import Workers
from phasezoo.envs.rendering.choice import name_of
from phasezoo.errors import GameContract, IllegalAction, InvalidGate, InvalidState, PhasezooError
from phasezoo.games.failures import describe_failure
from phasezoo.observation import GameRunner, Turn
from phasezoo.types import SIMULTANEOUS

MOST_PLIES = 5_000
"""Plies of a game; longer ones end."""

MOST_POSITIONS = 20_000
"""Positions of a game and its variations."""


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
        self.searchers: list[Searcher | None] = [None] * game.num_players
        """The agents that play; None for a person."""
        self.analyst = Analyst(workers, partial(changed, self), self._fail)
        self._looked_at: Position | None = None
        self.plays = True
        """Whether agents move."""
        self.pace = 0.0
        """Least seconds between two plies of agents."""
        self.trouble: str | None = None
        """Why an agent has failed; None again when a person does something about it."""
        self.sleeps = False
        self.title: str | None = None
        self.names: Sequence[str | None] = ()
        """Names of the players, of a game that was read."""
        self.tags: Mapping[str, str] = {}
        """Its other tags of PGN."""
        self.live: dict[int, Analysis] = {}
        """Analyses of searches that go on, by player."""
        self._workers = workers
        self._changed = changed
        self._answers: dict[int, tuple[int, Analysis | None]] = {}
        self._jobs: dict[int, Stop] = {}
        self._specs: Sequence[Any] | None = None
        """The gates that a page has named; None: those of the agents who play."""
        self.begin(start)

    # What was played

    def begin(self, start: Any) -> None:
        """Start anew from a state."""
        self._interrupt()
        self.names, self.tags = (), {}
        self.tree = GameTree(self.runner.begin(start))
        self._recorded: tuple[Position | None, str | None] = None, None
        self.forfeit: str | None = None
        self.trouble = self._looked_at = None
        self._specs = self._specs or None
        self._retell()

    def load(
        self, plies: Plies, variations: Iterable[Plies] = (), result: str | None = None
    ) -> None:
        """Go on with plies that were played elsewhere, where they ended with a result.

        Variations are lines from the start.
        """
        self._interrupt()
        for turn, played in self._turns(plies):
            self._append(turn, played)
        for line in variations:
            if self.tree.size + len(line) <= MOST_POSITIONS:
                self.tree.add(self._turns(line))
        self._recorded = (self.positions[-1], result)
        self.plays = False

    def _turns(self, plies: Plies) -> Iterator[tuple[Turn, Played]]:
        for ply, (played, state) in enumerate(plies, 1):
            yield replace(self.runner.turn(state), ply=ply), played

    def _append(self, turn: Turn, played: Played) -> None:
        """The line goes on by a ply."""
        self.tree.append(turn, played)
        self._tell_phase(turn.state)

    @property
    def positions(self) -> list[Position]:
        """The positions of the line on the board."""
        return self.tree.line

    @property
    def ply(self) -> int:
        """Plies of the line on the board."""
        return len(self.positions) - 1

    def switch(self, number: int) -> int:
        """Put the line through a position on the board; return the position's ply."""
        found = self.tree.find(number)
        if found not in self.positions:
            self._replace_line(found.line())
            self.go_on()
        return self.positions.index(found)

    def look_at(self, ply: int) -> None:
        """Let who analyses look at a ply of the line; at the last one it follows the game."""
        self._looked_at = None if ply == self.ply else self.positions[ply]
        self.analyst.follow(self.positions[ply])

    def _replace_line(self, line: list[Position]) -> None:
        """Put another line of the game on the board."""
        self._interrupt()
        shared = sum(one is other for one, other in zip(self.positions, line, strict=False))
        self.tree.line = line
        self.forfeit = self._looked_at = None
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

    def person_at(self, ply: int) -> int | None:
        """The player for whom a person may act at a ply of the line; None if nobody may."""
        acting = games.acting_players(self.positions[ply].turn.state)
        waiting = self.waits_for() if ply == self.ply else acting
        return next((each for each in waiting if self.searchers[each] is None), None)

    def play(self, ply: int, action: int) -> int:
        """A person's action, at an earlier ply a variation; return the ply that is then shown."""
        if ply > self.ply:
            message = f"the game is at ply {self.ply}, and the move was for ply {ply}"
            raise InvalidState(message)
        player = self.person_at(ply)
        if player is None:
            what = "the game is over" if self.is_over else "no person is to move now"
            msg = f"{what}: undo, begin a new game, or choose who plays"
            raise InvalidState(msg)
        position = self.positions[ply]
        legal = self.runner.legal_actions(position.turn, player).tolist()
        if action not in legal:
            message = f"action {action} is not legal for player {player} at ply {ply}"
            raise IllegalAction(message)
        if self.tree.size >= MOST_POSITIONS:
            message = f"a game has at most {MOST_POSITIONS:,} positions: undo, or begin a new game"
            raise InvalidState(message)
        for child in position.children:  # the move was played before
            if child.played is not None and child.played.action == action:
                return self.switch(child.number)
        if ply < self.ply:
            self._replace_line(self.positions[: ply + 1])
        self.trouble = self._looked_at = None
        self._answer(player, action, None)
        self.go_on()
        return min(ply + 1, self.ply)  # others may have to answer yet

    def undo(self, to: int | None = None) -> None:
        """Take back to a ply; by default the last ply of a person, and what followed it."""
        if not self.ply:
            message = "nothing was played yet: there is no move to undo"
            raise InvalidState(message)
        if to is None:
            to = self.ply - 1
            while to > 0 and self.person_at(to) is None and self.persons():
                to -= 1
        if not 0 <= to <= self.ply:
            message = f"ply {to}: the game has the plies 0 to {self.ply}"
            raise InvalidState(message)
        if to < self.ply:
            self.positions[to].children.remove(self.positions[to + 1])
        self._replace_line(self.positions[: to + 1])
        self.plays, self.trouble = bool(self.persons()), None
        self.go_on()

    # Who plays

    def assign(self, player: int, searcher: Searcher | None) -> None:
        """Let an agent, or with None a person, play for ``player`` from now on."""
        self.trouble = None
        self._cancel(player)
        self._let_go(self.searchers[player])
        self.searchers[player] = searcher
        if self._specs is None:
            self._retell()

    def compare(self, specs: Sequence[Any]) -> None:
        """Show the phases by these gates; none: those of the agents who play."""
        try:
            PhaseStrip(self.game, specs, 0).follow(turn.state for turn in self.tree.turns)
        except PhasezooError:
            raise
        except Exception as error:
            message = f"a gate failed: {type(error).__name__}: {error}"
            raise InvalidGate(message) from error
        self._specs, self.trouble = specs or None, None
        self._retell()

    def _retell(self) -> None:
        """The phases of the whole game by the gates that are shown."""
        specs = self._specs
        if specs is None:
            found = (
                gates_of(getattr(each.agent, "evaluator", None))
                for each in self.searchers
                if each is not None
            )
            specs = next((each for each in found if each), suggested_gates(self.game)[:1])
        self.strip = PhaseStrip(self.game, specs, 0)
        for turn in self.tree.turns:
            self._tell_phase(turn.state)

    def _tell_phase(self, state: Any) -> None:
        """Add a state to the strip; a gate that fails is shown no longer, and the game goes on."""
        try:
            self.strip.add(state)
        except Exception as error:  # whatever a gate of one's own raises
            self.trouble = f"a gate failed: {error}"[:500]
            self._specs = ()
            self.strip = PhaseStrip(self.game, ()).follow(turn.state for turn in self.tree.turns)

    def look(self, searcher: Searcher | None, player: int) -> None:
        """Let an agent look at the positions that are shown; None ends it."""
        self.trouble = None
        self.analyst.look(searcher, player)
        self.go_on()

    def review(self, searcher: Searcher | None) -> None:
        """Let an agent analyse every position of the line on the board; None ends it."""
        self.trouble = None
        if searcher is not None and self.is_simultaneous:
            message = f"{self.game.name!r}: games in which all move at once are not analysed"
            raise InvalidState(message)
        self.analyst.review(searcher, self.positions)
        self._changed(self)

    # Thinking

    def go_on(self) -> None:
        """Ask the agents that are to move, and report the change."""
        self._ask_agents()
        self.analyst.follow(self._looked_at or self.positions[-1])
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
            searcher = self.searchers[player]
            if searcher is not None and self.plays and player not in self._jobs:
                self._jobs[player] = self._workers.search(
                    searcher, self.turn.state, partial(self._hear, player),
                    partial(self._finished, player), pace=self.pace,
                )  # fmt: skip

    def hurry(self) -> None:
        """Those who think play what they have found."""
        for job in self._jobs.values():
            job.set()

    def run(self, *, on: bool) -> None:
        """Let agents move, or not."""
        self.plays, self.trouble = on, None
        if not on:
            for player in list(self._jobs):
                self._cancel(player)
        self.go_on()

    def _hear(self, player: int, stop: Stop, analysis: Analysis) -> None:
        if self._jobs.get(player) is stop:
            self.live[player] = analysis
            self._changed(self)

    def _finished(self, player: int, stop: Stop, task: "asyncio.Task[Answer]") -> None:
        """Take the result of a search."""
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or self._jobs.get(player) is not stop:
            return  # the board has changed
        del self._jobs[player]
        searcher = self.searchers[player]
        assert searcher is not None, "a search ends when its agent leaves"
        if error is not None:
            self._fail(searcher, error)
            self.plays = False
        else:
            self._take(player, searcher, task.result())
        self._changed(self)

    def _take(self, player: int, searcher: Searcher, answer: Answer) -> None:
        """An agent's answer."""
        if answer.action is None:
            self.forfeit = f"{searcher.text} gives up: {answer.forfeit}"
            self._interrupt()
            return
        try:
            legal = self.runner.legal_actions(self.turn, player).tolist()
            action = searcher.checked(answer, legal, self.runner)
            self._answer(player, action, answer.analysis)
        except Exception as error:  # whatever a game of one's own raises
            self._fail(searcher, error)
            self.plays = False
        else:
            self.go_on()

    def _fail(self, searcher: Searcher, error: BaseException) -> None:
        """Say on the page why an agent has failed; errors of its code go to the log."""
        reason = str(error)
        if not isinstance(error, PhasezooError):
            logging.getLogger("phasezoo.web").error("an agent failed", exc_info=error)
            reason = describe_failure(error, self.game) or type(error).__name__
        self.trouble = f"{searcher.text} failed: {reason}"[:500]

    def _answer(self, player: int, action: int, analysis: Analysis | None) -> None:
        """Keep an answer; when all have answered, play."""
        self._answers[player] = action, analysis
        if self.waits_for():
            return
        answers, before = self._answers, self.turn
        chosen: Any = action
        if self.is_simultaneous:
            chosen = [answers.get(each, (0, None))[0] for each in range(self.game.num_players)]
        try:
            after = self.runner.play(before, chosen)
        except Exception as error:
            del answers[player]  # another move may be played
            message = describe_failure(error, self.game)
            if message is None:
                raise
            raise GameContract(message) from error
        names = {p: name_of(before.state, a) for p, (a, _) in sorted(answers.items())}
        analyses = {p: analysis for p, (_, analysis) in answers.items() if analysis is not None}
        self._interrupt()
        self._append(after, Played(chosen, "/".join(names.values()), analyses))

    def _interrupt(self) -> None:
        """Drop all searches and answers: the position has changed."""
        self._drop_searches()
        self._answers.clear()

    def _drop_searches(self) -> None:
        for job in self._jobs.values():
            job.drop()
        self._jobs.clear()
        self.live.clear()

    def _cancel(self, who: int) -> None:
        job = self._jobs.pop(who, None)
        if job is not None:
            job.drop()
        self.live.pop(who, None)

    def rest(self) -> None:
        """Nobody watches: agents wait until :meth:`wake`, and the analyst's tree is let go."""
        self.analyst.close()
        if self._jobs:
            self._drop_searches()
            self.sleeps = True

    def wake(self) -> None:
        """Go on: the game is watched again."""
        if self.sleeps:
            self.sleeps = False
            self.go_on()

    def release(self) -> None:
        """Nobody has watched for a while: trees and engines are let go until it is watched."""
        for each in self.searchers:
            self._let_go(each)

    def _let_go(self, searcher: Searcher | None) -> None:
        if searcher is not None:
            self._workers.begin(searcher.forget)

    def close(self) -> None:
        """Nobody needs it any more."""
        self.plays = False
        self.analyst.close()
        self._interrupt()
        self.release()

    # What is known of it

    @property
    def searching(self) -> list[int]:
        """Players whose agents search; the analyst is -1."""
        return sorted([*self._jobs, *[-1][: self.analyst.stop is not None]])

    def player_names(self) -> list[str]:
        """Who plays, as texts; of a game that was opened and has ended, who played it."""
        recorded = [*self.names, *[None] * len(self.searchers)]
        ended = self.recorded is not None or self.turn.ending is not None
        has_ended = self.is_as_recorded and ended
        now = [None if each is None else each.text for each in self.searchers]
        return [
            (name or text if has_ended else text or name) or "a person"
            for text, name in zip(now, recorded, strict=False)
        ]

    def persons(self) -> list[int]:
        """Return the players for whom persons play."""
        return [k for k, each in enumerate(self.searchers) if each is None]

    @property
    def recorded(self) -> str | None:
        """The result that was recorded where the game stands, by resignation or agreement too."""
        return self._recorded[1] if self.is_as_recorded else None

    @property
    def is_as_recorded(self) -> bool:
        """Whether the game stands where one that was opened had ended."""
        return self.positions[-1] is self._recorded[0]

    def result(self) -> dict[str, Any] | None:
        """How the game ended; None while it goes on."""
        ending = self.turn.ending
        if self.forfeit is not None:
            return {"result": None, "reason": self.forfeit, "winners": None}
        if ending is None:
            return None
        reason = ending.reason if ending.terminated else "length limit"
        return {"result": ending.result, "reason": reason, "winners": ending.winners}
