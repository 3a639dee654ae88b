"""Playing what is scheduled, and what is written on the way."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from phasezoo.agents import Limit
from phasezoo.arena.concurrent_games import ConcurrentGames
from phasezoo.arena.conditions import Conditions
from phasezoo.arena.log import GameLog
from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.pgn import PgnFile
from phasezoo.arena.records import GameRecord, SideStats
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
        """Take in a finished game.

        Raises:
            InvalidConfig: The first games of a pairing, several as each player, are all the same.
        """
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


def play_games(
    players: Sequence[Any],
    conditions: Conditions,
    pairings: Sequence[tuple[int, int]],
    games: int,
    *,
    limit: Limit | Sequence[Limit | None] | None = None,
    names: Sequence[str] | None = None,
    pgn: Path | str | None = None,
    log: Path | str | None = None,
    completed: Sequence[GameRecord] = (),
    on_game: Callable[[GameRecord], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    test: SequentialTest | None = None,
) -> tuple[tuple[SideStats, ...], tuple[GameRecord, ...]]:
    """Play ``games`` games of each pairing, all of them side by side.

    Args:
        players: The agents.
        conditions: How games are played.
        pairings: Indices of the agents that are sides 0 and 1 of a match.
        games: Games of each pairing; a multiple of the number of players.
        limit: See :func:`phasezoo.arena.play_match`, as all that follow.
        names: One for each agent.
        pgn: Where games are written.
        log: Where they are written to be gone on from.
        completed: Games finished earlier.
        on_game: Called with each game.
        progress: Called with the number of finished games and of all.
        test: Ends the games of a single pairing of two players early.

    Returns:
        What each agent did, and the games by number.

    Raises:
        PhasezooError: See :func:`phasezoo.arena.play_match`.
    """
    function_or_none("on_game", on_game)
    function_or_none("progress", progress)
    finished_before: Any = completed
    if not isinstance(finished_before, Sequence):
        message = f"completed={shown(completed)}: expected a list of arena.GameRecord"
        raise InvalidConfig(message)
    handle = conditions.game
    schedule = Schedule(
        handle, conditions.suite, games, conditions.seed, conditions.openings_as, pairings
    )
    with contextlib.ExitStack() as stack:
        sides = make_sides(
            players,
            handle,
            stack,
            limit=limit,
            names=names,
            pool_rows=conditions.pool_rows,
            threads=conditions.threads,
        )
        book = None
        if log is not None:
            identity = conditions.identity() | {
                "games": games,
                "sides": [side.identity for side in sides],
            }
            if len(pairings) > 1:
                identity["pairings"] = [list(pairing) for pairing in pairings]
            book = GameLog(log, identity, seed=conditions.seed, config=conditions.settings())
            stack.enter_context(book)
            completed = [*completed, *book.games]
            for side, before in zip(sides, book.sides, strict=False):
                side.stats.add(before)
                side.before = before.counts
        done = schedule.checked(completed)
        called = [side.stats.name for side in sides]
        file = None
        if pgn is not None:
            file = stack.enter_context(PgnFile(pgn, called, handle.name, done))

        repeats = Repeats(handle) if schedule.has_one_start else None
        if repeats is not None:
            for record in done:
                repeats.add(record)
        made = [] if done else [each for each in (book, file) if each is not None]

        def finished(record: GameRecord) -> None:
            done.append(record)
            if test is not None:
                test.add([record])
            if book is not None:
                book.append(record, [side.up_to_date() for side in sides])
            if file is not None:
                file.append(record)
            if on_game is not None:
                on_game(record)
            if progress is not None:
                progress(len(done), len(schedule))
            if repeats is not None:
                try:
                    repeats.add(record)
                except InvalidConfig:
                    for each in made:  # there is nothing to go on from
                        each.discard()
                    raise

        playing = ConcurrentGames(
            handle,
            sides,
            concurrency=_concurrency(conditions.concurrency, sides),
            max_plies=conditions.max_plies,
            adjudication=conditions.adjudication,
            gate=conditions.gate,
            finished=finished,
            is_over=lambda: test is not None and test.is_decided,
        )
        if test is not None:
            test.add(done)
        if test is None or not test.is_decided:
            playing.play(schedule.games(skip={record.number for record in done}))
        if test is not None:
            done = test.counted(done)
        if file is not None:
            file.rewrite(done)
        worked = tuple(side.up_to_date() for side in sides)
    return worked, tuple(sorted(done, key=lambda record: record.number))


def _concurrency(given: int | None, sides: Sequence[Side]) -> int:
    """Games at once: one if a search is timed, because searches at once share the time."""
    if given is not None:
        return given
    timed = any(side.is_timed for side in sides)
    suiting = (getattr(side.pool, "concurrency", DEFAULT_CONCURRENCY) for side in sides)
    return 1 if timed else min(suiting)
