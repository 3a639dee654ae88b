"""Which backends there are, and which of them runs a network."""

import ctypes
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

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
class Loading:
    """How a network is loaded (:func:`phasezoo.inference.load_network`)."""

    backend: Backend = "auto"
    """The library that runs it."""
    device: str | None = None
    """Where to run."""
    net_threads: int | None = None
    """Its CPU threads; those of a search are the agent's ``threads``."""
    dtype: InferenceDtype = "float32"
    """Number format."""
    compiled: bool = False
    """Whether ``torch.compile`` makes a program of it first."""
    graphs: bool = False
    """Whether a GPU replays graphs of it."""
    allow_other_game: bool = False
    """Whether a search of another game may ask it."""
    packed: bool | None = None
    """Whether it is given its planes packed."""
    net_game: str | None = None
    """Game of an ONNX file of another program."""
    planes: str | None = None
    """Planes that such a file reads."""
    actions: str | None = None
    """Order of its moves: a name, or a file."""

    def as_options(self) -> dict[str, Any]:
        """As :func:`phasezoo.inference.load_network` takes them."""
        own = {"net_threads": "threads", "net_game": "game"}
        return {own.get(name, name): value for name, value in vars(self).items()}

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


def chosen(how: Loading) -> Backend:
    """Return the backend that runs a network, which is installed and can."""
    check_value("backend", Backend, how.backend)
    backend: Backend = how.backend
    if backend == "auto":
        usual = how.is_plain and _is_installed("onnxruntime") and not _on_gpu(how.device)
        backend = "onnx" if usual else "torch"
    else:
        check_running(how)
        require(backend)
    _try_format(backend, how)
    return backend


def _try_format(backend: Backend, how: Loading) -> None:
    """Make sure that a number format works here; another process tries it on a CPU."""
    if how.dtype == "float32":
        return
    if backend == "openvino":
        from phasezoo.inference.backends.openvino import check_dtype

        check_dtype(how.dtype)
    elif backend == "torch":
        from phasezoo import networks

        networks.supported_dtype(how.dtype, networks.resolve_device(how.device), answers=True)


def check_running(how: Loading) -> None:
    """Refuse what a backend cannot do."""
    check_value("dtype", InferenceDtype, how.dtype)
    own = _ABILITIES.get(how.backend)
    if own is None:
        return
    kind = None if how.device is None else how.device.partition(":")[0]
    plain = not how.compiled and not how.graphs
    if kind not in (None, *own.devices) or how.dtype not in own.dtypes or not plain:
        message = (
            f"backend {how.backend!r} runs on {' or '.join(own.devices)} in "
            f"{' or '.join(own.dtypes)}, not {how}; give backend='torch' for that"
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
