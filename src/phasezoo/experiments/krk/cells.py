"""The cells of the sweep: which searches play how many games, in what order, with which seeds."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from phasezoo.arena import stream
from phasezoo.experiments.krk.config import KrkConfig, Variant

__all__ = ["Cell", "Task", "cells_of", "seed_of", "tasks_of"]


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
    grid = [cell for cell in cells if cell.variant == "uct"]
    for reading in config.compared():
        for cell in grid:
            cells[dataclasses.replace(cell, reading=reading)] = config.reading_games
    return cells


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

    Readings share seeds: the same game of two differs by what they do alone.
    """
    names = (cell.variant, f"{cell.constant:g}", cell.threshold, cell.budget, number)
    return stream(seed, "krk", *names)
