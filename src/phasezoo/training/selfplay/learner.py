"""A learner: one network that is trained on a replay, round by round."""

import copy
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from phasezoo import games as known_games, gating, inference
from phasezoo.agents.arguments import seed_of
from phasezoo.data.sampler import Prefetcher
from phasezoo.errors import (
    CheckpointError,
    GameMismatch,
    InvalidConfig,
    InvalidNetwork,
    StoreError,
)
from phasezoo.games import Game
from phasezoo.games.options import at_least, folder_path, instance_of
from phasezoo.gating.callables import phase_number
from phasezoo.inference.storage.files import write_directory
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, Manifest
from phasezoo.inference.storage.packaged import resolved
from phasezoo.inference.storage.weights import model_bytes
from phasezoo.networks.registry import Factory
from phasezoo.runs.saved import digest
from phasezoo.training.checkpoint import Checkpoints, Counters, load_weights
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.data import stream_seed
from phasezoo.training.fresh_network import FreshNetwork
from phasezoo.training.schedules import Drops, OneCycle, batch_sizes, drops_of
from phasezoo.training.selfplay.config import (
    CONSTANT,
    ONE_CYCLE,
    check_learning,
    check_schedule,
    self_play_settings,
)
from phasezoo.training.selfplay.replay import Replay
from phasezoo.training.steps import LossSums, Steps, check_batches, check_freeze, number_of
from phasezoo.training.trainer import torch_threads

_LOGGER = logging.getLogger(__name__)


class Learner:
    """A network that is trained on the samples of a :class:`Replay`, round by round.

    Its losses, optimisers and steps are those of :func:`phasezoo.training.train_supervised`. The
    optimiser goes on from round to round.

    Args:
        game: The game, or its name.
        network: Architecture; None: that of ``initial``, else ``resnet-16x2``.
        config: Training settings; None: :func:`self_play_settings`. Those of validation are not
            used, and ``value_mix`` and ``symmetries`` are the replay's.
        schedule: Learning rates: ``"one-cycle"``, one cycle in every round;
            ``"constant"``, ``max_lr`` always; or by steps of all rounds, ``"0:0.2,1000:0.02"``.
        planes: Input planes; None: the game's default.
        history: Number of last moves that they show; None: all.
        initial: Folder or name of a network of the same architecture and game to start from.
        seed: Seed of the first weights and of what is drawn.
        gate: Gate of the phases of experts.
        phase: Phase of the expert, by its index or name; None: a network of all phases.

    Raises:
        CheckpointError: ``initial`` is not a network, or does not fit.
        GameMismatch: ``initial`` is a network of another game.
        InvalidConfig: An option is out of range.
        InvalidNetwork: The network fails when it is tried.
    """

    def __init__(
        self,
        game: str | Game,
        network: str | Factory | None = None,
        *,
        config: SupervisedConfig | None = None,
        schedule: str = ONE_CYCLE,
        planes: str | None = None,
        history: int | None = None,
        initial: str | Path | None = None,
        seed: int = 0,
        gate: Any = "none",
        phase: int | str | None = None,
    ) -> None:
        self.game = known_games.make(game)
        self.seed = seed_of(seed)
        known = begun = None
        if initial is not None:
            folder_path("initial", initial)
            begun = resolved(initial)
            known = _initial(begun, self.game)
        if network is None:
            network = "resnet-16x2" if known is None else known.network_text
        spec = self.game.plane_spec(planes, history)
        if planes is None and known is not None:
            spec = known.planes
        settings = self_play_settings()
        if config is not None:
            settings = instance_of("config", config, SupervisedConfig)
        check_schedule(schedule, settings)
        check_learning(settings)
        own = gating.make(gate, self.game.name)
        self.phase = None if phase is None else _phase_of(own, phase)
        unset = self_play_settings()
        made = FreshNetwork.of(self.game, network, spec, seed, settings, unset=unset)
        if known is not None and begun is not None:
            load_weights(begun, known, made.network)
        self.settings = made.settings
        check_freeze(made.network, self.settings.freeze, is_trained=known is not None)
        whole = max(self.settings.batch_size, 2)
        check_batches(made.network, whole, self.settings.batch_size, f"{network}")
        fingerprint = None
        if self.phase is not None and not isinstance(own, gating.Gate):
            fingerprint = gating.fingerprint(own, self.game.name)
        self.manifest = made.manifest_for(self.phase, str(gating.spec_of(own)), fingerprint)
        self._schedule = schedule
        self._steps = Steps(made.network, self.settings, self.manifest.input_shape, seed)
        self.counters = Counters()
        self.rounds = 0
        """Number of finished rounds."""

    @property
    def network(self) -> torch.nn.Module:
        """Network with its current weights."""
        return self._steps.network

    def learn(
        self,
        replay: Replay,
        samples: int,
        *,
        phase: int | str | None = None,
        weights: Sequence[float] | None = None,
    ) -> dict[str, float | None]:
        """Train on samples that are drawn from a replay.

        If a loss or a weight becomes NaN or infinite, the network and its optimiser go back to
        where the round began, which is counted as a spike.

        Args:
            replay: The replay.
            samples: Number of samples (2 or more: one has no spread).
            phase: Draws samples of this phase alone.
            weights: Weight of the samples of each phase.

        Returns:
            Unweighted means over the samples (with ``value_mix`` of the mixed values): ``loss``
            (the reported total), ``policy_loss``, ``value_mse``, ``policy_accuracy``,
            ``wdl_loss``, ``plies_mse``.

        Raises:
            InvalidConfig: ``samples`` is below 2, or there is no such phase.
            InvalidNetwork: There were more such rounds than ``spike_limit`` allows.
            StoreError: The replay has no such samples, or is of another game.
        """
        self._check_replay(replay)
        steps, last = batch_sizes(at_least("samples", samples, 2), self.settings.batch_size)
        check_batches(self.network, samples, self.settings.batch_size, self.manifest.network_text)
        on_cpu = self._steps.device.type == "cpu"
        sampler = replay.sampler(
            self.settings.batch_size,
            stream_seed(self.seed, _ROUNDS + self.rounds),
            planes=self.manifest.planes,
            phase=phase,
            weights=weights,
            history_dropout=self.settings.history_dropout,
            threads=1 if on_cpu else self.settings.threads,
            packed=self.game.native and not on_cpu,
        )

        def batch(step: int) -> Any:
            return sampler.sized(step, last if step == steps - 1 else None)

        before = self._state()
        sums = self._steps.no_losses()
        rates = self._rates(steps)
        first = 0 if isinstance(rates, OneCycle) else self.counters.update
        devices = [] if on_cpu else [self._steps.device]
        with (
            torch_threads(self.settings.threads),
            torch.random.fork_rng(devices),
            Prefetcher(batch, range(steps)) as batches,
        ):
            for step in range(steps):
                lr, momentum = rates.lr(first + step), rates.momentum(first + step)
                self._steps.take(self.counters.update, batches.next(), sums, lr, momentum)
                self.counters.update += 1
        self.counters.positions += samples
        self.counters.best_update = self.counters.update  # the last weights are those that count
        self.rounds += 1
        if not self._is_finite(sums):
            self._go_back(before)
        return _row(sums)

    def _check_replay(self, replay: Any) -> None:
        """Refuse something that is not a replay, or one of another game."""
        instance_of("replay", replay, Replay)
        if replay.game.name != self.game.name:
            message = (
                f"a replay of {replay.game.name!r}, and the learner's game is {self.game.name!r}"
            )
            raise StoreError(message)

    def save(self, folder: str | Path, **about: Any) -> Path:
        """Save weights, optimiser and counters in a folder, in place of those of earlier rounds.

        Args:
            folder: Folder of this learner's checkpoints.
            **about: Further values to keep, as JSON.

        Raises:
            CheckpointError: It cannot be written; earlier checkpoints are still there.
        """
        manifest = replace(self.manifest, training={"rounds": self.rounds, "about": about})
        checkpoints = Checkpoints(Path(folder), manifest)
        return checkpoints.save(self.network, self._steps.optimizer, self.counters)

    def restore(self, folder: str | Path) -> dict[str, Any] | None:
        """Restore the last checkpoint of :meth:`save`.

        Args:
            folder: Folder of this learner's checkpoints.

        Returns:
            The further values; None if nothing was saved.

        Raises:
            CheckpointError: A file is missing, truncated or changed, or of another network.
        """
        checkpoints = Checkpoints(Path(folder), self.manifest)
        latest = checkpoints.latest()
        if latest is None:
            return None
        kept = Manifest.read(latest)
        if (kept.game, kept.network_text) != (self.game.name, self.manifest.network_text):
            message = (
                f"{latest}: a checkpoint of {kept.network_text!r} of {kept.game!r}, and the "
                f"learner is {self.manifest.network_text!r} of {self.game.name!r}"
            )
            raise CheckpointError(message)
        self.counters = checkpoints.restore(latest, self.network, self._steps.optimizer)
        rounds, about = kept.training.get("rounds", 0), kept.training.get("about", {})
        if not isinstance(rounds, int) or not isinstance(about, Mapping):
            message = f"{latest}: says nothing of its rounds, or was changed"
            raise CheckpointError(message)
        self.rounds = rounds
        return dict(about)

    def start_from(self, other: "Learner") -> None:
        """Copy the weights of another learner, and begin with a new optimiser.

        Args:
            other: The other learner, of the same game and architecture.

        Raises:
            InvalidConfig: It is not.
        """
        kept, given = self.manifest, instance_of("other", other, Learner).manifest
        if (kept.game, kept.network_text) != (given.game, given.network_text):
            message = (
                f"other: learns {given.network_text!r} of {given.game!r}, and this learner "
                f"{kept.network_text!r} of {kept.game!r}; give one that learns the same"
            )
            raise InvalidConfig(message)
        state = copy.deepcopy(other.network.state_dict())
        self.network.load_state_dict(state)
        self._steps.optimizer.state.clear()

    def publish(self, folder: str | Path, **about: Any) -> Path:
        """Write the network as :func:`phasezoo.inference.load` reads it; whole, or not at all.

        Args:
            folder: The directory of the network.
            **about: Values of its manifest's ``training``.

        Raises:
            CheckpointError: It cannot be written.
        """
        model = model_bytes(self.network)
        manifest = replace(self.manifest, files={MODEL: digest(model)}, training=about)
        write_directory(Path(folder), {MODEL: model, MANIFEST: manifest.to_json()})
        return Path(folder)

    def evaluator(self, **options: Any) -> inference.TorchEvaluator:
        """Return an evaluator with a copy of the network.

        Args:
            **options: As for ``TorchEvaluator``.
        """
        network = copy.deepcopy(self.network).eval()
        return inference.TorchEvaluator(network, manifest=self.manifest, **options)

    def _rates(self, steps: int) -> "OneCycle | Drops":
        knobs = self.settings
        if self._schedule == ONE_CYCLE:
            return OneCycle(
                steps, knobs.max_lr, knobs.min_lr, knobs.max_momentum, knobs.min_momentum
            )
        if self._schedule == CONSTANT:
            return Drops(((0, knobs.max_lr),), knobs.max_momentum)
        return drops_of(self._schedule, knobs.max_momentum)

    def _state(self) -> Any:
        optimizer = self._steps.optimizer
        return copy.deepcopy((self.network.state_dict(), optimizer.state_dict()))

    def _is_finite(self, sums: LossSums) -> bool:
        means = sums.means()
        losses = torch.stack([means.policy, means.value])
        whole = all(bool(torch.isfinite(each).all()) for each in self.network.state_dict().values())
        return whole and bool(torch.isfinite(losses).all())

    def _go_back(self, before: Any) -> None:
        network, optimizer = before
        self.network.load_state_dict(network)
        self._steps.optimizer.load_state_dict(optimizer)
        self.counters.spikes += 1
        _LOGGER.warning(
            "round %d: the loss or the weights are NaN or infinite; the network goes back to "
            "where the round began (spike %d)",
            self.rounds,
            self.counters.spikes,
        )
        if self.counters.spikes > self.settings.spike_limit:
            message = (
                f"{self.counters.spikes} rounds ended in NaN or infinity, spike_limit="
                f"{self.settings.spike_limit} allows no more: lower max_lr, or give a gradient_clip"
            )
            raise InvalidNetwork(message)


_ROUNDS = 1_000
"""Number of the first round's random stream."""


def _phase_of(gate: Any, phase: Any) -> str:
    """Return the name of a phase."""
    names, spec = tuple(gate.names), gating.spec_of(gate)
    if len(names) < 2:
        message = f"phase {phase!r}: give gate= whose phase it is; {spec!r} has one phase"
        raise InvalidConfig(message)
    return str(names[phase_number(names, phase, spec)])


def _initial(path: Path, game: Game) -> Manifest:
    """Return the manifest of a network to start from."""
    manifest = Manifest.read(path)
    if manifest.game != game.name:
        message = (
            f"{path}: a network of {manifest.game!r}, and the learner's game is {game.name!r}; "
            "start from a network of that game"
        )
        raise GameMismatch(message)
    return manifest


def _row(sums: LossSums) -> dict[str, float | None]:
    means = sums.means()
    found: Mapping[str, Any] = {
        "loss": means.reported(),
        "policy_loss": means.policy,
        "value_mse": means.value,
        "policy_accuracy": means.correct,
        "wdl_loss": means.wdl,
        "plies_mse": means.plies,
    }
    return {name: number_of(mean) for name, mean in found.items()}
