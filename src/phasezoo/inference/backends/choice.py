"""Which backends there are, and which of them runs a network."""

import ctypes
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from phasezoo._torch import require_torch
from phasezoo.errors import InvalidConfig, MissingDependency, install_hint
from phasezoo.specs import check_value
from phasezoo.types import InferenceDtype

Backend: TypeAlias = Literal["auto", "onnx", "openvino", "tensorrt", "torch"]


TENSORRT_HINT = (
    "this needs NVIDIA TensorRT, which is proprietary and on no registry whole: "
    f"{install_hint('tensorrt')}, then tensorrt-cu13 of the same version, whose libraries come "
    "from NVIDIA's own package index"
)


@dataclass(frozen=True)
class Running:
    """How a network is to be run."""

    device: str | None = None
    """Where; None: a GPU if there is one, or where the backend runs alone."""
    dtype: InferenceDtype = "float32"
    """Number format."""
    compiled: bool = False
    """By ``torch.compile``."""
    graphs: bool = False
    """By CUDA graphs."""

    @property
    def is_plain(self) -> bool:
        """Whether every backend can."""
        return self.dtype == "float32" and not self.compiled and not self.graphs

    def __str__(self) -> str:
        extra = [name for name in ("compiled", "graphs") if getattr(self, name)]
        return ", ".join([f"on {self.device or 'any device'} in {self.dtype}", *extra])


@dataclass(frozen=True)
class _Abilities:
    """Devices and number formats of a backend."""

    devices: tuple[str, ...]
    dtypes: tuple[str, ...]


_ABILITIES = {
    "onnx": _Abilities(("cpu", "cuda"), ("float32",)),
    "openvino": _Abilities(("cpu",), ("float32", "bfloat16")),
    "tensorrt": _Abilities(("cuda",), ("float32", "bfloat16", "float16")),
}


def chosen(backend: Backend, running: Running) -> Backend:
    """Return the backend that runs a network, which is installed and can.

    Raises:
        InvalidConfig: The options do not go together.
        MissingDependency: What was asked for is not installed.
    """
    check_value("backend", Backend, backend)
    if backend == "auto":
        usual = running.is_plain and _is_installed("onnxruntime") and not _on_gpu(running.device)
        return "onnx" if usual else "torch"
    check_running(backend, running)
    require(backend)
    return backend


def check_running(backend: Backend, running: Running) -> None:
    """Refuse what a backend cannot do."""
    own = _ABILITIES.get(backend)
    if own is None:
        return
    kind = None if running.device is None else running.device.partition(":")[0]
    plain = not running.compiled and not running.graphs
    if kind not in (None, *own.devices) or running.dtype not in own.dtypes or not plain:
        message = (
            f"backend {backend!r} runs on {' or '.join(own.devices)} in {' or '.join(own.dtypes)}, "
            f"not {running}; give backend='torch' for that"
        )
        raise InvalidConfig(message)


def require(backend: Backend) -> None:
    """Make sure that a backend can be imported."""
    needs: dict[str, Callable[[], None]] = {
        "onnx": require_onnx,
        "openvino": _require_openvino,
        "tensorrt": _require_tensorrt,
        "torch": require_torch,
    }
    needs[backend]()


def require_onnx() -> None:
    """Make sure that ONNX Runtime can be imported."""
    if not _is_installed("onnxruntime"):
        raise MissingDependency.of_extra(need="this needs ONNX Runtime", extra="onnx")


def _require_openvino() -> None:
    if not _is_installed("openvino"):
        raise MissingDependency.of_extra(need="this needs OpenVINO", extra="openvino")


def _require_tensorrt() -> None:
    require_torch()
    if not _is_installed("tensorrt"):
        raise MissingDependency(TENSORRT_HINT)


def _on_gpu(device: str | None) -> bool:
    if device == "cpu" or not _is_installed("torch"):
        return False
    if device is None and not _has_driver():
        return False  # importing torch to look takes seconds
    from phasezoo import networks

    return networks.resolve_device(device).type != "cpu"


def _has_driver() -> bool:
    """Return whether a driver of a GPU that torch could find is installed: NVIDIA's, or AMD's."""
    if Path("/dev/kfd").exists():
        return True
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
