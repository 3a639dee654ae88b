"""A game in which every position has moves, priors and a value of its own, for tests of options."""

from typing import Any

import numpy as np
from reference_puct import Node, run_core
from search_fakes import Handle, mix, unit

from phasezoo import _core

DEPTH = 5
WIDTH = 5


class Branches:
    """A game of two players in which every position has a number of moves of its own."""

    def __init__(self, path: tuple[int, ...] = (), first: int = 0) -> None:
        self.path = path
        self.first = first

    @property
    def to_play(self) -> int:
        return (self.first + len(self.path)) % 2

    @property
    def key(self) -> int:
        return mix(1 + sum((action + 1) * 7**ply for ply, action in enumerate(self.path)))

    @property
    def is_terminal(self) -> bool:
        return len(self.path) >= DEPTH

    @property
    def legal_actions(self) -> Any:
        return np.arange(2 + self.key % (WIDTH - 1))

    @property
    def returns(self) -> Any:
        value = round(1.4 * unit(self.key)) if self.is_terminal else 0
        return np.array([value, -value], dtype=np.float32)

    def play(self, action: int) -> "Branches":
        return Branches((*self.path, int(action)), self.first)

    def planes(self, spec: str, player: int | None = None) -> Any:
        return np.zeros((1, 1, 1), dtype=np.float32)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branches) and (self.path, self.first) == (other.path, other.first)

    def __hash__(self) -> int:
        return hash((self.path, self.first))


def answer(state: Any) -> tuple[dict[int, float], float]:
    """Logits and a value out of the position's key."""
    logits = {int(a): 2.0 * unit(state.key ^ mix(int(a) + 1)) for a in state.legal_actions}
    return logits, 0.8 * unit(state.key ^ 5)


def core(
    root: Branches,
    simulations: int,
    rows: int = 1,
    /,
    seed: int = 3,
    begin: dict[str, Any] | None = None,
    **params: Any,
) -> _core.SearchResult:
    """The core's result: priors as they are, ends unproven, unvisited actions lost."""
    own = {"node_temperature": 1.0, "solver": False, "q_value_weight": 0.0, "fpu": None}
    given = own | params
    pool = _core.SearchPool(
        Handle("branches", 2, WIDTH), _core.SearchParams(**{"batch_size": rows, **given})
    )
    tree = pool.add(seed)
    return run_core(pool, tree, root, simulations, answer, WIDTH, rows, **(begin or {}))


def mean(node: Node) -> float:
    """The mean of a node for its own player."""
    return node.mean(node.player)
