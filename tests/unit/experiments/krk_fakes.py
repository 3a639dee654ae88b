"""Made-up games of the KRK sweep, a player of them that takes no time, and their results."""

from collections.abc import Callable
from contextlib import contextmanager

import numpy as np
import pytest

from phasezoo.experiments.krk import claims, estimates, study
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.measurements import (
    Cell,
    FirstSearch,
    GameRow,
    Results,
    Task,
    tasks_of,
)

SMALL = KrkConfig(
    constants=(0.25, 5.0, 10.0, 50.0),
    thresholds=(5, 30, 100),
    games=4,
    other_games=2,
    resamples=200,
    threads=2,
)


def row(task: Task, differences, collapses=8, visits=(6000, 3000, 1000), mates=(2400, 1000, 300)):
    """A won game with these DTM differences."""
    return GameRow(
        cell=task.cell,
        number=task.number,
        seed=task.seed,
        won=True,
        reason="checkmate",
        moves=15 + sum(differences),
        differences=[*differences, *[0] * 15],
        given_away=0,
        collapses=collapses,
        simulations=3000,
        rollout_plies=90_000,
        seconds=0.01,
        first=FirstSearch([1, 2, 3], list(visits), [float(m) for m in mates]),
    )


def rows(config: KrkConfig, errors: Callable[[Cell], float], noise: float = 1.0):
    """Games in which White errs about ``errors(cell)`` moves in all."""
    made = []
    for task in tasks_of(config):
        rng = np.random.default_rng(task.seed)
        wanted = errors(task.cell) + noise * rng.normal()
        total = max(0, round(wanted))
        made.append(row(task, [1] * total, collapses=total, visits=_visits(task.cell)))
    return made


def _visits(cell: Cell):
    # The more exploration, the more evenly.
    spread = 3000 / (1 + cell.constant)
    return (4000 + round(spread), 4000, 4000 - round(spread))


def fake_play(task: Task, config: KrkConfig) -> GameRow:
    """A game that depends on its seed alone."""
    rng = np.random.default_rng(task.seed)
    return row(task, rng.integers(0, 3, 10).tolist(), collapses=int(rng.integers(3, 12)))


@contextmanager
def played_by(player):
    """Have this function play the sweep's games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "play_game", player)
        yield


def reproduced(games, config: KrkConfig):
    """The study's figures, measured again by these games, by their numbers."""
    found = estimates.summaries(games, config)
    results = Results(config, "", "", None, **found, elsewhere=None, seconds={})
    return {one.number: one for one in claims.reproduced(results)}
