"""Networks with something in them, saved as a training saves them."""

from pathlib import Path

import torch
from safetensors.torch import save

from phasezoo import games, networks
from phasezoo.games.queries import action_spec
from phasezoo.inference.storage.files import write_directory
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, Manifest
from phasezoo.runs.saved import digest


def save_network(
    directory: Path,
    name: str = "rise-16x3",
    planes: str = "v2",
    seed: int = 1,
    *,
    variant: str = "chess",
    gate: str = "lichess:classic",
    phase: str = "endgame",
) -> Path:
    """A random network whose batch norms have seen a few batches, into ``directory``."""
    game = games.make(variant)
    shape = game.plane_shape(planes)
    actions = game.policy_size(planes)
    network = networks.make(name, shape, actions, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():  # logits of the size that trained networks have
            parameter.mul_(2)
        for _ in range(3):
            network(torch.rand(32, *shape, generator=generator))
    data = save({key: tensor.contiguous() for key, tensor in network.state_dict().items()})
    manifest = Manifest(
        game=variant,
        planes=planes,
        network=name,
        input_shape=shape,
        num_actions=actions,
        actions=action_spec(actions, shape),
        gate=gate,
        phase=phase,
        files={MODEL: digest(data)},
        phasezoo="test",
    )
    write_directory(directory, {MODEL: data, MANIFEST: manifest.to_json()})
    return directory
