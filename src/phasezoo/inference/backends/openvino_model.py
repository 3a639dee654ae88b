"""An ONNX model with a policy and a value, compiled by OpenVINO."""

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo._openvino import openvino
from phasezoo.errors import CheckpointError, InvalidEvaluation, InvalidState
from phasezoo.inference.backends.runtime import RuntimeModel, packed_shapes, padded
from phasezoo.inference.backends.tensors import Floats
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.types import InferenceDtype

DEVICE = "CPU"
PRECISIONS: Mapping[InferenceDtype, str] = {"float32": "f32", "bfloat16": "bf16"}

STATIC = (1, 32)
"""Numbers of rows with a program of their own. Measured on an AMD EPYC, one row takes a sixth less
time than by the program for any number, and more than one next to nothing; so nothing is padded.
Networks without convolutions have none for one row: OpenVINO 2026.4 crashes when it makes one."""


class OpenVinoModel(RuntimeModel):
    """A compiled model whose inputs and outputs are known; any number of threads may run it.

    Args:
        model: Its bytes, or the path of its file.
        manifest: As for :class:`~phasezoo.inference.backends.runtime.RuntimeModel`.
        threads: How many requests are answered at once, by a thread each.
        dtype: Number format of the arithmetic.

    Raises:
        CheckpointError: It is no such model, or has other inputs and outputs.
    """

    def __init__(
        self, model: bytes | Path, manifest: Manifest, threads: int, dtype: InferenceDtype
    ) -> None:
        self._core = openvino.Core()
        self._model = _read(self._core, model)
        self._process, self._closed = os.getpid(), False
        self._lock = threading.Lock()
        self._settings = {
            "INFERENCE_PRECISION_HINT": PRECISIONS[dtype],
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": threads,
            "ENABLE_CPU_PINNING": False,  # others use the cores too
        }
        super().__init__(manifest)
        layout = manifest.layout()
        if layout is None:
            name = self.tensors.get("input", _only_input(self._model))
            self._inputs = {name: tuple(manifest.input_shape)}
        else:
            self._inputs = packed_shapes(layout)
        self.fixed_rows = _checked_inputs(self._model, self._inputs)
        self._find_outputs([name for output in self._model.outputs for name in output.names])
        convolves = any("Convolution" in each.get_type_name() for each in self._model.get_ops())
        self._static = STATIC if convolves else STATIC[1:]
        self._programs: dict[int | None, Any] = {}
        self._idle: dict[int | None, list[Any]] = {}
        self._check_outputs()

    def run(self, inputs: Sequence[Any], outputs: Sequence[Floats]) -> None:
        """Answer planes, or the arrays of packed ones, into arrays of :attr:`widths`."""
        rows, fixed = len(inputs[0]), self.fixed_rows
        if fixed is not None and rows < fixed:
            inputs = [padded(each, fixed) for each in inputs]
        shape = None if fixed is not None or rows not in self._static else rows
        with self._lock:
            idle = self._idle.setdefault(shape, [])
            request = idle.pop() if idle else self._program(shape).create_infer_request()
        try:
            given = dict(zip(self._inputs, inputs, strict=True))
            request.infer(given, share_inputs=True, share_outputs=True)
            for name, output in zip(self._names, outputs, strict=True):
                output[:] = request.get_tensor(name).data[:rows].reshape(output.shape)
        except (RuntimeError, ValueError) as error:
            message = f"a model of OpenVINO fails on {rows} rows: {_last_line(error)}"
            raise InvalidEvaluation(message) from error
        finally:
            with self._lock:
                self._idle.setdefault(shape, []).append(request)

    def close(self) -> None:
        """Let go of its programs and their threads."""
        with self._lock:
            self._closed = True
            self._idle.clear()
            self._programs.clear()

    def _program(self, rows: int | None) -> Any:
        """Return the program for a number of rows; None: for any number."""
        if rows not in self._programs:
            model = self._model
            if rows is not None:
                model = model.clone()
                model.reshape({name: [rows, *shape] for name, shape in self._inputs.items()})
            self._programs[rows] = self._core.compile_model(model, DEVICE, self._settings)
        return self._programs[rows]

    def check_usable(self) -> None:
        """Refuse to wait for threads that are not there."""
        if self._closed:
            message = "a network of OpenVINO was closed: load it again"
            raise InvalidState(message)
        # Its threads are not in a forked child, which would wait for them for ever.
        if os.getpid() != self._process:
            message = (
                "a network of OpenVINO cannot be asked in a process that was forked after it was "
                "loaded: start processes by 'spawn', or load the network in each"
            )
            raise InvalidState(message)

    def _check_outputs(self) -> None:
        """Check the outputs for a few rows of zeros."""
        rows = self.fixed_rows or 2
        try:
            request = self._program(None).create_infer_request()
            request.infer(self._zeros(rows))
            found = [request.get_tensor(name).data for name in self._names]
        except RuntimeError as error:
            message = f"the model fails on {rows} rows of planes: {_last_line(error)}"
            raise CheckpointError(message) from error
        for name, array, size in zip(self._names, found, self.widths, strict=True):
            if array.dtype != np.float32 or array.size != rows * size or len(array) != rows:
                shape = ["B", *array.shape[1:]]
                message = (
                    f"output {name!r} is {array.dtype} of shape {shape}, expected {size} float32 "
                    "numbers a row"
                )
                raise CheckpointError(message)


def _read(core: Any, model: bytes | Path) -> Any:
    where = f"{len(model)} bytes" if isinstance(model, bytes) else str(model)
    try:
        read = core.read_model(model if isinstance(model, bytes) else str(model))
    except RuntimeError as error:
        message = f"{where}: not an ONNX model of OpenVINO ({_last_line(error)})"
        raise CheckpointError(message) from error
    # Unlike the other backends it may answer numbers for weights that are none.
    constants = (node for node in read.get_ops() if node.get_type_name() == "Constant")
    if any(np.isnan(node.data).any() for node in constants if node.data.dtype.kind == "f"):
        message = f"{where}: a weight is not a number, so its answers mean nothing"
        raise CheckpointError(message)
    return read


def _only_input(model: Any) -> str:
    return str(model.inputs[0].any_name) if len(model.inputs) == 1 else ""


def _checked_inputs(model: Any, wanted: Mapping[str, tuple[int, ...]]) -> int | None:
    """Check a model's inputs; return its number of rows, None for any number."""
    found = {each.any_name: each.partial_shape for each in model.inputs}
    rows: int | None = None
    for name, shape in wanted.items():
        own = found.get(name)
        if len(found) != len(wanted) or own is None or not own.compatible(_shape(shape)):
            inputs = {key: str(value) for key, value in found.items()}
            message = f"the model has the inputs {inputs}, expected {dict(wanted)} a row"
            raise CheckpointError(message)
        rows = own[0].get_length() if own[0].is_static else rows
    return rows


def _shape(of_row: tuple[int, ...]) -> Any:
    return openvino.PartialShape([-1, *of_row])


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
