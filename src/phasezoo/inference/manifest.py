"""What a saved network is: its manifest, read and checked. No pickle is ever loaded.

A network is a directory with ``model.safetensors`` and ``manifest.json``. Nothing is parsed from a
file's name.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from phasezoo import games
from phasezoo.errors import CheckpointError, PhasezooError
from phasezoo.inference.storage import digest, read_file

__all__ = ["FORMAT_VERSION", "MANIFEST", "MODEL", "Manifest", "action_spec"]

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MODEL = "model.safetensors"


def action_spec(num_actions: int, input_shape: tuple[int, int, int]) -> str:
    """Name the layout of a policy.

    ``planes-73`` is ``plane * 64 + square`` on a board of 64; ``flat-6`` are six actions, which are
    not whole planes of the board.
    """
    planes, rest = divmod(num_actions, input_shape[1] * input_shape[2])
    return f"flat-{num_actions}" if rest else f"planes-{planes}"


@dataclass(frozen=True)
class Manifest:
    """What a network was made for, and how.

    ``files`` holds the SHA-256 of each file beside the manifest, so that a truncated or changed
    file is noticed. ``training`` says where the weights come from: configuration, counters,
    metrics.
    """

    game: str
    """Registered name of the game."""
    planes: str
    """Input planes by a text that the game knows, which says how many moves they show too:
    ``"v2"``, ``"v2:history=4"``."""
    network: str
    """Architecture, such as ``rise-32x4``."""
    input_shape: tuple[int, int, int]
    """Channels, height and width of the planes."""
    num_actions: int
    """Size A of the policy."""
    actions: str
    """Layout of the policy (see :func:`action_spec`)."""
    gate: str = "none"
    """The gate that named the phase; ``none`` for a network of all phases."""
    gate_fingerprint: str | None = None
    """What a gate of a user's own answered (:func:`phasezoo.gating.fingerprint`): its name alone
    does not say. None for built-in gates."""
    phase: str | None = None
    """The phase whose expert this is; None for a network of all phases."""
    parameters: Mapping[str, int] = field(default_factory=dict)
    """What training adjusts, by part of the network and in total."""
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 in hexadecimal, by file name."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Configuration, counters and metrics of the training, as JSON."""
    phasezoo: str = ""
    """Version of phasezoo that wrote it."""

    def to_json(self) -> bytes:
        """The text of ``manifest.json``."""
        record = {"format_version": FORMAT_VERSION, "kind": "network", **asdict(self)}
        return (json.dumps(record, indent=2, allow_nan=False) + "\n").encode()

    @classmethod
    def read(cls, directory: Path) -> "Manifest":
        """Read and check the manifest in ``directory``.

        Raises:
            CheckpointError: The directory has no manifest, or one that this version cannot use.
        """
        path = directory / MANIFEST
        if not path.is_file():
            raise CheckpointError(_nothing_there(directory))
        try:
            record = json.loads(read_file(path))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            message = f"{path}: not a manifest ({error}); the file was changed or cut off"
            raise CheckpointError(message) from error
        manifest = cls._from_record(record, path)
        manifest._check_game(path)
        return manifest

    @classmethod
    def _from_record(cls, record: object, path: Path) -> "Manifest":
        if not isinstance(record, dict) or record.get("kind") != "network":
            message = f"{path}: not the manifest of a network"
            raise CheckpointError(message)
        version = record.get("format_version")
        if version != FORMAT_VERSION:
            message = (
                f"{path}: format version {version!r}, this version of phasezoo reads "
                f"{FORMAT_VERSION}; train the network again or use the version that wrote it"
            )
            raise CheckpointError(message)
        values = {f.name: record[f.name] for f in fields(cls) if f.name in record}
        try:
            _check_types(values)
            values["input_shape"] = tuple(values["input_shape"])
            return cls(**values)
        except (KeyError, TypeError) as error:
            message = f"{path}: a field is missing or of a wrong type ({error})"
            raise CheckpointError(message) from error

    def _check_game(self, path: Path) -> None:
        """Refuse a network that does not fit its own game.

        Raises:
            CheckpointError: Game, planes or actions are unknown or of another size.
        """
        try:
            game = games.make(self.game)
            shape = tuple(game.plane_shape(self.planes))
        except PhasezooError as error:
            message = f"{path}: {error}"
            raise CheckpointError(message) from error
        if shape != self.input_shape or game.num_actions != self.num_actions:
            message = (
                f"{path}: a network for planes {list(self.input_shape)} and {self.num_actions} "
                f"actions, but {self.planes!r} of {self.game} is {list(shape)} and "
                f"{game.num_actions}"
            )
            raise CheckpointError(message)
        expected = action_spec(self.num_actions, self.input_shape)
        if self.actions != expected:
            message = f"{path}: actions {self.actions!r}, this version has {expected!r}"
            raise CheckpointError(message)

    def read_bytes(self, directory: Path, name: str = MODEL) -> bytes:
        """The bytes of the file ``name``, after its checksum was compared.

        Raises:
            CheckpointError: The file is missing, or is not the one the manifest was written for.
        """
        path = directory / name
        data = read_file(path)
        if digest(data) != self.files.get(name):
            message = (
                f"{path}: {MANIFEST} has another checksum than this file of {len(data):,} bytes; "
                "it was cut off, changed, or comes from elsewhere"
            )
            raise CheckpointError(message)
        return data


def _check_types(values: Mapping[str, Any]) -> None:
    """Refuse values that JSON allows and :class:`Manifest` does not.

    Raises:
        TypeError: The message names the field.
    """
    kinds: dict[str, type | tuple[type, ...]] = {
        **dict.fromkeys(("game", "planes", "network", "actions", "gate", "phasezoo"), str),
        **dict.fromkeys(("parameters", "files", "training"), dict),
        "num_actions": int,
        **dict.fromkeys(("phase", "gate_fingerprint"), (str, type(None))),
        "input_shape": list,
    }
    for name, value in values.items():
        if not isinstance(value, kinds[name]) or isinstance(value, bool):
            message = f"{name} is {value!r}"
            raise TypeError(message)
    shape = values["input_shape"]
    if len(shape) != 3 or not all(type(size) is int for size in shape):
        message = f"input_shape is {shape!r}"
        raise TypeError(message)


def _nothing_there(directory: Path) -> str:
    if not directory.exists():
        return f"{directory}: no such directory; a network is one with {MODEL} and {MANIFEST}"
    if not directory.is_dir():
        return (
            f"{directory}: not a directory; a network is one with {MODEL} and {MANIFEST}. Give "
            "the directory that a training wrote"
        )
    if (directory / "checkpoints").is_dir():
        return (
            f"{directory}: this training has not finished; run it again to continue it, or load "
            f"one of {directory / 'checkpoints'}"
        )
    return f"{directory}: no {MANIFEST} there; a network is a directory with {MODEL} and {MANIFEST}"
