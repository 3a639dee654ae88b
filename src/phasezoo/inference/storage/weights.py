"""Weights as bytes, and the networks that are built of them and of a manifest."""

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors, save as tensors_to_bytes
from torch import nn

from phasezoo import networks
from phasezoo.errors import CheckpointError, PhasezooError, first_line
from phasezoo.inference.storage.manifest import PLUGIN_HINT, Manifest


def parse_tensors(data: bytes, where: str) -> dict[str, torch.Tensor]:
    """Read the bytes of a ``safetensors`` file."""
    try:
        return load_tensors(data)
    except SafetensorError as error:
        message = f"{where}: not a safetensors file ({error}); it was cut off or changed"
        raise CheckpointError(message) from error


def model_bytes(weights: "nn.Module | dict[str, torch.Tensor]") -> bytes:
    """Return a network's weights, or such a dictionary, as bytes of a ``safetensors`` file."""
    state = weights.state_dict() if isinstance(weights, nn.Module) else weights
    kept: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for name, tensor in state.items():
        plain = tensor.detach().cpu().contiguous()
        # Layers may share their weights, which the format does not know: each has its own there.
        kept[name] = plain.clone() if plain.data_ptr() in seen else plain
        seen.add(plain.data_ptr())
    return tensors_to_bytes(kept)


def build_network(manifest: Manifest, data: bytes, where: str | Path) -> nn.Module:
    """Make the network of ``manifest`` with the weights in ``data``.

    It is looked for by its name among the registered ones, then by the import path of its factory.
    A manifest may come from anybody: no code is imported that lies in its folder, or that is
    neither installed nor imported by the user already.

    Args:
        manifest: What says which network it is.
        data: Its weights, as the bytes of a ``safetensors`` file.
        where: The folder of both, or the file of weights in it.
    """
    place = Path(where)
    spec = networks.NetworkSpec(
        manifest.network,
        manifest.network_options,
        manifest.network_factory,
        place if place.is_dir() else place.parent,
    )
    try:
        network = networks.make(
            spec,
            manifest.input_shape,
            manifest.num_actions,
            num_players=manifest.num_players,
        )
    except PhasezooError as error:
        message = f"{where}: {error}. If it is one of your own, {PLUGIN_HINT}"
        raise CheckpointError(message) from error
    except Exception as error:  # whatever a user's factory raises
        reason = first_line(error)
        message = f"{where}: making {manifest.network_text} raised {type(error).__name__}: {reason}"
        raise CheckpointError(message) from error
    tensors = parse_tensors(data, str(where))
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        lines = str(error).splitlines()
        reason = "; ".join(line.strip() for line in lines[1:3]) or first_line(error)
        message = f"{where}: weights of another network than {manifest.network_text} ({reason})"
        raise CheckpointError(message) from error
    return network
