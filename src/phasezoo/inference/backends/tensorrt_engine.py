"""Engines of NVIDIA TensorRT: built of an ONNX model, and run on torch's tensors.

Networks are strongly typed: an engine computes in the number formats of its ONNX model, so a
network is exported in the format that is asked for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorrt
import torch
from torch import Tensor

from phasezoo.errors import CheckpointError, InvalidEvaluation

WORKSPACE = 1 << 30
"""Bytes that a layer may use while engines are chosen and run."""


def version() -> str:
    """Of TensorRT."""
    return str(tensorrt.__version__)


def gpu_name(device: torch.device) -> str:
    """Return a GPU's name and compute capability, such as ``NVIDIA H100 9.0``."""
    major, minor = torch.cuda.get_device_capability(device)
    return f"{torch.cuda.get_device_name(device)} {major}.{minor}"


def build_engine(
    model: bytes, inputs: Mapping[str, tuple[int, ...]], profile: tuple[int, int, int]
) -> bytes:
    """Build an engine of an ONNX model for the current CUDA device."""
    logger = _logger()
    builder = tensorrt.Builder(logger)
    flags = 1 << int(tensorrt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    network = builder.create_network(flags)
    parser = tensorrt.OnnxParser(network, logger)
    if not parser.parse(model):
        reasons = "; ".join(str(parser.get_error(i)) for i in range(parser.num_errors))
        message = f"TensorRT cannot read the ONNX model: {' '.join(reasons.split())}"
        raise CheckpointError(message)
    config = builder.create_builder_config()
    config.set_memory_pool_limit(tensorrt.MemoryPoolType.WORKSPACE, WORKSPACE)
    shapes = builder.create_optimization_profile()
    for name, row in inputs.items():
        shapes.set_shape(name, *((rows, *row) for rows in profile))
    config.add_optimization_profile(shapes)
    engine = builder.build_serialized_network(network, config)
    if engine is None:
        message = "TensorRT builds no engine of this model; its log says why"
        raise CheckpointError(message)
    return bytes(engine)


class Engine:
    """An engine that is loaded on a CUDA device; one call at a time.

    Args:
        data: What :func:`build_engine` made.
        outputs: The names of the outputs that are wanted.
        device: The device that it was built for.

    Raises:
        CheckpointError: The bytes are no engine of this version and GPU.
    """

    def __init__(self, data: bytes, outputs: Sequence[str], device: torch.device) -> None:
        self._device, self._outputs = device, tuple(outputs)
        self._runtime = tensorrt.Runtime(_logger())
        with torch.cuda.device(device):
            self._engine = self._runtime.deserialize_cuda_engine(data)
            self._context = self._engine and self._engine.create_execution_context()
        if not self._context:
            message = "no engine of this version of TensorRT and this GPU"
            raise CheckpointError(message)
        names = [self._engine.get_tensor_name(i) for i in range(self._engine.num_io_tensors)]
        self._outputs_there = [
            name
            for name in names
            if self._engine.get_tensor_mode(name) == tensorrt.TensorIOMode.OUTPUT
        ]
        missing = sorted(set(self._outputs) - set(self._outputs_there))
        if missing:
            message = f"no output {', '.join(missing)}; the engine has {self._outputs_there}"
            raise CheckpointError(message)

    def __call__(self, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        """Answer contiguous tensors on the device.

        Returns:
            The outputs that are wanted, on the device, ready when its current stream is.
        """
        with torch.cuda.device(self._device):
            for name, tensor in inputs.items():
                fits = self._context.set_input_shape(name, tuple(tensor.shape))
                if not fits or not self._context.set_tensor_address(name, tensor.data_ptr()):
                    message = f"TensorRT refuses {name} of shape {list(tensor.shape)}"
                    raise InvalidEvaluation(message)
            found = {name: self._output(name) for name in self._outputs_there}
            stream = torch.cuda.current_stream().cuda_stream
            if not self._context.execute_async_v3(stream):
                message = "TensorRT failed to answer; its log says why"
                raise InvalidEvaluation(message)
        return [found[name] for name in self._outputs]

    def _output(self, name: str) -> Tensor:
        shape = tuple(self._context.get_tensor_shape(name))
        tensor = torch.empty(shape, dtype=torch.float32, device=self._device)
        self._context.set_tensor_address(name, tensor.data_ptr())
        return tensor


def _logger() -> Any:
    return tensorrt.Logger(tensorrt.Logger.ERROR)
