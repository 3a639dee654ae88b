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
from phasezoo.errors import StoreError
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
    even numbers are lost, odd ones won, -1 drawn and -2 no position (none: the counts alone)."""
    starts: Path | None = None
    """File of random positions that White wins, a FEN a line, for --starts starts:FILE."""
    count: PositiveInt = 1000
    """Number of these positions."""
    seed: NonNegativeInt = 0
    """They are drawn from it."""
    overwrite: bool = False
    """Replace files that exist."""

    def run(self) -> int:
        """Print the counts, and write the files.

        Raises:
            InvalidConfig: There is no such ending.
            StoreError: A file exists or cannot be written.
        """
        pieces = ending_of(self.ending)
        files = [file for file in (self.out, self.starts) if file is not None]
        refuse_existing(files, overwrite=self.overwrite)
        for file in files:
            if not file.parent.is_dir():
                message = f"{file}: no such folder, {file.parent}; make it first"
                raise StoreError(message)
        began = time.perf_counter()
        table = solve(pieces)
        seconds = time.perf_counter() - began
        if self.out is not None:
            data = io.BytesIO()
            np.savez_compressed(data, pieces=np.array(table.pieces), plies=table.plies)
            save_files({self.out: data.getvalue()}, StoreError)
        if self.starts is not None:
            fens = table.random_wins(self.count, self.seed)
            save_files({self.starts: "".join(f"{fen}\n" for fen in fens)}, StoreError)
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
