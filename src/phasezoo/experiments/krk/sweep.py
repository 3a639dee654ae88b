"""The sweep: games of all cells on all cores, each written down as soon as it ends."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeAlias

from phasezoo import _core
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.krk.cells import Cell, Task, tasks_of
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.play import GameRow, play_game
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.runs import RowLog

__all__ = ["Play", "play_sweep"]

Play: TypeAlias = Callable[[Task, KrkConfig], GameRow]


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
    workers = threads or _core.default_threads()
    tasks = list(tasks_of(config))
    log = RowLog(path, GameRow)
    finished = _finished(tasks, log)
    with console.task("Playing", len(tasks)) as bar:
        tally = _Tally(log.rows)
        bar.update(tally.games, str(tally))
        missing = deque(t for t in tasks if (t.cell, t.number) not in finished)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="krk")
        running: set[Future[GameRow]] = set()
        try:
            while missing or running:
                # Few games ahead, so that Ctrl-C waits only for those that are being played.
                while missing and len(running) < workers + 1:
                    running.add(pool.submit(play, missing.popleft(), config))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    log.append(future.result())
                    tally.add(log.rows[-1])
                bar.update(tally.games, str(tally))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    order = {(task.cell, task.number): place for place, task in enumerate(tasks)}
    return sorted(log.rows, key=lambda row: order[row.cell, row.number])


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
