"""The manifest of a saved network, read and checked. No pickle is ever loaded.

A network is a directory with ``manifest.json`` and its weights, ``model.safetensors``, or, if
nobody knows how to build it, ``model.onnx``. Nothing is parsed from a file's name. The fields are
explained on the page ``docs/definitions/network_files.md``.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from phasezoo import __version__, games
from phasezoo.errors import CheckpointError, InvalidConfig, PhasezooError, UnknownGame
from phasezoo.games.queries import action_spec
from phasezoo.runs import jsonable
from phasezoo.runs.saved import checked_bytes, read_record, record_bytes

FORMAT_VERSION = 2
"""Format 1 lacks the fields about factories, kinds of value and ONNX; it is read all the same."""

MANIFEST = "manifest.json"
MODEL = "model.safetensors"
ONNX_MODEL = "model.onnx"
EXPERTS = "experts.json"
"""Stands in the folder of experts, beside their networks."""

ValueKind: TypeAlias = Literal["wdl", "value", "values"]
"""Form of a network's value: probabilities of win, draw and loss; one number in
[-1, 1] for the player to move; or a number for each player, the one to move first."""

StoredAs: TypeAlias = Literal["torch", "onnx"]
"""How a network is kept: as weights of a network that can be built, or as an ONNX model."""


PLUGIN_HINT = (
    "import the module that registers it first (commands: --plugin MODULE), or install it as a "
    "package that offers it"
)
"""Advice for errors where something of a user's own is missing."""


@dataclass(frozen=True)
class Manifest:
    """Description of a network: its game, its planes, its architecture, its files.

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
    """Architecture by its registered name, such as ``rise-32x4``; without its options."""
    input_shape: tuple[int, int, int]
    """Channels, height and width of the planes."""
    num_actions: int
    """Size A of the policy."""
    actions: str
    """Layout of the policy (see :func:`phasezoo.games.queries.action_spec`)."""
    gate: str = "none"
    """The gate that named the phase; ``none`` for a network of all phases."""
    gate_fingerprint: str | None = None
    """Fingerprint of a user's own gate (:func:`phasezoo.gating.fingerprint`), whose name alone does
    not identify it. None for built-in gates."""
    phase: str | None = None
    """The phase whose expert this is; None for a network of all phases."""
    parameters: Mapping[str, int] = field(default_factory=dict)
    """Number of trainable parameters, by part of the network and in total."""
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 in hexadecimal, by file name."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Configuration, counters and metrics of the training, as JSON."""
    phasezoo: str = ""
    """Version of phasezoo that wrote it."""
    network_options: Mapping[str, Any] = field(default_factory=dict)
    """Options that its factory was called with, as JSON."""
    network_factory: str | None = None
    """``module:attribute`` of what builds it, for names that are not registered when it is loaded;
    None for the package's own architectures and for ONNX."""
    value_kind: ValueKind = "wdl"
    """Form of its value."""
    backend: StoredAs = "torch"
    """How it is kept."""
    num_players: int = 2
    """How many players the game has."""
    tensors: Mapping[str, str] = field(default_factory=dict)
    """For ONNX, what the model calls its ``input``, its ``policy`` and its value (see
    :mod:`phasezoo.inference.backends.tensors`)."""

    plies_left: bool | None = None
    """Whether it says how many plies are left (``Evaluation.plies_left``). None: the manifest does
    not tell, as those of earlier versions; the network itself does."""
    packed: bool = False
    """Whether it takes its planes packed (``docs/definitions/planes.md#packed-planes``): an ONNX
    model does or does not, weights can be loaded either way."""

    @classmethod
    def of(cls, game: games.Game, planes: str, **said: Any) -> "Manifest":
        """Describe a network of a game's planes that this version makes, by what else is said."""
        shape, size = game.plane_shape(planes), game.policy_size(planes)
        return cls(
            game=game.name,
            planes=planes,
            input_shape=shape,
            num_actions=size,
            actions=action_spec(size, shape),
            num_players=game.num_players,
            phasezoo=__version__,
            **said,
        )

    @property
    def model(self) -> str:
        """The name of the file with the network in it."""
        return ONNX_MODEL if self.backend == "onnx" else MODEL

    @property
    def network_text(self) -> str:
        """Name and options in one text: ``small:width=32``."""
        options = ",".join(
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in self.network_options.items()
        )
        return f"{self.network}:{options}" if options else self.network

    def layout(self, packed: bool | None = None) -> games.PlaneLayout | None:
        """Return where its planes are if it takes them packed; None if it takes floats.

        Args:
            packed: Whether it does; None: as :attr:`packed` says.

        Raises:
            InvalidConfig: None of the game's planes are binary or constant.
        """
        if not (self.packed if packed is None else packed):
            return None
        layout = games.make(self.game).plane_layout(self.planes)
        if set(layout.kinds) == {"g"}:
            message = (
                f"packed=True: planes {self.planes!r} of {self.game} hold any numbers on all "
                "cells, packed they are as large as before; leave it out"
            )
            raise InvalidConfig(message)
        return layout

    def to_json(self) -> bytes:
        """Return the text of ``manifest.json``."""
        return record_bytes("network", FORMAT_VERSION, asdict(self))

    @classmethod
    def read(cls, directory: Path) -> "Manifest":
        """Read and check the manifest in ``directory``."""
        path = directory / MANIFEST
        if not path.is_file():
            raise CheckpointError(_nothing_there(directory))
        record = read_record(path, "network", FORMAT_VERSION, "a network")
        known = {f.name: record[f.name] for f in fields(cls) if f.name in record}
        try:
            manifest = jsonable.decode(cls, known)
        except InvalidConfig as error:
            message = f"{path}: a field is missing or of a wrong type ({error})"
            raise CheckpointError(message) from error
        manifest._check_game(path)
        return manifest

    def _check_game(self, path: Path) -> None:
        """Refuse a network that does not fit its own game."""
        try:
            game = games.make(self.game)
            shape = tuple(game.plane_shape(self.planes))
            actions = game.policy_size(self.planes)
        except PhasezooError as error:
            hint = f"; {PLUGIN_HINT}" if isinstance(error, UnknownGame) else ""
            message = f"{path}: {error}{hint}"
            raise CheckpointError(message) from error
        if shape != self.input_shape or actions != self.num_actions:
            message = (
                f"{path}: a network for planes {list(self.input_shape)} and {self.num_actions} "
                f"actions, but {self.planes!r} of {self.game} is {list(shape)} and {actions}"
            )
            raise CheckpointError(message)
        if self.value_kind == "values" and self.num_players != game.num_players:
            message = (
                f"{path}: values for {self.num_players} players, {self.game} has {game.num_players}"
            )
            raise CheckpointError(message)
        expected = action_spec(self.num_actions, self.input_shape)
        if self.actions != expected:
            message = f"{path}: actions {self.actions!r}, this version has {expected!r}"
            raise CheckpointError(message)

    def read_bytes(self, directory: Path, name: str | None = None) -> bytes:
        """Return the bytes of the file ``name`` (default: the network), its checksum compared."""
        name = self.model if name is None else name
        return checked_bytes(directory / name, self.files, MANIFEST)


def _nothing_there(directory: Path) -> str:
    if not directory.exists():
        return (
            f"{directory}: no such file or directory; a network is a directory with {MODEL} and "
            f"{MANIFEST}, or a file of lc0's (.pb.gz) or .onnx"
        )
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
    if (directory / EXPERTS).is_file():
        return (
            f"{directory}: holds experts for phases, and one network is expected here; give the "
            f"folder of one of them, in {directory / 'networks'}"
        )
    return f"{directory}: no {MANIFEST} there; a network is a directory with {MODEL} and {MANIFEST}"
