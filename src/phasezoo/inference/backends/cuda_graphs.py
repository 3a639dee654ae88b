"""CUDA graphs of a network: a GPU replays all its layers at one call.

A small batch of a small network is answered in less time than a CPU needs to start its layers one
after another. A graph is of a fixed number of rows, at fixed places in memory: batches are copied
there and padded to the next size.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from phasezoo.errors import InvalidConfig

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""Rows of the graphs; each is recorded when a batch first needs it."""

WARM_UPS = 3
"""Calls ahead of the recording, in which libraries choose their algorithms."""


@dataclass(frozen=True)
class _Recorded:
    """A graph, and where its rows and answers lie."""

    graph: Any
    planes: Tensor
    answers: tuple[Tensor, ...]


def padded_size(rows: int) -> int:
    """Return the rows of the graph that answers ``rows``, at most the last of :data:`SIZES`."""
    return next(size for size in SIZES if size >= rows)


def check_graphs(device: torch.device, *, compiled: bool) -> None:
    """Refuse graphs where there are none."""
    if device.type != "cuda":
        message = f"graphs=True: CUDA graphs need a CUDA device, not {device}; leave graphs out"
        raise InvalidConfig(message)
    if compiled:
        message = "graphs=True records the network as it is: leave compiled out, or graphs"
        raise InvalidConfig(message)


class GraphedAnswers:
    """A network in eval mode on a CUDA device, answered by graphs.

    Threads may share it; they are answered one after another.

    Args:
        answers: The network: rows to a tuple of tensors with as many rows.
        record: Records a call at fixed rows; by default on CUDA, by :func:`record_on_cuda`.
    """

    def __init__(
        self,
        answers: Callable[[Tensor], tuple[Tensor, ...]],
        record: "Callable[..., tuple[Any, tuple[Tensor, ...]]] | None" = None,
    ) -> None:
        self._answers = answers
        self._record = record or record_on_cuda
        self._recorded: dict[tuple[int, ...], _Recorded] = {}
        self._lock = threading.Lock()

    def __call__(self, planes: Tensor) -> tuple[Tensor, ...]:
        """Answer rows on the device, at most the last of :data:`SIZES`, in tensors of their own."""
        rows, size = len(planes), padded_size(len(planes))
        key = (size, *planes.shape[1:])
        with self._lock:
            if key not in self._recorded:
                self._recorded[key] = self._made(planes, size)
            kept = self._recorded[key]
            kept.planes[:rows].copy_(planes)  # what lies behind is of no consequence
            kept.graph.replay()
            return tuple(answer[:rows].clone() for answer in kept.answers)

    def _made(self, planes: Tensor, size: int) -> _Recorded:
        channels_last = planes.is_contiguous(memory_format=torch.channels_last)
        layout = torch.channels_last if channels_last else torch.contiguous_format
        fixed = torch.zeros(
            (size, *planes.shape[1:]), dtype=planes.dtype, device=planes.device
        ).contiguous(memory_format=layout)
        graph, answers = self._record(self._answers, fixed)
        return _Recorded(graph, fixed, answers)


def record_on_cuda(
    answers: Callable[[Tensor], tuple[Tensor, ...]], planes: Tensor
) -> tuple[Any, tuple[Tensor, ...]]:
    """Record a call on a CUDA device.

    Returns:
        The graph, and the tensors that it writes into.
    """
    with torch.cuda.device(planes.device):
        aside: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UPS):
                answers(planes)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = answers(planes)
    return graph, found
