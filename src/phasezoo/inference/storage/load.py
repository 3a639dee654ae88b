"""Loads a trained network and picks what answers it."""

import contextlib
import dataclasses
import functools
import importlib
import sys
from pathlib import Path
from typing import Any

from phasezoo._torch import require_torch
from phasezoo.errors import CheckpointError, InvalidConfig, about
from phasezoo.games.action_tables import ActionOrder
from phasezoo.inference.backends.choice import Backend, Loading, chosen
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage import packaged
from phasezoo.inference.storage.experts import load_experts
from phasezoo.inference.storage.manifest import MODEL, Manifest
from phasezoo.types import InferenceDtype


def load(
    path: str | Path,
    backend: Backend = "auto",
    device: str | None = None,
    threads: int | None = None,
    dtype: InferenceDtype = "float32",
    *,
    compiled: bool = False,
    graphs: bool = False,
    allow_other_game: bool = False,
    packed: bool | None = None,
    game: str | None = None,
    planes: str | None = None,
    actions: ActionOrder | None = None,
) -> NetworkEvaluator | MixtureOfExperts:
    """Load a network as an evaluator that knows its game, planes, gate and phase, or a mixture.

    Args:
        path: A folder with a network, as a training or :func:`phasezoo.inference.save` leaves it;
            or with experts, as ``training.train_experts`` does, of which a mixture is made; or the
            folder of a run of self-play, whose newest version is meant; or the
            name of one in the package, such as ``"phasezoo/chess-small"``; or a file of lc0's,
            ``maia-1500.pb.gz``, or of its converter, ``converted.onnx``; or an ONNX file of another
            program, with ``planes`` and ``actions``.
        backend: What runs it; this and the rest are explained at :func:`load_network`.
        device: Where to run.
        threads: CPU threads.
        dtype: Number format.
        compiled: Whether ``torch.compile`` makes a program of it first.
        graphs: Whether a GPU replays graphs of it.
        allow_other_game: Whether a search of another game may ask it.
        packed: Whether it is given its planes packed.
        game: Of an ONNX file of another program, its game.
        planes: The planes that it reads.
        actions: The order of its moves.

    Returns:
        A :class:`NetworkEvaluator`, or of experts a :class:`MixtureOfExperts`.

    Raises:
        CheckpointError: There is nothing in ``path``, a file in it is truncated or changed, or
            nobody here can build its network.
        InvalidConfig: The options do not go together, or there is no such device.
        MissingDependency: The backend is not installed.
    """
    how = Loading(backend, device, threads, dtype, compiled, graphs, allow_other_game, packed)
    directory = packaged.resolved(path, game=game, planes=planes, actions=actions)
    if packaged.holds_experts(directory):
        return load_experts(directory).mixture(**how.as_options())
    return load_network(directory, **how.as_options())


def load_network(
    path: str | Path,
    backend: Backend = "auto",
    device: str | None = None,
    threads: int | None = None,
    dtype: InferenceDtype = "float32",
    *,
    compiled: bool = False,
    graphs: bool = False,
    allow_other_game: bool = False,
    packed: bool | None = None,
    game: str | None = None,
    planes: str | None = None,
    actions: ActionOrder | None = None,
) -> NetworkEvaluator:
    """Load the network in ``path`` as an evaluator that knows its game, planes, gate and phase.

    Args:
        path: A directory with a network and its ``manifest.json``, or a name of the package. The
            ONNX backend keeps its own file there too, so that the next load is quick.
        backend: ``"onnx"`` (ONNX Runtime), ``"openvino"`` (CPU), ``"tensorrt"`` (NVIDIA's GPUs),
            ``"torch"``, or ``"auto"``: ONNX Runtime for float32 on a CPU if it is installed, else
            torch. What is kept as ONNX runs by torch nowhere.
        device: Where to run, such as ``"cpu"`` or ``"cuda"``; None: a GPU if there is one, or the
            CPU with ``"onnx"`` and ``"openvino"``.
        threads: CPU threads; None: every usable core (``"torch"``: as torch has them).
        dtype: Number format: ``"bfloat16"`` with torch, TensorRT and OpenVINO, ``"float16"`` with
            the first two. It is tried in a child process before it is used on a CPU.
        compiled: Whether ``torch.compile`` makes a program of it first; needs the torch backend.
        graphs: Whether a GPU replays graphs of it, which spares small batches the time in which a
            CPU starts each layer; needs the torch backend and CUDA.
        allow_other_game: Whether a search of another game may ask it, which has to have its planes
            and no more actions than it knows.
        packed: Whether it is given its planes packed and unpacks them on its device; None: as it
            was saved, and with torch on other devices than the CPU. What is kept as ONNX takes them
            in one form alone.
        game: Of an ONNX file of another program (``docs/definitions/network_files.md``), its game;
            None: chess, if ``planes`` or ``actions`` are named, else the file is lc0's.
        planes: The planes that it reads; None: the game's own.
        actions: The order of its moves; None: our own.
    """
    directory = packaged.resolved(path, game=game, planes=planes, actions=actions)
    manifest = Manifest.read(directory)
    data = manifest.read_bytes(directory)
    how = Loading(backend, device, threads, dtype, compiled, graphs, allow_other_game, packed)
    form = manifest.packed if packed is None else packed
    if manifest.backend == "onnx":
        _refuse_torch(directory, backend)
        _check_form(directory, manifest, form)
        if backend == "auto":
            how = dataclasses.replace(how, backend="onnx")
    how = dataclasses.replace(how, backend=chosen(how))
    with about(directory, CheckpointError):
        evaluator: NetworkEvaluator
        if how.backend == "torch":
            from phasezoo.inference.backends.torch import TorchEvaluator

            evaluator = TorchEvaluator(
                _built(manifest, data, directory), manifest=manifest, device=device, dtype=dtype,
                threads=threads, compiled=compiled, graphs=graphs,
                allow_other_game=allow_other_game, packed=packed,
            )  # fmt: skip
        else:
            manifest = dataclasses.replace(manifest, packed=form)
            evaluator = _of_model(how, directory, manifest, data)
    evaluator.source = directory
    module = (manifest.network_factory or "").partition(":")[0]
    again = functools.partial(_again, module if module in sys.modules else None, **how.as_options())
    evaluator.reload = again, (directory.absolute(),)
    return evaluator


def _again(module: str | None, path: Path, **options: Any) -> NetworkEvaluator:
    """Load a network as another process did, which had the module of its factory imported."""
    if module is not None:
        with contextlib.suppress(Exception):  # if it cannot be built then, the error names it
            importlib.import_module(module)
    return load_network(path, **options)


def _of_model(how: Loading, directory: Path, manifest: Manifest, data: bytes) -> NetworkEvaluator:
    """Return the evaluator of a backend that reads ONNX models."""
    other = how.allow_other_game
    if how.backend == "tensorrt":
        from phasezoo.inference.backends.tensorrt import TensorRtEvaluator

        network = None if manifest.backend == "onnx" else _built(manifest, data, directory)
        return TensorRtEvaluator(
            manifest, data if network is None else network, packaged.cache_of(directory),
            device=how.device, dtype=how.dtype, allow_other_game=other,
        )  # fmt: skip
    model = data if manifest.backend == "onnx" else _exported(directory, manifest, data)
    if how.backend == "openvino":
        from phasezoo.inference.backends.openvino import OpenVinoEvaluator

        return OpenVinoEvaluator(
            manifest, model, how.net_threads, how.dtype, allow_other_game=other
        )
    from phasezoo.inference.backends.onnx import OnnxEvaluator

    return OnnxEvaluator(
        manifest, model, how.net_threads, device=how.device, allow_other_game=other
    )


def _refuse_torch(directory: Path, backend: Backend) -> None:
    """Refuse to run a network with torch that is stored as ONNX."""
    if backend == "torch":
        message = (
            f"{directory}: kept as ONNX, since nobody knows how to build it; backend='torch' needs "
            "a network that is registered (networks.register) and saved by its name"
        )
        raise InvalidConfig(message)


def _check_form(directory: Path, manifest: Manifest, packed: bool) -> None:
    """Refuse to give planes in another form to a network that is stored as ONNX."""
    if packed != manifest.packed:
        kept = "packed planes" if manifest.packed else "planes as floats"
        message = (
            f"{directory}: kept as an ONNX model that takes {kept}: leave packed= out, or save the "
            f"network anew with packed={packed}"
        )
        raise InvalidConfig(message)


def _built(manifest: Manifest, weights: bytes, directory: Path) -> Any:
    require_torch()
    from phasezoo.inference.storage.weights import build_network

    return build_network(manifest, weights, directory / MODEL)


def _exported(directory: Path, manifest: Manifest, weights: bytes) -> Path | bytes:
    """Return the ONNX model; needs torch only if no ONNX file of these weights is kept."""
    from phasezoo.inference.backends import onnx_export

    cache = packaged.cache_of(directory)
    weights_digest, layout = manifest.files[MODEL], manifest.layout()
    kept = onnx_export.cached_onnx(cache, weights_digest, packed=manifest.packed)
    if kept is not None:
        return kept
    from phasezoo.inference.backends.modules import answers_of

    answers = answers_of(_built(manifest, weights, directory), manifest)
    model = onnx_export.export_onnx(answers, manifest.input_shape, manifest.value_kind, layout)
    onnx_export.store_onnx(cache, weights_digest, model, packed=manifest.packed)
    return model
