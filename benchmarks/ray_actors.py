"""Self-play by actors of a Ray cluster on this machine: games a second with one and with two.

Connect Four, 50 nodes, `resnet-64x4` on the CPU; an actor has one thread for its trees and one for
its network, so that two fill two cores. The row without Ray is the same in this process.
"""

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import Row, sized
from benchmarks.selfplay import NETWORK, SIMULATIONS
from phasezoo import games, inference
from phasezoo.training import Learner, SelfPlayConfig
from phasezoo.training.selfplay.generation import Generation, Players
from phasezoo.training.selfplay.recording import PlayedGame

GAMES, REPEATS = sized((96, 3), (8, 1))
"""Games of a run, of which each is measured so often."""
SHARE = GAMES // 2
"""Games at once, and games that an actor gets at a time: as many however many actors there are."""
WARMING = 4
"""Games before that, which start processes and make agents: two for each of two actors."""


def loaded(folder: Path, **_: Any) -> Any:
    """A version on one thread."""
    return inference.load(folder, backend="onnx", threads=1)


def rows() -> list[Row]:
    """Without Ray, with one actor, with two."""
    import ray

    from phasezoo.integrations.ray.actors import Actors
    from phasezoo.integrations.ray.game_actor import packed

    game = games.make("connect-four")
    players = Players(game, SelfPlayConfig(nodes=SIMULATIONS), own_load=loaded)
    generation = Generation(game, 1, concurrency=SHARE, threads=1)
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    with tempfile.TemporaryDirectory() as folder:
        version = Learner(game, NETWORK).publish(Path(folder) / "version")
        agent = players.searching(players.evaluator(version))
        plays = {"without Ray, one process": partial(generation.play, agent)}
        half = {"num_cpus": 0.5}  # of which there are three
        farms = [Actors(generation, players, n, share=SHARE, resources=half) for n in (1, 2)]
        data = packed(version)
        for count, farm in zip(("one actor", "two actors"), farms, strict=True):
            plays[f"Ray, {count}"] = partial(farm.play, 0, data)
        found: dict[str, list[float]] = {what: [] for what in plays}
        for play in plays.values():
            _rate(play, WARMING)
        for _ in range(REPEATS):
            for what, play in plays.items():
                found[what].append(_rate(play, GAMES))
        for farm in farms:
            farm.close()
    ray.shutdown()
    return [
        Row(
            f"self-play of Connect Four, {NETWORK}, {SIMULATIONS} nodes, {what}",
            statistics.median(rates),
            "positions/s",
            "≥ 1.8x one actor, on idle cores" if what.endswith("two actors") else "",
            spread=(min(rates), max(rates)),
        )
        for what, rates in found.items()
    ]


def _rate(play: Any, count: int) -> float:
    """Positions a second."""
    plies = 0

    def finished(played: PlayedGame) -> None:
        nonlocal plies
        plies += played.plies

    start = time.perf_counter()
    play(range(count), finished)
    return plies / (time.perf_counter() - start)
