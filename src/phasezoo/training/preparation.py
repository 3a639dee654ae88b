"""Trainings before they begin: checked, the network made, and nothing written yet."""

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from phasezoo import _core, networks
from phasezoo._torch import default_threads
from phasezoo.data.sampler import Sampler
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import at_least
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.inference.storage.weights import build_network, model_bytes
from phasezoo.networks import Network
from phasezoo.networks.registry import Factory
from phasezoo.runs.saved import digest
from phasezoo.training.checkpoint import load_weights
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.data import TrainingData, rows_digest, stream_seed, targets_digest
from phasezoo.training.fresh_network import FreshNetwork
from phasezoo.training.loggers import Logger, TensorBoardLogger, WandbLogger
from phasezoo.training.run_files import RunDetails
from phasezoo.training.steps import check_batches, check_freeze, check_phases
from phasezoo.training.trainer import Samplers

_BATCHES, _VALUES = 2, 8
"""Names of the random streams that order a training's positions, and those for values alone."""

INCIDENTAL = ("device", "threads", "tensorboard", "wandb", "body_cache_gb")
"""Options that a resumed training may change: where it runs, not what it is."""

GPU_THREADS = 4
"""Threads that make batches for a GPU. They make 600,000 chess positions a second, more than it
takes; with all 16 of a machine the training itself, which starts the GPU's work, went from 81,500
positions a second to 55,900."""

TARGETS = "targets_sha256"
"""Entry of what games tell of their positions. Records of earlier versions have none: they are
taken for trainings on these games."""

LEFT_OUT: Mapping[str, object] = {
    "optimizer": "sgd",
    "weighted_losses": "all",
    "distill_weight": None,
    "freeze": None,
    "keep_statistics": None,
    "compile": False,
    "value_mix": 0.0,
    "value_share": SupervisedConfig.value_share,
    "watched_positions": 0,
}
"""Options that change no number if they are so. Records leave them out, so that trainings from
before there were any are still themselves."""


@dataclass(frozen=True)
class Task:
    """A training on positions that are chosen already (see :func:`train_supervised`)."""

    network: str | Factory | networks.NetworkSpec
    """The network, or the text that it is made from."""
    planes: str | None
    """Input planes; None: the game's default."""
    history: int | None
    """How many of the last moves they show; None: all that they have room for."""
    positions: int
    """Training positions to see."""
    seed: int
    """Decides the initial weights and the order of the positions."""
    out: Path
    """The training's directory."""
    init: str | Path | None = None
    """Directory of a network to start from."""
    resume: bool = True
    """Whether ``out`` may hold this training already."""
    named: frozenset[str] = frozenset()
    """Options of the configuration that were given by name."""
    teacher: Path | None = None
    """Folder of a network whose values are learned too."""
    body_outputs: Path | None = None
    """Folder of a frozen body's outputs that other trainings use too; None: there are none."""

    def __post_init__(self) -> None:
        at_least("positions", self.positions, 1)


@dataclass(frozen=True)
class Ready:
    """A training that nothing speaks against, before its directory is touched."""

    network: Network
    """The network with its first weights."""
    manifest: Manifest
    """Its manifest."""
    samplers: Samplers
    """Sampler of its positions."""
    settings: SupervisedConfig
    """The knobs, without what the network does not answer."""
    details: RunDetails
    """Where it will run."""
    loggers: tuple[Logger, ...]
    """Those that the knobs ask for."""
    teacher: Network | None = None
    """The network whose values it learns too."""

    @property
    def identity(self) -> dict[str, Any]:
        """All that the numbers of the training depend on, as JSON."""
        return dict(self.manifest.training["identity"])

    @property
    def defaults(self) -> dict[str, Any]:
        """Values of entries that records of earlier versions lack."""
        return {**LEFT_OUT, TARGETS: self.identity[TARGETS]}

    @classmethod
    def of(cls, data: TrainingData, task: Task, settings: SupervisedConfig) -> "Ready":
        """Check everything and make the network."""
        seed, game = task.seed, data.train_store.game
        planes = game.plane_spec(task.planes, task.history)
        made = FreshNetwork.of(game, task.network, planes, seed, settings, task.named)
        check_phases(made.network, len(data.train.names))
        check_freeze(made.network, settings.freeze, is_trained=task.init is not None)
        settings = made.settings
        manifest = made.manifest_for(data.phase, data.train.gate, data.gate_fingerprint)
        if task.init is not None:
            load_weights(Path(task.init), Manifest.read(Path(task.init)), made.network)
        check_batches(made.network, task.positions, settings.batch_size, f"{task.network}")
        identity = _identity(manifest, data, task.positions, seed, settings, made.network)
        teacher = None
        if task.teacher is not None:
            known = Manifest.read(task.teacher)
            weights = known.read_bytes(task.teacher)
            teacher = build_network(known, weights, task.teacher)
            identity["teacher_sha256"] = digest(weights)
        device = networks.resolve_device(settings.device)
        networks.supported_dtype(settings.dtype, device)
        samplers = samplers_of(settings, data, manifest.planes, seed)
        manifest = replace(manifest, training={"identity": identity})
        seeds = {"training": seed, "weights": made.seed, "batches": stream_seed(seed, _BATCHES)}
        details = _details(settings, seeds, device)
        loggers = _loggers(settings)
        return cls(made.network, manifest, samplers, settings, details, loggers, teacher)


def samplers_of(config: SupervisedConfig, data: TrainingData, planes: str, seed: int) -> Samplers:
    """Return the sampler of a training's positions."""
    # On a CPU the network wants the cores more than the planes do, which are made in one thread.
    on_cpu = networks.resolve_device(config.device).type == "cpu"
    packed = _packs(data, on_cpu)
    train = Sampler(
        data.train_store,
        data.train,
        planes,
        config.batch_size,
        stream_seed(seed, _BATCHES),
        config.history_dropout,
        _turns(config, data),
        threads=1 if on_cpu else config.threads or min(GPU_THREADS, _core.default_threads()),
        weights=data.weights,
        value_mix=config.value_mix,
        packed=packed,
    )
    measured = functools.partial(
        Sampler, data.validation_store, planes=planes, threads=config.threads, packed=packed
    )
    validation = measured(data.validation, weights=data.weights)
    watched = None if data.watched is None else measured(data.watched)
    return Samplers(train, validation, watched, _values(train, data, config.value_share, seed))


def _values(train: Sampler, data: TrainingData, share: float, seed: int) -> Sampler | None:
    """Return the sampler of games that values alone are learned from, which is as for others."""
    if data.value_store is None or data.values is None:
        if share != SupervisedConfig.value_share:
            message = f"value_share={share:g}: is for value games; give them too, or leave it out"
            raise InvalidConfig(message)
        return None
    size = max(1, round(share * train.batch_size))
    return train.like(data.value_store, data.values, size, stream_seed(seed, _VALUES))


def _packs(data: TrainingData, on_cpu: bool) -> bool:
    """Whether planes come packed: a fortieth of those of chess crosses the bus to the device.

    On a CPU there is no bus: unpacking takes as long as writing floats at once.
    """
    return data.train_store.game.native and not on_cpu


def _turns(config: SupervisedConfig, data: TrainingData) -> bool:
    """Whether training positions are turned."""
    store = data.train_store
    wanted = store.is_symmetric if config.symmetries is None else config.symmetries
    return wanted and store.num_symmetries > 1


def _identity(
    manifest: Manifest,
    data: TrainingData,
    positions: int,
    seed: int,
    config: SupervisedConfig,
    network: Network,
) -> dict[str, Any]:
    """All that the numbers of a training depend on, as JSON."""
    settings = asdict(config)
    for name in INCIDENTAL:
        del settings[name]
    settings["symmetries"] = _turns(config, data)
    if not settings["symmetries"] and not data.train_store.is_symmetric:
        del settings["symmetries"]
    if data.watched is None:
        settings["watched_positions"] = 0
    else:
        settings["watched_sha256"] = rows_digest(data.watched)
    for name, unused in LEFT_OUT.items():
        if settings[name] == unused:
            del settings[name]
    if data.weights is not None:
        settings["phase_weights"] = list(data.weights)
    if data.value_digest is not None:
        settings["value_games_sha256"] = data.value_digest
    return {
        "game": manifest.game,
        "planes": manifest.planes,
        "network": manifest.network_text,
        "gate": data.train.gate,
        "phase": data.phase,
        "positions": positions,
        "seed": seed,
        "train_positions": len(data.train),
        "train_sha256": rows_digest(data.train),
        "validation_positions": len(data.validation),
        "validation_sha256": rows_digest(data.validation),
        TARGETS: targets_digest(data.train_store, data.validation_store),
        "initial_weights_sha256": digest(model_bytes(network)),
        **settings,
    }


def _details(
    config: SupervisedConfig, seeds: Mapping[str, int], device: torch.device
) -> RunDetails:
    """Where a training runs, which its record keeps and a resumed one may change."""
    return RunDetails(
        incidental={name: getattr(config, name) for name in INCIDENTAL},
        seeds=seeds,
        threads=default_threads() if config.threads is None else config.threads,
        devices=[torch.cuda.get_device_name(device)] if device.type == "cuda" else [],
    )


def _loggers(settings: SupervisedConfig) -> tuple[Logger, ...]:
    """The loggers that the knobs ask for."""
    board = (TensorBoardLogger(),) if settings.tensorboard else ()
    return board if settings.wandb is None else (*board, WandbLogger(settings.wandb))
