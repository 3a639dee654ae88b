"""Base class of the evaluators of all backends: a network that answers planes."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo.errors import InvalidArray
from phasezoo.games import PackedPlanes
from phasezoo.games.packed import checked_planes
from phasezoo.inference.backends.tensors import Floats, by_player
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, Leaves, Legal
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.types import Planes


class NetworkEvaluator(ABC):
    """A network as an evaluator; :func:`phasezoo.inference.load` makes one of a folder.

    Args:
        manifest: What the network was made for.
        allow_other_game: Whether a search of another game may ask it, which has to have its planes
            and no more actions than it knows; their boards may be of another size if
            :attr:`fits_boards`.
        packed: Whether it wants its planes packed; None: as the manifest says.

    Raises:
        InvalidConfig: It takes packed planes, and none of its planes can be packed.
    """

    def __init__(
        self,
        manifest: Manifest,
        *,
        allow_other_game: bool = False,
        packed: bool | None = None,
    ) -> None:
        self.manifest = manifest
        self.layout = manifest.layout(packed)
        """Where its planes are if it takes them packed; None if it takes floats."""
        self.allow_other_game = allow_other_game
        self.source: Path | None = None
        """The folder that it was loaded from."""
        self.reload: tuple[Callable[..., NetworkEvaluator], tuple[Any, ...]] | None = None
        """How a pickled copy is made: from the files, never from a pickled network."""
        self._knows_players = manifest.value_kind == "values" and manifest.num_players > 2
        if self._knows_players or self.gathers:
            self.evaluate_batch = self._evaluate_leaves

    @property
    def gathers(self) -> bool:
        """Whether it gathers the logits of legal actions on its device, before they are copied."""
        return False

    @property
    def fits_boards(self) -> bool:
        """Whether its weights fit boards of any size; those of most networks fit one."""
        return False

    @property
    def game(self) -> str:
        """The game it plays."""
        return self.manifest.game

    @property
    def plane_spec(self) -> str:
        """The planes it wants."""
        return self.manifest.planes

    @property
    def policy_size(self) -> int:
        """How many actions it answers, which may be more than a game has that it is asked about."""
        return self.manifest.num_actions

    @property
    def packed(self) -> bool:
        """Whether it wants its planes packed, and unpacks them on its device."""
        return self.layout is not None

    @property
    def gate(self) -> str | None:
        """The gate that named its phase; ``"none"`` for a network of all phases."""
        return self.manifest.gate

    @property
    def gate_fingerprint(self) -> str | None:
        """Fingerprint of that gate's answers, if it was a user's own."""
        return self.manifest.gate_fingerprint

    @property
    def phase(self) -> str | None:
        """The phase whose expert it is; None for a network of all phases."""
        return self.manifest.phase

    @property
    def name(self) -> str:
        """How errors and reports call it: architecture and phase."""
        return self.manifest.network_text + (f" ({self.phase})" if self.phase else "")

    def evaluate(self, planes: Planes | PackedPlanes) -> Evaluation:
        """Answer ``float32[B, C, H, W]`` with policy logits, values and, if it has them, WDL.

        Args:
            planes: As :attr:`plane_spec` says, seen by the player to move. B may be 0. Either form
                will do; one that it does not want is made the other first.

        Raises:
            InvalidArray: ``planes`` has another shape, or cannot be packed.
            InvalidEvaluation: The network answers in another shape than it did when it was loaded.
        """
        policy, values, plies, spent = self._answered(planes)
        value, wdl = self._values(values)
        return Evaluation(policy_logits=policy, value=value, wdl=wdl, plies_left=plies, spent=spent)

    def takes(self, shape: tuple[int, ...]) -> bool:
        """Return whether it answers planes of ``shape``: channels, height and width."""
        own = self.manifest.input_shape
        if shape == own:
            return True
        return len(shape) == 3 and shape[0] == own[0] and self.allow_other_game and self.fits_boards

    def _evaluate_leaves(self, leaves: Leaves) -> Evaluation:
        """As :meth:`evaluate`, with the logits of legal actions alone if the network gathers them.

        In games of more than two players ``value`` has a column for each, if it knows them.
        """
        planes = leaves.planes(self.plane_spec, packed=self.packed)
        start = time.perf_counter()
        legal = leaves.legal if self.gathers else None
        policy, values, plies, spent = self._answered(planes, legal)
        if self._knows_players:
            value, wdl = by_player(values, np.asarray(leaves.players)), None
        else:
            value, wdl = self._values(values)
        if spent is None:
            spent = Counts(rows=len(leaves), calls=1, seconds=time.perf_counter() - start)
        logits = {"policy_logits" if legal is None else "legal_logits": policy}
        return Evaluation(value=value, wdl=wdl, plies_left=plies, spent=spent, **logits)

    def _values(self, values: Floats) -> tuple[Floats, Floats | None]:
        """Return the value for the player to move, and the probabilities of win, draw and loss."""
        if self.manifest.value_kind == "wdl":
            return values[:, 0] - values[:, 2], values
        return (values[:, 0] if self.manifest.value_kind == "values" else values), None

    def _answered(
        self, planes: Planes | PackedPlanes, legal: Legal | None = None
    ) -> tuple[Floats, Floats, Floats | None, Counts | None]:
        """Return the result of :meth:`_answer`, and the cost if rows were padded."""
        shape = self.manifest.input_shape
        if not isinstance(planes, PackedPlanes):
            planes = checked_planes(planes)
        if len(planes.shape) != 4 or not self.takes(planes.shape[1:]):
            message = (
                f"{self.name}: planes of shape {list(planes.shape)}, expected [B, "
                f"{', '.join(map(str, shape))}] ({self.plane_spec!r} of {self.game})"
            )
            raise InvalidArray(message)
        rows = len(planes)
        if rows == 0:
            kind, players = self.manifest.value_kind, self.manifest.num_players
            width = {"wdl": (3,), "value": (), "values": (players,)}[kind]
            policy = np.empty((0, self.manifest.num_actions), dtype=np.float32)
            plies = np.empty(0, dtype=np.float32) if self.manifest.plies_left else None
            return policy, np.empty((0, *width), dtype=np.float32), plies, None
        start = time.perf_counter()
        answer = self._answer(self._arrays(planes), legal)
        padded = self._padded(rows)
        if padded == 0:
            return *answer, None
        seconds = time.perf_counter() - start
        return *answer, Counts(rows=rows, padded_rows=padded, calls=1, seconds=seconds)

    def _arrays(self, planes: Planes | PackedPlanes) -> list[Any]:
        """Return the network's input: planes, or the arrays of packed ones that have columns."""
        packed = planes if isinstance(planes, PackedPlanes) else None
        if self.layout is None or packed is None or packed.layout != self.layout:
            floats = planes.unpack() if isinstance(planes, PackedPlanes) else planes
            if self.layout is None or floats.shape[1:] != self.manifest.input_shape:
                return [np.ascontiguousarray(floats, dtype=np.float32)]
            packed = self.layout.pack(floats)
        return packed.arrays

    def _padded(self, rows: int) -> int:
        """Return how many rows are computed besides ``rows``."""
        return 0

    @abstractmethod
    def _answer(
        self, arrays: list[Any], legal: Legal | None = None
    ) -> tuple[Floats, Floats, Floats | None]:
        """Logits ``float32[B, A]``, values and plies left of contiguous arrays, B at least 1.

        With ``legal``, which only networks are given that gather, the logits are those of the legal
        actions, ``float32[total]``.
        The values are ``float32[B, 3]`` (``wdl``), ``float32[B]`` (``value``) or ``float32[B, P]``
        (``values``). The plies are ``float32[B]`` if :attr:`Manifest.plies_left`, else None.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, game={self.game!r}, gate={self.gate!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.reload is None:
            message = (
                f"{self!r} was not loaded from a directory and cannot be pickled: "
                "inference.save(evaluator, directory) it and inference.load(directory)"
            )
            raise TypeError(message)
        return self.reload
