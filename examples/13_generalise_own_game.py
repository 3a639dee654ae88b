"""Generalisation with an agent and a game of one's own: trained on some sizes, tested on others.

Nim with one heap, of which up to three stones are taken; who takes the last one wins. The worth of
every heap is known, so that an agent's mistakes can be counted exactly. The agent learns by playing
against itself from the heaps that the axis gives it.
"""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from phasezoo import experiments
from phasezoo.report.console import TerminalConsole

MOST = 3  # stones that may be taken


def best_left(model, heap):
    """The heap to leave: what the agent plays, and what it does not know is worth a half."""
    return max(range(max(0, heap - MOST), heap), key=lambda left: model.get(left, 0.5))


def learn(data, seed, out, games=2_000):
    """The worth of leaving each heap, by temporal differences; a model is any object."""
    rng = np.random.default_rng(seed)
    worth = {0: 1.0}
    for heap in rng.choice(data, size=games):
        while heap:
            if rng.random() < 0.3:
                left = heap - rng.integers(1, min(MOST, heap) + 1)
            else:
                left = best_left(worth, heap)
            if left:
                answer = worth.get(best_left(worth, left), 0.5)
                worth[left] = worth.get(left, 0.5) + 0.3 * (1 - answer - worth.get(left, 0.5))
            heap = left
    return worth


def mistakes(model, data, seed):
    """For each heap whether the move loses a won game: one number for each test position."""
    return [float(best_left(model, heap) % (MOST + 1) != 0) for heap in data]


def main(seed=1, games=2_000):
    # Heaps that are multiples of four are lost anyway: nothing can be done wrong there.
    splits = [
        experiments.Split(name, sizes, [size for size in sizes if size % (MOST + 1)])
        for name, sizes in (
            ("up to 12", list(range(1, 13))),
            ("13 to 24", list(range(13, 25))),
            ("25 to 36", list(range(25, 37))),
        )
    ]
    axis = experiments.Axis(
        "nim/heaps",
        splits,
        learner=partial(learn, games=games),
        measure=experiments.Measure(
            mistakes, experiments.Score("wins thrown away", "lower", kind="share", unit="%")
        ),
    )
    with tempfile.TemporaryDirectory() as place:
        results = experiments.generalise(
            axis, out=Path(place) / "run", seed=seed, console=TerminalConsole()
        )
    # Games of large heaps pass through the small ones, but not the other way round.
    matrix = results.matrix()
    for train, test in (("up to 12", "25 to 36"), ("25 to 36", "up to 12")):
        gap = matrix.cell(train, test).gap
        print(
            f"Trained on heaps {train}, tested on {test}: {100 * gap.value:+.0f} points more wins "
            f"thrown away ({100 * gap.low:+.0f} to {100 * gap.high:+.0f})"
        )


if __name__ == "__main__":
    main()
