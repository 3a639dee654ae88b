"""The torch backend: any device, and bfloat16 if a trial says that it is safe."""

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors

from phasezoo import networks
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.manifest import Manifest
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.networks.blocks import fold_batch_norms
from phasezoo.types import Dtype, Planes

__all__ = ["TorchEvaluator", "build_network", "parse_tensors"]

MAX_ROWS = 4096
"""Rows a device sees at once; bounds memory, larger batches are answered in parts."""


def parse_tensors(data: bytes, where: str) -> dict[str, torch.Tensor]:
    """Read the bytes of a ``safetensors`` file.

    Raises:
        CheckpointError: The bytes are no such file; the message begins with ``where``.
    """
    try:
        return load_tensors(data)
    except SafetensorError as error:
        message = f"{where}: not a safetensors file ({error}); it was cut off or changed"
        raise CheckpointError(message) from error


def build_network(manifest: Manifest, data: bytes, where: str) -> networks.Network:
    """Make the network of ``manifest`` with the weights in ``data``.

    Raises:
        CheckpointError: The architecture is unknown, or the weights are of another one.
    """
    try:
        network = networks.make(manifest.network, manifest.input_shape, manifest.num_actions)
    except InvalidConfig as error:
        message = f"{where}: {error}"
        raise CheckpointError(message) from error
    tensors = parse_tensors(data, where)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        lines = str(error).splitlines()
        reason = "; ".join(line.strip() for line in lines[1:3]) or lines[0]
        message = f"{where}: weights of another network than {manifest.network} ({reason})"
        raise CheckpointError(message) from error
    return network


class TorchEvaluator(NetworkEvaluator):
    """A network answered by torch.

    Args:
        manifest: What the network was made for.
        network: The network; it is taken over, set to eval mode and its batch norms are folded.
        device: Where to run, such as ``"cuda"``; None: a GPU if there is one.
        dtype: Number format of the weights and of the arithmetic; answers are float32 always.
        threads: Sets torch's threads for the whole process; None leaves them.

    Raises:
        InvalidConfig: There is no such device, or ``dtype`` does not work there.
    """

    def __init__(
        self,
        manifest: Manifest,
        network: networks.Network,
        device: str | None = None,
        dtype: Dtype = "float32",
        threads: int | None = None,
    ) -> None:
        super().__init__(manifest)
        self.device = networks.resolve_device(device)
        self.dtype = networks.supported_dtype(dtype, self.device)
        if threads is not None:
            torch.set_num_threads(threads)
        network.eval()
        fold_batch_norms(network)
        self._network = network.to(self.device, self.dtype)

    @torch.inference_mode()
    def _answer(self, planes: Planes) -> tuple[Planes, Planes]:
        writable = planes if planes.flags.writeable else planes.copy()
        rows = torch.from_numpy(writable)
        parts = [self._part(part) for part in torch.split(rows, MAX_ROWS)]
        if len(parts) == 1:
            return parts[0][0].numpy(), parts[0][1].numpy()
        logits, wdl = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
        return logits.numpy(), wdl.numpy()

    def _part(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and WDL probabilities, on the CPU."""
        on_device = rows.to(self.device, self.dtype, memory_format=torch.channels_last)
        output = self._network(on_device)
        wdl = torch.softmax(output.wdl_logits.float(), dim=1)
        return output.policy_logits.float().cpu(), wdl.cpu()
