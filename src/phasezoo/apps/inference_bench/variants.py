"""The rows of the table: ways to run a network."""

from dataclasses import dataclass
from typing import Any

from phasezoo.inference.backends import Backend
from phasezoo.types import InferenceDtype

__all__ = ["REFERENCE", "VARIANTS", "Variant"]


@dataclass(frozen=True)
class Variant:
    """A way to run a network."""

    backend: Backend
    """What runs it."""
    device: str = "cpu"
    """Where."""
    dtype: InferenceDtype = "float32"
    """Number format."""
    compiled: bool = False
    """By ``torch.compile``."""
    graphs: bool = False
    """By CUDA graphs."""

    def options(self, threads: int | None) -> dict[str, Any]:
        """As :func:`phasezoo.inference.load_network` takes them."""
        return {**vars(self), "threads": threads}


REFERENCE = "torch"
"""The row that the others are compared with."""

VARIANTS = {
    REFERENCE: Variant("torch"),
    "torch-bf16": Variant("torch", dtype="bfloat16"),
    "torch-compiled": Variant("torch", compiled=True),
    "onnx": Variant("onnx"),
    "openvino": Variant("openvino"),
    "openvino-bf16": Variant("openvino", dtype="bfloat16"),
    "cuda": Variant("torch", "cuda"),
    "cuda-bf16": Variant("torch", "cuda", "bfloat16"),
    "cuda-fp16": Variant("torch", "cuda", "float16"),
    "cuda-compiled": Variant("torch", "cuda", compiled=True),
    "cuda-graphs": Variant("torch", "cuda", graphs=True),
    "cuda-graphs-bf16": Variant("torch", "cuda", "bfloat16", graphs=True),
    "cuda-graphs-fp16": Variant("torch", "cuda", "float16", graphs=True),
    "onnx-cuda": Variant("onnx", "cuda"),
    "tensorrt": Variant("tensorrt", "cuda"),
    "tensorrt-bf16": Variant("tensorrt", "cuda", "bfloat16"),
    "tensorrt-fp16": Variant("tensorrt", "cuda", "float16"),
}
"""By their names. Networks whose convolutions are channels-last run so in every row of torch."""
