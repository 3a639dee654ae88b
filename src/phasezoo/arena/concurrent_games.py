"""Many games at once between two agents or more, each agent's searches in one pool."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from phasezoo import games
from phasezoo.agents import Limit, Move, Seats
from phasezoo.arena.adjudication import Adjudication, Adjudicator, Verdict
from phasezoo.arena.clocks import Times
from phasezoo.arena.forfeits import Place, blame, is_the_games
from phasezoo.arena.opening_files import action_of
from phasezoo.arena.records import Ending, GameRecord, SideStats, Thought
from phasezoo.errors import GameForfeited, IllegalAction, InvalidEvaluation
from phasezoo.games.contracts import checked_players, unchanged
from phasezoo.games.failures import failure_of
from phasezoo.inference.counts import Counts
from phasezoo.observation import GameRunner, Turn, View, make_view, observe
from phasezoo.observation.action_parts import index_of
from phasezoo.types import SIMULTANEOUS, Gate

WATCHED_PLAYS = 16
"""Plays of a game of one's own after which it is believed to leave states as they are."""


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
    one_seat: bool = False
    """Whether one agent plays all players from one seat, with the first of the seeds."""

    @property
    def agents(self) -> tuple[int, ...]:
        """For each player, the index of the agent that plays them."""
        return tuple(self.pairing[side] for side in self.sides)

    def place(self, moves: Sequence[str]) -> Place:
        """Which game this is, and how far it has come after these moves, for messages."""
        return Place(self.number, (*self.opening_moves, *moves))


class Work(NamedTuple):
    """Work of a side in one game or several."""

    moves: int = 0
    """Moves made."""
    nodes: int = 0
    """Positions evaluated by searches that were finished."""
    simulations: int = 0
    """Descents of searches that were finished."""


@dataclass
class Side:
    """An agent that plays the games."""

    seats: Seats
    stats: SideStats
    limit: Limit | None = None
    """Of its searches; None if it does not search."""
    identity: Any = None
    """JSON that tells it from other sides, for the log."""
    before: Counts = field(default_factory=Counts)
    """Cost of inference in an earlier part of the match."""
    finished: Work = field(default_factory=Work)
    """In games that have ended since."""
    begun: dict[int, Work] = field(default_factory=dict)
    """In games in progress, by their number."""
    asked: "dict[int, tuple[_Running, int]]" = field(default_factory=dict)
    """By seat: the game and the player whose move is awaited."""

    @property
    def is_timed(self) -> bool:
        """Whether it plays by time."""
        return self.limit is not None and self.limit.is_timed

    def took(self, game: int, move: Move) -> None:
        """Count a move of a game in progress."""
        done = self.begun.get(game, Work())
        moved = int(move.forfeit is None)
        more = Work(moved, move.nodes, move.simulations)
        self.begun[game] = Work(*(a + b for a, b in zip(done, more, strict=True)))

    def ended(self, game: int) -> None:
        """Put the work on a game among that which counts."""
        done = self.begun.pop(game, Work())
        self.stats.moves += done.moves
        self.stats.nodes += done.nodes
        self.stats.simulations += done.simulations
        self.finished = Work(*(a + b for a, b in zip(self.finished, done, strict=True)))

    def up_to_date(self) -> SideStats:
        """The statistics of finished games.

        Inference serves many games at once: its part is the finished games' share of the nodes, or
        without any of the moves.
        """
        every = [sum(column) for column in zip(self.finished, *self.begun.values(), strict=True)]
        done, in_all = self.finished.moves, every[0]
        if every[1]:
            done, in_all = self.finished.nodes, every[1]
        share = done / in_all if in_all else 1.0
        self.stats.counts = self.before + self.seats.counts.part(share)
        return self.stats


class _Running:
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
        self.seats: list[int] = []
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

    def seated(self) -> Iterable[tuple[int, int]]:
        """The agents and their seats, each once."""
        return dict.fromkeys(zip(self.scheduled.agents, self.seats, strict=True))

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
        gate: Says the phases that players are told; None for the gate that each asks for, or
            phase 0.
        finished: Called with every finished game, in the order in which they end.
        moved: Called before moves are played, with the game, its state, and the move of each player
            who acts.
        is_over: Asked after each round of moves: games in progress are left if it says so.
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
        finished: Callable[[GameRecord], None],
        moved: Callable[[Scheduled, Any, Mapping[int, Move]], None] | None = None,
        is_over: Callable[[], bool] = lambda: False,
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
        self._done: list[GameRecord] = []
        self._in_progress = 0

    def play(self, schedule: Iterable[Scheduled]) -> None:
        """Play every game of ``schedule``.

        Raises:
            SideFailed: A side's evaluator gave an invalid answer; it names the side.
            PhasezooError: A side chose an illegal action, or broke another contract.
        """
        waiting = iter(schedule)
        self._seat_more(waiting)
        index = 0
        while self._in_progress and not self._is_over():
            # One side works until all its moves are made; by then every game waits for another,
            # whose batches are as full as can be.
            while not self._sides[index].asked:
                index = (index + 1) % len(self._sides)
            side = self._sides[index]
            for seat, given in self._poll(index, side):
                running, player = side.asked.pop(seat)
                with self._blaming(running.scheduled, running.moves):
                    self._take(side, running, player, given)
            self._seat_more(waiting)

    def _take(self, side: Side, running: _Running, player: int, given: Move) -> None:
        """Take a player's move, and play it if everybody's is there."""
        move = self._checked(running, player, running.times.end(player, given, running.plies))
        running.received[player] = move
        side.took(running.scheduled.number, move)
        if len(running.received) == len(games.acting_players(running.state)):
            self._advance(running)

    def _poll(self, index: int, side: Side) -> list[tuple[int, Move]]:
        try:
            return side.seats.poll()
        except InvalidEvaluation as error:
            message = f"{self._who(index)}: {error}"
            raise SideFailed(message, index, self._done) from error
        except Exception as error:
            note = f"raised by {self._who(index)}"
            if is_the_games(error, self._game):
                note = self._blamed(error, index, side)
            self._note(error, note)
            raise

    def _who(self, index: int) -> str:
        name = self._sides[index].stats.name
        if len(self._sides) == 1:
            return f"the agent that plays all players ({name})"
        return f"side {index} of the match ({name})"

    def _blamed(self, error: Exception, index: int, side: Side) -> str:
        """Return the note for an error of the game's own code that a side has met."""
        seat = getattr(side.seats, "failed", None)
        found = side.asked.get(seat) if isinstance(seat, int) else None
        asked = [running for running, _ in side.asked.values()] if found is None else [found[0]]
        failure = failure_of(error, self._game)
        if len(asked) > 1 and failure is not None:
            asked = [running for running in asked if running.state is failure.state]
        where = asked[0].scheduled.place(asked[0].moves) if len(asked) == 1 else None
        return blame(error, self._game, where, asked_by=self._who(index))

    @contextlib.contextmanager
    def _blaming(self, scheduled: Scheduled, moves: Sequence[str] = ()) -> Iterator[None]:
        """Note in which game the game's own code has failed."""
        try:
            yield
        except Exception as error:
            if is_the_games(error, self._game):
                self._note(error, blame(error, self._game, scheduled.place(moves)))
            raise

    def _note(self, error: Exception, told: str) -> None:
        error.add_note(f"{told}; {len(self._done)} games had been finished")

    def _seat_more(self, waiting: Iterator[Scheduled]) -> None:
        while self._in_progress < self._concurrency:
            scheduled = next(waiting, None)
            if scheduled is None:
                return
            rules = self._adjudication
            adjudicator = None if rules is None else Adjudicator(rules, self._game)
            times = Times([self._sides[agent].limit for agent in scheduled.agents])
            with self._blaming(scheduled):
                running = _Running(scheduled, self._begun(scheduled), times, adjudicator)
                running.seats = self._seated(scheduled)
                self._in_progress += 1
                self._go_on(running)

    def _seated(self, scheduled: Scheduled) -> list[int]:
        """A seat for each player."""
        if scheduled.one_seat:
            seats = self._sides[scheduled.agents[0]].seats
            one = seats.open(scheduled.seeds[0], scheduled.history)
            return [one] * len(scheduled.seeds)
        return [
            self._sides[agent].seats.open(seed, scheduled.history)
            for agent, seed in zip(scheduled.agents, scheduled.seeds, strict=True)
        ]

    def _go_on(self, running: _Running) -> None:
        """Ask for the next moves, or end the game."""
        ending = running.turn.ending
        if ending is not None:
            self._end(running, "rules", ending.reason or "rules", ending.rewards)
            return
        if self._max_plies is not None and running.plies >= self._max_plies:
            self._end(running, "max_plies", "max_plies", [0.0] * self._game.num_players)
            return
        acting = checked_players(running.state, self._game.num_players)
        for player in acting:
            self._ask(running, player)
        if len(running.received) == len(acting):  # whatever they answer, nothing happens
            self._advance(running)

    def _ask(self, running: _Running, player: int) -> None:
        if self._runner.is_idle(running.turn, player):
            legal = self._runner.legal_actions(running.turn, player)
            running.received[player] = Move(int(legal[0]))
            return
        side = self._sides[running.scheduled.agents[player]]
        seat = running.seats[player]
        view = _view_of(side)
        shown = [] if view is None else [observe(running.turn, player, view)]
        limit = running.times.limit(player)
        by_clock: dict[str, Any] = {} if limit is None else {"limit": limit}
        side.asked[seat] = (running, player)
        running.times.begin(player)
        side.seats.ask(seat, running.state, player, *shown, **by_clock)

    def _begun(self, scheduled: Scheduled) -> Turn:
        """The turn at which the agents take over."""
        views = [_view_of(self._sides[agent]) or self._view for agent in scheduled.agents]
        turn = self._runner.turn(scheduled.history[0], views)
        for text in scheduled.opening_moves:
            turn = self._runner.play(turn, action_of(turn.state, text))
        return turn

    def _play(self, turn: Turn, action: Any) -> Turn:
        """The next turn; of one's own games, the first plays are watched."""
        if self._to_watch == 0:
            return self._runner.play(turn, action)
        self._to_watch -= 1
        with unchanged(turn.state):
            return self._runner.play(turn, action)

    def _advance(self, running: _Running) -> None:
        """Play the moves received."""
        players = sorted(running.received)
        moves = {player: running.received[player] for player in players}
        running.received = {}
        if any(move.forfeit for move in moves.values()):
            self._forfeited(running, moves)
            return
        if self._moved is not None:
            self._moved(running.scheduled, running.state, moves)
        if running.state.to_play == SIMULTANEOUS:
            action: Any = np.array([move.action for move in moves.values()], dtype=np.int64)
            text = ",".join(str(move.action) for move in moves.values())
        else:
            action = moves[players[0]].action
            notation = getattr(running.state, "uci", None)
            text = str(action) if notation is None else notation(action)
        running.turn = self._play(running.turn, action)
        running.moves.append(text)
        running.thoughts.append(_thought(moves, running.times.left(players[0])))
        for agent, seat in running.seated():
            self._sides[agent].seats.tell(seat, action, running.state)
        if not running.state.is_terminal and self._adjudicated(running, players[0], moves):
            return
        self._go_on(running)

    def _checked(self, running: _Running, player: int, move: Move) -> Move:
        """A move with its action as an index, or a forfeit.

        Raises:
            IllegalAction: Its action is none, or not legal.
            GameForfeited: It forfeits a game of more than two players.
        """
        game = self._game
        if move.forfeit is not None:
            if game.num_players != 2:
                message = (
                    f"{self._who(running.scheduled.agents[player])} gave up as player {player} of "
                    f"{game.num_players} in game {running.scheduled.number}, which is counted for "
                    f"two players alone: {move.forfeit.told}"
                )
                raise GameForfeited(message, move.forfeit.reason)
            return move
        action = index_of(move.action, game.num_actions, game.action_parts)
        legal = self._runner.legal_actions(running.turn, player)
        if action is not None and action in legal:
            return replace(move, action=action)
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

    def _forfeited(self, running: _Running, moves: dict[int, Move]) -> None:
        """End a game that a player of two has given up, or both at once."""
        lost = {player: move.forfeit for player, move in moves.items() if move.forfeit}
        returns = [-1.0 if player in lost else 1.0 for player in range(self._game.num_players)]
        note = "; ".join(forfeit.told for forfeit in lost.values())
        self._end(running, "forfeit", next(iter(lost.values())).reason, returns, note)

    def _adjudicated(self, running: _Running, player: int, moves: dict[int, Move]) -> bool:
        """Whether the game is ended early."""
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
        running: _Running,
        ending: Ending,
        reason: str,
        returns: Sequence[float],
        note: str = "",
    ) -> None:
        scheduled = running.scheduled
        for agent, seat in running.seated():
            self._sides[agent].seats.close(seat)
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
            seconds=running.times.in_all(),
        )
        self._done.append(record)
        self._in_progress -= 1
        for side in self._sides:
            side.ended(scheduled.number)
        self._finished(record)


def _view_of(side: Side) -> View | None:
    """Return the view of the side's players; None if they see states, as a user's seats may."""
    return getattr(side.seats, "view", None)


def _thought(moves: Mapping[int, Move], left: float | None) -> Thought | None:
    """Return what an agent reported of a move; None if nothing, or if several moved at once."""
    move = next(iter(moves.values()))
    if len(moves) != 1 or (move.value is None and not move.nodes and move.seconds is None):
        return None
    value = None if move.value is None else round(move.value, 4)
    seconds = None if move.seconds is None else round(move.seconds, 3)
    return Thought(value, move.nodes, move.depth, move.phase, seconds, left)
