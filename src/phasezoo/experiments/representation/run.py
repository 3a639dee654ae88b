"""The study from the first game to the report: trainings, losses, time, gradients, games."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo.agents import Limit
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.plan import PlannedNetwork, budget
from phasezoo.experiments.m2cts.run import M2ctsRun
from phasezoo.experiments.representation import (
    endings,
    gradients,
    latency,
    losses,
    matches,
    page,
    show,
)
from phasezoo.experiments.representation.arms import CORNERS, Arm, arms_of, groups_of, plan
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.findings import claims_of
from phasezoo.experiments.representation.preparation import Prepared, prepare
from phasezoo.experiments.representation.results import (
    Dataset,
    Endings,
    Games,
    GameSums,
    Gradients,
    Latency,
    Losses,
    Results,
)
from phasezoo.report.console import Console
from phasezoo.training.config import SupervisedConfig

__all__ = ["RepresentationRun"]


class RepresentationRun(M2ctsRun[RepresentationConfig, Results]):
    """Planes, heads and architectures, each trained several times and compared."""

    prepared: Prepared

    @classmethod
    def prepare(cls, config: RepresentationConfig, console: Console) -> Prepared:
        """Load and split the games, and refuse networks that cannot be made."""
        console.heading("Reading the games")
        return prepare(config)

    def work(self) -> Results:
        """Do every stage that is not done."""
        config = self.config
        data = self._dataset()
        show.show_dataset(self.console, data)
        self.arms = {arm.name: arm for arm in arms_of(config)}
        seen = budget(config.positions, config.epochs, self.prepared.dataset.positions[0])
        self.planned = plan(list(self.arms.values()), seen, self.seed)
        cards = self.train([network for group in self.planned.values() for network in group])
        found = self._losses({card.name: card for card in cards})
        show.show_losses(self.console, found)
        times = self._latency()
        show.show_latency(self.console, times)
        integrated = self._gradients()
        ended = self._endings() if config.game == "chess" else None
        show.show_endings(self.console, ended)
        reference = matches.reference_of(config)
        self.console.note(reference.text)
        played = self._games(reference)
        show.show_games(self.console, played)
        return Results(
            **self.head(),
            dataset=data,
            networks=cards,
            losses=found,
            latency=times,
            gradients=integrated,
            endings=ended,
            games=played,
            engine=reference.text,
            claims=claims_of(found, times, integrated, ended, played),
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

    def render(self, results: Results) -> str:
        """The report as one HTML page."""
        return page.render(results)

    def show(self, results: Results) -> None:
        """The claims and how they fared."""
        show.show_claims(self.console, results)

    def recipe(self, network: PlannedNetwork) -> Mapping[str, Any]:
        """All networks learn the same way from the training games."""
        config, arm = self.config, self.arms[network.role]
        return {
            "store": self.prepared.splits.train,
            "splits": self.prepared.splits,
            "network": arm.network,
            "planes": arm.planes,
            "config": SupervisedConfig(
                batch_size=config.training_batch,
                max_lr=config.learning_rate,
                validation_positions=config.validation_positions,
                init_seed=network.initial_seed,
                device=config.device,
                threads=config.threads,
            ),
        }

    def _dataset(self) -> Dataset:
        data = self.once("data", "dataset.json", Dataset, lambda: self.prepared.dataset)
        if data != self.prepared.dataset:
            message = (
                f"{self.path}: begun with other games than {data.source} are now; start a new run "
                "with --out"
            )
            raise RunDirectoryError(message)
        return data

    def _losses(self, cards: Mapping[str, NetworkCard]) -> Losses:
        self.console.heading("Losses on test positions")
        sums = {
            name: [self._sums(network.name) for network in networks]
            for name, networks in self.planned.items()
        }
        first = {name: cards[networks[0].name] for name, networks in self.planned.items()}
        rng = np.random.default_rng(self.seed("resampling"))
        return losses.compared(self.config, sums, first, rng)

    def _sums(self, name: str) -> GameSums:
        path = self.networks / name
        return self.once(
            f"losses/{name}",
            f"networks/{name}/losses.json",
            GameSums,
            lambda: losses.measured(path, self.prepared, self.config),
        )

    def _paths(self, names: Sequence[str], most: int | None = None) -> dict[str, list[Path]]:
        """Directories of the networks of some arms, of so many trainings at the most."""
        return {
            name: [self.networks / network.name for network in self.planned[name][:most]]
            for name in names
        }

    def _latency(self) -> list[Latency]:
        self.console.heading("Latency")
        first = {name: paths[0] for name, paths in self._paths(list(self.arms), 1).items()}
        return self.once(
            "latency", "latency.json", list[Latency], lambda: latency.measured(first, self.config)
        )

    def _gradients(self) -> Gradients:
        self.console.heading("Integrated gradients")
        paths, arms = self._paths(CORNERS), list(self.arms.values())

        def work() -> Gradients:
            average = gradients.attributed(arms, paths, self.prepared, self.config)
            return Gradients(average, gradients.boards(arms, paths, self.config))

        return self.once("gradients", "gradients.json", Gradients, work)

    def _endings(self) -> Endings:
        self.console.heading("Endings of opposite bishops")
        values = {
            name: [self._values(path) for path in paths]
            for name, paths in self._paths(list(self.arms)).items()
        }
        return endings.compared(values, self.config)

    def _values(self, path: Path) -> tuple[list[float], list[float]]:
        return self.once(
            f"endings/{path.name}",
            f"networks/{path.name}/endings.json",
            tuple[list[float], list[float]],
            lambda: endings.values_of(path, self.config),
        )

    def _games(self, reference: matches.Reference) -> list[Games]:
        """All trainings of the combinations by nodes; single networks by time, as the paper."""
        self.console.heading("Games")
        config = self.config
        towers: list[Arm] = groups_of(config).get("architectures", [])
        single = dict.fromkeys((CORNERS[0], CORNERS[-1], *(arm.name for arm in towers)))
        every, one = self._paths(CORNERS), self._paths(list(single), 1)
        by_nodes = [(Limit(nodes=nodes), every) for nodes in config.match_nodes]
        by_time = [(Limit(movetime_ms=each), one) for each in config.movetimes]
        return [self._played(limit, paths, reference) for limit, paths in [*by_nodes, *by_time]]

    def _played(
        self, limit: Limit, paths: Mapping[str, Sequence[Path]], reference: matches.Reference
    ) -> Games:
        name = f"games/{str(limit).replace(' ', '-').replace('=', '-')}"
        log = self.path / f"{name}.jsonl"
        return self.once(
            name,
            f"{name}.json",
            Games,
            lambda: matches.play(paths, limit, reference, log, self.config, self.console),
        )
