"""Games an hour by the number of processes that play."""

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from phasezoo import inference
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.experiments.atomic.config import AtomicConfig
from phasezoo.experiments.atomic.results import WorkerRow
from phasezoo.training import play_games
from phasezoo.training.selfplay.config import self_play_search

__all__ = ["worker_rows"]


def worker_rows(network: Path, config: AtomicConfig) -> list[WorkerRow]:
    """Let so many processes play at once, each with one thread.

    Processes start before the clock does; the rate is that of all together, from the first that
    begins to the last that ends.
    """
    found = []
    for workers in config.workers:
        with (
            tempfile.TemporaryDirectory() as folder,
            ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
        ):
            jobs = [
                pool.submit(_play, network, config, Path(folder) / str(number), number)
                for number in range(workers)
            ]
            spans = [job.result() for job in jobs]
        seconds = max(end for _, end, _ in spans) - min(begin for begin, _, _ in spans)
        positions = sum(count for _, _, count in spans)
        games = workers * config.worker_games
        found.append(WorkerRow(workers, 3600 * games / seconds, positions / seconds))
    return found


def _play(
    network: Path, config: AtomicConfig, folder: Path, number: int
) -> tuple[float, float, int]:
    """One worker's games: when it began and ended, and its positions."""
    agent = MCTSAgent(
        inference.load(network, threads=1),
        limit=Limit(nodes=config.nodes),
        config=self_play_search(),
        game="atomic",
        threads=1,
    )
    options: dict[str, Any] = {"game": "atomic", "max_plies": config.max_plies, "threads": 1}
    play_games(agent, games=1, out=folder / "first", seed=config.seed, **options)
    begun = time.time()
    store = play_games(
        agent,
        games=config.worker_games,
        out=folder / "games",
        seed=config.seed + 1 + number,
        concurrency=min(config.concurrency, config.worker_games),
        **options,
    )
    return begun, time.time(), int(store.offsets[-1])
