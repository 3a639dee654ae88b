"""Compiling networks with ``torch.compile``, which is tried before it is relied on."""

import warnings

import torch
from torch import Tensor, nn

from phasezoo.errors import InvalidConfig, first_line
from phasezoo.networks.checker import untouched
from phasezoo.networks.output import NetworkOutput
from phasezoo.types import Dtype


def layout_of(network: nn.Module) -> torch.memory_format:
    """Channels last if the network's convolutions are so, as those of the package; else as usual.

    A network of a user's own may rely on the usual layout: ``planes.view(len(planes), -1)``.
    """
    last = any(
        weight.ndim == 4
        and weight.is_contiguous(memory_format=torch.channels_last)
        and not weight.is_contiguous()
        for weight in network.parameters()
    )
    return torch.channels_last if last else torch.contiguous_format


ROWS = 4
"""Positions of the trial."""


def compiled(
    network: nn.Module,
    input_shape: tuple[int, int, int],
    *,
    training: bool = False,
    dtype: Dtype = "float32",
    backend: str = "inductor",
) -> nn.Module:
    """Compile ``network`` in place, and try it: the first call takes from seconds to minutes.

    Its weights keep their names, so that it is saved and loaded as before. Fold batch norms and
    move it to its device before; answers differ from the uncompiled network's by rounding. Sizes of
    batches other than the first one's are compiled once more, for any size.

    Args:
        network: The network.
        input_shape: Channels, height and width of its input planes.
        training: Whether gradients are wanted too; else it is tried in eval mode without.
        dtype: Number format that it will run under (see :func:`autocast`).
        backend: What compiles it (``torch.compiler.list_backends()``).

    Returns:
        ``network``.
    """
    place = next(network.parameters(), torch.empty(0))
    planes = torch.rand(ROWS, *input_shape, generator=torch.Generator().manual_seed(0))
    planes = planes.to(place.device, place.dtype, memory_format=layout_of(network))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of the compiler's own parts
            network.compile(backend=backend)
        with untouched(network), torch.random.fork_rng(devices=[]):
            network.train(training)
            with torch.set_grad_enabled(training):
                with autocast(dtype, place.device):
                    output = network(planes)
                if training:
                    _mean(output).backward()  # type: ignore[no-untyped-call]
    except Exception as error:  # compilers' exceptions share no base class
        network._compiled_call_impl = None
        message = (
            f"{type(network).__name__} cannot be compiled here ({type(error).__name__}: "
            f"{first_line(error)}); "
            "leave compiling out, or install what torch.compile needs, such as a C++ compiler"
        )
        raise InvalidConfig(message) from error
    return network


def autocast(dtype: Dtype, device: torch.device) -> torch.autocast:
    """Return the context in which a network trains in ``dtype``: its weights stay ``float32``.

    Ask :func:`supported_dtype` first, since ``bfloat16`` ends the process on some CPUs.
    """
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=dtype == "bfloat16")


def _mean(output: NetworkOutput) -> Tensor:
    answers = [getattr(output, field) for field in output.answered()]
    return torch.stack([answer.float().square().mean() for answer in answers]).mean()
