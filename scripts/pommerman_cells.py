"""Writes the order in which CPython walks a set of cells, which the original's boards depend on.

The original draws cells of a new board from ``set((row, column))`` without the diagonal. The order
of that set is the same in all CPythons from 3.8 on; the core keeps it as constants.

    python scripts/pommerman_cells.py > crates/phasezoo-core/src/games/pommerman/cells.rs
"""

from itertools import product

HEAD = """\
//! The order in which `CPython` walks the set of cells off the diagonal, for the boards of the
//! modes: new boards draw from it. Made by `scripts/pommerman_cells.py`.
"""


def order(size: int) -> list[int]:
    """Indices of the cells of a square board, without its diagonal, in the order of the set."""
    cells = {(row, column) for row, column in product(range(size), range(size)) if row != column}
    return [row * size + column for row, column in cells]


def main() -> None:
    """Print the file."""
    print(HEAD)
    for size in (8, 11):
        cells = order(size)
        print(f"/// Boards of {size} by {size}.")
        print(f"pub(super) const CELLS_{size}: [u8; {len(cells)}] = {cells};")
        print()


if __name__ == "__main__":
    main()
