"""Keeps a network in a folder: by its name and weights, else as ONNX."""

import copy
import dataclasses
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo._torch import require_torch
from phasezoo.errors import CheckpointError, InvalidConfig, InvalidNetwork, first_line
from phasezoo.games import PackedPlanes
from phasezoo.inference.backends.choice import require_onnx
from phasezoo.inference.formats import lc0
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage.expert_metadata import expert_metadata
from phasezoo.inference.storage.files import write_directory, write_file
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, ONNX_MODEL, Manifest
from phasezoo.runs.saved import digest, read_file
from phasezoo.types import Gate

TOLERANCE = 1e-3
"""How far an ONNX model's answers may be from the network's, relative to their size."""

COMPARED = 3
"""Rows on which they are compared; another number than the model was traced with."""


def save(
    network: Any,
    directory: str | Path,
    *,
    game: "str | games.Game | None" = None,
    planes: str | None = None,
    gate: "str | Gate | None" = None,
    phase: str | None = None,
    training: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    packed: bool | None = None,
) -> Manifest:
    """Keep a network in a folder, or a file of lc0's, which :func:`phasezoo.inference.load` reads.

    Networks that were made by name, or by a factory that can be imported, are kept as that name and
    their weights. All others are kept as ONNX models, which are compared with the network first.

    Args:
        network: A torch module, or an evaluator: a ``TorchEvaluator``, an ``OnnxEvaluator``, or
            what was loaded.
        directory: A new folder, or an empty one; or a file ``….pb.gz`` for a network of lc0's,
            which that program plays. It keeps weights in 16 bits, and none of what the manifest
            says.
        game: The game that it plays; an evaluator knows it.
        planes: The planes that it wants; default the game's own; an evaluator knows them.
        gate: The gate that names its phase, or its specification; None: as the evaluator says,
            else none.
        phase: The phase whose expert it is; None: as the evaluator says, else all.
        training: Where its weights come from, as JSON.
        overwrite: Whether a network that is there, and nothing beside it, is replaced.
        packed: Whether it is to be given its planes packed when it is loaded
            (``docs/definitions/planes.md#packed-planes``); None: as the evaluator is, else not.

    Returns:
        The manifest that was written.

    Raises:
        CheckpointError: There is something in ``directory``, the disk refuses, or what was loaded
            is not there any more.
        InvalidConfig: The network does not fit the game, the gate has no such phase, ``training``
            is not JSON, the ONNX model answers otherwise than the network, or no file of lc0's can
            hold it.
        InvalidGate: There is no such gate.
        MissingDependency: ONNX Runtime is needed and not installed.
    """
    folder = Path(directory)
    _check_free(folder, overwrite)
    if isinstance(network, NetworkEvaluator):
        if game is not None or planes is not None:
            message = "an evaluator knows its game and planes: leave game= and planes= out"
            raise InvalidConfig(message)
        manifest, files = _of_evaluator(network, packed)
    elif hasattr(network, "state_dict"):
        require_torch()
        manifest, files = _of_module(network, game, planes, bool(packed))
    else:
        message = (
            f"{network!r} is neither a torch module nor an evaluator of a network; the experts of "
            "a mixture are saved one by one, and inference.Experts(…).save() makes them a set"
        )
        raise InvalidConfig(message)
    said: dict[str, Any] = {} if training is None else {"training": training}
    if gate is not None or phase is not None:
        said |= expert_metadata(manifest.gate if gate is None else gate, phase, manifest.game)
    manifest = dataclasses.replace(
        manifest,
        files={name: digest(data) for name, data in files.items()},
        phasezoo=version("phasezoo"),
        **said,
    )
    try:
        text = manifest.to_json()
    except (TypeError, ValueError) as error:
        message = f"training= and the network's options must be JSON: {error}"
        raise InvalidConfig(message) from error
    if lc0.is_lc0(folder):
        write_file(folder, _as_lc0(manifest, files))
    else:
        write_directory(folder, {**files, MANIFEST: text})
    return manifest


def _as_lc0(manifest: Manifest, files: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a file of lc0's."""
    family, _, size = manifest.network.rpartition("-")
    if family not in (lc0.FAMILY, lc0.ATTENTION) or MODEL not in files:
        message = (
            f"{manifest.network_text} is not a network of lc0's, which alone can be written as "
            f"{' or '.join(lc0.ENDINGS)}; save it in a folder"
        )
        raise InvalidConfig(message)
    from safetensors.numpy import load as load_arrays

    channels, blocks = map(int, size.split("x"))
    options = {**lc0.default_options(family), **manifest.network_options}
    weights = load_arrays(files[MODEL])
    return lc0.written(lc0.Lc0File(manifest.planes, (channels, blocks), options, weights, family))


def _check_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that is not empty and must not be replaced."""
    if folder.is_dir():
        there = sorted(path.name for path in folder.iterdir())
        others = [name for name in there if not _is_networks(name)]
        if others or (there and not overwrite):
            hint = "choose another folder" if others else "give overwrite=True to replace it"
            message = (
                f"{folder}: there is something in it, {', '.join((others or there)[:3])}; {hint}"
            )
            raise CheckpointError(message)
    elif folder.exists() and lc0.is_lc0(folder):
        if not overwrite:
            message = f"{folder}: is there already; give overwrite=True to replace it"
            raise CheckpointError(message)
    elif folder.exists():
        message = f"{folder}: is a file; a network is kept in a folder"
        raise CheckpointError(message)


def _is_networks(name: str) -> bool:
    """Return whether a file belongs to a network alone; a training keeps its records beside it."""
    cached = name.startswith("model-v") and name.endswith(".onnx")
    return cached or name in (MANIFEST, MODEL, ONNX_MODEL)


def _of_evaluator(
    evaluator: NetworkEvaluator, packed: bool | None
) -> tuple[Manifest, dict[str, bytes]]:
    """Return the manifest and files of an evaluator."""
    manifest = evaluator.manifest
    if packed is not None and packed != manifest.packed:
        if getattr(evaluator, "model", None) is not None and manifest.backend == "onnx":
            message = f"packed={packed}: {evaluator!r} is an ONNX model of planes in the other form"
            raise InvalidConfig(message)
        manifest = dataclasses.replace(manifest, packed=packed)
        manifest.layout()  # refuses planes that cannot be packed
    if evaluator.source is not None:
        return manifest, {manifest.model: manifest.read_bytes(evaluator.source)}
    model = getattr(evaluator, "model", None)  # an OnnxEvaluator's
    if model is not None:
        data = model if isinstance(model, bytes) else read_file(Path(model))
        return manifest, {ONNX_MODEL: data}
    network = getattr(evaluator, "network", None)  # a TorchEvaluator's
    if network is None:
        message = f"{evaluator!r} has neither a torch network nor an ONNX model to save"
        raise InvalidConfig(message)
    return _of_torch(network, evaluator, manifest, getattr(evaluator, "original_weights", None))


def _of_module(
    network: Any, game: "str | games.Game | None", planes: str | None, packed: bool
) -> tuple[Manifest, dict[str, bytes]]:
    """Manifest and files of a torch module."""
    from phasezoo.inference.backends.torch import TorchEvaluator

    copied = copy.deepcopy(network)  # an evaluator takes its network over
    evaluator = TorchEvaluator(copied, game=game, planes=planes, device="cpu", packed=packed)
    original = evaluator.original_weights
    return _of_torch(evaluator.network, evaluator, evaluator.manifest, original)


def _of_torch(
    network: Any, evaluator: NetworkEvaluator, manifest: Manifest, weights: Any
) -> tuple[Manifest, dict[str, bytes]]:
    """Manifest and files of a torch network: by its name, if it has one, else as ONNX."""
    from phasezoo.inference.storage.weights import build_network, model_bytes
    from phasezoo.networks.making import made_as

    spec = _known(made_as(network))
    if spec is None:
        return _as_onnx(network, evaluator, manifest)
    manifest = dataclasses.replace(
        manifest,
        network=spec.name,
        network_options=dict(spec.options),
        network_factory=spec.factory,
        backend="torch",
        tensors={},
    )
    data = model_bytes(dict(weights))
    try:
        build_network(manifest, data, manifest.network_text)
    except CheckpointError as error:
        message = (
            f"the weights are no longer those of {spec}: {error}. If an evaluator has taken the "
            "network over and folded its batch norms, save that evaluator, or a copy made before; "
            "a network that was changed after networks.make is to be registered as your own"
        )
        raise InvalidNetwork(message) from error
    return manifest, {MODEL: data}


def _known(spec: Any) -> Any:
    """``spec`` if it names what can be made again; None for a factory that nobody can find."""
    from phasezoo.networks.making import described

    try:
        return None if spec is None else described(spec)
    except InvalidConfig:
        return None


def _as_onnx(
    network: Any, evaluator: NetworkEvaluator, manifest: Manifest
) -> tuple[Manifest, dict[str, bytes]]:
    """Export the network as an ONNX model with the same answers."""
    require_onnx()
    import torch

    from phasezoo.inference.backends.modules import Answers
    from phasezoo.inference.backends.onnx import OnnxEvaluator
    from phasezoo.inference.backends.onnx_export import export_onnx

    form, plies = evaluator.form, bool(evaluator.manifest.plies_left)  # type: ignore[attr-defined]
    answers = Answers(copy.deepcopy(network), form, plies=plies).eval().to("cpu", torch.float32)
    manifest = dataclasses.replace(manifest, backend="onnx")
    try:
        model = export_onnx(answers, manifest.input_shape, manifest.value_kind, manifest.layout())
    except Exception as error:  # the exporter's errors share no base class
        reason = first_line(error)
        message = (
            f"{evaluator.name} cannot be exported to ONNX ({type(error).__name__}: {reason}); "
            "register what makes it, networks.register(name, factory), make it by that name and "
            "save that"
        )
        raise InvalidConfig(message) from error
    _check_same(answers, OnnxEvaluator(manifest, model, threads=1), evaluator.name)
    return manifest, {ONNX_MODEL: model}


def _check_same(answers: Any, onnx: NetworkEvaluator, name: str) -> None:
    """Refuse an ONNX model with other answers: tracing loses what depends on the data."""
    import torch

    rng = np.random.default_rng(1)
    planes = rng.random((COMPARED, *onnx.manifest.input_shape), dtype=np.float32)
    if onnx.layout is not None:  # planes of the kinds that they are to be
        bits = rng.integers(1 << 64, size=(COMPARED, onnx.layout.words), dtype=np.uint64)
        numbers = rng.random((COMPARED, onnx.layout.numbers), dtype=np.float32)
        planes = PackedPlanes(bits, numbers, onnx.layout).unpack()
    with torch.inference_mode():
        policy, values, *plies = (each.numpy() for each in answers(torch.from_numpy(planes)))
    found = onnx.evaluate(planes)
    answered = found.wdl if onnx.manifest.value_kind == "wdl" else found.values()
    own = values[:, 0] if onnx.manifest.value_kind == "values" else values
    pairs = [("policy", policy, found.policy_logits), ("value", own, answered)]
    pairs.extend(("plies", each, found.plies_left) for each in plies)
    for what, theirs, ours in pairs:
        gap = float(np.abs(theirs - ours).max())
        if not gap <= TOLERANCE * max(1.0, float(np.abs(theirs).max())):
            message = (
                f"{name}: the ONNX model's {what} differs from the network's by {gap:.3g}; what a "
                "forward() decides by its data is lost in an export: register what makes the "
                "network, networks.register(name, factory), make it by that name and save that"
            )
            raise InvalidConfig(message)
