"""Simulate how often 95 % intervals over trainings hold the true mean of crossed pairings.

``python scripts/compare_training_intervals.py --tables 40000`` prints the tables of
``docs/definitions/statistics.md``. The grid is that of the tests.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.crossed_trainings import crossed_half_width, mean_squares
from phasezoo.arena.statistics.intervals import t95

Array = npt.NDArray[np.float64]
Effects = Callable[[np.random.Generator, tuple[int, ...]], Array]
HalfWidth = Callable[[Array, Array, Array, tuple[int, int]], Array]

SIDES = ((2, 2), (2, 3), (2, 4), (2, 8), (3, 3), (3, 5), (3, 8), (4, 4), (4, 8), (6, 8), (8, 8))
"""Trainings of the first and of the second side."""
SPREADS = ((1.0, 1.0), (1.0, 3.0), (3.0, 1.0))
"""Standard deviations of the trainings of either side."""
PAIRING_SPREADS = (0.0, 0.3, 1.0, 3.0)
"""Standard deviations of a pairing, games included, in means of those of the trainings."""


def skewed(shape: float, sign: int = 1) -> Effects:
    """Effects with the skewness 2 / sqrt(shape), gamma distributed."""

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return np.asarray(sign * (rng.gamma(shape, size=size) - shape) / math.sqrt(shape))

    return draw


def failing(sign: int = 1) -> Effects:
    """Effects of which one in ten is four deviations of the others lower."""

    def draw(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        lower = 4.0 * (rng.random(size) < 0.1)
        return np.asarray(sign * (rng.standard_normal(size) - lower + 0.4) / math.sqrt(2.44))

    return draw


def normal(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
    """Effects without skewness."""
    return rng.standard_normal(size)


def heavy(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
    """Effects with heavy tails: Student's t with five degrees of freedom."""
    return rng.standard_t(5, size) / math.sqrt(5 / 3)


# A strong training of the second side lowers the score: effects of one kind have opposite signs.
EFFECTS: dict[str, tuple[Effects, Effects]] = {
    "normal": (normal, normal),
    "heavy tails (Student's t, 5)": (heavy, heavy),
    "one training in ten fails": (failing(), failing(-1)),
    "skewness 1": (skewed(4), skewed(4, -1)),
    "skewness 1.4": (skewed(2), skewed(2, -1)),
    "skewness 1.4, first side only": (skewed(2), normal),
    "skewness 1.4, both sides one way": (skewed(2), skewed(2)),
    "skewness 2 (exponential)": (skewed(1), skewed(1, -1)),
    "skewness 2, both sides one way": (skewed(1), skewed(1)),
}
"""Distributions of both sides' effects, each with mean 0 and standard deviation 1."""


class Cell(NamedTuple):
    """One case of the grid."""

    sides: tuple[int, int]
    """Trainings of either side."""
    effects: str
    """How their effects are distributed."""
    spreads: tuple[float, float]
    """Their standard deviations."""
    pairing: float
    """Standard deviation of a pairing, in means of those of the trainings."""

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Array, float]:
        """Return ``float64[count, I, J]`` with the true mean 0, and its standard error."""
        rows, columns = self.sides
        first, second = (
            spread * effect(rng, size)
            for spread, effect, size in zip(
                self.spreads,
                EFFECTS[self.effects],
                ((count, rows, 1), (count, 1, columns)),
                strict=True,
            )
        )
        rest = self.pairing * sum(self.spreads) / 2
        parts = (self.spreads[0] / rows**0.5, self.spreads[1] / columns**0.5)
        error = math.hypot(*parts, rest / (rows * columns) ** 0.5)
        return first + second + rest * rng.standard_normal((count, *self.sides)), error


def cells() -> Iterator[Cell]:
    """Return the grid; with sides of unequal numbers, either has the larger spread."""
    return itertools.starmap(Cell, itertools.product(SIDES, EFFECTS, SPREADS, PAIRING_SPREADS))


def satterthwaite(m_rows: Array, m_columns: Array, m_rest: Array, sides: tuple[int, int]) -> Array:
    """Half the interval with Satterthwaite's (1946) degrees of freedom, or the poorer side's."""
    freedoms = sides[0] - 1, sides[1] - 1, (sides[0] - 1) * (sides[1] - 1)
    squares = np.array([np.maximum(m_rows, m_rest), np.maximum(m_columns, m_rest), -m_rest])
    total = squares.sum(axis=0)
    freedom = total**2 / (squares**2 / np.array(freedoms)[:, None]).sum(axis=0)
    half = t95(np.maximum(freedom, min(freedoms))) * np.sqrt(total / math.prod(sides))
    return np.asarray(half)


METHODS: dict[str, HalfWidth] = {"package": crossed_half_width, "Satterthwaite": satterthwaite}


class Found(NamedTuple):
    """Coverage and width of one method's intervals in one case."""

    held: float
    """The share that holds the true mean."""
    width: float
    """Their mean width, in those of mean ± 1.96 true errors."""


def simulate(cell: Cell, rng: np.random.Generator, count: int) -> dict[str, Found]:
    """Try every method on the same ``count`` tables of a case."""
    drawn, error = cell.draw(rng, count)
    squares, away = mean_squares(drawn), np.abs(drawn.mean(axis=(1, 2)))
    halves = {name: method(*squares, cell.sides) for name, method in METHODS.items()}
    return {
        name: Found(float((away <= half).mean()), float(half.mean()) / (1.96 * error))
        for name, half in halves.items()
    }


def main() -> None:
    """Print what either method holds by kinds of effects, and by trainings with the widths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=4000, help="tables of scores per case")
    count = parser.parse_args().tables
    rng = np.random.default_rng(1)
    found = {cell: simulate(cell, rng, count) for cell in cells()}

    def least(method: str, chosen: list[Cell]) -> str:
        return f"{min(found[cell][method].held for cell in chosen):.1%}"

    print("| effects | least, equal spreads | least, one side's three times | Satterthwaite's |")
    print("|---|---|---|---|")
    for effects in EFFECTS:
        of_kind = [cell for cell in found if cell.effects == effects]
        equal = [cell for cell in of_kind if cell.spreads[0] == cell.spreads[1]]
        unequal = [cell for cell in of_kind if cell not in equal]
        shown = least("package", equal), least("package", unequal), least("Satterthwaite", of_kind)
        print(f"| {effects} | {' | '.join(shown)} |")
    print()
    print("| trainings | least | Satterthwaite's | width | Satterthwaite's |")
    print("|---|---|---|---|---|")
    for sides in SIDES:
        chosen = [cell for cell in found if cell.sides == sides and cell.effects == "normal"]
        row = [least(method, chosen) for method in METHODS]
        for method in METHODS:
            widths = [found[cell][method].width for cell in chosen]
            row.append(f"{min(widths):.2f} to {max(widths):.2f}")
        print(f"| {sides[0]} x {sides[1]} | {' | '.join(row)} |")


if __name__ == "__main__":
    main()
