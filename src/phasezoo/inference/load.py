"""Loads a trained network and picks what answers it."""

import contextlib
import ctypes
import dataclasses
import functools
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from phasezoo._torch import require_torch
from phasezoo.errors import CheckpointError, InvalidConfig, MissingDependency
from phasezoo.inference import packaged
from phasezoo.inference.experts import EXPERTS, load_experts
from phasezoo.inference.manifest import MODEL, Manifest
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.types import Dtype

__all__ = ["Backend", "load", "load_network", "require_onnx"]

Backend: TypeAlias = Literal["auto", "onnx", "torch"]


def load(
    path: str | Path,
    backend: Backend = "auto",
    device: str | None = None,
    threads: int | None = None,
    dtype: Dtype = "float32",
    *,
    compiled: bool = False,
    allow_other_game: bool = False,
    packed: bool | None = None,
) -> Any:
    """Load a network as an evaluator that knows its game, planes, gate and phase, or a mixture.

    Args:
        path: A folder with a network, as a training or :func:`phasezoo.inference.save` leaves it;
            or with experts, as ``training.train_experts`` does, of which a mixture is made; or the
            name of one in the package, such as ``"phasezoo/chess-small"``.
        backend: What runs it; this and the rest are explained at :func:`load_network`.
        device: Where to run.
        threads: CPU threads.
        dtype: Number format.
        compiled: Whether ``torch.compile`` makes a program of it first.
        allow_other_game: Whether a search of another game may ask it.
        packed: Whether it is given its planes packed.

    Returns:
        A :class:`NetworkEvaluator`, or of experts a :class:`MixtureOfExperts`.

    Raises:
        CheckpointError: There is nothing in ``path``, a file in it is truncated or changed, or
            nobody here can build its network.
        InvalidConfig: The options do not go together, or there is no such device.
        MissingDependency: The backend is not installed.
    """
    options: dict[str, Any] = {
        "backend": backend, "device": device, "threads": threads, "dtype": dtype,
        "compiled": compiled, "allow_other_game": allow_other_game, "packed": packed,
    }  # fmt: skip
    directory = packaged.resolved(path)
    if (directory / EXPERTS).is_file():
        return load_experts(directory).mixture(**options)
    return load_network(directory, **options)


def load_network(
    path: str | Path,
    backend: Backend = "auto",
    device: str | None = None,
    threads: int | None = None,
    dtype: Dtype = "float32",
    *,
    compiled: bool = False,
    allow_other_game: bool = False,
    packed: bool | None = None,
) -> NetworkEvaluator:
    """Load the network in ``path`` as an evaluator that knows its game, planes, gate and phase.

    Args:
        path: A directory with a network and its ``manifest.json``, or a name of the package. The
            ONNX backend keeps its own file there too, so that the next load is quick.
        backend: ``"onnx"`` (CPU only), ``"torch"``, or ``"auto"``: ONNX Runtime for float32 on a
            CPU if it is installed, else torch. What is kept as ONNX runs there alone.
        device: Where to run, such as ``"cpu"`` or ``"cuda"``; None: a GPU if there is one, or the
            CPU with ``backend="onnx"``.
        threads: CPU threads; None: every usable core (``"torch"``: as torch has them).
        dtype: Number format; ``"bfloat16"`` needs the torch backend and is tried in a child process
            before it is used.
        compiled: Whether ``torch.compile`` makes a program of it first; needs the torch backend.
        allow_other_game: Whether a search of another game may ask it, which has to have its planes
            and no more actions than it knows.
        packed: Whether it is given its planes packed and unpacks them on its device; None: as it
            was saved, and with torch on other devices than the CPU. What is kept as ONNX takes them
            in one form alone.

    Raises:
        CheckpointError: There is no network in ``path``, a file in it is truncated or changed, or
            nobody here can build it.
        InvalidConfig: The options do not go together, or there is no such device.
        MissingDependency: The backend is not installed.
    """
    directory = packaged.resolved(path)
    manifest = Manifest.read(directory)
    data = manifest.read_bytes(directory)
    evaluator: NetworkEvaluator
    form = manifest.packed if packed is None else packed
    if manifest.backend == "onnx":
        _only_onnx(directory, backend, device, dtype, compiled)
        _check_form(directory, manifest, form)
        from phasezoo.inference.onnx import OnnxEvaluator

        chosen: Backend = "onnx"
        with _named(directory):
            evaluator = OnnxEvaluator(manifest, data, threads, allow_other_game=allow_other_game)
    else:
        chosen = _backend(backend, device, dtype, compiled)
        if chosen == "torch":
            network = _built(manifest, data, directory)
            from phasezoo.inference.torch import TorchEvaluator

            with _named(directory):
                evaluator = TorchEvaluator(
                    network, manifest=manifest, device=device, dtype=dtype, threads=threads,
                    compiled=compiled, allow_other_game=allow_other_game, packed=packed,
                )  # fmt: skip
        else:
            manifest = dataclasses.replace(manifest, packed=form)
            evaluator = _exported(directory, manifest, data, threads, allow_other_game)
    evaluator.source = directory
    again = functools.partial(
        load_network, backend=chosen, device=device, threads=threads, dtype=dtype,
        compiled=compiled, allow_other_game=allow_other_game, packed=packed,
    )  # fmt: skip
    evaluator.reload = again, (directory.absolute(),)
    return evaluator


@contextlib.contextmanager
def _named(directory: Path) -> Iterator[None]:
    """Say in errors which folder they are about."""
    try:
        yield
    except CheckpointError as error:
        message = f"{directory}: {error}"
        raise CheckpointError(message) from error


def _only_onnx(
    directory: Path, backend: Backend, device: str | None, dtype: Dtype, compiled: bool
) -> None:
    """Refuse to run with torch what is kept as ONNX.

    Raises:
        InvalidConfig: That is asked for.
        MissingDependency: ONNX Runtime is not installed.
    """
    if backend == "torch":
        message = (
            f"{directory}: kept as ONNX, since nobody knows how to build it; backend='torch' needs "
            "a network that is registered (networks.register) and saved by its name"
        )
        raise InvalidConfig(message)
    _backend("onnx" if backend == "auto" else backend, device, dtype, compiled)


def _check_form(directory: Path, manifest: Manifest, packed: bool) -> None:
    """Refuse to give planes in another form to what is kept as ONNX.

    Raises:
        InvalidConfig: They would be.
    """
    if packed != manifest.packed:
        kept = "packed planes" if manifest.packed else "planes as floats"
        message = (
            f"{directory}: kept as an ONNX model that takes {kept}: leave packed= out, or save the "
            f"network anew with packed={packed}"
        )
        raise InvalidConfig(message)


def _backend(
    backend: Backend, device: str | None, dtype: Dtype, compiled: bool
) -> Literal["onnx", "torch"]:
    """What runs the network.

    Raises:
        InvalidConfig: The options do not go together.
        MissingDependency: What was asked for is not installed.
    """
    if backend not in ("auto", "onnx", "torch"):
        message = f"backend {backend!r}: expected auto, onnx or torch"
        raise InvalidConfig(message)
    if backend == "onnx":
        if device not in (None, "cpu") or dtype != "float32" or compiled:
            how = f"on {device or 'cpu'} in {dtype}" + (", compiled" if compiled else "")
            message = (
                f"backend 'onnx' runs on the CPU in float32, not {how}; give backend='torch' for "
                "that"
            )
            raise InvalidConfig(message)
        require_onnx()
        return "onnx"
    plain = dtype == "float32" and not compiled
    automatic = backend == "auto" and plain and _is_installed("onnxruntime")
    return "onnx" if automatic and not _on_gpu(device) else "torch"


def _on_gpu(device: str | None) -> bool:
    if device == "cpu" or not _is_installed("torch"):
        return False
    if device is None and not _has_driver():
        return False  # importing torch to look takes seconds
    from phasezoo import networks

    return networks.resolve_device(device).type != "cpu"


def _has_driver() -> bool:
    """Whether a driver of a GPU that torch could find is installed: NVIDIA's, or AMD's."""
    if Path("/dev/kfd").exists():
        return True
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def _built(manifest: Manifest, weights: bytes, directory: Path) -> Any:
    require_torch()
    from phasezoo.inference.weights import build_network

    return build_network(manifest, weights, directory / MODEL)


def _exported(
    directory: Path, manifest: Manifest, weights: bytes, threads: int | None, allow_other_game: bool
) -> NetworkEvaluator:
    """The ONNX Runtime evaluator; needs torch only if no ONNX file of these weights is kept."""
    from phasezoo.inference import onnx_export
    from phasezoo.inference.onnx import OnnxEvaluator

    cache = packaged.cache_of(directory)
    weights_digest, layout = manifest.files[MODEL], manifest.layout()
    model: Path | bytes | None = onnx_export.cached_onnx(
        cache, weights_digest, packed=manifest.packed
    )
    if model is None:
        network = _built(manifest, weights, directory)
        from phasezoo.inference.modules import answers_of

        with _named(directory):
            answers = answers_of(network, manifest)
        model = onnx_export.export_onnx(answers, manifest.input_shape, manifest.value_kind, layout)
        onnx_export.store_onnx(cache, weights_digest, model, packed=manifest.packed)
    return OnnxEvaluator(manifest, model, threads, allow_other_game=allow_other_game)


def require_onnx() -> None:
    """Make sure that ONNX Runtime can be imported.

    Raises:
        MissingDependency: It is not installed.
    """
    if not _is_installed("onnxruntime"):
        message = "this needs ONNX Runtime: pip install 'phasezoo[onnx]'"
        raise MissingDependency(message)


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
