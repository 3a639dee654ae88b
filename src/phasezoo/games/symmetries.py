"""Symmetries of a user's own game: how planes and actions are turned together.

A state may have ``symmetries``: a sequence of pairs (a function of planes, where actions go), the
same in number and order for every state. The function takes ``float32[C, H, W]`` and returns the
turned planes, of the same shape; the other is ``int[A]``, a permutation: action ``a`` becomes
``actions[a]``. None in place of a pair says that the state does not have this symmetry, as a right
to castle on one side has it. The identity is left out. ``phasezoo.games.check`` looks at them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import GameContract

SYMMETRIES = 8
"""Symmetry 1 reverses columns, 2 rows, 4 exchanges the two after that; the others are sums."""


def turned_square(board: npt.NDArray[Any], symmetry: int) -> npt.NDArray[Any]:
    """A board ``[…, N, N]`` turned: a view of it."""
    if symmetry & 1:
        board = board[..., ::-1]
    if symmetry & 2:
        board = board[..., ::-1, :]
    return np.swapaxes(board, -1, -2) if symmetry & 4 else board


@dataclass(frozen=True)
class Symmetry:
    """One symmetry of a state."""

    planes: Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]
    """Turned planes ``float32[C, H, W]`` of the same shape."""
    actions: npt.NDArray[np.int64]
    """``int64[A]``: what each action becomes."""


def symmetries_of(state: Any, num_actions: int) -> Sequence[Symmetry | None]:
    """The symmetries of a state other than the identity; None where one does not hold.

    Raises:
        GameContract: One of them is no pair of a function and a permutation of the actions, or
            they are no sequence.
    """
    given = getattr(state, "symmetries", ())
    if not isinstance(given, Sequence):
        message = (
            f"{type(state).__name__}.symmetries is {str(given)[:80]}; expected a sequence of "
            "pairs, such as a property gives"
        )
        raise GameContract(message)
    return [
        None
        if pair is None
        else _symmetry(pair, num_actions, f"{type(state).__name__}.symmetries[{place}]")
        for place, pair in enumerate(given)
    ]


def _symmetry(pair: Any, num_actions: int, name: str) -> Symmetry:
    try:
        planes, moved = pair
        actions = np.asarray(moved)
    except (TypeError, ValueError):
        planes, actions = None, np.empty(0)
    whole = actions.shape == (num_actions,) and actions.dtype.kind in "iu"
    if not callable(planes) or not whole or set(actions.tolist()) != set(range(num_actions)):
        message = (
            f"{name} is {str(pair)[:80]}; expected a pair: a function of planes, and "
            f"int[{num_actions}], what each action becomes, every action once"
        )
        raise GameContract(message)
    return Symmetry(planes, actions.astype(np.int64, copy=False))
