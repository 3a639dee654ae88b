"""Arrays on their way to a device, and back."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


def to_device(
    array: npt.NDArray[np.generic] | Tensor,
    device: torch.device,
    dtype: torch.dtype | None = None,
    layout: torch.memory_format = torch.preserve_format,
) -> Tensor:
    """An array on a device; it may be written to again at once, unless ``device`` is the CPU.

    To a CUDA device it goes through page-locked memory, so that nobody waits for the copy but what
    is computed with it.

    Args:
        array: Numbers on the CPU, or a tensor on any device.
        device: Where they are wanted.
        dtype: Their number format there; None: as it is.
        layout: How they lie there.
    """
    tensor = array if isinstance(array, Tensor) else torch.from_numpy(_writable(array))
    if device.type == "cuda" and tensor.device.type == "cpu":
        # Torch keeps page-locked memory for the next time, and knows when a copy is done with it.
        staged = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        tensor = staged.copy_(tensor).to(device, non_blocking=True)
    return tensor.to(device, dtype, memory_format=layout)


def to_host(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Tensors of one device as float32 on the CPU; waits once for all of them."""
    if not tensors or tensors[0].device.type != "cuda":
        return [tensor.float().cpu() for tensor in tensors]
    found = []
    for tensor in tensors:
        place = torch.empty(tensor.shape, dtype=torch.float32, pin_memory=True)
        found.append(place.copy_(tensor.float(), non_blocking=True))
    torch.cuda.current_stream(tensors[0].device).synchronize()
    return found


def _writable(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Torch warns of arrays that it must not write to."""
    return array if array.flags.writeable else array.copy()
