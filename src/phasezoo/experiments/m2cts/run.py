"""The stages that the study of phase experts has in every game: data, training, losses, games."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from phasezoo.arena import stream
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.networks import train
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.experiments.m2cts.side_by_side import Job, train_side_by_side
from phasezoo.experiments.study import Settings, StudyRun
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.training.trainer import torch_threads

__all__ = ["M2ctsRun"]


class TrainingSettings(Settings, Protocol):
    """The knobs of a study that trains networks."""

    @property
    def train_workers(self) -> int:
        """Networks trained at the same time."""


Config = TypeVar("Config", bound=TrainingSettings)
Results = TypeVar("Results")


class M2ctsRun(StudyRun[Config, Results]):
    """A run of the study in some game; a domain says what its game brings.

    Every stage leaves a file that is there only when it is whole, so a run that was stopped
    anywhere goes on with the first stage that is not done, and inside trainings and matches with
    what was saved.
    """

    @abstractmethod
    def recipe(self, network: PlannedNetwork) -> Mapping[str, Any]:
        """What a network is trained on and how: see :func:`~.networks.train`."""

    def finish(self) -> Results:
        """Do the work, with as many of torch's threads as of ours."""
        with torch_threads(self.threads):
            return super().finish()

    def seed(self, *names: str | int) -> int:
        """The seed of a named stream of the run."""
        return stream(self.config.seed, *names)

    @property
    def networks(self) -> Path:
        """The directory of all networks."""
        return self.path / "networks"

    def train(self, planned: Sequence[PlannedNetwork]) -> list[NetworkCard]:
        """Train every network that is not trained.

        Raises:
            CheckpointError: A network that was trained before is truncated or changed.
            WorkersFailed: A process that trained networks ended by itself.
        """
        self.console.heading("Training")
        if self.config.train_workers > 1:
            self._train_side_by_side(planned)
        return [self._card(network) for network in planned]

    def times(
        self, cards: Sequence[NetworkCard], stages: Mapping[str, Sequence[str]]
    ) -> dict[str, float]:
        """Where the time went, training after the first part.

        Args:
            cards: What the networks got.
            stages: How the stages of each part begin, by what the report calls it.
        """
        found = {name: self.seconds(begin) for name, begin in stages.items()}
        first, *rest = found.items()
        training = sum(card.seconds for card in cards)
        if self.config.train_workers > 1:
            training = self.directory.busy("train/")
        return dict([first, ("training", training), *rest])

    def _train_side_by_side(self, planned: Sequence[PlannedNetwork]) -> None:
        """Train those that are not trained, each by its share of the threads."""
        workers = self.config.train_workers
        threads = max(1, self.threads // workers)
        ends: dict[str, Callable[[], None]] = {}

        def job(network: PlannedNetwork) -> Job:
            recipe = dict(self.recipe(network))
            recipe["config"] = replace(recipe["config"], threads=threads)
            return Job(network, recipe, self.networks / network.name)

        def begun(network: PlannedNetwork) -> None:
            ends[network.name] = self.directory.begin(_stage(network))

        def done(network: PlannedNetwork, card: NetworkCard) -> None:
            self.directory.write_json(_file(network), card)
            ends[network.name]()

        missing = [one for one in planned if not self.has_done(_stage(one), _file(one))]
        if missing:
            modules = [type(self).__module__, *self.study.plugins]
            train_side_by_side(
                [job(network) for network in missing], workers, modules, self.console, begun, done
            )

    def _card(self, network: PlannedNetwork) -> NetworkCard:
        path = self.networks / network.name
        card = self.once(
            _stage(network),
            _file(network),
            NetworkCard,
            lambda: train(network, self.recipe(network), path, self.console),
        )
        Manifest.read(path).read_bytes(path)  # a card does not say that the network is still whole
        return card


def _stage(network: PlannedNetwork) -> str:
    """The name of its training in the journal."""
    return f"train/{network.name}"


def _file(network: PlannedNetwork) -> str:
    """The file of what it got."""
    return f"networks/{network.name}/card.json"
