"""Looks whether the symmetries of a user's states are symmetries of the game."""

from typing import Any

import numpy as np

from phasezoo.checking import Findings, shown
from phasezoo.games import queries
from phasezoo.games.base import Game
from phasezoo.games.symmetries import Symmetry, symmetries_of

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
