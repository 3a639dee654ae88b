"""Checkpoints from which a training goes on to the same numbers."""

import contextlib
import dataclasses
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as tensors_to_bytes

from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.storage.files import write_directory, write_file
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, Manifest
from phasezoo.inference.storage.weights import model_bytes, parse_tensors
from phasezoo.networks import ConditionedNetwork, Network
from phasezoo.runs import jsonable
from phasezoo.runs.saved import digest
from phasezoo.runs.whole import PARTIAL, recover

OPTIMIZER = "optimizer.safetensors"


@dataclass
class Counters:
    """How far a training is; with the weights and the momentum, all that a resumed one needs.

    Batches are a function of seed and update, and no layer draws random numbers, so no generator's
    state is among it.
    """

    update: int = 0
    """Updates done."""
    positions: int = 0
    """Training positions seen."""
    best_update: int = 0
    """Updates done when the validation loss was least."""
    best_loss: float = float("inf")
    """The least validation loss."""
    last_loss: float = float("inf")
    """The last validation loss, against which spikes are measured."""
    spikes: int = 0
    """Times that the training went back to its best checkpoint."""
    stopped: bool = False
    """Whether it ended early, after too many spikes."""
    seconds: float = 0.0
    """Time spent so far, over all sessions."""


class Checkpoints:
    """The checkpoints of one training: the latest and the best, each a directory of its own.

    Each is a network that :func:`phasezoo.inference.load` reads, with the optimiser's moments
    beside it. A new one appears only once it is whole, and only then are older ones removed.

    Args:
        directory: Where they are.
        manifest: What is trained; counters and checksums are put in as they come.
    """

    def __init__(self, directory: Path, manifest: Manifest) -> None:
        self.directory = directory
        self.manifest = manifest

    def path(self, update: int) -> Path:
        """The directory of the checkpoint after ``update`` updates."""
        return self.directory / _name_after(update)

    def latest(self) -> Path | None:
        """The last checkpoint, if there is one."""
        if not self.directory.is_dir():
            return None
        recover(self.directory)
        whole = (p for p in self.directory.glob("update-*") if not p.name.endswith(PARTIAL))
        return max(whole, default=None)

    def save(self, network: Network, optimizer: torch.optim.Optimizer, counters: Counters) -> Path:
        """Save a checkpoint, then remove all others but the best."""
        moments = {
            f"{key}/{name}": moment.cpu().contiguous()
            for name, parameter in network.named_parameters()
            for key, moment in optimizer.state[parameter].items()
            if moment is not None
        }
        files = {MODEL: model_bytes(network), OPTIMIZER: tensors_to_bytes(moments)}
        manifest = dataclasses.replace(
            self.manifest,
            files={name: digest(data) for name, data in files.items()},
            training={**self.manifest.training, "counters": _json_counters(counters)},
        )
        path = self.path(counters.update)
        write_directory(path, {**files, MANIFEST: manifest.to_json()})
        keep = {path, self.path(counters.best_update)}
        for other in self.directory.iterdir():
            if other not in keep:
                shutil.rmtree(other, ignore_errors=True)
        return path

    def restore(self, path: Path, network: Network, optimizer: torch.optim.Optimizer) -> Counters:
        """Put weights and momentum back as they were, and return the counters."""
        manifest = Manifest.read(path)
        load_weights(path, manifest, network)
        where = f"{path / OPTIMIZER}"
        moments = parse_tensors(manifest.read_bytes(path, OPTIMIZER), where)
        optimizer.state.clear()
        parameters = dict(network.named_parameters())
        for label, moment in moments.items():
            key, _, name = label.partition("/")
            parameter = parameters.get(name)
            # A count of steps has no shape; everything else has that of its parameter.
            if parameter is None or (moment.ndim > 0 and moment.shape != parameter.shape):
                message = f"{where}: {label} does not fit into the network"
                raise CheckpointError(message)
            if moment.ndim > 0 or parameter.ndim == 0:
                # In the parameter's own memory format, as it was before.
                moment = torch.empty_like(parameter, requires_grad=False).copy_(moment)
            optimizer.state[parameter][key] = moment
        return _counters(manifest.training.get("counters"), path)

    def remove(self) -> None:
        """Remove all checkpoints, once the training has its result."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.directory)


def load_weights(path: Path, manifest: Manifest, network: Network) -> None:
    """Copy the weights in ``path`` into ``network``."""
    tensors = parse_tensors(manifest.read_bytes(path), str(path / MODEL))
    if isinstance(network, ConditionedNetwork):
        tensors = network.widened(tensors)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        message = f"{path}: the weights of {manifest.network_text} do not fit into the network here"
        raise CheckpointError(message) from error


def save_network(
    directory: Path, network: Network, manifest: Manifest, training: Mapping[str, Any]
) -> Manifest:
    """Write a network into ``directory``, its manifest last: without one nothing is loaded."""
    model = model_bytes(network)
    whole = dataclasses.replace(manifest, files={MODEL: digest(model)}, training=training)
    write_file(directory / MODEL, model)
    write_file(directory / MANIFEST, whole.to_json())
    return whole


def _name_after(update: int) -> str:
    return f"update-{update:09d}"


def _json_counters(counters: Counters) -> dict[str, Any]:
    """JSON has no infinity: None stands for a loss that was not measured or not finite."""
    record = dataclasses.asdict(counters)
    for name in ("best_loss", "last_loss"):
        record[name] = record[name] if record[name] < float("inf") else None
    return record


def _counters(record: Any, path: Path) -> Counters:
    unmeasured = ("best_loss", "last_loss")
    try:
        values = {k: "inf" if v is None and k in unmeasured else v for k, v in record.items()}
        counters = jsonable.decode(Counters, values, "counters")
    except (InvalidConfig, AttributeError) as error:
        message = f"{path / MANIFEST}: the training's counters are not there or changed ({error})"
        raise CheckpointError(message) from error
    if path.name != _name_after(counters.update):
        message = f"{path / MANIFEST}: the training's counters say update {counters.update}"
        raise CheckpointError(message)
    return counters
