"""The ONNX Runtime backend, the default on CPUs."""

import io
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from phasezoo import _core
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.manifest import Manifest
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage import digest, write_file
from phasezoo.types import Planes

__all__ = ["OnnxEvaluator", "cached_onnx", "export_onnx"]

EXPORT_VERSION = 1
"""Raised when :func:`export_onnx` writes other bytes, so that cached files are made again."""

OPSET = 17

MAX_ROWS = 32
"""Rows of one call to the runtime. Measured on two cores: 256 rows in parts of 32 take a fifth less
time than at once, because the activations of few rows stay in the cache."""

MIN_ROWS = 8
"""Fewer rows than this are not worth a second thread."""

KEPT_BUFFERS = 4


def export_onnx(network: Any, input_shape: tuple[int, int, int]) -> bytes:
    """The ONNX model of ``network`` (:class:`phasezoo.networks.Network`), batch norms folded.

    Input ``planes float32[B, C, H, W]``; outputs ``policy_logits float32[B, A]`` and
    ``wdl float32[B, 3]``, probabilities of win, draw and loss.
    """
    import torch

    class Answers(torch.nn.Module):
        """Softmax on top, and no plies, which search does not use."""

        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            output = self.network(planes)
            return output.policy_logits, torch.softmax(output.wdl_logits, dim=1)

    file = io.BytesIO()
    with warnings.catch_warnings():
        # The exporter that replaces this one needs onnxscript and takes several times as long.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            Answers().eval(),
            (torch.zeros(2, *input_shape),),
            file,  # type: ignore[arg-type]  # a file object is what this exporter documents
            dynamo=False,
            opset_version=OPSET,
            input_names=["planes"],
            output_names=["policy_logits", "wdl"],
            dynamic_axes={name: {0: "rows"} for name in ("planes", "policy_logits", "wdl")},
        )
    return file.getvalue()


def cached_onnx(directory: Path, weights: str) -> Path | None:
    """The whole, unchanged ONNX file in ``directory`` of the weights with this SHA-256, if any.

    Such a file is a cache: its name says of which weights it was made and which bytes it holds.
    """
    for path in directory.glob(_cache_name(weights, "*")):
        if path.name == _cache_name(weights, digest(path.read_bytes())):
            return path
    return None


def store_onnx(directory: Path, weights: str, model: bytes) -> None:
    """Keep ``model`` for the next time, if the directory can be written."""
    try:
        write_file(directory / _cache_name(weights, digest(model)), model)
    except CheckpointError:
        return  # a network on a read-only disk is used all the same


def _cache_name(weights: str, content: str) -> str:
    return f"model-v{EXPORT_VERSION}-{weights[:12]}-{content[:12]}.onnx"


class OnnxEvaluator(NetworkEvaluator):
    """A network answered by ONNX Runtime on the CPU, in float32.

    The rows of a batch are shared out among threads, each of which runs its part alone. Threads
    that work on one row together would have to wait for each other after every layer, which costs
    several times as much if other processes use the same cores.

    Args:
        manifest: What the network was made for.
        model: The ONNX model (see :func:`export_onnx`): its bytes, or the path of its file.
        threads: Threads that answer a batch; None: every usable core.

    Raises:
        CheckpointError: ``model`` is not an ONNX model.
        InvalidConfig: ``threads`` is less than 1.
    """

    def __init__(self, manifest: Manifest, model: bytes | Path, threads: int | None = None) -> None:
        super().__init__(manifest)
        self.threads = _core.default_threads() if threads is None else threads
        if self.threads < 1:
            message = f"threads={threads}: must be 1 or more"
            raise InvalidConfig(message)
        self._session = _session(model)
        self._buffers: list[Planes] = []
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    def _answer(self, planes: Planes) -> tuple[Planes, Planes]:
        rows = len(planes)
        logits = self._logits(rows)
        wdl = np.empty((rows, 3), dtype=np.float32)
        step = min(MAX_ROWS, max(MIN_ROWS, -(-rows // self.threads)))
        parts = [slice(start, start + step) for start in range(0, rows, step)]

        def answer(part: slice) -> None:
            binding = self._session.io_binding()
            _bind(binding.bind_input, "planes", planes[part])
            _bind(binding.bind_output, "policy_logits", logits[part])
            _bind(binding.bind_output, "wdl", wdl[part])
            self._session.run_with_iobinding(binding)

        if self.threads == 1 or len(parts) == 1:
            for part in parts:
                answer(part)
        else:
            list(self._executor().map(answer, parts))  # list: raises what a part raised
        return logits, wdl

    def _logits(self, rows: int) -> Planes:
        """An array for the logits; one handed out before is used again when nobody holds it.

        4672 logits a row are memory that the system would otherwise clear for every call.
        """
        for index in range(len(self._buffers)):
            if len(self._buffers[index]) >= rows and _references(self._buffers, index) == _ALONE:
                return self._buffers[index][:rows]
        buffer = np.empty((rows, self.manifest.num_actions), dtype=np.float32)
        self._buffers = [*self._buffers[-KEPT_BUFFERS + 1 :], buffer]
        return buffer[:rows]

    def _executor(self) -> ThreadPoolExecutor:
        """The threads of this process; a fork does not inherit its parent's."""
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="phasezoo-onnx")
            self._pool_process = os.getpid()
        return self._pool


def _references(arrays: list[Planes], index: int) -> int:
    """How many hold ``arrays[index]``, views of it included."""
    return sys.getrefcount(arrays[index])


_ALONE = _references([np.empty(0, dtype=np.float32)], 0)
"""The count of an array that only its list holds; interpreters differ in what they count."""


def _bind(bind: Any, name: str, array: Planes) -> None:
    """Hand the runtime the memory of ``array`` itself."""
    bind(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)


def _session(model: bytes | Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, bytes) else str(model)
    try:
        return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's exceptions share no other base class
        where = f"{len(model)} bytes" if isinstance(model, bytes) else str(model)
        message = f"{where}: not an ONNX model of this runtime ({str(error).splitlines()[0]})"
        raise CheckpointError(message) from error
