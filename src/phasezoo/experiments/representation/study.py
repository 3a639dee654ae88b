"""The study from the first game to the report: trainings, losses, time, gradients, games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from phasezoo import games, networks
from phasezoo.agents import EngineAgent, Limit
from phasezoo.arena import stream
from phasezoo.data.positions import PositionTable, without_seen
from phasezoo.data.splits import FRACTIONS, SPLITS, Splits
from phasezoo.data.store import GameStore
from phasezoo.experiments.games_file import check_split, check_unseen, read_games
from phasezoo.experiments.networks import TrainingRun, budget
from phasezoo.experiments.representation import measurements, positions, report
from phasezoo.experiments.representation.config import (
    CORNERS,
    RepresentationConfig,
    Variant,
    groups_of,
    variants_of,
)
from phasezoo.experiments.representation.measurements import (
    Dataset,
    Games,
    GameSums,
    Latency,
    Losses,
    Paths,
    Results,
)
from phasezoo.experiments.representation.positions import Endings, Gradients
from phasezoo.report.console import Console
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.experts.planned import Recipe, TrainedNetwork
from phasezoo.training.experts.plans import PlannedTraining, plan_baseline


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
    """Their numbers, for the report."""


class RepresentationRun(TrainingRun[RepresentationConfig, Results]):
    """Planes, heads and architectures, each trained several times and compared."""

    prepared: Prepared
    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: RepresentationConfig, console: Console) -> Prepared:
        """Check a configuration against what is here, and load and split the games."""
        game = games.make(config.game)
        measurements.reference_of(config)
        for one in variants_of(config):
            networks.make(one.network, game.plane_shape(one.planes), game.num_actions)
        networks.resolve_device(config.device)
        for fen in config.positions_shown:
            game.from_fen(fen)
        console.heading("Reading the games")
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

    def work(self) -> Results:
        """Do every stage that is not done."""
        config, data = self.config, self.prepared.dataset
        self.same("dataset.json", data, "games")
        self.table(report.dataset_table(data))
        self.variants = {one.name: one for one in variants_of(config)}
        seen = budget(config.positions, config.epochs, self.prepared.dataset.positions[0])
        self.trainings = {one.name: self._trainings(one, seen) for one in self.variants.values()}
        cards = self.train([network for group in self.trainings.values() for network in group])
        losses = self._losses({card.name: card for card in cards})
        for name, rows in losses.tables.items():
            self.table(report.loss_table(name, rows))
        latency = self._latency()
        self.table(report.latency_table(latency, config, report.labels_of(losses)))
        integrated = self._gradients()
        endings = self._endings() if config.game == "chess" else None
        if endings is not None:
            self.table(report.endings_table(endings, report.labels_of(losses)))
        engine, on_engine = measurements.reference_of(config)
        self.console.note(on_engine)
        played = self._games(engine)
        for one in played:
            self.table(report.games_table(one, report.labels_of(losses)))
        return Results(
            **self.head(),
            dataset=data,
            networks=cards,
            losses=losses,
            latency=latency,
            gradients=integrated,
            endings=endings,
            games=played,
            engine=on_engine,
            seconds=self.times(
                cards,
                {
                    "reading the games": ["prepare", "data"],
                    "measuring losses": ["losses/"],
                    "measuring latency": ["latency"],
                    "integrating gradients": ["gradients"],
                    "endings of opposite bishops": ["endings/"],
                    "playing games": ["games/"],
                },
            ),
        )

    def _trainings(self, variant: Variant, positions: int) -> list[PlannedTraining]:
        """Plan the trainings of a variant.

        Trainings with one number see the same positions in the same order, whatever the variant,
        so that two variants can be compared pair by pair.
        """
        one = plan_baseline(positions, variant.name)
        return [
            replace(
                one.repeated(variant.name, training, self.seed), seed=self.seed("order", training)
            )
            for training in range(variant.trainings)
        ]

    def recipe(self, network: PlannedTraining) -> Recipe:
        """All networks learn the same way from the training games."""
        config, variant = self.config, self.variants[network.role]
        settings = SupervisedConfig(
            batch_size=config.training_batch,
            optimizer=config.optimizer,
            max_lr=config.learning_rate,
            validation_positions=config.validation_positions,
            device=config.device,
            threads=config.threads,
        )
        return Recipe(self.prepared.splits, variant.network, settings, variant.planes)

    def _losses(self, cards: Mapping[str, TrainedNetwork]) -> Losses:
        self.console.heading("Losses on test positions")
        sums = {name: [self._sums(path) for path in paths] for name, paths in self._paths().items()}
        first = {name: cards[networks[0].name] for name, networks in self.trainings.items()}
        rng = np.random.default_rng(self.seed("resampling"))
        return measurements.losses(self.config, sums, first, rng)

    def _sums(self, path: Path) -> GameSums:
        return self.once(
            f"losses/{path.name}",
            GameSums,
            lambda: measurements.game_sums(
                path, self.prepared.splits.test, self.prepared.test, self.config
            ),
            file=f"networks/{path.name}/losses.json",
        )

    def _paths(
        self, names: Sequence[str] | None = None, most: int | None = None
    ) -> dict[str, list[Path]]:
        """Directories of the networks of some variants, of so many trainings at the most."""
        return {
            name: [self.networks / network.name for network in self.trainings[name][:most]]
            for name in (self.variants if names is None else names)
        }

    def _latency(self) -> list[Latency]:
        first = {name: paths[0] for name, paths in self._paths().items()}
        return self.once(
            "latency",
            list[Latency],
            lambda: measurements.latency(first, self.config),
            heading="Latency",
        )

    def _gradients(self) -> Gradients:
        paths, prepared = self._paths(CORNERS), self.prepared

        def work() -> Gradients:
            average = positions.attributed(
                paths, prepared.splits.validation, prepared.validation, self.config
            )
            return Gradients(average, positions.boards(paths, self.config))

        return self.once("gradients", Gradients, work, heading="Integrated gradients")

    def _endings(self) -> Endings:
        self.console.heading("Endings of opposite bishops")
        values = {
            name: [self._values(path) for path in paths] for name, paths in self._paths().items()
        }
        return positions.endings(values, self.config)

    def _values(self, path: Path) -> tuple[list[float], list[float]]:
        return self.once(
            f"endings/{path.name}",
            tuple[list[float], list[float]],
            lambda: positions.ending_values(path, self.config),
            file=f"networks/{path.name}/endings.json",
        )

    def _games(self, engine: EngineAgent | None) -> list[Games]:
        """All trainings of the combinations by nodes; single networks by time, as the paper."""
        self.console.heading("Games")
        config = self.config
        towers = [one.name for one in groups_of(config).get("architectures", [])]
        single = list(dict.fromkeys((CORNERS[0], CORNERS[-1], *towers)))
        every, one = self._paths(CORNERS), self._paths(single, 1)
        by_nodes = [(Limit(nodes=nodes), every) for nodes in config.match_nodes]
        by_time = [(Limit(movetime_ms=each), one) for each in config.movetimes]
        return [self._played(limit, paths, engine) for limit, paths in [*by_nodes, *by_time]]

    def _played(self, limit: Limit, paths: Paths, engine: EngineAgent | None) -> Games:
        name = f"games/{str(limit).replace(' ', '-').replace('=', '-')}"
        log = self.path / f"{name}.jsonl"
        return self.once(
            name,
            Games,
            lambda: measurements.play(paths, limit, engine, log, self.config, self.console),
        )


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
