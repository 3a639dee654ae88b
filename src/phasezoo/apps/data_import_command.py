"""``phasezoo data import``: PGN files to stores."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from phasezoo import _core, games
from phasezoo._interrupt import saying
from phasezoo._progress import bar
from phasezoo.data.pgn_filter import PgnFilter
from phasezoo.errors import InvalidConfig, InvalidPgn
from phasezoo.specs import Argument, PositiveUInt16, UInt32

if TYPE_CHECKING:
    from phasezoo.data.import_target import MonthSplit
    from phasezoo.data.importer import ImportReport

Months = Annotated[tuple[str, ...], Argument(metavar="YYYY-MM ...", pattern=r"\d{4}-\d\d")]


@dataclass(frozen=True, kw_only=True)
class ImportOptions(PgnFilter):
    """Read PGN files (.pgn, .gz, .bz2, .xz, .zst, .zip, .tar) and write their games to a store.

    The last path is the store; all before it are PGN files. If they hold several games, such as
    chess and atomic, it becomes a folder with a store for each. Games that cannot be used are
    skipped, counted and named with their lines.
    """

    common: ClassVar[tuple[str, ...]] = (
        "game",
        "min_rating",
        "min_plies",
        "from",
        "to",
        "split_by",
        "validation",
        "test",
        "overwrite",
        "threads",
    )

    paths: Annotated[tuple[Path, ...], Argument(positional=True, metavar="PATH ...")] = ()
    """PGN files, then the store to write: a folder, or a file that ends in .parquet."""
    game: str | None = None
    """The only game to read: chess, chess960, atomic, crazyhouse (none: every one that is found;
    chess if the store is one file)."""
    from_month: Annotated[str | None, Argument(name="from", metavar="YYYY-MM")] = None
    """Skip games before this month, and those that may be."""
    to_month: Annotated[str | None, Argument(name="to", metavar="YYYY-MM")] = None
    """Skip games after this month, and those that may be."""
    split_by: Literal["month"] | None = None
    """Write a folder of several stores: validation, test and train (the other months) if months are
    named for them, else one for each month."""
    validation: Months = ()
    """Months of the validation store; --validation may be given several times."""
    test: Months = ()
    """Months of the test store; --test may be given several times."""
    overwrite: bool = False
    """Replace the store if it exists."""
    show: UInt32 = 20
    """Skipped games to name."""
    threads: PositiveUInt16 | None = None
    """Threads (none: every usable core)."""

    def run(self) -> int:
        """Read the files and say what was kept and skipped."""
        if len(self.paths) < 2:
            given = f"{self.paths[0]} alone" if self.paths else "neither"
            first = shlex.quote(str(self.paths[0])) if self.paths else "games.pgn"
            message = (
                f"data import: {given} was given; expected are PGN files and, last, the store to "
                f"write, a new folder or a .parquet file, as in phasezoo data import {first} store"
            )
            raise InvalidConfig(message)
        if self.game is not None:
            games.make(self.game)  # names a near miss
        from phasezoo.data.importer import import_pgn

        *sources, target = self.paths
        before = _identity(target)

        def stopped() -> str:
            is_same = _identity(target) == before
            if not is_same:
                return f"Stopped. {target} was written whole."
            kept = f"{target} is as it was" if before else f"nothing was written to {target}"
            return f"Stopped, and {kept}. The same command begins anew."

        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with saying(stopped), bar(sys.stderr, *columns, transient=True) as update:

            def tell(text_bytes: int, games: int) -> None:
                update(description=f"{games:,} games, {text_bytes / 1e6:,.0f} MB of text")

            filters: dict[str, Any] = {
                option.name: getattr(self, option.name) for option in fields(PgnFilter)
            }
            try:
                report = import_pgn(
                    sources,
                    target,
                    self.game,
                    split=self._split(),
                    overwrite=self.overwrite,
                    max_named=self.show,
                    threads=self.threads,
                    progress=tell,
                    **filters,
                )
            except InvalidPgn as error:
                missing = next((source for source in sources if not source.exists()), None)
                if missing is None:
                    raise
                message = (
                    f"{missing}: no such file; give a PGN file, as it is or compressed (.pgn.zst), "
                    "or fetch one with phasezoo data fetch"
                )
                raise InvalidPgn(message) from error
        sys.stdout.write(report_text(report) + "\n")
        return 0

    def _split(self) -> "MonthSplit | None":
        if self.split_by is None:
            if self.validation or self.test:
                message = "--validation and --test name months: give --split-by month with them"
                raise InvalidConfig(message)
            return None
        from phasezoo.data.import_target import MonthSplit

        return MonthSplit(self.validation, self.test)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return a file's identity, which changes if another takes its place; None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _kept_of(damage: str) -> str:
    """How far the games of a damaged file can be trusted."""
    if "checksum" in damage.lower():  # of the whole text: nobody knows which bytes are wrong
        return "its checksum is wrong: any of its games may be altered; the readable ones were kept"
    return "the games before that were kept"


def report_text(report: "ImportReport") -> str:
    """Return what an import kept and skipped, in lines."""
    # Games that the options leave out are counted, and not named.
    unwanted = {*_core.PGN_REASONS_OF_CHOICE, "another variant"}
    named = [each for each in report.named if each.reason not in unwanted]
    lines = [*map(str, named)]
    skipped = sum(report.skipped.values())
    faulty = sum(count for reason, count in report.skipped.items() if reason not in unwanted)
    if faulty > len(named) > 0:
        lines.append(f"… and {faulty - len(named):,} more")
    lines += [f"{damage}; {_kept_of(damage)}" for damage in report.damaged]
    lines += report.notes
    if len(report.variants) > 1:
        lines += [
            f"{name}: {count.games:,} games, {count.kept:,} kept{_reasons(count.skipped)}"
            for name, count in report.variants.items()
        ]
    if skipped:
        reasons = _reasons(report.skipped).removeprefix(": ")
        lines.append(f"skipped {skipped:,} of {report.games:,} games: {reasons}")
    lines += [
        f"the best players of {name}: {top.best:,} of {top.players:,}, with a mean rating of "
        f"{top.rating:,.0f} or more"
        for name, top in report.top_players.items()
    ]
    if report.salvaged:
        lines.append(
            f"{report.salvaged:,} of the games kept were salvaged: they end before a fault"
        )
    speed = report.games / report.seconds if report.seconds > 0 else 0.0
    places = list(report.stores)
    if len(places) > 1:
        lines += [f"{games:,} games in {place}" for place, games in report.stores.items()]
    where = places[0] if len(places) == 1 else f"{len(places)} stores"
    lines.append(
        f"{report.kept:,} games with {report.positions:,} positions in {where} "
        f"({report.seconds:.1f} s, {speed:,.0f} games a second)"
    )
    return "\n".join(lines)


def _reasons(skipped: Mapping[str, int]) -> str:
    if not skipped:
        return ""
    return ": " + ", ".join(f"{count:,} {reason}" for reason, count in skipped.items())
