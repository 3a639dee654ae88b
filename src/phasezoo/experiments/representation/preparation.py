"""Everything a run can refuse before it writes anything: games, networks, positions to show."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from phasezoo import games, networks
from phasezoo.arena import stream
from phasezoo.experiments.games_file import check_split, check_unseen, read_games
from phasezoo.experiments.representation import towers  # noqa: F401  registers the grids' networks
from phasezoo.experiments.representation.arms import arms_of
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.results import Dataset
from phasezoo.training.positions import PositionTable, without_seen
from phasezoo.training.splits import FRACTIONS, SPLITS, Splits
from phasezoo.training.store import GameStore

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """The games, split, and the positions that losses are measured on."""

    splits: Splits
    """Train, validation, test."""
    validation: PositionTable
    """All validation positions."""
    test: PositionTable
    """Positions of the tested games that do not occur in training."""
    dataset: Dataset
    """What the report says of them."""


def prepare(config: RepresentationConfig) -> Prepared:
    """Check a configuration against what is here, and load and split the games.

    Raises:
        InvalidConfig: There is no such network or device.
        InvalidFen: A position to show is none.
        StoreError: The games are missing, damaged, of another game, or too few to split.
    """
    game = games.make(config.game)
    for arm in arms_of(config):
        networks.make(arm.network, game.plane_shape(arm.planes), game.num_actions)
    networks.resolve_device(config.device)
    for fen in config.positions_shown:
        game.from_fen(fen)
    found = read_games(config.game, config.games)
    store = found.store
    if config.max_games is not None and config.max_games < len(store):
        rng = np.random.default_rng(stream(config.seed, "games"))
        store = store.subset(_drawn(store, config.max_games, rng))
    splits = store.split(stream(config.seed, "split"))
    tables = splits.positions(threads=config.threads)
    check_split(tables, found.path)
    test = _tested(tables["test"], tables["train"], config)
    check_unseen(test, found.path)
    dataset = Dataset(
        source=found.text,
        sha256=found.sha256,
        games=[len(getattr(splits, name)) for name in SPLITS],
        positions=[len(tables[name]) for name in SPLITS],
        tested=len(np.unique(test.game)),
        test_positions=len(test),
    )
    return Prepared(splits, tables["validation"], test, dataset)


def _drawn(store: GameStore, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Games drawn from all, or from each part of a store that is split, by the usual shares."""
    if store.parts is None:
        return np.sort(rng.permutation(len(store))[:count])
    drawn = [
        rng.permutation(np.flatnonzero(store.parts == part))[: round(share * count)]
        for part, share in enumerate(FRACTIONS)
    ]
    return np.sort(np.concatenate(drawn))


def _tested(
    test: PositionTable, train: PositionTable, config: RepresentationConfig
) -> PositionTable:
    """Positions of the games that losses are measured on, without those that occur in train."""
    unseen, _ = without_seen(test, train)
    games_left = np.unique(unseen.game)
    if config.test_games is None or config.test_games >= len(games_left):
        return unseen
    rng = np.random.default_rng(stream(config.seed, "test games"))
    chosen = rng.choice(games_left, config.test_games, replace=False)
    return unseen.select(np.isin(unseen.game, chosen))
