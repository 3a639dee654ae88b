"""Playing what is scheduled, and what is written on the way."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from phasezoo.agents import Limit
from phasezoo.arena.concurrent_games import ConcurrentGames, Scheduled
from phasezoo.arena.conditions import Conditions
from phasezoo.arena.log import GameLog
from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.pgn import PgnFile
from phasezoo.arena.records import GameRecord, SideStats, Work
from phasezoo.arena.schedule import Schedule
from phasezoo.arena.sides import Side, make_sides
from phasezoo.arena.stopping import SequentialTest
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.games.options import function_or_none

ENOUGH, ENOUGH_OF_SHORT, SHORT = 3, 6, 10
"""Groups of games without a difference after which none is expected, those of games with fewer
plies than the last: agents that draw their moves may play such games alike by chance."""


class Repeats:
    """Watches matches whose games all have the same start.

    Agents without randomness then play one game over and over; its pairs would count as several,
    and the interval would be one of width nearly zero about nothing.

    Args:
        game: What is played.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._group_size = game.num_players
        self._games: dict[tuple[int, int], list[GameRecord]] = {}

    def add(self, record: GameRecord) -> None:
        """Take in a finished game."""
        games = self._games.setdefault(record.pairing, [])
        if len(games) >= ENOUGH_OF_SHORT * self._group_size:
            return
        games.append(record)
        is_short = max(len(game.moves) for game in games) < SHORT
        if len(games) < (ENOUGH_OF_SHORT if is_short else ENOUGH) * self._group_size:
            return
        different = {(game.sides, game.moves) for game in games}
        if len(different) <= self._group_size:
            message = (
                f"the first {len(games)} games from the only opening differ by player alone: these "
                f"agents play without randomness; give openings, such as {self._openings()}, "
                f"another seed if an agent draws its moves, or play {self._group_size} games"
            )
            raise InvalidConfig(message)

    def _openings(self) -> str:
        """Return the kinds of openings that could be given, for an error."""
        suites = OpeningSuite.names(self._game.name)
        named = f"the suite {' or '.join(map(repr, suites))}, " if suites else ""
        return f"{named}random:2, a file or a list of moves"


DEFAULT_CONCURRENCY = 64
"""Games at once, and so about the rows of a call of one network: more cost little less a row."""


@dataclass(frozen=True)
class Plan:
    """A match, or a tournament, to be played; fields are as for :func:`arena.play_match`."""

    players: Sequence[Any]
    """The agents."""
    conditions: Conditions
    """How games are played."""
    pairings: Sequence[tuple[int, int]]
    """Indices of the agents that are sides 0 and 1 of a match."""
    games: int
    """Games of each pairing; a multiple of the number of players."""
    limit: Limit | Sequence[Limit | None] | None = None
    names: Sequence[str] | None = None
    pgn: Path | str | None = None
    log: Path | str | None = None
    completed: Sequence[GameRecord] = ()
    on_game: Callable[[GameRecord], None] | None = None
    progress: Callable[[int, int], None] | None = None
    test: SequentialTest | None = None
    """Ends the games of a single pairing of two players early."""

    def __post_init__(self) -> None:
        function_or_none("on_game", self.on_game)
        function_or_none("progress", self.progress)
        finished_before: Any = self.completed
        if not isinstance(finished_before, Sequence):
            message = f"completed={shown(self.completed)}: expected a list of arena.GameRecord"
            raise InvalidConfig(message)


Played: TypeAlias = tuple[tuple[SideStats, ...], tuple[GameRecord, ...]]
"""Work of each agent, and the games by number."""


class _Playing:
    """A plan that is being carried out.

    Args:
        plan: The plan.
        stack: Ends pools, and closes files.
        others: Sides of those that are played beside.
    """

    def __init__(self, plan: Plan, stack: contextlib.ExitStack, others: Sequence[Side]) -> None:
        conditions = plan.conditions
        handle = conditions.game
        self._plan = plan
        self._first = len(others)
        self._schedule = Schedule(
            handle,
            conditions.suite,
            plan.games,
            conditions.seed,
            conditions.openings_as,
            plan.pairings,
            conditions.max_plies,
        )
        self.sides = make_sides(
            plan.players,
            handle,
            stack,
            limit=plan.limit,
            names=plan.names,
            pool_rows=conditions.pool_rows,
            threads=conditions.threads,
            others=others,
        )
        completed = plan.completed
        self._worked: Sequence[Work] = [Work()] * len(self.sides)
        self._own: dict[int, list[Work]] = {}
        self._book = None
        if plan.log is not None:
            identity = conditions.identity() | {
                "games": plan.games,
                "sides": [side.identity for side in self.sides],
            }
            if len(plan.pairings) > 1:
                identity["pairings"] = [list(pairing) for pairing in plan.pairings]
            book = GameLog(plan.log, identity, seed=conditions.seed, config=conditions.settings())
            self._book = stack.enter_context(book)
            completed = [*completed, *book.games]
            for side, before in zip(self.sides, book.sides, strict=False):
                side.stats.add(before)
                side.before = before.counts
            for record, works in zip(book.games, book.works, strict=True):
                self._note_work(record.number, works)
        self._done = self._schedule.checked(completed)
        self._file = None
        if plan.pgn is not None:
            called = [side.stats.name for side in self.sides]
            self._file = stack.enter_context(PgnFile(plan.pgn, called, handle.name, self._done))
        self._repeats = Repeats(handle) if self._schedule.has_one_start else None
        if self._repeats is not None:
            for record in self._done:
                self._repeats.add(record)
        files = (self._book, self._file)
        self._made = [] if self._done else [each for each in files if each is not None]
        if plan.test is not None:
            plan.test.add(self._done)

    @property
    def is_decided(self) -> bool:
        """Whether its test has ended it."""
        return self._plan.test is not None and self._plan.test.is_decided

    def games(self) -> Iterator[Scheduled]:
        """Yield the games that are still to be played."""
        if not self.is_decided:
            for game in self._schedule.games(skip={record.number for record in self._done}):
                yield replace(game, first=self._first)

    def finished(self, record: GameRecord) -> None:
        """Take in a game that has ended."""
        plan, done = self._plan, self._done
        done.append(record)
        self._note_work(record.number, [side.stats.work for side in self.sides])
        if plan.test is not None:
            plan.test.add([record])
        if self._book is not None:
            self._book.append(record, [side.up_to_date() for side in self.sides])
        if self._file is not None:
            self._file.append(record)
        if plan.on_game is not None:
            plan.on_game(record)
        if plan.progress is not None:
            plan.progress(len(done), len(self._schedule))
        if self._repeats is not None:
            try:
                self._repeats.add(record)
            except InvalidConfig:
                for each in self._made:  # there is nothing to go on from
                    each.discard()
                raise

    def played(self) -> Played:
        """Return what came out."""
        done = self._done
        if self._plan.test is not None:
            done = self._plan.test.counted(done)
        if self._file is not None:
            self._file.rewrite(done)
        worked = [side.up_to_date() for side in self.sides]
        if len(done) < len(self._done):
            worked = [self._part(place, stats, done) for place, stats in enumerate(worked)]
        return tuple(worked), tuple(sorted(done, key=lambda record: record.number))

    def _note_work(self, number: int, works: Sequence[Work]) -> None:
        """Note the work of every side in a game, from that in all games until now."""
        both = zip(works, self._worked, strict=True)
        self._own[number] = [now.less(before) for now, before in both]
        self._worked = works

    def _part(self, place: int, stats: SideStats, games: Sequence[GameRecord]) -> SideStats:
        """Return a side's work in some of the games, those that were given as completed aside."""
        own = Work()
        for record in games:
            if record.number in self._own:
                own = own.plus(self._own[record.number][place])
        share = own.nodes / stats.nodes if stats.nodes else own.moves / max(stats.moves, 1)
        return replace(stats, **own._asdict(), counts=stats.counts.part(share))


def play_plans(plans: Sequence[Plan]) -> list[Played]:
    """Play matches of one game side by side, each as if alone.

    An agent that plays in several, the same object each time, searches for all of them in one pool,
    so that its network is asked about more positions at once. Games at once, cuts and adjudication
    are those of the first plan's conditions.
    """
    conditions = plans[0].conditions
    with contextlib.ExitStack() as stack:
        sides: list[Side] = []
        matches: dict[int, _Playing] = {}
        for plan in plans:
            first = len(sides)
            matches[first] = _Playing(plan, stack, sides)
            sides += matches[first].sides
        playing = ConcurrentGames(
            conditions.game,
            sides,
            concurrency=_concurrency(conditions.concurrency, sides),
            max_plies=conditions.max_plies,
            adjudication=conditions.adjudication,
            gate=conditions.gate,
            finished=lambda game, record: matches[game.first].finished(record),
            is_over=lambda: all(match.is_decided for match in matches.values()),
        )
        playing.play(game for match in matches.values() for game in match.games())
        return [match.played() for match in matches.values()]


def _concurrency(given: int | None, sides: Sequence[Side]) -> int:
    """Games at once: one if a search is timed, because searches at once share the time."""
    if given is not None:
        return given
    timed = any(side.is_timed for side in sides)
    suiting = (getattr(side.pool, "concurrency", DEFAULT_CONCURRENCY) for side in sides)
    return 1 if timed else min(suiting)
