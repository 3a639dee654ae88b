"""Gates that a small network is: read from the folder that a training wrote, answered in NumPy.

A gate is asked by environments, labels and searches, none of which should have to load torch, so
its few layers are multiplied here. The folder's files are explained on the page
``docs/definitions/gates.md``; no pickle is ever loaded.
"""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig, InvalidGate, PhasezooError, UnknownGame, needs
from phasezoo.games.options import is_file
from phasezoo.games.queries import encode
from phasezoo.games.registry import game_of, make
from phasezoo.gating.callables import MONOTONE, CallableGate, check_names
from phasezoo.runs import jsonable
from phasezoo.runs.saved import checked_bytes, read_record, record_bytes

LEARNED = "learned:"
"""Begins the specification of a gate that a training wrote; the folder follows."""

MANIFEST = "manifest.json"
WEIGHTS = "model.safetensors"

FORMAT_VERSION = 1

ROWS = 512
"""Rows that are multiplied at once; bounds memory."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class GateManifest:
    """Game, planes, phases and training of a learned gate."""

    game: str
    """Registered name of the game."""
    planes: str
    """The planes that it looks at."""
    input_shape: tuple[int, int, int]
    """Channels, height and width of them."""
    names: tuple[str, ...]
    """One name per phase."""
    network: str
    """Its layers: ``mlp-64x1`` are 64 units in one hidden layer."""
    files: Mapping[str, str]
    """SHA-256 in hexadecimal, by file name."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Data, settings and results of its training, as JSON."""
    phasezoo: str = ""
    """Version of phasezoo that wrote it."""

    def to_json(self) -> bytes:
        """The text of ``manifest.json``."""
        return record_bytes("gate", FORMAT_VERSION, asdict(self))

    @classmethod
    def read(cls, directory: Path) -> "GateManifest":
        """Read and check the manifest in ``directory``."""
        path = directory / MANIFEST
        what = "a gate; give a folder that gating.train wrote"
        record = read_record(path, "gate", FORMAT_VERSION, what, InvalidGate)
        try:
            return jsonable.decode(cls, record)
        except InvalidConfig as error:
            message = f"{path}: a field is missing, unknown or of a wrong type ({error})"
            raise InvalidGate(message) from error


@dataclass(frozen=True, eq=False)
class Router:
    """Fully connected layers from planes to the probabilities of phases, with ReLU between them.

    It can be called as a batched gate function is. Routers of the same weights are equal.
    """

    game: str
    """The game whose states it knows."""
    planes: str
    """The planes that it looks at."""
    input_shape: tuple[int, int, int]
    """Channels, height and width of them."""
    layers: tuple[tuple[Floats, Floats], ...]
    """Each layer's ``float32[inputs, outputs]`` and ``float32[outputs]``."""

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the game, the planes and the weights."""
        found = hashlib.sha256(f"{self.game}\n{self.planes}\n".encode())
        for array in self._arrays():
            found.update(array.tobytes())
        return found.hexdigest()

    def logits(self, planes: npt.NDArray[np.float32]) -> Floats:
        """``float32[B, phases]`` of ``float32[B, C, H, W]``."""
        if planes.ndim != 4 or planes.shape[1:] != self.input_shape:
            message = (
                f"planes of shape {list(planes.shape)}, the gate learned with "
                f"[B, {', '.join(map(str, self.input_shape))}] ({self.planes!r} of {self.game})"
            )
            raise InvalidGate(message)
        flat = planes.reshape(len(planes), -1)
        answer = np.empty((len(planes), len(self.layers[-1][1])), dtype=np.float32)
        for start in range(0, len(planes), ROWS):
            answer[start : start + ROWS] = self._through(flat[start : start + ROWS])
        return answer

    def probabilities(self, planes: npt.NDArray[np.float32]) -> Floats:
        """``float32[B, phases]``, each row with the sum 1."""
        return softmax(self.logits(planes))

    def of_states(self, states: Sequence[Any], players: Sequence[int] | None) -> Floats:
        """``float32[N, phases]``: probabilities of the phases of states, seen by ``players``."""
        if len(states) == 0:
            return np.empty((0, len(self.layers[-1][1])), dtype=np.float32)
        game = game_of(states[0]).name
        if game != self.game:
            message = f"a gate that learned {self.game} was asked about a state of {game}"
            raise InvalidGate(message)
        return self.probabilities(encode(states, self.planes, players=players))

    def __call__(self, states: Sequence[Any], players: Sequence[int] | None = None) -> Any:
        """``int64[N]``: the likeliest phase of each state."""
        return self.of_states(states, players).argmax(axis=1)

    def _through(self, planes: Floats) -> npt.NDArray[np.float64]:
        """Logits in float64: rounded, they do not depend on the other rows of a batch."""
        *hidden, last = self._exact
        rows = planes.astype(np.float64)
        for weight, bias in hidden:
            rows = np.maximum(rows @ weight + bias, 0)
        answer: npt.NDArray[np.float64] = rows @ last[0] + last[1]
        return answer

    @cached_property
    def _exact(self) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
        return [
            (weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in self.layers
        ]

    def _arrays(self) -> list[Floats]:
        return [array for layer in self.layers for array in layer]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Router) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


class LearnedGate(CallableGate):
    """A gate that a small network is: the likeliest phase, or a probability for each.

    Args:
        router: The network.
        names: One name per phase.
        spec: How it is called, ``learned:DIR``.
        monotone: Whether the gate answers the larger of its answer and the previous phase; its
            probabilities stay the network's.
    """

    def __init__(
        self, router: Router, names: Sequence[str], spec: str, *, monotone: bool = False
    ) -> None:
        super().__init__(router, names, spec, batched=True, monotone=monotone)
        self.router = router

    @property
    def game(self) -> str:
        """The name of the game that it is for."""
        return self.router.game

    @property
    def plane_spec(self) -> str:
        """The planes that it looks at."""
        return self.router.planes

    def as_monotone(self) -> Self:
        """The same gate, never going back."""
        return type(self)(self.router, self.names, self._base, monotone=True)

    def probabilities(
        self,
        states: Sequence[Any],
        players: Sequence[int] | None = None,
        previous: Sequence[int] | npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[np.float32]:
        """``float32[N, num_phases]``: how sure the network is of each phase.

        Args:
            states: States of its game.
            players: Who sees each; default its player to move.
            previous: Not read.

        Raises:
            InvalidGate: They are states of another game, or ``players`` is missing.
        """
        states = list(states)
        return self.router.of_states(states, self._viewers(states, players))

    def probabilities_of(self, planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """``float32[B, num_phases]`` of positions whose planes (:attr:`plane_spec`) are made.

        Raises:
            InvalidGate: The planes have another shape.
        """
        return self.router.probabilities(planes)


def softmax(logits: Floats) -> Floats:
    """Probabilities of each row's logits, ``float32[B, K]``."""
    shares = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(np.float64))
    found: Floats = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    return found


def load(spec: str, game: str | None = None, *, monotone: bool = False) -> LearnedGate:
    """The gate of ``learned:DIR``."""
    named = spec.removeprefix(MONOTONE).removeprefix(LEARNED)
    if not named.strip():
        message = (
            f"gate {spec!r}: it names no folder; learned:DIR names one that gating.train wrote, "
            "such as learned:runs/gate"
        )
        raise InvalidGate(message)
    directory = Path(named)
    if not is_file(directory / MANIFEST):
        message = (
            f"gate {spec!r}: no {MANIFEST} in {str(directory)!r}; learned:DIR names a folder that "
            "gating.train wrote, such as learned:runs/gate"
        )
        raise InvalidGate(message)
    manifest = GateManifest.read(directory)
    if game is not None and game != manifest.game:
        message = f"gate {spec!r}: it learned {manifest.game}, and was asked for {game}"
        raise InvalidGate(message)
    _check_game(manifest, directory)
    data = checked_bytes(directory / WEIGHTS, manifest.files, MANIFEST, InvalidGate)
    layers = _layers(data, manifest, directory / WEIGHTS)
    router = Router(manifest.game, manifest.planes, manifest.input_shape, layers)
    names = check_names(manifest.names, spec)
    return LearnedGate(router, names, spec.removeprefix(MONOTONE), monotone=monotone)


def _check_game(manifest: GateManifest, directory: Path) -> None:
    """Refuse a gate whose game or planes are not known here."""
    try:
        shape = tuple(make(manifest.game).plane_shape(manifest.planes))
    except PhasezooError as error:
        unknown = isinstance(error, UnknownGame)
        hint = "; import the module that registers it first" if unknown else ""
        message = f"{directory / MANIFEST}: {error}{hint}"
        raise InvalidGate(message) from error
    if shape != manifest.input_shape:
        message = (
            f"{directory / MANIFEST}: a gate for planes {list(manifest.input_shape)}, but "
            f"{manifest.planes!r} of {manifest.game} is {list(shape)}"
        )
        raise InvalidGate(message)


def _layers(data: bytes, manifest: GateManifest, path: Path) -> tuple[tuple[Floats, Floats], ...]:
    """The layers in a file, if they fit each other, the planes and the phases."""
    with needs("learned gates need safetensors", "train"):
        from safetensors import SafetensorError
        from safetensors.numpy import load as arrays_of
    try:
        arrays = arrays_of(data)
    except SafetensorError as error:
        message = f"{path}: not a safetensors file ({error}); it was cut off or changed"
        raise InvalidGate(message) from error
    names = [(f"{index}.weight", f"{index}.bias") for index in range(len(arrays) // 2)]
    known = bool(names) and {name for pair in names for name in pair} == set(arrays)
    layers = tuple((arrays[weight], arrays[bias]) for weight, bias in names) if known else ()
    named = re.fullmatch(r"mlp-(\d{1,4})x(\d)", manifest.network)
    hidden = None if named is None else [int(named[1])] * int(named[2])
    if not _fit(layers, math.prod(manifest.input_shape), len(manifest.names)) or (
        hidden != [len(bias) for _, bias in layers[:-1]]
    ):
        message = f"{path}: not the layers of {manifest.network} that {MANIFEST} describes"
        raise InvalidGate(message)
    return layers


def _fit(layers: Sequence[tuple[Any, Any]], inputs: int, outputs: int) -> bool:
    """Whether layers follow each other from ``inputs`` to ``outputs`` numbers, all finite."""
    for weight, bias in layers:
        if bias.ndim != 1 or weight.shape != (inputs, len(bias)):
            return False
        for array in (weight, bias):
            if array.dtype != np.float32 or not np.isfinite(array).all():
                return False
        inputs = len(bias)
    return len(layers) > 0 and inputs == outputs
