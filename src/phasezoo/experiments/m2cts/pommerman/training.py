"""Episodes to learn from, how networks learn from them, and how much they err."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from phasezoo import gating, inference
from phasezoo.arena import stream
from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.experiments.m2cts.pommerman.lineup import Contender, Kind, networks_of
from phasezoo.experiments.m2cts.pommerman.play import GAME
from phasezoo.experiments.m2cts.pommerman.results import Dataset, LossRow, Phases
from phasezoo.experiments.statistics import over_trainings, resample_games
from phasezoo.training.config import make_config
from phasezoo.training.evaluation import PositionLosses, evaluate_networks, mixture_losses
from phasezoo.training.splits import Splits
from phasezoo.training.store import GameStore
from phasezoo.zoo.pommerman.data.episodes import EpisodeStore
from phasezoo.zoo.pommerman.data.settings import POMMERMAN

__all__ = ["Episodes", "describe", "measure", "read", "recipe"]


@dataclass(frozen=True)
class Episodes:
    """The episodes of a run, split, and the training positions labelled by every gate."""

    splits: Splits
    tables: dict[str, Any]
    large: Splits | None
    """Those of the large network, split by the same seed; None if there is none."""


def read(config: PommermanConfig) -> Episodes:
    """Play the episodes: the same for the same settings."""
    seed = stream(config.seed, "episodes")
    store = EpisodeStore(GAME, config.samples, seed=seed, threads=config.threads)
    split_seed = stream(config.seed, "split")
    splits = store.split(split_seed)
    gates = ["none", *config.gates, config.placebo]
    tables = {}
    for gate in gates:
        made = gating.make(gate, GAME)
        tables[str(made.spec)] = splits.train.positions(made)
    large = None
    if config.large_network is not None:
        store = EpisodeStore(GAME, config.large_samples, seed=seed, threads=config.threads)
        large = store.split(split_seed)
    return Episodes(splits, tables, large)


def describe(episodes: Episodes) -> Dataset:
    """What there is to learn from."""
    splits = episodes.splits
    # A split of a GameStore has parts of that kind.
    parts = cast(Sequence[GameStore], (splits.train, splits.validation, splits.test))
    tables = [part.positions("none") for part in parts]
    values = parts[0].returns[tables[0].game, tables[0].player]
    table = tables[2]
    shown = (np.arange(i, min(i + 4096, len(table))) for i in range(0, len(table), 4096))
    actions = np.concatenate([parts[2].batch(table, rows, "standard").action for rows in shown])
    return Dataset(
        episodes=[len(part) for part in parts],
        positions=[len(table) for table in tables],
        values=[int((values == value).sum()) for value in (1, 0, -1)],
        majority=float(np.bincount(actions).max() / len(actions)),
        phases=[
            Phases(spec, list(table.names), [int(n) for n in table.positions_per_phase()])
            for spec, table in episodes.tables.items()
            if spec != "none"
        ],
    )


def recipe(episodes: Episodes, config: PommermanConfig, network: PlannedNetwork) -> dict[str, Any]:
    """What a network is trained on and how."""
    is_large = network.role == "large"
    rate = config.large_learning_rate if is_large else config.learning_rate
    splits = episodes.large if is_large and episodes.large is not None else episodes.splits
    return {
        "store": splits.train,
        "splits": splits,
        "network": str(config.large_network) if is_large else config.network,
        "config": make_config(
            POMMERMAN,
            {
                "batch_size": config.training_batch,
                "max_lr": rate,
                "min_lr": rate,
                "validation_positions": config.validation_positions,
                "init_seed": network.initial_seed,
                "device": config.device,
                "threads": config.threads,
            },
        ),
    }


def measure(
    episodes: Episodes,
    config: PommermanConfig,
    compared: Sequence[Contender],
    planned: Sequence[PlannedNetwork],
    networks: Path,
) -> list[LossRow]:
    """The losses of everybody's networks on the test positions."""
    found: dict[str, list[PositionLosses]] = {}
    kinds: dict[str, Kind] = {}
    for contender in compared:
        if contender.kind not in ("one", "gate", "placebo"):
            continue
        table = episodes.splits.test.positions(contender.gate)
        paths = networks_of(contender, planned, networks)
        phases = dict.fromkeys(paths)
        names = {str(phase): inference.load(path) for phase, path in paths.items()}
        losses = evaluate_networks(names, episodes.splits.test, table, threads=config.threads)
        own = losses[str(next(iter(phases)))]
        if contender.kind != "one":
            own = mixture_losses(
                {table.phase_index(phase): losses[str(phase)] for phase in phases if phase}
            )
        found.setdefault(contender.name, []).append(own)
        kinds[contender.name] = contender.kind
    one = found["one network"]
    return [
        LossRow(
            name=name,
            kind=kinds[name],
            policy=_mean([each.mean().policy for each in losses]),
            value=_mean([each.mean().value for each in losses]),
            accuracy=_mean([each.mean().accuracy for each in losses]),
            difference=None if losses is one else _gap(losses, one, config),
        )
        for name, losses in found.items()
    ]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _gap(
    losses: Sequence[PositionLosses], one: Sequence[PositionLosses], config: PommermanConfig
) -> Interval | None:
    """The difference of total loss to one network's, by resampling whole episodes."""
    game = losses[0].game
    counts = np.bincount(game).astype(np.float64)
    gaps = [ours.total - theirs.total for ours, theirs in zip(losses, one, strict=True)]
    by_game = [np.bincount(game, gap, len(counts)) for gap in gaps]
    sums = np.stack(by_game, axis=1).astype(np.float64)
    rng = np.random.default_rng(stream(config.seed, "resampling losses"))
    means = resample_games(sums, counts[:, None], rng, config.resamples)
    return over_trainings(means.means, means.resampled, games=int((counts > 0).sum()))
