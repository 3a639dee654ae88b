"""``phasezoo data solve``: exact play of a chess ending of up to four pieces."""

import io
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from rich.console import Console
from rich.table import Table

from phasezoo.apps.stores import refuse_existing
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.report import numbers
from phasezoo.runs.files import save_files
from phasezoo.specs import Argument, NonNegativeInt, PositiveInt
from phasezoo.zoo.boards.data import EndgameTable, ending_of, solve


@dataclass(frozen=True)
class SolveOptions:
    """Solve a chess ending of up to four pieces: who wins, in how many moves.

    Pawns promote into the endings of what they become. Repetitions and the fifty-move rule are left
    out. Four pieces take 20 to 60 seconds of one core and half a gigabyte.
    """

    ending: Annotated[str, Argument(positional=True)]
    """Pieces of both sides, White's first, such as krk, kqk, kpk, kbnk or kqkr."""
    out: Path | None = None
    """File of the table, .npz: plies[side to move, square of each piece], where a1 is 0 and h8 63,
    even numbers are lost, odd ones won, -1 drawn and -2 no position. Its entry pieces has their
    order: both kings first (none: the counts alone)."""
    starts: Path | None = None
    """File of random positions that White wins, a FEN a line, for --starts starts:FILE."""
    count: PositiveInt | None = None
    """Number of these positions (none: 1000)."""
    seed: NonNegativeInt = 0
    """They are drawn from it."""
    overwrite: bool = False
    """Replace files that exist."""

    def run(self) -> int:
        """Print the counts, and write the files."""
        pieces = ending_of(self.ending)
        if self.count is not None and self.starts is None:
            message = f"--count {self.count}: counts positions of --starts FILE; give it too"
            raise InvalidConfig(message)
        files = [file for file in (self.out, self.starts) if file is not None]
        refuse_existing(files, overwrite=self.overwrite)
        began = time.perf_counter()
        table = solve(pieces)
        seconds = time.perf_counter() - began
        written: dict[Path, str | bytes] = {}
        if self.out is not None:
            data = io.BytesIO()
            np.savez_compressed(data, pieces=np.array(table.pieces), plies=table.plies)
            written[self.out] = data.getvalue()
        if self.starts is not None:
            count = self.count or 1000
            fens = table.random_wins(count, self.seed)
            if len(fens) < count:
                message = (
                    f"--count {count}: White to move wins {len(fens):,} positions of "
                    f"{self.ending}, and nothing was written: ask for as many or fewer"
                )
                raise StoreError(message)
            written[self.starts] = "".join(f"{fen}\n" for fen in fens)
        save_files(written, StoreError)
        Console(file=sys.stdout).print(_view(table, f"{self.ending}, {seconds:.1f} s"))
        return 0


def _view(table: EndgameTable, title: str) -> Table:
    """Return positions and results by side to move."""
    view = Table(title=title, title_justify="left")
    for head in ("to move", "positions", "wins", "draws", "loses", "longest win, moves"):
        view.add_column(head)
    for side, name in enumerate(("White", "Black")):
        counts = table.count(side)
        shown = [sum(counts.values()), *counts.values(), table.longest(side)]
        view.add_row(name, *map(numbers.count, shown))
    return view
