"""Names for a network's folder: ``phasezoo/NAME``, or a file of another program."""

import atexit
import contextlib
import dataclasses
import functools
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import __version__, games
from phasezoo._torch import require_torch
from phasezoo.errors import CheckpointError, MissingDependency, PhasezooError
from phasezoo.games.queries import action_spec
from phasezoo.inference.backends.choice import require_onnx
from phasezoo.inference.formats import lc0
from phasezoo.inference.storage.files import digest, read_file, write_directory
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, ONNX_MODEL, Manifest

PREFIX = "phasezoo/"
"""Prefix of the names of networks in the package."""

EXPERTS = "experts.json"

READER = 1
"""Raised when a file is read in another way, so that what was made of it is made anew."""


def models() -> Path:
    """Return where the networks of the package are."""
    return Path(str(resources.files("phasezoo"))) / "models"


def packaged_networks() -> tuple[str, ...]:
    """Return the networks in the package, sorted, such as ``phasezoo/chess-small``."""
    if not models().is_dir():
        return ()
    found = (path for path in models().iterdir() if path.is_dir())
    return tuple(sorted(PREFIX + path.name for path in filter(_has_network, found)))


def names_network(text: str) -> bool:
    """Return whether a text names a trained network, and not an architecture."""
    return "/" in text or lc0.is_readable(Path(text))


def holds_experts(network: str | Path) -> bool:
    """Return whether a name or folder means experts for phases rather than one network."""
    return (resolved(network) / EXPERTS).is_file()


def _has_network(folder: Path) -> bool:
    """True if a network or experts are in a folder."""
    return (folder / MANIFEST).is_file() or (folder / EXPERTS).is_file()


def _newest_version(folder: Path) -> Path:
    """Return the newest version in the folder of a run, or the folder itself."""
    if _has_network(folder):
        return folder
    numbered = (each for each in folder.glob("versions/*") if each.name.isdecimal())
    return max(filter(_has_network, numbered), key=lambda each: int(each.name), default=folder)


def resolved(path: str | Path) -> Path:
    """Return the folder that ``path`` names: one of the package, one made of a file, or itself.

    Of a run of self-play it is the newest version.
    Only texts name networks of the package; a folder ``phasezoo/…`` is ``./phasezoo/…``. Of a file
    of lc0's a folder is made in the user's cache folder, when it is first asked for.

    Raises:
        CheckpointError: There is no such network, or the file cannot be read.
    """
    if lc0.is_readable(Path(path)) and _is_there(Path(path), path) and not Path(path).is_dir():
        return _of_lc0(Path(path))
    if not isinstance(path, str) or not path.startswith(PREFIX):
        if not _is_there(Path(path), path) and f"{PREFIX}{path}" in packaged_networks():
            message = f"{path}: no such directory; the network in the package is '{PREFIX}{path}'"
            raise CheckpointError(message)
        return _newest_version(Path(path))
    if path not in packaged_networks():
        known = (
            f"there are {', '.join(packaged_networks())}"
            if packaged_networks()
            else "this version has no networks"
        )
        message = (
            f"{path!r}: no such network in the package; {known}. A folder of your own is "
            f"{'./' + path!r}"
        )
        raise CheckpointError(message)
    return models() / path.removeprefix(PREFIX)


def _is_there(path: Path, given: str | Path) -> bool:
    """Return whether there is a file or folder at a path."""
    try:
        return path.exists()
    except OSError as error:
        message = f"{str(given)[:80]}: cannot be a directory of a network ({error.strerror})"
        raise CheckpointError(message) from error


def _of_lc0(path: Path) -> Path:
    """Return the folder of the network in a file of lc0's."""
    data = read_file(path)
    name = f"{digest(data)[:32]}-{READER}"
    for kept in (_cache() / "lc0" / name, _of_this_process() / name):
        if _is_whole(kept):
            return kept
    require_torch()
    found = lc0.read(data, str(path))
    if isinstance(found, lc0.Lc0Onnx):
        manifest, model = _onnx(found, path)
    else:
        manifest, model = _weights(found, path)
    files = {manifest.model: model, MANIFEST: manifest.to_json()}
    folder = _cache() / "lc0" / name
    try:
        write_directory(folder, files)
    except CheckpointError:  # the cache folder is full or not to be written
        folder = _of_this_process() / name
        write_directory(folder, files)
    return folder


def _weights(found: lc0.Lc0File, path: Path) -> tuple[Manifest, bytes]:
    """Return the manifest and the weights of a network."""
    from safetensors.numpy import save

    weights = save(found.weights)
    defaults = lc0.default_options(found.family)
    options = {name: value for name, value in found.options.items() if value != defaults[name]}
    return _described(
        found.planes, path, network=found.network, files={MODEL: digest(weights)},
        parameters={"total": found.parameters}, network_options=options,
        value_kind=found.value_kind, plies_left=bool(found.options["moves_left"]),
    ), weights  # fmt: skip


def _onnx(found: lc0.Lc0Onnx, path: Path) -> tuple[Manifest, bytes]:
    """Return the manifest and the model of an ONNX file, whose answers are tried first."""
    require_onnx()
    from phasezoo.inference.backends.onnx import OnnxEvaluator
    from phasezoo.inference.backends.tensors import looks_like_odds
    from phasezoo.inference.formats.lc0_onnx import wrapped

    shape = games.make(lc0.GAME).plane_shape(found.planes)
    try:
        model, tensors = wrapped(found.model, shape, found.tensors)
        manifest = _described(
            found.planes, path, network=f"{lc0.FAMILY}-onnx", files={ONNX_MODEL: digest(model)},
            value_kind="wdl" if "wdl" in tensors else "value", backend="onnx", tensors=tensors,
            plies_left="plies_left" in tensors,
        )  # fmt: skip
        evaluator = OnnxEvaluator(manifest, model, threads=1)
        answer = evaluator.evaluate(np.zeros((2, *shape), np.float32))
    except (ValueError, PhasezooError) as error:
        if isinstance(error, MissingDependency):
            raise
        message = (
            f"{path}: not an ONNX model of lc0 that can be read here ({error}); name a network "
            "that was saved here by its folder"
        )
        raise CheckpointError(message) from error
    if answer.wdl is not None and not looks_like_odds(answer.wdl):
        named = {**tensors, "wdl_logits": tensors["wdl"]}
        del named["wdl"]
        manifest = dataclasses.replace(manifest, tensors=named)
    return manifest, model


def _described(planes: str, path: Path, **said: Any) -> Manifest:
    """Return the manifest of a network of lc0's."""
    game = games.make(lc0.GAME)
    shape, actions = game.plane_shape(planes), game.policy_size(planes)
    return Manifest(
        game=game.name, planes=planes, input_shape=shape, num_actions=actions,
        actions=action_spec(actions, shape), training={"file": path.name}, phasezoo=__version__,
        **said,
    )  # fmt: skip


def _is_whole(folder: Path) -> bool:
    """Return whether a network is in ``folder`` as it was written."""
    with contextlib.suppress(CheckpointError, OSError):
        Manifest.read(folder).read_bytes(folder)
        return True
    return False


@functools.cache
def _of_this_process() -> Path:
    """Return a folder that goes when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="phasezoo-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _cache() -> Path:
    """Return the user's folder for what can be made again."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "phasezoo"


def cache_of(directory: Path) -> Path:
    """Return where files made of the network in ``directory`` are kept: beside it.

    Those of the package, which is nobody's to write into, lie in the user's cache folder.
    """
    if not directory.absolute().is_relative_to(models().absolute()):
        return directory
    return _cache() / directory.absolute().relative_to(models().absolute())
