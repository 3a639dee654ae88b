"""The games of a match or tournament while they are played."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from phasezoo._progress import Lines, shows_bars
from phasezoo.arena import GameRecord

if TYPE_CHECKING:
    from rich.table import Table

Watched = tuple[Callable[[GameRecord], None], Callable[[int, int], None]]
"""Callbacks of :func:`phasezoo.arena.tournament`: ``on_game`` and ``progress``."""


class _Scores:
    """Score of each player so far."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._counts = [[0, 0, 0] for _ in names]
        self.last = ""

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        for player, score in zip(record.pairing, (record.score, 1 - record.score), strict=True):
            self._counts[player][0 if score > 0.5 else 1 if score == 0.5 else 2] += 1
        self.last = f"game {record.number + 1}: {record.result} ({record.reason})"

    def table(self) -> "Table":
        """The players, the one with the best score first."""
        from rich.table import Table

        table = Table("player", "games", "won", "drawn", "lost", "score", caption=self.last)
        for column in table.columns[1:]:
            column.justify = "right"
        rows = sorted(zip(self._names, self._counts, strict=True), key=lambda row: -_share(row[1]))
        for name, counts in rows:
            table.add_row(name, str(sum(counts)), *map(str, counts), f"{_share(counts):.1%}")
        return table


def _share(counts: Sequence[int]) -> float:
    return (counts[0] + counts[1] / 2) / max(sum(counts), 1)


@contextmanager
def watching(file: IO[str], names: Sequence[str], *, by_hand: bool = False) -> Iterator[Watched]:
    """A table of the players and a bar, for as long as games are played.

    Games that a run is gone on from are in the bar, not in the table.

    Args:
        file: Where it is shown; a file that is no terminal gets a line a minute.
        names: The players.
        by_hand: Whether a person plays in this terminal: each game then has a line at its end.
    """
    from rich import progress as rich
    from rich.console import Console, Group
    from rich.live import Live

    columns = (rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeRemainingColumn())
    console = Console(file=file)
    bar = rich.Progress(*columns, console=console)
    task = bar.add_task("", total=None)
    scores = _Scores(names)
    live = Live(console=console, transient=True)
    lines = Lines(lambda line: print(line, file=file, flush=True))

    def add(record: GameRecord) -> None:
        scores.add(record)
        if by_hand:
            points = zip(record.pairing, (record.score, 1 - record.score), strict=True)
            scored = ", ".join(f"{names[player]} {score:g}" for player, score in points)
            print(f"{scores.last}: {scored}\n", file=file, flush=True)

    def progress(done: int, games: int) -> None:
        if by_hand:
            return
        bar.update(task, completed=done, total=games)
        if not shows_bars(file):
            lines.update("Games", done, games, scores.last)
            return
        live.update(Group(scores.table(), bar))
        live.start()  # not before: what is refused shows nothing

    try:
        yield add, progress
    finally:
        live.stop()
