"""The evaluator that knows nothing."""

import numpy as np

from phasezoo.inference.evaluator import Evaluation, Leaves
from phasezoo.types import Planes


class Uniform:
    """Values every position 0 and likes all legal actions alike.

    Search with it finds what the rules alone prove: mates, forced ends, and who runs out of moves.
    """

    plane_spec: str | None = None
    """No planes are made for it."""

    def evaluate(self, planes: Planes) -> Evaluation:
        """Zeros, one per row of ``planes``."""
        return Evaluation(value=np.zeros(len(planes), dtype=np.float32))

    def evaluate_batch(self, leaves: Leaves) -> Evaluation:
        """Zeros, one per leaf."""
        return Evaluation(value=np.zeros(len(leaves), dtype=np.float32))

    def __repr__(self) -> str:
        return "Uniform()"
