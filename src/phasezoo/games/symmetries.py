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

from phasezoo.checking import Findings, shown
from phasezoo.errors import GameContract
from phasezoo.games import queries
from phasezoo.games.base import Game

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
    """The symmetries of a state other than the identity; None where one does not hold."""
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


_PAIRS = "symmetries are pairs of a function and a permutation, the same number in every state"
_SHAPE = "symmetries turn planes into planes of the same shape"
_TURNED = "a turned position has the turned actions"

_Seen = tuple[int, bytes]
"""A player, and the planes that they see."""


class SymmetryChecker:
    """Turns the states of random games, and compares with states that were met.

    A state that looks as another one does when it is turned must have the actions of that one,
    turned. Nothing is said of games whose planes do not show all that legal actions depend on.

    Args:
        game: The game.
        findings: Where breaches go.
    """

    def __init__(self, game: Game, findings: Findings) -> None:
        self._game = game
        self._findings = findings
        self._count: int | None = None
        self._legal: dict[_Seen, frozenset[int]] = {}
        self._turned: list[tuple[_Seen, frozenset[int], str]] = []
        self._ambiguous = False

    def look(self, state: Any, here: str) -> None:
        """Turn a state that is not final, and remember it."""
        if not hasattr(state, "symmetries"):
            return
        with self._findings.calling(_PAIRS, f"a state {here}"):
            symmetries = symmetries_of(state, self._game.num_actions)
            self._count = len(symmetries) if self._count is None else self._count
            self._findings.expect(
                len(symmetries) == self._count,
                _PAIRS,
                f"there were {self._count}, and {len(symmetries)} {here}",
            )
            for player in queries.acting_players(state):
                self._remember(state, player, symmetries, here)

    def _remember(self, state: Any, player: int, symmetries: Any, here: str) -> None:
        planes = queries.planes_of(state, self._game.default_planes, player)
        legal = frozenset(queries.legal_actions_of(state, player).tolist())
        if self._legal.setdefault((player, planes.tobytes()), legal) != legal:
            self._ambiguous = True
        for place, symmetry in enumerate(symmetries):
            if symmetry is not None:
                what = f"symmetries[{place}] {here}"
                self._turn(planes, legal, player, symmetry, what)

    def _turn(
        self, planes: Any, legal: frozenset[int], player: int, symmetry: Symmetry, what: str
    ) -> None:
        with self._findings.calling(_SHAPE, what):
            turned = np.asarray(symmetry.planes(planes.copy()))
            if self._findings.expect(
                turned.shape == planes.shape and turned.dtype.kind in "fiub",
                _SHAPE,
                lambda: f"{what} gave {turned.dtype}{list(turned.shape)}",
            ):
                seen = (player, np.ascontiguousarray(turned, dtype=np.float32).tobytes())
                actions = frozenset(symmetry.actions[sorted(legal)].tolist())
                self._turned.append((seen, actions, what))

    def compare(self) -> None:
        """Compare what was turned with what was met; at the end."""
        if self._ambiguous:
            return
        for seen, actions, what in self._turned:
            met = self._legal.get(seen, actions)
            self._findings.expect(
                met == actions,
                _TURNED,
                f"{what}: legal actions become {shown(sorted(actions))}, and the state that looks "
                f"so has {shown(sorted(met))}",
            )
