"""The cells of the sweep: which searches play how many games, in what order, with which seeds."""

from collections.abc import Iterator
from dataclasses import dataclass

from phasezoo.arena import stream
from phasezoo.experiments.krk.config import KrkConfig, Variant

__all__ = ["Cell", "Task", "cells_of", "grid_of", "seed_of", "tasks_of"]


@dataclass(frozen=True, order=True)
class Cell:
    """One setting of the search."""

    variant: Variant
    """Which search."""
    constant: float
    """The exploration constant C."""
    threshold: int
    """T: a node visited more often selects, others start a rollout."""
    budget: int
    """Simulations before each of White's moves."""
    reading: str = ""
    """How the study is read, if not as the run says."""
    ending: str = ""
    """What is played, if not king and rook."""


@dataclass(frozen=True)
class Task:
    """A game to be played: its cell, its number in it from 0, and its seed."""

    cell: Cell
    number: int
    seed: int


def cells_of(config: KrkConfig) -> dict[Cell, int]:
    """Return the cells, every C with every T and budget, with the games each plays."""
    cells = {}
    for variant in config.variants:
        own = variant == "uct"
        for constant in config.constants:
            for threshold in config.thresholds:
                for budget in config.budgets if own else config.other_budgets:
                    cell = Cell(variant, float(constant), threshold, budget)
                    cells[cell] = config.games if own else config.other_games
    for reading in config.compared():
        cells |= dict.fromkeys(grid_of(config, reading=reading), config.reading_games)
    for ending in config.endings:
        cells |= dict.fromkeys(grid_of(config, ending=ending), config.ending_games)
    return cells


def grid_of(config: KrkConfig, *, reading: str = "", ending: str = "") -> list[Cell]:
    """The study's search with every C, T and budget, in a reading and an ending."""
    return [
        Cell("uct", float(c), t, b, reading, ending)
        for c in config.constants
        for t in config.thresholds
        for b in config.budgets
    ]


def tasks_of(config: KrkConfig) -> Iterator[Task]:
    """Yield every game: the first of all cells, then the second of all cells, and so on.

    A run that is stopped early has therefore played about as many games in each cell.
    """
    cells = cells_of(config)
    for number in range(max(cells.values())):
        for cell, games in cells.items():
            if number < games:
                yield Task(cell, number, seed_of(config.seed, cell, number))


def seed_of(seed: int, cell: Cell, number: int) -> int:
    """The seed of a cell's game: it depends on nothing else, so any order gives the same game.

    Readings share seeds, and endings do: the same game of two differs by what they do alone.
    """
    names = (cell.variant, f"{cell.constant:g}", cell.threshold, cell.budget, number)
    return stream(seed, "krk", *names)
