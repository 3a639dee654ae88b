"""The space of packed planes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from phasezoo.games.packed import PlaneLayout
from phasezoo.observation.view import View


class Words(spaces.Box):
    """Words of bits, ``uint64[...]`` up to ``high``, drawn from all of their range.

    A ``Box`` draws zeros alone if its highest number is that of the type.

    Args:
        high: The highest value of each word.
        seed: Seeds the draws.
    """

    def __init__(self, high: npt.NDArray[np.uint64], seed: Any = None) -> None:
        super().__init__(np.zeros_like(high), high, dtype=np.uint64, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> npt.NDArray[Any]:
        """Words between 0 and the highest, each with the same probability."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)  # which refuses them
        highest: Any = self.high
        drawn: npt.NDArray[Any] = self.np_random.integers(
            0, highest, dtype=np.dtype(np.uint64), endpoint=True
        )
        return drawn


@batch_space.register(Words)
def _batch_words(space: Words, n: int = 1) -> Words:
    """The words of ``n`` games."""
    return Words(np.repeat(space.high[None], n, axis=0), seed=space.np_random)


def packed_space(view: View) -> spaces.Dict:
    """The space of a dictionary of ``bits`` and ``numbers``, as ``PackedPlanes`` has them."""
    layout = view.game.plane_layout(view.planes)
    low, high = (_numbers(layout, bound) for bound in view.game.bounds(view.planes))
    return spaces.Dict(
        {"bits": Words(_highest(layout)), "numbers": spaces.Box(low, high, dtype=np.float32)}
    )


def _highest(layout: PlaneLayout) -> npt.NDArray[np.uint64]:
    """The highest value of each word: the bits behind a plane's last cell are 0."""
    plane = np.full(layout.words_of_plane, np.iinfo(np.uint64).max, dtype=np.uint64)
    if layout.cells % 64:
        plane[-1] = (1 << layout.cells % 64) - 1
    return np.tile(plane, layout.kinds.count("b"))


def _numbers(layout: PlaneLayout, bound: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The bound of each number, from those of the planes."""
    constant, general = layout.planes_of("c"), layout.planes_of("g")
    return np.concatenate([bound[constant], np.repeat(bound[general], layout.cells)])
