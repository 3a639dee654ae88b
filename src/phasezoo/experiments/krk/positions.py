"""C and T in another game: moves in positions of Connect Four, judged by its solver.

The study's search plays games of an endgame. Here it is asked for one move in each of the same
positions, with every C and T, so that settings are compared position by position.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from phasezoo import games
from phasezoo.arena import stream
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.reading import Reading
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.runs import RowLog
from phasezoo.training.solved import Starts
from phasezoo.training.store import GameStore
from phasezoo.training.stored_states import evenly_by_ply

__all__ = [
    "GAME",
    "MOST_MOVES",
    "PositionRow",
    "Setting",
    "judge_positions",
    "settings_of",
    "starts",
]

GAME = "connect-four"

MOST_MOVES = 7
"""The largest number of legal moves in the game."""


@dataclass(frozen=True, order=True)
class Setting:
    """A setting of the search."""

    constant: float
    """The exploration constant C."""
    threshold: int
    """T: a node visited more often selects, others start a rollout."""
    budget: int
    """Simulations of the search."""


@dataclass(frozen=True)
class PositionRow:
    """What the moves of one setting lose.

    Attributes:
        setting: Which one.
        seed: Of its searches.
        lost: The regret in each position: 0.5 a win turned into a draw, 1 into a loss.
        seconds: Time of all searches.
    """

    setting: Setting
    seed: int
    lost: list[float]
    seconds: float


def starts(config: KrkConfig) -> Starts:
    """The positions, drawn evenly by ply from the sample games, the same for every setting."""
    store = GameStore.sample(GAME)
    states = evenly_by_ply(store, config.positions, stream(config.seed, "krk", "positions"))
    return Starts(games.make(GAME), tuple(states))


def settings_of(config: KrkConfig) -> Iterator[Setting]:
    """Every C with every T and budget."""
    for budget in config.position_budgets:
        for constant in config.constants:
            for threshold in config.thresholds:
                yield Setting(float(constant), threshold, budget)


def judge_positions(
    config: KrkConfig, path: Path, console: Console, threads: int
) -> list[PositionRow]:
    """Search every position with every setting that ``path`` does not hold yet.

    Args:
        config: The settings of the run.
        path: The log of finished settings.
        console: Where progress is shown.
        threads: Settings that are searched at the same time.

    Returns:
        A row for each setting, in order.

    Raises:
        RunDirectoryError: The log is of another run, is damaged, or cannot be written.
    """
    asked, wanted = starts(config), list(settings_of(config))
    log = RowLog(path, PositionRow)
    known = {row.setting: row for row in log.rows}
    seed = stream(config.seed, "krk", "searches")
    is_own = all(r.seed == seed and len(r.lost) == len(asked.states) for r in log.rows)
    if not is_own or len(known) < len(log.rows) or not known.keys() <= set(wanted):
        message = f"{path}: not of this run, or a setting is there twice; choose another --out"
        raise RunDirectoryError(message)
    _ = asked.worths  # worked out before threads ask for them
    missing = [setting for setting in wanted if setting not in known]
    with console.task("Searching", len(wanted)) as bar, ThreadPoolExecutor(threads) as pool:
        bar.update(len(known), "")
        try:
            for row in pool.map(lambda one: _judge(config, asked, one, seed), missing):
                log.append(row)
                known[row.setting] = row
                bar.update(len(known), f"{numbers.decimal(row.seconds, 1)} s a setting")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return [known[setting] for setting in wanted]


def _judge(config: KrkConfig, asked: Starts, setting: Setting, seed: int) -> PositionRow:
    from phasezoo.agents import Limit, UCTAgent

    begun = time.perf_counter()
    reading = Reading.parse(config.reading, config.defender_ties)
    agent = UCTAgent(
        c=setting.constant,
        threshold=reading.threshold(setting.threshold),
        limit=Limit(simulations=setting.budget),
        game=GAME,
        **reading.search_options(),
    )
    # The limit is given: thresholds above a budget are among those to compare, no mistake.
    found = [
        agent.session(seed + row).search(state, agent.limit)
        for row, state in enumerate(asked.states)
    ]
    moves = [int(result.action) for result in found]
    lost = asked.judge(moves).lost.tolist()
    return PositionRow(setting, seed, lost, round(time.perf_counter() - begun, 4))
