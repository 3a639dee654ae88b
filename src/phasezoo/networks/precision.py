"""Which device and which number format may be used here."""

import contextlib
import functools
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from phasezoo._trial import trial
from phasezoo.errors import InvalidConfig, first_line
from phasezoo.specs import check_value
from phasezoo.types import InferenceDtype

_INSTRUCTIONS = "ONEDNN_MAX_CPU_ISA"
"""Variable that limits the instructions that torch's layers use on a CPU."""

_WITHOUT_TILES = "AVX512_CORE_BF16"
"""Its value for ``bfloat16`` without AMX, which some machines report and do not allow."""

# Runs the layers of our networks forwards and backwards, under autocast and converted.
_PROBE = """
import sys, torch
device, dtype = torch.device(sys.argv[1]), getattr(torch, sys.argv[2])
def layers():
    return torch.nn.Sequential(
        torch.nn.Conv2d(52, 64, 3, padding=1), torch.nn.BatchNorm2d(64), torch.nn.ReLU(),
        torch.nn.Conv2d(64, 64, 5, padding=2, groups=64), torch.nn.Conv2d(64, 8, 1),
        torch.nn.Flatten(), torch.nn.Linear(512, 3),
    ).to(device, memory_format=torch.channels_last)
planes = torch.rand(256, 52, 8, 8, device=device).contiguous(memory_format=torch.channels_last)
network = layers()
with torch.autocast(device.type, dtype=dtype):
    answer = network(planes)
answer.float().square().mean().backward()
converted = layers().eval().to(dtype)(planes.to(dtype)).float()
gradients = [p.grad for p in network.parameters()]
sys.exit(0 if all(torch.isfinite(t).all() for t in [answer, converted, *gradients]) else 3)
"""


def resolve_device(device: str | None) -> torch.device:
    """Return the device called ``device``; None: a GPU if there is one, else the CPU."""
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        resolved = torch.device(device)
        torch.zeros(1, device=resolved).cpu()  # which a device that holds no numbers cannot
    except Exception as error:  # kinds of devices have errors of their own
        message = (
            f"device {device!r} cannot be used here ({first_line(error)}); use cpu, or leave it out"
        )
        raise InvalidConfig(message) from error
    return resolved


def supported_dtype(
    dtype: InferenceDtype, device: torch.device, *, answers: bool = False
) -> torch.dtype:
    """Return ``dtype`` for use on ``device``, after a child process has tried it there.

    ``float32`` is not tried. Some CPUs report instructions for ``bfloat16`` that end the process
    when they are used, which is why another process goes first.

    Args:
        dtype: The number format.
        device: Where to use it.
        answers: Whether the network only answers; networks do not learn in ``float16``, whose range
            is too small for their gradients.
    """
    check_value("dtype", InferenceDtype if answers else Literal["float32", "bfloat16"], dtype)
    if dtype == "float32":
        return torch.float32
    failure = probe(dtype, str(device))
    if failure is not None:
        message = (
            f"dtype {dtype!r} does not work on {device}: a trial {failure}; use float32"
            f"{_remedy(dtype, device)}"
        )
        raise InvalidConfig(message)
    return torch.bfloat16 if dtype == "bfloat16" else torch.float16


def _remedy(dtype: str, device: torch.device) -> str:
    """Return advice that makes ``dtype`` work after all, if some is known to help here."""
    if device.type != "cpu" or _INSTRUCTIONS in os.environ:
        return ""
    if probe(dtype, str(device), _WITHOUT_TILES) is not None:
        return ""
    return f", or set {_INSTRUCTIONS}={_WITHOUT_TILES} before Python starts, with which it works"


@contextlib.contextmanager
def float32_convolutions() -> Iterator[None]:
    """Compute float32 convolutions on NVIDIA GPUs in float32, for as long as the context lasts.

    By default torch rounds what they multiply to ten bits (TF32), which moved values of a network
    with large weights by 0.015.
    """
    cudnn: Any = torch.backends.cudnn
    new = hasattr(cudnn, "conv")  # torch 2.9
    place, name, wanted = (
        (cudnn.conv, "fp32_precision", "ieee") if new else (cudnn, "allow_tf32", False)
    )
    before = getattr(place, name)
    setattr(place, name, wanted)
    try:
        yield
    finally:
        setattr(place, name, before)


@functools.lru_cache
def probe(dtype: str, device: str, instructions: str | None = None) -> str | None:
    """Try ``dtype`` on ``device`` in a child process: None if it works, else what went wrong.

    Args:
        dtype: Name of torch's number format.
        device: Name of the device.
        instructions: The most that oneDNN may use of a CPU; None: as this process.
    """
    variables = {_INSTRUCTIONS: instructions} if instructions else {}
    return trial(_PROBE, (device, dtype), variables)


def to_device(
    array: npt.NDArray[np.generic] | Tensor,
    device: torch.device,
    dtype: torch.dtype | None = None,
    layout: torch.memory_format = torch.preserve_format,
) -> Tensor:
    """Move an array to a device; unless that is the CPU, it may be changed again at once.

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
