"""The sweep from the first game to the report.

Every finished game is on disk, so a run that was stopped anywhere goes on with the games it lacks.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from phasezoo import _core
from phasezoo.arena import stream
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.krk import estimates, report
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.measurements import (
    Cell,
    GameRow,
    PositionRow,
    Results,
    Task,
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

GAMES_FILE = "games.jsonl"
POSITIONS_FILE = "positions.jsonl"

Play: TypeAlias = Callable[[Task, KrkConfig], GameRow]

T = TypeVar("T")
Row = TypeVar("Row")


class KrkRun(StudyRun[KrkConfig, Results]):
    """Games of every cell, and what they say of the study's claims.

    Args:
        *attempt: See :class:`~phasezoo.experiments.study.StudyRun`.
        play: Plays one game.
    """

    results = Results
    report = staticmethod(report.report)

    def __init__(self, *attempt: Any, play: Play = play_game) -> None:
        super().__init__(*attempt)
        self._play = play

    def work(self) -> Results:
        """Play the games that are missing, and summarise all of them."""
        self.console.heading("Games")
        with self.directory.stage("games"):
            log = self.path / GAMES_FILE
            rows = play_sweep(self.config, log, self.console, self._play, self.threads)
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
                "resampling them": self.seconds(["report"]),
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
    config: KrkConfig,
    path: Path,
    console: Console,
    play: Play = play_game,
    threads: int | None = None,
) -> list[GameRow]:
    """Play every game that ``path`` does not hold yet, and return all of them in a fixed order.

    Games run in threads: the search works in native code, outside the interpreter's lock.

    Args:
        config: The settings.
        path: The log of finished games.
        console: Where progress is shown.
        play: Plays one game.
        threads: Games that are played at the same time; default
            :func:`phasezoo._core.default_threads`.

    Raises:
        RunDirectoryError: The log is of other games, is damaged, or cannot be written.
    """
    tasks = list(tasks_of(config))
    log = RowLog(path, GameRow)
    finished = _finished(tasks, log)
    missing = [task for task in tasks if (task.cell, task.number) not in finished]
    with console.task("Playing", len(tasks)) as bar:
        tally = _Tally(log.rows)
        bar.update(tally.games, str(tally))
        for row in _logged(log, missing, lambda task: play(task, config), threads):
            tally.add(row)
            bar.update(tally.games, str(tally))
    order = {(task.cell, task.number): place for place, task in enumerate(tasks)}
    return sorted(log.rows, key=lambda row: order[row.cell, row.number])


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


def _finished(tasks: list[Task], log: RowLog[GameRow]) -> set[tuple[Cell, int]]:
    seeds = {(task.cell, task.number): task.seed for task in tasks}
    finished: set[tuple[Cell, int]] = set()
    for row in log.rows:
        key = (row.cell, row.number)
        if seeds.get(key) != row.seed or key in finished:
            message = (
                f"{log.path}: game {row.number} of {row.cell} is not of this run, or is there "
                "twice; choose another --out"
            )
            raise RunDirectoryError(message)
        finished.add(key)
    return finished


class _Tally:
    """The running score, counted once a game."""

    def __init__(self, rows: list[GameRow]) -> None:
        self.games, self.won, self.seconds = 0, 0, 0.0
        for row in rows:
            self.add(row)

    def add(self, row: GameRow) -> None:
        self.games += 1
        self.won += row.won
        self.seconds += row.seconds

    def __str__(self) -> str:
        if not self.games:
            return ""
        return (
            f"{numbers.count(self.games)} games, {numbers.percent(self.won / self.games)} won, "
            f"{self.seconds / self.games:.2f} s a game"
        )


def judge_positions(
    config: KrkConfig, path: Path, console: Console, threads: int
) -> list[PositionRow]:
    """Search every position with every setting that ``path`` does not hold yet.

    Args:
        config: The settings of the run.
        path: The log of finished settings.
        console: Where progress is shown.
        threads: Settings that are searched at the same time.

    Returns:
        A row for each setting, in order.

    Raises:
        RunDirectoryError: The log is of another run, is damaged, or cannot be written.
    """
    asked, wanted = starts(config), list(settings_of(config))
    log = RowLog(path, PositionRow)
    known = {row.setting: row for row in log.rows}
    seed = stream(config.seed, "krk", "searches")
    is_own = all(r.seed == seed and len(r.lost) == len(asked.states) for r in log.rows)
    if not is_own or len(known) < len(log.rows) or not known.keys() <= set(wanted):
        message = f"{path}: not of this run, or a setting is there twice; choose another --out"
        raise RunDirectoryError(message)
    _ = asked.worths  # worked out before threads ask for them
    missing = [setting for setting in wanted if setting not in known]
    with console.task("Searching", len(wanted)) as bar:
        bar.update(len(known), "")
        for row in _logged(
            log, missing, lambda setting: search_positions(config, asked, setting, seed), threads
        ):
            known[row.setting] = row
            bar.update(len(known), f"{numbers.decimal(row.seconds, 1)} s a setting")
    return [known[setting] for setting in wanted]
