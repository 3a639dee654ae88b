"""How the sample games of each game are played, but for those that Stockfish plays."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from phasezoo import agents, games, inference

from .self_play import PERFECT, Recipe

WORTH: Final = np.array([1, 3, 3, 5, 9], dtype=np.float32)
"""Pawns that pawn, knight, bishop, rook and queen count as (Shannon, 1950)."""


FILES, RANKS = np.arange(64) % 8, np.arange(64) // 8
NEAR: Final = (np.maximum(abs(FILES[:, None] - FILES), abs(RANKS[:, None] - RANKS)) <= 2).astype(
    np.float32
)
"""Which squares are within two king's moves of each."""


def _targets() -> npt.NDArray[np.int64]:
    """int64[4992]: the square that each action of the chess family goes to; 64 if off the board."""
    steps = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    jumps = [(d * f, d * r) for f, r in steps for d in range(1, 8)]
    jumps += [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
    jumps += [(file, 1) for _ in range(3) for file in (-1, 0, 1)]
    jumps += [(0, 0)] * 5  # drops stand at the square they go to
    moved = np.array(jumps)
    file, rank = moved[:, :1] + FILES, moved[:, 1:] + RANKS
    inside = (file >= 0) & (file < 8) & (rank >= 0) & (rank < 8)
    return np.where(inside, 8 * rank + file, 64).reshape(-1)


TARGETS: Final = _targets()


class Material:
    """Counts what both sides have, and what stands near the other king.

    Moves that take, and moves to squares near the other king, are looked at first. That is all that
    these games need to be sane, and it is fast.

    Args:
        scale: The lead in pawns at which a value is 0.76.
        pocket: What a piece in the pocket counts, times its worth on the board.
        attack: What a piece near the other king counts besides, times its worth.
    """

    plane_spec = "minimal"

    def __init__(self, scale: float, pocket: float = 1.0, attack: float = 0.0) -> None:
        self.scale, self.pocket, self.attack = scale, pocket, attack

    def lead(self, state: Any) -> float:
        """By how many pawns the player to move is ahead."""
        value = self.evaluate(games.encode([state], self.plane_spec)).values()[0]
        return float(np.arctanh(np.clip(value, -0.999999, 0.999999)) * self.scale)

    def evaluate(self, planes: npt.NDArray[np.float32]) -> inference.Evaluation:
        """Return tanh of the lead over the scale as value."""
        squares = planes.reshape(*planes.shape[:2], 64)
        own, theirs = (
            np.einsum("bps,p->bs", squares[:, first : first + 5], WORTH) for first in (0, 6)
        )
        near_own, near_theirs = squares[:, 5] @ NEAR, squares[:, 11] @ NEAR
        lead = own.sum(1) - theirs.sum(1)
        lead += self.attack * ((own * near_theirs).sum(1) - (theirs * near_own).sum(1))
        if planes.shape[1] > 12:  # pockets are planes of one number each, count / 32
            held = squares[:, 12:22, 0] * 32
            lead += self.pocket * ((held[:, :5] - held[:, 5:]) @ WORTH)
        worth_going = np.pad(theirs / 2 + near_theirs, ((0, 0), (0, 1)))
        actions = 64 * (78 if planes.shape[1] > 12 else 73)
        return inference.Evaluation(
            policy_logits=worth_going[:, TARGETS[:actions]].astype(np.float32),
            value=np.tanh(lead / self.scale).astype(np.float32),
        )


def material_search(nodes: int, evaluator: Material) -> Callable[[], Any]:
    """Return a tree search that counts material."""
    limit = agents.Limit(nodes=nodes)
    return lambda: agents.MCTSAgent(evaluator, limit=limit, fpu=0.2, c_puct_init=1.5)


def rollout_search(simulations: int, **options: Any) -> Callable[[], Any]:
    """UCT with random rollouts."""
    limit = agents.Limit(simulations=simulations)
    return lambda: agents.UCTAgent(limit=limit, **options)


def both(name: str) -> tuple[str, str]:
    """The same on both sides."""
    return (name, name)


def variant(game: str, evaluator: Material, nodes: int) -> Recipe:
    """Atomic chess and crazyhouse: search against itself, stronger and weaker."""
    return Recipe(
        game,
        lineups=(
            (both("strong"), 0.5),
            (("strong", "weak"), 0.25),
            (("weak", "strong"), 0.25),
        ),
        searches={
            "strong": material_search(nodes, evaluator),
            "weak": material_search(nodes // 4, evaluator),
        },
        opening_plies=(2, 8),
        lead=evaluator.lead,
    )


RECIPES: Final = {
    "connect-four": Recipe(
        "connect-four",
        lineups=(
            (both("search"), 0.3),
            (("search", PERFECT), 0.25),
            ((PERFECT, "search"), 0.25),
            (both(PERFECT), 0.2),
        ),
        searches={"search": rollout_search(400, threshold=7, expansion="rollouts")},
        opening_plies=(0, 10),
        blunder_rate=(0.0, 0.12),
    ),
    "krk": Recipe(
        "krk",
        lineups=(
            ((PERFECT, PERFECT), 0.3),
            ((PERFECT, "search"), 0.4),
            (("search", PERFECT), 0.15),
            (("search", "search"), 0.15),
        ),
        searches={
            "search": rollout_search(300, c=5.0, threshold=30, rollout="krk", expansion="rollouts")
        },
        options={"start": "train"},
        opening_plies=(0, 4),
        blunder_rate=(0.0, 0.25),
        max_plies=120,
        start_text=lambda state: state.fen,
    ),
    "atomic": variant("atomic", Material(5.0), 400),
    "crazyhouse": variant("crazyhouse", Material(15.0, attack=0.5), 200),
}
"""By game."""
