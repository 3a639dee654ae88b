"""A fixed reference for chess and its variants that needs no engine: alpha-beta over bare material.

``phasezoo match AGENT material:depth=3 --plugin scripts/alpha_beta.py`` plays it. It searches every
move to the same depth, without quiescence, counts pawns as 1, knights and bishops as 3, rooks as 5
and queens as 9, and draws one of the moves that are equally good.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import agents
from phasezoo.games.queries import planes_of

WORTH = np.array([1, 3, 3, 5, 9, 0])
"""Pawn, knight, bishop, rook, queen, king."""

WIN = 1000
"""More than all pieces; plies left are added, so that the quickest mate is best."""


def lead(state: Any) -> int:
    """Material of the player to move less the other's."""
    counts = planes_of(state, "minimal").sum(axis=(1, 2))
    return int((counts[:6] - counts[6:12]) @ WORTH)


def value(state: Any, depth: int, alpha: int, beta: int) -> int:
    """Negamax: what the player to move gets, exactly if it lies between ``alpha`` and ``beta``."""
    if state.is_terminal:
        return int(state.returns[state.to_play]) * (WIN + depth)
    if depth == 0:
        return lead(state)
    for child in sorted(map(state.play, state.legal_actions.tolist()), key=lead):
        alpha = max(alpha, -value(child, depth - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


@dataclass(frozen=True)
class MaterialSearch:
    """Alpha-beta over bare material.

    Args:
        depth: Plies that it looks ahead, 1 or more.
    """

    depth: int = 3

    @property
    def name(self) -> str:
        """Its text."""
        return f"material:depth={self.depth}"

    def session(self, seed: int) -> "MaterialGame":
        """Begin a game."""
        return MaterialGame(self.depth, np.random.default_rng(seed))


class MaterialGame:
    """One game of it."""

    def __init__(self, depth: int, rng: np.random.Generator) -> None:
        self.depth, self.rng = depth, rng

    def act(self, state: Any, player: int | None = None) -> int:
        """Return one of the best moves."""
        best, chosen = -WIN - self.depth, []
        for action in state.legal_actions.tolist():
            # One below the best, so that moves that are as good are known to be.
            worth = -value(state.play(action), self.depth - 1, -WIN - self.depth, 1 - best)
            if worth > best:
                best, chosen = worth, []
            if worth == best:
                chosen.append(action)
        return int(self.rng.choice(chosen))


agents.register("material", MaterialSearch)
