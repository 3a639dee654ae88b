"""Many games at once between two agents or more, each agent's searches in one pool."""

import contextlib
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from phasezoo import games
from phasezoo.agents import Move
from phasezoo.arena.adjudication import Adjudication, Adjudicator, Verdict
from phasezoo.arena.clocks import Times
from phasezoo.arena.records import Ending, GameRecord, Thought
from phasezoo.arena.sides import Side
from phasezoo.arena.streams import stream
from phasezoo.errors import GameContract, GameForfeited, IllegalAction, InvalidEvaluation
from phasezoo.games import Game
from phasezoo.games.contracts import checked_players, unchanged
from phasezoo.games.failures import failure_of
from phasezoo.games.queries import action_of, joint_action, move_text
from phasezoo.observation import GameRunner, Turn, View, make_view, observe
from phasezoo.observation.action_parts import index_of
from phasezoo.types import Gate


class Place(NamedTuple):
    """A running game and its moves so far."""

    number: int
    """Its number."""
    moves: tuple[str, ...]
    """Moves so far, those of the opening included."""

    def __str__(self) -> str:
        after = f", after {' '.join(self.moves)}" if self.moves else ""
        return f"game {self.number} at ply {len(self.moves)}{after}"


MANY_PLIES = 5_000
"""Plies of a game without a cap at which a warning says that it may never end."""

WATCHED_PLAYS = 16
"""Plays of a user's own game after which it is trusted to leave states unchanged."""


class SideFailed(InvalidEvaluation):
    """An evaluator of one side of a match answered with something that is no evaluation.

    Attributes:
        side: Its index among the agents: 0 or 1 in a match.
        games: The games that were finished before.
    """

    def __init__(self, message: str, side: int, finished: Sequence[GameRecord]) -> None:
        super().__init__(message)
        self.side = side
        self.games = tuple(finished)


@dataclass(frozen=True)
class Scheduled:
    """A game to be played."""

    number: int
    group: int
    sides: tuple[int, ...]
    seeds: tuple[int, ...]
    opening: int
    opening_moves: tuple[str, ...]
    start_fen: str | None
    history: tuple[Any, ...]
    """Its states so far, oldest first; the agents take over at the last."""
    start: str = ""
    pairing: tuple[int, int] = (0, 1)
    one_session: bool = False
    """Whether one agent plays all players in one session, with the first of the seeds."""
    first: int = 0
    """Index of the first agent of its match, if several are played at once."""

    @property
    def agents(self) -> tuple[int, ...]:
        """For each player, the index of the agent that plays them."""
        return tuple(self.first + self.pairing[side] for side in self.sides)

    def place(self, moves: Sequence[str]) -> Place:
        """Return the game's number and its moves so far, for messages."""
        return Place(self.number, (*self.opening_moves, *moves))


class Running:
    """A game in progress."""

    def __init__(
        self,
        scheduled: Scheduled,
        turn: Turn,
        times: Times,
        adjudicator: Adjudicator | None,
    ) -> None:
        self.scheduled = scheduled
        self.turn = turn
        self.slots: list[int] = []
        self.moves: list[str] = []
        self.thoughts: list[Thought | None] = []
        self.received: dict[int, Move] = {}
        self.times = times
        self.adjudicator = adjudicator
        self.verdict: Verdict | None = None

    @property
    def state(self) -> Any:
        """Where the game stands."""
        return self.turn.state

    def sessions(self) -> Iterable[tuple[int, int]]:
        """Return the agents and their slots, each once."""
        return dict.fromkeys(zip(self.scheduled.agents, self.slots, strict=True))

    @property
    def plies(self) -> int:
        """Plies played, the opening's included."""
        return len(self.scheduled.opening_moves) + len(self.moves)


class ConcurrentGames:
    """Plays games side by side.

    Everything that is random in a game comes from its own seeds, so a game does not depend on which
    others run beside it, as long as the evaluators answer a row alike in any batch.

    Args:
        game: What is played.
        sides: The agents, by the indices that scheduled games have for them.
        concurrency: Games in progress at once.
        max_plies: Plies after which a game is cut and counted as a draw.
        adjudication: When games are ended early.
        gate: Gives the phases that players receive; None for the gate that each asks for, or
            phase 0.
        finished: Called with every game that has ended and its record, in the order in which they
            end.
        moved: Called before moves are played, with the game, its state, and the move of each player
            who acts.
        is_over: Asked after each round of moves: games in progress are left if it says so.
        random_moves: Share of moves (0 to 1) that are drawn from the legal ones in place of the
            agents'.
    """

    def __init__(
        self,
        game: games.Game,
        sides: Sequence[Side],
        *,
        concurrency: int,
        max_plies: int | None,
        adjudication: Adjudication | None,
        gate: Gate | None = None,
        finished: Callable[[Scheduled, GameRecord], None],
        moved: Callable[[Scheduled, Any, Mapping[int, Move]], None] | None = None,
        is_over: Callable[[], bool] = lambda: False,
        random_moves: float = 0.0,
    ) -> None:
        self._game = game
        self._runner = GameRunner(game, gate=gate)
        self._view = make_view(game)
        self._to_watch = 0 if game.native else WATCHED_PLAYS
        self._sides = sides
        self._concurrency = concurrency
        self._max_plies = max_plies
        self._adjudication = adjudication
        self._finished = finished
        self._moved = moved
        self._is_over = is_over
        self._random_moves = random_moves
        self._done: list[GameRecord] = []
        self._in_progress = 0

    def play(self, schedule: Iterable[Scheduled]) -> None:
        """Play every game of ``schedule``."""
        waiting = iter(schedule)
        self._begin_more(waiting)
        index = 0
        while self._in_progress and not self._is_over():
            # One side works until all its moves are made; by then every game waits for another,
            # whose batches are as full as can be.
            while not self._sides[index].asked:
                index = (index + 1) % len(self._sides)
            side = self._sides[index]
            for slot, given in self._poll(index, side):
                running, player = side.asked.pop(slot)
                with self._noting(running.scheduled, running.moves):
                    self._take(running, player, given)
            self._begin_more(waiting)

    def _take(self, running: Running, player: int, given: Move) -> None:
        """Take a player's move, and play it if everybody's is there."""
        move = self._checked(running, player, running.times.end(player, given, running.plies))
        if self._random_moves > 0 and move.forfeit is None:
            move = self._maybe_random(running, player, move)
        running.received[player] = move
        self._sides[running.scheduled.agents[player]].took(running, move)
        if len(running.received) == len(games.acting_players(running.state)):
            self._advance(running)

    def _maybe_random(self, running: Running, player: int, move: Move) -> Move:
        """Return the move, or in some cases one whose action is drawn from the legal ones."""
        seed = stream(running.scheduled.seeds[player], "random move", running.plies)
        rng = np.random.default_rng(seed)
        if rng.random() >= self._random_moves:
            return move
        legal = self._runner.legal_actions(running.turn, player)
        return replace(move, action=int(rng.choice(legal)))

    def _poll(self, index: int, side: Side) -> list[tuple[int, Move]]:
        try:
            return side.pool.poll()
        except InvalidEvaluation as error:
            message = f"{self._who(index)}: {error}"
            raise SideFailed(message, side.index, self._done) from error
        except Exception as error:
            note = f"raised by {self._who(index)}"
            if is_the_games(error, self._game):
                note = self._note_of(error, index, side)
            self._note(error, note)
            raise

    def _who(self, index: int) -> str:
        side = self._sides[index]
        if len(self._sides) == 1:
            return f"the agent that plays all players ({side.stats.name})"
        return f"side {side.index} of the match ({side.stats.name})"

    def _note_of(self, error: Exception, index: int, side: Side) -> str:
        """Return the note for an error of the game's own code that a side has met."""
        slot = getattr(side.pool, "failed", None)
        found = side.asked.get(slot) if isinstance(slot, int) else None
        asked = [running for running, _ in side.asked.values()] if found is None else [found[0]]
        failure = failure_of(error, self._game)
        if len(asked) > 1 and failure is not None:
            asked = [running for running in asked if running.state is failure.state]
        where = asked[0].scheduled.place(asked[0].moves) if len(asked) == 1 else None
        return failure_note(error, self._game, where, asked_by=self._who(index))

    @contextlib.contextmanager
    def _noting(self, scheduled: Scheduled, moves: Sequence[str] = ()) -> Iterator[None]:
        """Note in which game the game's own code has failed."""
        try:
            yield
        except Exception as error:
            if is_the_games(error, self._game):
                self._note(error, failure_note(error, self._game, scheduled.place(moves)))
            raise

    def _note(self, error: Exception, text: str) -> None:
        error.add_note(f"{text}; {len(self._done)} games had been finished")

    def _begin_more(self, waiting: Iterator[Scheduled]) -> None:
        while self._in_progress < self._concurrency:
            scheduled = next(waiting, None)
            if scheduled is None:
                return
            rules = self._adjudication
            adjudicator = None if rules is None else Adjudicator(rules, self._game)
            times = Times([self._sides[agent].limit for agent in scheduled.agents])
            with self._noting(scheduled):
                running = Running(scheduled, self._begun(scheduled), times, adjudicator)
                running.slots = self._opened(scheduled)
                self._in_progress += 1
                self._go_on(running)

    def _opened(self, scheduled: Scheduled) -> list[int]:
        """Open a session for each player; return their slots."""
        if scheduled.one_session:
            pool = self._sides[scheduled.agents[0]].pool
            one = pool.open(scheduled.seeds[0], scheduled.history)
            return [one] * len(scheduled.seeds)
        return [
            self._sides[agent].pool.open(seed, scheduled.history)
            for agent, seed in zip(scheduled.agents, scheduled.seeds, strict=True)
        ]

    def _go_on(self, running: Running) -> None:
        """Ask for the next moves, or end the game."""
        ending = running.turn.ending
        if ending is not None:
            self._end(running, "rules", ending.reason or "rules", ending.rewards)
            return
        if self._max_plies is not None and running.plies >= self._max_plies:
            self._end(running, "max_plies", "max_plies", [0.0] * self._game.num_players)
            return
        if self._max_plies is None and running.plies == MANY_PLIES:
            message = (
                f"game {running.scheduled.number} of {self._game.name} has {MANY_PLIES:,} plies "
                "and goes on: give max_plies=, at which games are cut, if some never end"
            )
            warnings.warn(message, stacklevel=2)
        acting = checked_players(running.state, self._game.num_players)
        for player in acting:
            self._ask(running, player)
        if len(running.received) == len(acting):  # whatever they answer, nothing happens
            self._advance(running)

    def _ask(self, running: Running, player: int) -> None:
        if self._runner.is_idle(running.turn, player):
            legal = self._runner.legal_actions(running.turn, player)
            running.received[player] = Move(int(legal[0]))
            return
        side = self._sides[running.scheduled.agents[player]]
        slot = running.slots[player]
        view = _view_of(side)
        shown = [] if view is None else [observe(running.turn, player, view)]
        limit = running.times.limit(player)
        by_clock: dict[str, Any] = {} if limit is None else {"limit": limit}
        side.asked[slot] = (running, player)
        running.times.begin(player)
        side.pool.ask(slot, running.state, player, *shown, **by_clock)

    def _begun(self, scheduled: Scheduled) -> Turn:
        """Return the turn at which the agents take over."""
        views = [_view_of(self._sides[agent]) or self._view for agent in scheduled.agents]
        turn = self._runner.turn(scheduled.history[0], views)
        for text in scheduled.opening_moves:
            turn = self._runner.play(turn, action_of(turn.state, text))
        return turn

    def _play(self, turn: Turn, action: Any) -> Turn:
        """Return the next turn; the first plays of a user's own game are checked."""
        if self._to_watch == 0:
            return self._runner.play(turn, action)
        self._to_watch -= 1
        with unchanged(turn.state):
            return self._runner.play(turn, action)

    def _advance(self, running: Running) -> None:
        """Play the moves received."""
        players = sorted(running.received)
        moves = {player: running.received[player] for player in players}
        running.received = {}
        if any(move.forfeit for move in moves.values()):
            self._forfeited(running, moves)
            return
        if self._moved is not None:
            self._moved(running.scheduled, running.state, moves)
        action = joint_action(running.state, [move.action for move in moves.values()])
        text = move_text(running.state, action)
        running.turn = self._play(running.turn, action)
        running.moves.append(text)
        running.thoughts.append(_thought(moves, running.times.left(players[0])))
        for agent, slot in running.sessions():
            self._sides[agent].pool.tell(slot, action, running.state)
        if not running.state.is_terminal and self._adjudicated(running, players[0], moves):
            return
        self._go_on(running)

    def _checked(self, running: Running, player: int, move: Move) -> Move:
        """Return a move with its action as an index, or a forfeit."""
        game = self._game
        if move.forfeit is not None:
            if game.num_players != 2:
                message = (
                    f"{self._who(running.scheduled.agents[player])} gave up as player {player} of "
                    f"{game.num_players} in game {running.scheduled.number}, which is counted for "
                    f"two players alone: {move.forfeit.message}"
                )
                raise GameForfeited(message, move.forfeit.reason)
            return move
        action = index_of(move.action, game.num_actions, game.action_parts)
        if action is not None and self._runner.is_legal(running.turn, player, action):
            return replace(move, action=action)
        legal = self._runner.legal_actions(running.turn, player)
        said = "" if action is None else ", which is not legal"
        shown = ", ".join(map(str, legal[:10])) + (", …" if len(legal) > 10 else "")
        parts = "" if game.action_parts is None else f", or {len(game.action_parts)} numbers"
        who = self._who(running.scheduled.agents[player])
        message = (
            f"{who} answered {repr(move.action)[:80]}{said} "
            f"as player {player} in game {running.scheduled.number}; expected is a whole number"
            f"{parts}, legal are {shown} in {running.state!r}"
        )
        raise IllegalAction(message)

    def _forfeited(self, running: Running, moves: dict[int, Move]) -> None:
        """End a game that a player of two has given up, or both at once."""
        lost = {player: move.forfeit for player, move in moves.items() if move.forfeit}
        returns = [-1.0 if player in lost else 1.0 for player in range(self._game.num_players)]
        note = "; ".join(forfeit.message for forfeit in lost.values())
        self._end(running, "forfeit", next(iter(lost.values())).reason, returns, note)

    def _adjudicated(self, running: Running, player: int, moves: dict[int, Move]) -> bool:
        """End the game early if the rules say so; return whether they do."""
        rules, adjudicator = self._adjudication, running.adjudicator
        if rules is None or adjudicator is None or len(moves) != 1:
            return False
        verdict = adjudicator.known(running.state)
        verdict = verdict or adjudicator.watch(player, moves[player].value, running.plies)
        if verdict is None:
            return False
        if rules.is_checked(running.scheduled.seeds[0]):
            running.verdict, running.adjudicator = verdict, None
            return False
        self._end(running, verdict.kind, verdict.kind, verdict.returns)
        return True

    def _end(
        self,
        running: Running,
        ending: Ending,
        reason: str,
        returns: Sequence[float],
        note: str = "",
    ) -> None:
        scheduled = running.scheduled
        for agent, slot in running.sessions():
            self._sides[agent].pool.close(slot)
        record = GameRecord(
            number=scheduled.number,
            group=scheduled.group,
            sides=scheduled.sides,
            opening=scheduled.opening,
            start_fen=scheduled.start_fen,
            opening_moves=scheduled.opening_moves,
            moves=tuple(running.moves),
            returns=tuple(float(value) for value in returns),
            reason=reason,
            ending=ending,
            seeds=scheduled.seeds,
            start=scheduled.start,
            pairing=scheduled.pairing,
            note=note,
            verdict=None if running.verdict is None else running.verdict.returns,
            thoughts=tuple(running.thoughts) if any(running.thoughts) else (),
            seconds=running.times.totals(),
        )
        self._done.append(record)
        self._in_progress -= 1
        for side in self._sides:
            side.ended(running)
        self._finished(scheduled, record)


def _view_of(side: Side) -> View | None:
    """Return the view of the side's players; None if they see states, as a user's agents may."""
    return getattr(side.pool, "view", None)


def _thought(moves: Mapping[int, Move], left: float | None) -> Thought | None:
    """Return what an agent reported of a move; None if nothing, or if several moved at once."""
    move = next(iter(moves.values()))
    if len(moves) != 1 or (move.value is None and not move.nodes and move.seconds is None):
        return None
    value = None if move.value is None else round(move.value, 4)
    seconds = None if move.seconds is None else round(move.seconds, 3)
    return Thought(value, move.nodes, move.depth, move.phase, seconds, left)


_LONGEST = 300
"""Characters of a state that are shown."""


def is_the_games(error: BaseException, game: Game) -> bool:
    """Return whether the code of a user's own game raised ``error``, or broke its contract."""
    return isinstance(error, GameContract) or failure_of(error, game) is not None


def failure_note(
    error: BaseException, game: Game, place: Place | None, *, asked_by: str | None = None
) -> str:
    """Return the note for an error of the game's own code.

    Args:
        error: The exception.
        game: What was played.
        place: The running game; None if it is not known.
        asked_by: Name of the side whose query failed; None if a move failed.
    """
    failure = failure_of(error, game)
    what = "" if failure is None else f"{failure.member} of "
    state = "" if failure is None else f" in the state {_shown(failure.state)}"
    asked = "" if asked_by is None else f", which {asked_by} asked for"
    where = "" if place is None else f", in {place}"
    return f"raised by {what}the game {game.name!r}{state}{asked}{where}"


def _shown(state: Any) -> str:
    """Return a state in one line, cut if it is long."""
    try:
        return textwrap.shorten(repr(state), _LONGEST, placeholder=" …")
    except Exception:  # the user's own code, which has failed already
        return f"of type {type(state).__name__}"
