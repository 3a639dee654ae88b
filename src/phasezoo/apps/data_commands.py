"""``phasezoo data import`` and ``phasezoo data phases``: games on disk."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from phasezoo.apps.options import check_threads
from phasezoo.errors import InvalidConfig

if TYPE_CHECKING:
    from phasezoo.training.importer import ImportReport
    from phasezoo.training.positions import PhaseTable

__all__ = ["ImportOptions", "PhasesOptions", "phase_table_view"]


@dataclass(frozen=True)
class ImportOptions:
    """Read PGN files (.pgn, .gz, .bz2, .zst) and write their games to a store.

    The last path is the store; all before it are PGN files. Games that cannot be used are skipped,
    counted and named with their lines.
    """

    paths: tyro.conf.Positional[tuple[Path, ...]]
    """PGN files, then the Parquet file to write."""
    game: str = "chess"
    """The game they hold."""
    min_plies: int = 0
    """Skip games with fewer plies."""
    min_rating: int | None = None
    """Skip games in which a player has a lower rating, or none."""
    deduplicate: bool = False
    """Keep only the first of games with the same start and moves."""
    overwrite: bool = False
    """Replace the store if it exists."""
    show: int = 20
    """Skipped games to name (0 or more)."""
    threads: int | None = None
    """Threads (1 or more; none: every usable core)."""

    def run(self) -> int:
        """Read the files and say what was kept and skipped.

        Raises:
            InvalidConfig: An option is wrong.
            InvalidPgn: A file cannot be read, or no game in it can be used.
            StoreError: The store exists or cannot be written.
        """
        check_threads(self.threads)
        if len(self.paths) < 2:
            message = (
                "data import needs PGN files and the store to write: "
                "phasezoo data import GAMES.pgn.zst GAMES.parquet"
            )
            raise InvalidConfig(message)
        from phasezoo.training.importer import import_pgn

        *sources, target = self.paths
        console = Console(file=sys.stderr)
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        quiet = not console.is_terminal
        with Progress(*columns, console=console, transient=True, disable=quiet) as bar:
            task = bar.add_task("reading", total=None)

            def tell(text_bytes: int, games: int) -> None:
                bar.update(task, description=f"{games:,} games, {text_bytes / 1e6:,.0f} MB of text")

            report = import_pgn(
                sources,
                target,
                self.game,
                overwrite=self.overwrite,
                min_plies=self.min_plies,
                min_rating=self.min_rating,
                deduplicate=self.deduplicate,
                max_named=self.show,
                threads=self.threads,
                progress=tell,
            )
        _print_report(report, target)
        return 0


@dataclass(frozen=True)
class PhasesOptions:
    """Print games and positions per phase of a games store."""

    store: Annotated[tyro.conf.Positional[Path | None], tyro.conf.arg(metavar="STORE")] = None
    """Parquet file; none: the sample games in the package."""
    gate: str = "lichess"
    """Gate, such as lichess, lichess:engine, moves:3, material, mixedness, hash:3."""
    monotone: bool = False
    """Never go back to an earlier phase."""
    seed: int = 0
    """Chooses the split into train, validation and test."""
    threads: int | None = None
    """Threads (1 or more; none: every usable core)."""

    def run(self) -> int:
        """Print the table.

        Raises:
            InvalidConfig: An option is wrong.
            InvalidGate: The gate is none, or does not fit the game.
            StoreError: The store cannot be read.
        """
        check_threads(self.threads)
        from phasezoo import gating
        from phasezoo.training.store import GameStore

        gate = gating.make(self.gate, monotone=self.monotone)
        store = GameStore.sample() if self.store is None else GameStore.open(self.store)
        table = store.phase_table(gate, seed=self.seed, threads=self.threads)
        name = "the sample games" if self.store is None else str(self.store)
        Console(file=sys.stdout).print(phase_table_view(table, f"{name}, gate {table.gate}"))
        return 0


def _print_report(report: "ImportReport", target: Path) -> None:
    lines = [*map(str, report.named)]
    skipped = sum(report.skipped.values())
    if skipped > len(report.named) > 0:
        lines.append(f"… and {skipped - len(report.named):,} more")
    lines += [f"{damage}; the games before that were kept" for damage in report.damaged]
    if skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in report.skipped.items())
        lines.append(f"skipped {skipped:,} of {report.games:,} games: {reasons}")
    speed = report.games / report.seconds if report.seconds > 0 else 0.0
    lines.append(
        f"{report.kept:,} games with {report.positions:,} positions in {target} "
        f"({report.seconds:.1f} s, {speed:,.0f} games a second)"
    )
    sys.stdout.write("\n".join(lines) + "\n")


def phase_table_view(table: "PhaseTable", title: str) -> Table:
    """The dataset table as rich prints it: per phase and split positions, and below them games."""
    view = Table(title=title, title_justify="left", caption="positions, below them games")
    view.add_column("phase")
    for split in (*table.splits, "share"):
        view.add_column(split, justify="right")
    phases = table.names if table.names == ("all",) else (*table.names, "all")
    total = table.count("all", "all").positions
    for phase in phases:
        if phase == "all":
            view.add_section()
        counts = [table.count(split, phase) for split in table.splits]
        share = counts[-1].positions / total if total else 0.0
        cells = [f"{count.positions:,}\n[dim]{count.games:,}[/]" for count in counts]
        view.add_row(phase, *cells, f"{share:.1%}", style="bold" if phase == "all" else "")
    return view
