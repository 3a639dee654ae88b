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

from phasezoo import games
from phasezoo._torch import require_torch
from phasezoo.errors import CheckpointError, InvalidConfig, MissingDependency, PhasezooError
from phasezoo.games.action_tables import ActionOrder
from phasezoo.inference.backends.choice import require_onnx
from phasezoo.inference.formats import lc0
from phasezoo.inference.storage.files import write_directory
from phasezoo.inference.storage.manifest import EXPERTS, MANIFEST, MODEL, ONNX_MODEL, Manifest
from phasezoo.runs.saved import digest, read_file

PREFIX = "phasezoo/"
"""Prefix of the names of networks in the package."""

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


def _has_network(folder: Path) -> bool:
    """True if a network or experts are in a folder."""
    return (folder / MANIFEST).is_file() or (folder / EXPERTS).is_file()


def _newest_version(folder: Path) -> Path:
    """Return the newest version in the folder of a run, or the folder itself."""
    if _has_network(folder):
        return folder
    numbered = (each for each in folder.glob("versions/*") if each.name.isdecimal())
    return max(filter(_has_network, numbered), key=lambda each: int(each.name), default=folder)


def holds_experts(path: str | Path) -> bool:
    """Return whether ``path`` names experts for phases rather than one network."""
    return not _is_file(path) and (resolved(path) / EXPERTS).is_file()


def _is_file(path: str | Path) -> bool:
    """Return whether ``path`` is a file of another program."""
    is_there = lc0.is_readable(Path(path)) and _is_there(Path(path), path)
    return is_there and not Path(path).is_dir()


def resolved(
    path: str | Path,
    *,
    game: str | None = None,
    planes: str | None = None,
    actions: ActionOrder | None = None,
) -> Path:
    """Return the folder that ``path`` names: one of the package, one made of a file, or itself.

    Of a run of self-play it is the newest version.
    Only texts name networks of the package; a folder ``phasezoo/…`` is ``./phasezoo/…``. Of a file
    of another program a folder is made in the user's cache folder, when it is first asked for.

    Args:
        path: The folder, name or file.
        game: Of an ONNX file that is not lc0's, its game; None: chess.
        planes: The planes that it reads; None: the game's own.
        actions: The order of its moves; None: our own.
    """
    asked: Any = path
    if not isinstance(asked, str | os.PathLike):
        message = f"path={path!r}: expected a network's folder or file, or a name of the package"
        raise InvalidConfig(message)
    said = {"game": game, "planes": planes, "actions": actions}
    if any(value is not None for value in said.values()):
        is_onnx = Path(path).name.lower().endswith(lc0.ONNX_ENDING)
        if is_onnx and not _is_there(Path(path), path):
            message = f"{path}: no such file"
            raise CheckpointError(message)
        if not (is_onnx and _is_file(path)):
            named = ", ".join(f"{name}=" for name, value in said.items() if value is not None)
            message = (
                f"{path}: {named} says how an ONNX file of another program is read, and this is "
                "none; the manifest of a folder holds its game, planes and actions"
            )
            raise InvalidConfig(message)
        return _of_other(Path(path), game or lc0.GAME, planes, actions)
    if _is_file(path):
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
    data = read_file(path, lc0.LARGEST)
    name = f"{digest(data)[:32]}-{READER}"
    kept = _kept(name)
    if kept is not None:
        return kept
    require_torch()
    found = lc0.read(data, str(path))
    made = _onnx(found, path) if isinstance(found, lc0.Lc0Onnx) else _weights(found, path)
    return _stored(name, *made)


def _of_other(path: Path, game: str, planes: str | None, actions: ActionOrder | None) -> Path:
    """Return the folder of the network in an ONNX file of another program."""
    require_onnx()
    from phasezoo.inference.backends.onnx import OnnxEvaluator
    from phasezoo.inference.formats.other_onnx import key_of

    data, played = read_file(path, lc0.LARGEST), games.make(game)
    spec = played.plane_spec(planes)
    parts = (path.name, digest(data), played.name, spec, key_of(actions, played, spec))
    name = f"{digest(' '.join(parts).encode())[:32]}-{READER}"
    kept = _kept(name)
    if kept is not None:
        return kept
    read = OnnxEvaluator.from_file(path, game=played, planes=spec, actions=actions, threads=1)
    manifest = dataclasses.replace(read.manifest, training={"file": path.name})
    return _stored(name, manifest, read.model if isinstance(read.model, bytes) else data)


def _kept(name: str) -> Path | None:
    """Return the folder of what was read before, if it is as it was written."""
    folders = (_cache() / "lc0" / name, _of_this_process() / name)
    return next(filter(_is_whole, folders), None)


def _stored(name: str, manifest: Manifest, model: bytes) -> Path:
    """Write a folder for what was read, and return it."""
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
    return Manifest.of(
        games.make(lc0.GAME), found.planes, network=found.network, files={MODEL: digest(weights)},
        training={"file": path.name}, parameters={"total": found.parameters},
        network_options=options,
        value_kind=found.value_kind, plies_left=bool(found.options["moves_left"]),
    ), weights  # fmt: skip


def _onnx(found: lc0.Lc0Onnx, path: Path) -> tuple[Manifest, bytes]:
    """Return the manifest and the model of an ONNX file, whose answers are tried first."""
    require_onnx()
    from phasezoo.inference.backends.onnx import OnnxEvaluator
    from phasezoo.inference.backends.tensors import looks_like_odds

    game = games.make(lc0.GAME)
    shape = game.plane_shape(found.planes)
    try:
        model, tensors = lc0.wrapped_onnx(found, shape)
        manifest = Manifest.of(
            game, found.planes, network=f"{lc0.FAMILY}-onnx", files={ONNX_MODEL: digest(model)},
            training={"file": path.name},
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
