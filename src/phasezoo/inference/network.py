"""What the evaluators of all backends share: a trained network that answers planes."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from phasezoo.errors import InvalidArray
from phasezoo.inference.evaluator import Evaluation
from phasezoo.inference.manifest import Manifest
from phasezoo.types import Planes

__all__ = ["NetworkEvaluator"]


class NetworkEvaluator(ABC):
    """A trained network as an evaluator; :func:`phasezoo.inference.load` makes one.

    Args:
        manifest: What the network was made for.
    """

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.reload: tuple[Callable[..., NetworkEvaluator], tuple[Any, ...]] | None = None
        """How a pickled copy is made: from the files, never from a pickled network."""

    @property
    def game(self) -> str:
        """The game it plays."""
        return self.manifest.game

    @property
    def plane_spec(self) -> str:
        """The planes it wants."""
        return self.manifest.planes

    @property
    def gate(self) -> str | None:
        """The gate that named its phase; ``"none"`` for a network of all phases."""
        return self.manifest.gate

    @property
    def gate_fingerprint(self) -> str | None:
        """What that gate answered, if it was a user's own."""
        return self.manifest.gate_fingerprint

    @property
    def phase(self) -> str | None:
        """The phase whose expert it is; None for a network of all phases."""
        return self.manifest.phase

    @property
    def name(self) -> str:
        """How errors and reports call it: architecture and phase."""
        return self.manifest.network + (f" ({self.phase})" if self.phase else "")

    def evaluate(self, planes: Planes) -> Evaluation:
        """Answer ``float32[B, C, H, W]`` with policy logits, WDL probabilities and values.

        Args:
            planes: As :attr:`plane_spec` says, seen by the player to move. B may be 0.

        Raises:
            InvalidArray: ``planes`` has another shape.
        """
        shape = self.manifest.input_shape
        if planes.ndim != 4 or planes.shape[1:] != shape:
            message = (
                f"{self.name}: planes of shape {list(planes.shape)}, expected [B, "
                f"{', '.join(map(str, shape))}] ({self.plane_spec!r} of {self.game})"
            )
            raise InvalidArray(message)
        rows = len(planes)
        if rows == 0:
            logits = np.empty((0, self.manifest.num_actions), dtype=np.float32)
            wdl = np.empty((0, 3), dtype=np.float32)
        else:
            contiguous = np.ascontiguousarray(planes, dtype=np.float32)
            logits, wdl = self._answer(contiguous)
        return Evaluation(policy_logits=logits, value=wdl[:, 0] - wdl[:, 2], wdl=wdl)

    @abstractmethod
    def _answer(self, planes: Planes) -> tuple[Planes, Planes]:
        """Logits ``float32[B, A]`` and probabilities ``float32[B, 3]`` of contiguous planes."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, game={self.game!r}, gate={self.gate!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.reload is None:
            message = f"{self!r} was not loaded from a directory and cannot be pickled"
            raise TypeError(message)
        return self.reload
