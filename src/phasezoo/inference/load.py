"""Loads a trained network and picks what answers it."""

import functools
import importlib.util
from pathlib import Path
from typing import Literal, TypeAlias

from phasezoo._torch import require_torch
from phasezoo.errors import InvalidConfig, MissingDependency
from phasezoo.inference.manifest import MODEL, Manifest
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.types import Dtype

__all__ = ["Backend", "load"]

Backend: TypeAlias = Literal["auto", "onnx", "torch"]


def load(
    path: str | Path,
    backend: Backend = "auto",
    device: str | None = None,
    threads: int | None = None,
    dtype: Dtype = "float32",
) -> NetworkEvaluator:
    """Load the network in ``path`` as an evaluator that knows its game, planes, gate and phase.

    Args:
        path: A directory with ``model.safetensors`` and ``manifest.json``, as a training leaves it.
            The ONNX backend keeps its own file there too, so that the next load is quick.
        backend: ``"onnx"`` (CPU only), ``"torch"``, or ``"auto"``: ONNX Runtime for float32 on a
            CPU if it is installed, else torch.
        device: Where to run, such as ``"cpu"`` or ``"cuda"``; None: a GPU if there is one, or the
            CPU with ``backend="onnx"``.
        threads: CPU threads; None: every usable core (``"torch"``: as torch has them).
        dtype: Number format; ``"bfloat16"`` needs the torch backend and is tried in a child process
            before it is used.

    Raises:
        CheckpointError: There is no network in ``path``, a file in it is truncated or changed, or
            its architecture is unknown.
        InvalidConfig: The options do not go together, or there is no such device.
        MissingDependency: The backend is not installed.
    """
    directory = Path(path)
    manifest = Manifest.read(directory)
    weights = manifest.read_bytes(directory)
    chosen = _backend(backend, device, dtype)
    if chosen == "torch":
        evaluator = _torch_evaluator(directory, manifest, weights, device, dtype, threads)
    else:
        evaluator = _onnx_evaluator(directory, manifest, weights, threads)
    evaluator.reload = (
        functools.partial(load, backend=chosen, device=device, threads=threads, dtype=dtype),
        (directory.absolute(),),
    )
    return evaluator


def _backend(backend: Backend, device: str | None, dtype: Dtype) -> Literal["onnx", "torch"]:
    """What runs the network.

    Raises:
        InvalidConfig: The options do not go together.
        MissingDependency: What was asked for is not installed.
    """
    if backend not in ("auto", "onnx", "torch"):
        message = f"backend {backend!r}: expected auto, onnx or torch"
        raise InvalidConfig(message)
    if backend == "onnx":
        if device not in (None, "cpu") or dtype != "float32":
            message = (
                f"backend 'onnx' runs on the CPU in float32, not on {device or 'cpu'} in {dtype}; "
                "give backend='torch' for that"
            )
            raise InvalidConfig(message)
        if not _is_installed("onnxruntime"):
            message = "this backend needs ONNX Runtime: pip install 'phasezoo[onnx]'"
            raise MissingDependency(message)
        return "onnx"
    automatic = backend == "auto" and dtype == "float32" and _is_installed("onnxruntime")
    return "onnx" if automatic and not _on_gpu(device) else "torch"


def _on_gpu(device: str | None) -> bool:
    if not _is_installed("torch"):
        return False
    from phasezoo import networks

    return networks.resolve_device(device).type != "cpu"


def _torch_evaluator(
    directory: Path,
    manifest: Manifest,
    weights: bytes,
    device: str | None,
    dtype: Dtype,
    threads: int | None,
) -> NetworkEvaluator:
    require_torch()
    from phasezoo.inference.torch import TorchEvaluator, build_network

    network = build_network(manifest, weights, str(directory / MODEL))
    return TorchEvaluator(manifest, network, device, dtype, threads)


def _onnx_evaluator(
    directory: Path, manifest: Manifest, weights: bytes, threads: int | None
) -> NetworkEvaluator:
    """The ONNX Runtime evaluator; needs torch only if no ONNX file of these weights is kept."""
    from phasezoo.inference.onnx import OnnxEvaluator, cached_onnx, export_onnx, store_onnx

    cached = cached_onnx(directory, manifest.files[MODEL])
    if cached is not None:
        return OnnxEvaluator(manifest, cached, threads)
    require_torch()
    from phasezoo.inference.torch import build_network

    network = build_network(manifest, weights, str(directory / MODEL))
    model = export_onnx(network, manifest.input_shape)
    store_onnx(directory, manifest.files[MODEL], model)
    return OnnxEvaluator(manifest, model, threads)


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
