"""Records of a run, and how they come of episodes, networks and games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from phasezoo import gating, inference
from phasezoo.arena import stream
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.splits import Splits
from phasezoo.data.store import GameStore
from phasezoo.experiments.pommerman.config import PommermanConfig
from phasezoo.experiments.pommerman.games import GAME, Contender, GameRow, Kind
from phasezoo.experiments.statistics import wilson
from phasezoo.experiments.study import RunResults
from phasezoo.training.evaluation import PositionLosses, evaluate_networks, mixture_losses
from phasezoo.training.experts.planned import TrainedNetwork
from phasezoo.training.resampling import (
    Sample,
    around,
    between_trainings,
    means_of,
    over_trainings,
    resample_games,
)
from phasezoo.zoo.pommerman.data.episodes import EpisodeStore

Wins: TypeAlias = npt.NDArray[np.float64]
"""``float64[K, B]``: games won of the four on each board, by training; NaN if not all played."""


@dataclass(frozen=True)
class Phases:
    """How a gate divides the training positions."""

    gate: str
    names: list[str]
    positions: list[int]


@dataclass(frozen=True)
class Dataset:
    """The episodes that networks learn from."""

    episodes: list[int]
    """Episodes of train, validation and test."""
    positions: list[int]
    """Positions of these, those of validation and test without what occurs in train."""
    values: list[int]
    """Training positions by how the episode ended: won, nobody won, lost or dead."""
    majority: float
    """Share of the commonest action among the test positions."""
    phases: list[Phases]
    """The gates' phases."""


@dataclass(frozen=True)
class LossRow:
    """Losses on test positions of one network or mixture, a mean over trainings."""

    name: str
    kind: Kind
    policy: float
    """Cross-entropy of the action, in nats."""
    value: float
    """Squared error of the value."""
    accuracy: float
    """Share of positions whose likeliest action was played."""
    difference: Interval | None
    """Of the total loss to one network's, by resampling episodes; None for itself."""


@dataclass(frozen=True)
class Record:
    """The games of one contender, over all trainings."""

    name: str
    kind: Kind
    simulations: int
    """Simulations a move."""
    games: int
    won: int
    drawn: int
    """Games that nobody won, the contender alive or dead with the last ones."""
    timed_out: int
    """Of these, games that went to the step limit."""
    win_rate: Interval
    """Share of games won, with Wilson's interval over games."""
    by_training: list[float]
    """The same share for each training."""
    steps: float
    """Mean steps of a game."""
    difference: Interval | None
    """Win rate less one network's on the same boards and as the same players; None for itself and
    the references."""
    to_placebo: Interval | None
    """The same less the placebo's; None for others than gates."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a run found."""

    config: PommermanConfig
    dataset: Dataset
    networks: list[TrainedNetwork]
    losses: list[LossRow]
    records: list[Record]


@dataclass(frozen=True)
class Episodes:
    """The episodes of a run, split, and the training positions labelled by every gate."""

    splits: Splits
    tables: dict[str, Any]
    large: Splits | None
    """Those of the large network, split by the same seed; None if there is none."""


def read(config: PommermanConfig) -> Episodes:
    """Play the episodes, the same for the same settings."""
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
    """Return what there is to learn from."""
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


def measure(
    episodes: Episodes,
    config: PommermanConfig,
    compared: Mapping[Contender, Mapping[str | None, Path]],
) -> list[LossRow]:
    """Return the losses of all contenders' networks on the test positions."""
    found: dict[str, list[PositionLosses]] = {}
    kinds: dict[str, Kind] = {}
    for contender, paths in compared.items():
        if contender.kind not in ("one", "gate", "placebo"):
            continue
        table = episodes.splits.test.positions(contender.gate)
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
    gaps = [ours.total - theirs.total for ours, theirs in zip(losses, one, strict=True)]
    rng = np.random.default_rng(stream(config.seed, "resampling losses"))
    sample = Sample(np.stack(gaps), game, np.zeros_like(game))
    games = int(game.max(initial=-1)) + 1
    return means_of({"gap": sample}, 1, games, rng, config.resamples).mean("gap", 1)


def records_of(rows: Sequence[GameRow], config: PommermanConfig) -> list[Record]:
    """Return the record of every contender, in the order in which they play."""
    by_name: dict[str, list[GameRow]] = {}
    for row in rows:
        by_name.setdefault(row.task.contender.name, []).append(row)
    wins = {name: _wins(own) for name, own in by_name.items()}
    one = wins["one network"]
    placebo = next(
        (wins[n] for n, own in by_name.items() if own[0].task.contender.kind == "placebo"), None
    )
    return [_record(own, wins[name], one, placebo, config) for name, own in by_name.items()]


def _record(
    rows: Sequence[GameRow], wins: Wins, one: Wins, placebo: Wins | None, config: PommermanConfig
) -> Record:
    contender = rows[0].task.contender
    won = sum(row.result == "won" for row in rows)
    compared = contender.kind in ("gate", "placebo")
    against = placebo if contender.kind == "gate" else None
    return Record(
        name=contender.name,
        kind=contender.kind,
        simulations=contender.simulations,
        games=len(rows),
        won=won,
        drawn=sum(row.result == "drawn" for row in rows),
        timed_out=sum(row.reason == "step_limit" for row in rows),
        win_rate=wilson(won, len(rows)),
        by_training=[float(np.nanmean(each)) / 4 for each in wins],
        steps=float(np.mean([row.steps for row in rows])),
        difference=_difference(wins, one, config) if compared else None,
        to_placebo=None if against is None else _difference(wins, against, config),
    )


def _wins(rows: Sequence[GameRow]) -> Wins:
    trainings = max(row.task.contender.training for row in rows) + 1
    boards = max(row.task.board for row in rows) + 1
    wins = np.zeros((trainings, boards))
    played = np.zeros((trainings, boards))
    for row in rows:
        place = row.task.contender.training, row.task.board
        wins[place] += row.result == "won"
        played[place] += 1
    wins[played < 4] = np.nan
    return wins


def _difference(wins: Wins, other: Wins, config: PommermanConfig) -> Interval | None:
    """The difference of win rates on the same boards and as the same players, with a 95 % interval.

    Every training has boards of its own, so that the spread between trainings holds the chance of
    boards and games too: the interval is Student's t over trainings. It is never narrower than that
    over boards alone, which are drawn with replacement, the four games on a board together, in each
    training by itself.
    """
    values, resampled = [], []
    for training, gap in enumerate(wins - other):
        rng = np.random.default_rng(stream(config.seed, "resampling", training))
        means = resample_games(gap[:, None], np.full((len(gap), 1), 4.0), rng, config.resamples)
        values.append(means.means[0])
        resampled.append(means.resampled[:, 0])
    mean, drawn = float(np.mean(values)), np.mean(resampled, axis=0)
    boards = min(int(np.isfinite(gap).sum()) for gap in wins - other)
    over_boards = over_trainings(np.array([mean]), drawn[:, None], games=boards * len(values))
    if over_boards is None or len(values) == 1 or not over_boards.is_known:
        return over_boards
    half_width = max(between_trainings(np.array(values)), over_boards.half_width)
    return around(mean, half_width).of_share(least=-1.0)
