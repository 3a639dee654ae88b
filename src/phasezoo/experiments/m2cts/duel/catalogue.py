"""Which rooms list all positions of their game: the only file of this folder that names them."""

from collections.abc import Callable

from phasezoo.training.solved_positions import SolvedPositions
from phasezoo.zoo.krk.solved import krk_positions

__all__ = ["EVERYWHERE"]

EVERYWHERE: dict[str, Callable[[], SolvedPositions]] = {"krk": krk_positions}
"""What makes them; of games that are not here a sample is drawn."""
