"""The stages that the study of phase experts has in every game: data, training, losses, games."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from phasezoo.arena import stream
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.networks import train
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.experiments.study import Settings, StudyRun
from phasezoo.inference.manifest import Manifest
from phasezoo.training.trainer import torch_threads

__all__ = ["M2ctsRun"]

Config = TypeVar("Config", bound=Settings)
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
        """
        self.console.heading("Training")
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
        return dict([first, ("training", sum(card.seconds for card in cards)), *rest])

    def _card(self, network: PlannedNetwork) -> NetworkCard:
        path = self.networks / network.name
        card = self.once(
            f"train/{network.name}",
            f"networks/{network.name}/card.json",
            NetworkCard,
            lambda: train(network, self.recipe(network), path, self.console),
        )
        Manifest.read(path).read_bytes(path)  # a card does not say that the network is still whole
        return card
