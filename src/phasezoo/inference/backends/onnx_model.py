"""An ONNX model with a policy and a value, exported here or elsewhere."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo._onnxruntime import onnxruntime
from phasezoo.errors import CheckpointError, InvalidConfig, InvalidEvaluation, first_line
from phasezoo.games import PlaneLayout
from phasezoo.inference.backends.runtime import RuntimeModel, packed_shapes, padded
from phasezoo.inference.backends.tensors import Floats
from phasezoo.inference.storage.manifest import Manifest

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"

PROBED = 2
"""Rows of the call that shows what the model answers."""

KEPT_BINDINGS = 64
"""Numbers of rows for which a thread keeps a binding."""


class _Bindings(threading.local):
    """Of each number of rows: a binding, and where its planes and outputs lie."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[Any, list[int]]] = {}


class OnnxModel(RuntimeModel):
    """A session of ONNX Runtime whose input and outputs are known.

    Args:
        model: Its bytes, or the path of its file.
        manifest: As for :class:`~phasezoo.inference.backends.runtime.RuntimeModel`.
        device: ``"cpu"``, or a CUDA device such as ``"cuda:1"``.

    Raises:
        InvalidConfig: This ONNX Runtime does not run on ``device``.
        CheckpointError: It is not an ONNX model, has no such tensors, or they have another shape.
    """

    def __init__(self, model: bytes | Path, manifest: Manifest, device: str = "cpu") -> None:
        self._session = open_session(model, device)
        self._bindings = _Bindings()
        super().__init__(manifest)
        layout, shape = manifest.layout(), manifest.input_shape
        if layout is None:
            name, self.fixed_rows = _planes_input(self._session, self.tensors, shape)
            self._inputs = {name: shape}
        else:
            self._inputs, self.fixed_rows = _packed_inputs(self._session, layout), None
        self._find_outputs([output.name for output in self._session.get_outputs()])
        shapes = self._probed()
        for name, found, size in zip(self._names, shapes, self.widths, strict=True):
            if found is None or int(np.prod(found[1:])) != size:
                given = "no float32" if found is None else f"shape {['B', *found[1:]]}"
                message = f"output {name!r} has {given}, expected {size} numbers a row"
                raise CheckpointError(message)
        self._shapes = [found[1:] for found in shapes if found is not None]

    def run(self, inputs: Sequence[Any], outputs: Sequence[Floats]) -> None:
        """Answer planes, or the arrays of packed ones, into arrays of :attr:`widths`."""
        rows, fixed = len(inputs[0]), self.fixed_rows
        if fixed is not None and rows < fixed:
            whole = [np.empty((fixed, width), np.float32) for width in self.widths]
            self.run([padded(each, fixed) for each in inputs], whole)
            for output, found in zip(outputs, whole, strict=True):
                output[:] = found[:rows]
            return
        binding = self._bound(inputs, outputs)
        try:
            self._session.run_with_iobinding(binding)
        except Exception as error:  # the runtime's exceptions share no other base class
            message = f"an ONNX model fails on {rows} rows: {first_line(error)}"
            raise InvalidEvaluation(message) from error

    def _bound(self, inputs: Sequence[Any], outputs: Sequence[Floats]) -> Any:
        """Return a binding to the memory of these arrays.

        Each thread keeps one for each number of rows, and binds anew what lies elsewhere than at
        its last call: binding all of them takes as long as a small network takes for a position.
        """
        rows = len(inputs[0])
        kept = self._bindings.kept
        if rows not in kept:
            while len(kept) >= KEPT_BINDINGS:
                del kept[next(iter(kept))]
            kept[rows] = self._session.io_binding(), [0] * (len(inputs) + len(outputs))
        binding, places = kept[rows]
        bind = [binding.bind_input] * len(inputs) + [binding.bind_output] * len(outputs)
        names, shapes = [*self._inputs, *self._names], [*self._inputs.values(), *self._shapes]
        for index, array in enumerate((*inputs, *outputs)):
            place = array.ctypes.data
            if place != places[index]:
                bind[index](names[index], "cpu", 0, array.dtype, (rows, *shapes[index]), place)
                places[index] = place
        return binding

    def _probed(self) -> list[tuple[int, ...] | None]:
        """Return the shapes of policy and value for a few rows; None of outputs not in float32."""
        rows = PROBED if self.fixed_rows is None else self.fixed_rows
        zeros = self._zeros(rows)
        try:
            found = self._session.run(self._names, zeros)
        except Exception as error:
            shapes = [list(each.shape) for each in zeros.values()]
            message = f"the model fails on planes {shapes}: {first_line(error)}"
            raise CheckpointError(message) from error
        return [_shape(array, rows) for array in found]


def _shape(array: Any, rows: int) -> tuple[int, ...] | None:
    right = (
        isinstance(array, np.ndarray) and array.dtype == np.float32 and array.shape[:1] == (rows,)
    )
    return tuple(array.shape) if right else None


def _planes_input(
    session: onnxruntime.InferenceSession,
    tensors: Mapping[str, str],
    input_shape: tuple[int, int, int],
) -> tuple[str, int | None]:
    """Return the name of the input for planes and its number of rows; None: any number."""
    inputs = {each.name: each for each in session.get_inputs()}
    alone = next(iter(inputs)) if len(inputs) == 1 else ""
    name: str = tensors.get("input", alone)
    if name not in inputs or not alone:
        message = f"input {name!r}: the model has {list(inputs)}; one input, the planes, is needed"
        raise CheckpointError(message)
    found = inputs[name]
    sizes = tuple(size if isinstance(size, int) else None for size in found.shape)
    fits = len(sizes) == 4 and all(
        size in (None, wanted) for size, wanted in zip(sizes[1:], input_shape, strict=True)
    )
    if found.type != "tensor(float)" or not fits:
        wanted = ["B", *input_shape]
        message = f"input {name!r} is {found.type}{list(found.shape)}, expected float32{wanted}"
        raise CheckpointError(message)
    return name, sizes[0]


def _packed_inputs(
    session: onnxruntime.InferenceSession, layout: PlaneLayout
) -> dict[str, tuple[int, ...]]:
    """Return the inputs for packed planes, and their columns."""
    wanted = packed_shapes(layout)
    found = {each.name: tuple(each.shape[1:]) for each in session.get_inputs()}
    if found != wanted:
        message = f"the model has the inputs {found}, packed planes are {wanted}"
        raise CheckpointError(message)
    return wanted


def open_session(model: bytes | Path, device: str) -> onnxruntime.InferenceSession:
    """Return a session of one thread.

    Args:
        model: The model's bytes, or the path of its file.
        device: Where it runs.
    """
    providers = _providers(device)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, bytes) else str(model)
    try:
        session = onnxruntime.InferenceSession(source, options, providers=providers)
    except Exception as error:  # the runtime's exceptions share no other base class
        where = f"{len(model)} bytes" if isinstance(model, bytes) else str(model)
        message = f"{where}: not an ONNX model of this runtime ({first_line(error)})"
        raise CheckpointError(message) from error
    if len(providers) > 1 and session.get_providers()[0] != CUDA:  # it falls back without a word
        message = (
            f"device {device!r}: ONNX Runtime cannot load CUDA's libraries; install those that "
            "its page names for this version, or use cpu"
        )
        raise InvalidConfig(message)
    return session


def _providers(device: str) -> list[Any]:
    """Return the execution providers of a device; the CPU runs layers that CUDA does not have."""
    if device == "cpu":
        return [CPU]
    if CUDA not in onnxruntime.get_available_providers():
        message = (
            f"device {device!r}: this ONNX Runtime has no CUDA provider: pip install "
            "onnxruntime-gpu in place of onnxruntime, or use cpu"
        )
        raise InvalidConfig(message)
    number = device.partition(":")[2]
    return [(CUDA, {"device_id": number or "0"}), CPU]
