"""The sweep from the first game to the report.

Every finished game is on disk, so a run that was stopped anywhere goes on with the games it lacks.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

from phasezoo import _core
from phasezoo.arena import stream
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.krk import estimates, report
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.measurements import (
    GameRow,
    PositionRow,
    Results,
    play_game,
    search_positions,
    settings_of,
    starts,
    tasks_of,
)
from phasezoo.experiments.study import StudyRun
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.runs import RowLog
from phasezoo.runs.files import how_to_continue

GAMES_FILE = "games.jsonl"
POSITIONS_FILE = "positions.jsonl"

T = TypeVar("T")
Row = TypeVar("Row", GameRow, PositionRow)


class KrkRun(StudyRun[KrkConfig, Results]):
    """Games of every cell, and what they say of the study's claims."""

    results = Results
    report = staticmethod(report.report)

    def work(self) -> Results:
        """Play the games that are missing, and summarise all of them."""
        self.console.heading("Games")
        with self.directory.stage("games"):
            log = self.path / GAMES_FILE
            rows = play_sweep(self.config, log, self.console, self.threads)
        judged = self._positions()
        with self.directory.stage("report"):
            found = estimates.summaries(rows, self.config)
            elsewhere = estimates.elsewhere(judged, self.config) if judged else None
        # The games' own seconds, because a run that was killed has not journalled all of its time.
        playing = sum(row.seconds for row in rows) / self.threads
        return Results(
            **self.head(),
            **found,
            elsewhere=elsewhere,
            seconds={
                "playing games": playing,
                "searching positions": sum(row.seconds for row in judged) / self.threads,
                **self.seconds({"resampling them": ["report"]}),
            },
        )

    def _positions(self) -> list[PositionRow]:
        """Moves in positions of another game, if the settings ask for them."""
        if not self.config.positions:
            return []
        self.console.heading("Positions of Connect Four")
        with self.directory.stage("positions"):
            log = self.path / POSITIONS_FILE
            return judge_positions(self.config, log, self.console, self.threads)


def play_sweep(
    config: KrkConfig, path: Path, console: Console, threads: int | None = None
) -> list[GameRow]:
    """Play every game that ``path`` does not hold yet, and return all of them in a fixed order.

    Games run in threads: the search works in native code, outside the interpreter's lock.
    """
    tasks = {(task.cell, task.number): task for task in tasks_of(config)}
    log = RowLog(path, GameRow)
    found = _known(log, tasks, lambda row: (row.cell, row.number), lambda key: tasks[key].seed)
    with console.task("Playing", len(tasks)) as bar:
        games, won, seconds = 0, 0, 0.0

        def show(row: GameRow) -> None:
            nonlocal games, won, seconds
            games, won, seconds = games + 1, won + row.won, seconds + row.seconds
            shown = f"{numbers.count(games)} games, {numbers.percent(won / games)} won"
            bar.update(games, f"{shown}, {seconds / games:.2f} s a game")

        for row in found.values():
            show(row)
        missing = [task for key, task in tasks.items() if key not in found]
        for row in _logged(log, missing, lambda task: play_game(task, config), threads):
            found[row.cell, row.number] = row
            show(row)
    return [found[key] for key in tasks]


def judge_positions(
    config: KrkConfig, path: Path, console: Console, threads: int
) -> list[PositionRow]:
    """Search every position with every setting that ``path`` does not hold yet."""
    asked, wanted = starts(config), list(settings_of(config))
    log = RowLog(path, PositionRow)
    seed = stream(config.seed, "krk", "searches")
    found = _known(log, wanted, lambda row: row.setting, lambda _: seed)
    for number, row in enumerate(log.rows, start=1):
        if len(row.lost) != len(asked.states):
            raise _refusal(log, number)
    _ = asked.worths  # worked out before threads ask for them
    missing = [setting for setting in wanted if setting not in found]
    with console.task("Searching", len(wanted)) as bar:
        bar.update(len(found), "")
        for row in _logged(
            log, missing, lambda setting: search_positions(config, asked, setting, seed), threads
        ):
            found[row.setting] = row
            bar.update(len(found), f"{numbers.decimal(row.seconds, 1)} s a setting")
    return [found[setting] for setting in wanted]


def _known(
    log: RowLog[Row],
    wanted: Collection[Any],
    key_of: Callable[[Row], Any],
    seed_of: Callable[[Any], int],
) -> dict[Any, Row]:
    """Return the rows of a log by their keys; refuse those that are not of this run."""
    found: dict[Any, Row] = {}
    own = [key_of(row) in wanted and seed_of(key_of(row)) == row.seed for row in log.rows]
    if own and not any(own):
        message = (
            f"{log.path}: is of another run than config.json beside it; put the right one of the "
            "two back, or start a new run with --out"
        )
        raise RunDirectoryError(message)
    for number, row in enumerate(log.rows, start=1):
        key = key_of(row)
        if not own[number - 1] or key in found:
            raise _refusal(log, number)
        found[key] = row
    return found


def _refusal(log: RowLog[Any], number: int) -> RunDirectoryError:
    return RunDirectoryError(
        f"{log.path}: line {number} is of another run, or is there twice; remove that line, then "
        f"{how_to_continue(log.path.parent)}"
    )


def _logged(
    log: RowLog[Row], missing: Iterable[T], make: Callable[[T], Row], threads: int | None
) -> Iterator[Row]:
    """Make rows in threads, and yield each as soon as it is on disk."""
    workers = threads or _core.default_threads()
    left = deque(missing)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="krk")
    running: set[Future[Row]] = set()
    try:
        while left or running:
            # Few rows ahead, so that Ctrl-C waits only for those that are being made.
            while left and len(running) < workers + 1:
                running.add(pool.submit(make, left.popleft()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                log.append(future.result())
                yield log.rows[-1]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
