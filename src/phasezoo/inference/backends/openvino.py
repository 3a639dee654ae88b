"""The OpenVINO backend: networks on Intel's and other x86 CPUs, in float32 or bfloat16."""

import functools
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import _core
from phasezoo._openvino import openvino
from phasezoo._trial import trial
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import threads_or
from phasezoo.inference.backends.openvino_model import DEVICE, PRECISIONS, OpenVinoModel
from phasezoo.inference.backends.runtime import RuntimeEvaluator
from phasezoo.inference.backends.tensors import Floats, answer_in_parts
from phasezoo.inference.evaluator import Legal
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.types import InferenceDtype

MAX_ROWS = 32
"""Rows of one request; the activations of few rows stay in the cache."""

# A convolution and a product of matrices, as networks have them, run in a process of their own.
_TRIAL = """
import sys
import numpy as np
from phasezoo._openvino import openvino as ov
from openvino import opset13 as op
planes = op.parameter([32, 16, 8, 8], np.float32)
kernel = np.full((32, 16, 3, 3), 0.01, np.float32)
found = op.convolution(planes, kernel, [1, 1], [1, 1], [1, 1], [1, 1])
flat = op.reshape(found, np.array([32, -1]), False)
out = op.matmul(flat, np.full((2048, 8), 0.01, np.float32), False, False)
settings = {"INFERENCE_PRECISION_HINT": sys.argv[1]}
program = ov.Core().compile_model(ov.Model([out], [planes]), "CPU", settings)
answer = program(np.ones((32, 16, 8, 8), np.float32))[0]
sys.exit(0 if np.isfinite(answer).all() else 3)
"""


class OpenVinoEvaluator(RuntimeEvaluator):
    """A network answered by OpenVINO on the CPU.

    Any number of threads may ask it at once. The rows of a batch are shared out among its threads,
    each of which runs its part alone, as :class:`OnnxEvaluator` does.

    Args:
        manifest: What the network was made for.
        model: The ONNX model: its bytes, or the path of its file.
        threads: Threads that answer a batch; None: every usable core.
        dtype: Number format of the arithmetic; answers are float32 always.
        allow_other_game: Whether it may be asked in a search of another game.

    Raises:
        CheckpointError: ``model`` is not an ONNX model, or has other inputs and outputs.
        InvalidConfig: ``threads`` is less than 1, or ``dtype`` does not work here.
    """

    def __init__(
        self,
        manifest: Manifest,
        model: bytes | Path,
        threads: int | None = None,
        dtype: InferenceDtype = "float32",
        *,
        allow_other_game: bool = False,
    ) -> None:
        threads = threads_or(threads, _core.default_threads())
        check_dtype(dtype)
        self.dtype = dtype
        self._model = OpenVinoModel(model, manifest, threads, dtype)
        super().__init__(manifest, self._model, threads, allow_other_game=allow_other_game)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="phasezoo-openvino")

    def close(self) -> None:
        """End its threads, and let go of its memory; it cannot be asked afterwards."""
        self._pool.shutdown()
        self._model.close()

    def _answer(
        self, arrays: list[Any], legal: Legal | None = None
    ) -> tuple[Floats, Floats, Floats | None]:
        self._model.check_usable()
        rows = len(arrays[0])
        outputs = [np.empty((rows, width), np.float32) for width in self._model.widths]
        step = self._model.fixed_rows or min(MAX_ROWS, -(-rows // self.threads))
        return answer_in_parts(self._model, arrays, outputs, step, self._pool)


def check_dtype(dtype: InferenceDtype) -> None:
    """Make sure that OpenVINO computes in ``dtype`` here, after a child process has tried it.

    Where a CPU has no instructions for it, OpenVINO would compute in float32 without a word.
    """
    if dtype not in PRECISIONS:
        message = f"dtype {dtype!r}: backend 'openvino' has {', '.join(PRECISIONS)}"
        raise InvalidConfig(message)
    if dtype == "float32":
        return
    can = openvino.Core().get_property(DEVICE, "OPTIMIZATION_CAPABILITIES")
    if "BF16" not in can:
        message = f"dtype {dtype!r}: OpenVINO finds no instructions for it here; use float32"
        raise InvalidConfig(message)
    failure = _trial(PRECISIONS[dtype])
    if failure is not None:
        message = f"dtype {dtype!r} does not work here by OpenVINO: a trial {failure}; use float32"
        raise InvalidConfig(message)


@functools.lru_cache
def _trial(precision: str) -> str | None:
    """Try a number format in a process of its own; return the failure, or None."""
    return trial(_TRIAL, (precision,), {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
