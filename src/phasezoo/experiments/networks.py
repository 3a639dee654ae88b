"""Studies that train networks, one after the other or side by side."""

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from phasezoo.arena import stream
from phasezoo.errors import CheckpointError, InvalidPlaneSpec, about
from phasezoo.experiments.settings import TrainedSettings
from phasezoo.experiments.side_by_side import Processes
from phasezoo.experiments.study import StudyRun
from phasezoo.games import Game
from phasezoo.inference.storage.manifest import MANIFEST, Manifest
from phasezoo.networks import NetworkSpec
from phasezoo.networks.registry import Factory
from phasezoo.report.console import Console, Task
from phasezoo.training.callbacks import Callbacks, Progress
from phasezoo.training.experts.planned import LossCurve, Recipe, TrainedNetwork, train_planned
from phasezoo.training.experts.plans import PlannedTraining
from phasezoo.training.supervised import Hooks
from phasezoo.training.trainer import torch_threads

_REFRESH_SECONDS = 0.2
"""How often progress is shown."""


def check_networks(
    names: Sequence[str | Factory | NetworkSpec], game: Game, planes: str | None
) -> tuple[tuple[int, int, int], int]:
    """Refuse networks and planes that do not exist, before the first network is trained.

    Args:
        names: Architectures.
        game: The game.
        planes: Their input planes; None: the game's own.

    Returns:
        The shape of the planes and the size of the policy.
    """
    from phasezoo import networks

    spec = game.default_planes if planes is None else planes
    with about(f"--planes {spec or repr(spec)}", InvalidPlaneSpec):
        sizes = game.plane_shape(spec), game.policy_size(spec)
    for name in names:
        networks.spec_of(name)
    return sizes


def budget(positions: int, epochs: float | None, available: int) -> int:
    """Return the positions that a network sees: epochs of all, if these are given."""
    return positions if epochs is None else max(1, round(epochs * available))


@dataclass(frozen=True)
class TrainingJob:
    """A network to train, in this process or in one of its own."""

    network: PlannedTraining
    """The plan."""
    recipe: Recipe
    """Games and options."""
    folder: Path
    """The directory of all networks."""

    @property
    def name(self) -> str:
        """The network's name."""
        return self.network.name

    @property
    def place(self) -> Path:
        """The network's directory."""
        return self.folder / self.name

    @property
    def steps(self) -> int:
        """Positions to learn from; a part of another network learns from none."""
        return self.network.positions

    @property
    def after(self) -> tuple[str | None, ...]:
        """The networks that it starts from and learns from."""
        return self.network.start, self.network.teacher

    def work(self, console: Console) -> TrainedNetwork:
        """Train the network, or finish its training, and show how far that is."""
        plan = self.network
        if plan.is_part:
            result = train_planned(plan, self.recipe, self.folder)
        else:
            with console.task(f"Training {plan.name}", plan.positions) as task:
                hooks = Hooks(Callbacks((), _shown_on(task)))
                result = train_planned(plan, self.recipe, self.folder, hooks=hooks)
        return replace(TrainedNetwork.of(plan, result), curve=LossCurve.of(result.history))


def _shown_on(task: Task) -> Callable[[Progress], None]:
    """Return what shows speed and losses of a training a few times a second."""
    first: Progress | None = None
    started = last = time.perf_counter()

    def show(progress: Progress) -> None:
        nonlocal first, last
        first = first or progress
        now = time.perf_counter()
        if now - last < _REFRESH_SECONDS and progress.update < progress.updates:
            return
        last = now
        speed = (progress.positions - first.positions) / max(now - started, 1e-9)
        parts = [f"{speed:,.0f} positions/s"]
        if progress.train_loss is not None:
            parts.append(f"loss {progress.train_loss:.3f}")
        if progress.validation_loss is not None:
            parts.append(f"validation {progress.validation_loss:.3f}")
        task.update(progress.positions, ", ".join(parts))

    return show


Config = TypeVar("Config", bound=TrainedSettings)
Results = TypeVar("Results")


class TrainingRun(StudyRun[Config, Results]):
    """A run of a study that trains networks.

    Every stage leaves a file that is there only when it is whole, so a run that was stopped
    anywhere goes on with the first stage that is not done, and inside trainings and matches with
    what was saved.
    """

    planned: list[PlannedTraining]
    """All networks of the run."""

    @abstractmethod
    def recipe(self, network: PlannedTraining) -> Recipe:
        """Return the games and options that a network is trained with."""

    def finish(self) -> Results:
        """Do the work, with torch's threads as the settings say."""
        with torch_threads(self.config.threads):
            return super().finish()

    def seed(self, *names: str | int) -> int:
        """The seed of a named stream of the run."""
        return stream(self.config.seed, *names)

    @property
    def networks(self) -> Path:
        """The directory of all networks."""
        return self.path / "networks"

    def folders(self, training: int, role: str, gate: str | None = None) -> dict[str | None, Path]:
        """Return where networks of one training, role and, if given, gate are, by their phases."""
        return {
            network.phase: self.networks / network.name
            for network in self.planned
            if (network.role, network.training) == (role, training) and gate in (None, network.gate)
        }

    def train(self, planned: Sequence[PlannedTraining]) -> list[TrainedNetwork]:
        """Train every network that is not trained."""
        self.console.heading("Training")
        self.planned = list(planned)
        if self.config.train_workers > 1:
            self._train_side_by_side()
        return [self._card(network) for network in planned]

    def processes(self) -> Processes:
        """Return processes for work at the same time, as many as the settings say."""
        return Processes(self.config.train_workers, [type(self).__module__, *self.study.plugins])

    @property
    def threads_each(self) -> int:
        """Threads of each of these processes."""
        return max(1, self.threads // self.config.train_workers)

    def times(
        self, cards: Sequence[TrainedNetwork], stages: Mapping[str, Sequence[str]]
    ) -> dict[str, float]:
        """Return seconds by part, whose stages begin as said, with training after the first."""
        first, *rest = self.seconds(stages).items()
        training = sum(card.seconds for card in cards)
        if self.config.train_workers > 1:
            training = self.directory.busy("train/")
        return dict([first, ("training", training), *rest])

    def _train_side_by_side(self) -> None:
        """Train those that are not trained, each by its share of the threads."""

        def job(network: PlannedTraining) -> TrainingJob:
            recipe = self.recipe(network)
            settings = replace(recipe.settings, threads=self.threads_each)
            return TrainingJob(network, replace(recipe, settings=settings), self.networks)

        def begin(job: TrainingJob) -> Callable[[TrainedNetwork], None]:
            end = self.directory.begin(
                _stage(job.network), _file(job.network), _manifest(job.network)
            )

            def done(card: TrainedNetwork) -> None:
                self.directory.write_json(_file(job.network), card)
                end()

            return done

        missing = [one for one in self.planned if not self.has_done(_stage(one), _file(one))]
        if missing:
            with self.processes() as processes:
                jobs = [job(network) for network in missing]
                processes.do("Training", "networks", jobs, self.console, begin)

    def _card(self, network: PlannedTraining) -> TrainedNetwork:
        path = self.networks / network.name
        card = self.once(
            _stage(network),
            TrainedNetwork,
            lambda: TrainingJob(network, self.recipe(network), self.networks).work(self.console),
            file=_file(network),
            beside=[_manifest(network)],
        )
        try:  # a card does not say that the network is still whole, and its own
            Manifest.read(path).read_bytes(path)
            if self.directory.has_changed(_manifest(network)):
                message = f"{path}: the network was changed, or comes from another run"
                raise CheckpointError(message)  # noqa: TRY301 - the advice is the same
        except CheckpointError as error:
            message = (
                f"{error}; remove the folder {path} to have the run train it again, then continue "
                f"with --resume {self.path}"
            )
            raise CheckpointError(message) from error
        return card


def _stage(network: PlannedTraining) -> str:
    """The name of its training in the journal."""
    return f"train/{network.name}"


def _file(network: PlannedTraining) -> str:
    """The file of what it got."""
    return f"networks/{network.name}/card.json"


def _manifest(network: PlannedTraining) -> str:
    """The file that has the checksums of its weights."""
    return f"networks/{network.name}/{MANIFEST}"
