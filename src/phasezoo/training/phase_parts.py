"""An expert that is a part of one network: what that network is once it is told the phase."""

from pathlib import Path
from typing import Any

from phasezoo import inference, networks
from phasezoo.errors import CheckpointError
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.inference.storage.weights import build_network
from phasezoo.networks import ConditionedNetwork
from phasezoo.training.run_files import finished
from phasezoo.training.supervised import TrainingResult, result_in

__all__ = ["take_part"]


def take_part(shared: Path, out: Path, gate: Any, phase: str, index: int) -> TrainingResult:
    """Write the expert of a phase that a network knows, unless it is there; nothing is trained.

    Args:
        shared: Directory of the network.
        out: The expert's directory.
        gate: What names the phases.
        phase: The phase's name.
        index: Its index in the gate.

    Raises:
        CheckpointError: The network in ``shared`` is truncated, changed, or told of no phases.
    """
    known = finished(out)
    if known is None:
        known = _taken(shared, out, gate, phase, index)
    return result_in(out, known)


def _taken(shared: Path, out: Path, gate: Any, phase: str, index: int) -> Manifest:
    source = Manifest.read(shared)
    network = build_network(source, source.read_bytes(shared), shared)
    if not isinstance(network, ConditionedNetwork):
        message = f"{shared}: {source.network_text} is told of no phases, so it has no parts"
        raise CheckpointError(message)
    nothing = dict.fromkeys(("positions", "unique_positions", "updates", "best_update"), 0)
    training = {**source.training, **nothing, "epochs": 0.0, "seconds": 0.0, "part_of": shared.name}
    return inference.save(
        networks.told(network, index),
        out,
        game=source.game,
        planes=source.planes,
        gate=gate,
        phase=phase,
        training=training,
        overwrite=True,
    )
