"""A tree search in plain Python and NumPy, one leaf at a time, to hold the core's to.

It keeps whole nodes in dictionaries and knows nothing of the core's tree: scores are written as the
papers write them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phasezoo import _core


@dataclass
class Node:
    """A position of a game of two players, seen by its player to move."""

    state: Any
    player: int
    actions: list[int] = field(default_factory=list)
    priors: dict[int, float] = field(default_factory=dict)
    visits: dict[int, int] = field(default_factory=dict)
    total: float = 0.0
    count: int = 0
    backed_up: list[float] = field(default_factory=list)
    raw: float = 0.0
    children: dict[int, "Node"] = field(default_factory=dict)

    def mean(self, player: int) -> float:
        """The mean of what was backed up, for ``player``."""
        mean = self.total / self.count
        return mean if player == self.player else -mean

    def q(self, action: int) -> float:
        """The value of a visited action for the node's player."""
        return self.children[action].mean(self.player)


Choose = Callable[[Node, bool], int]


def puct(
    c_init: float = 2.5,
    c_base: float = 19652.0,
    unvisited: Callable[[Node], float] = lambda node: -1.0,
    scale: Callable[[Node], float] = lambda node: 1.0,
    root: "Choose | None" = None,
) -> Choose:
    """Selection by PUCT, c multiplied by ``scale``; ``root`` chooses at the root instead."""

    def choose(node: Node, is_root: bool) -> int:
        if is_root and root is not None:
            return root(node, True)
        total = sum(node.visits.values())
        factor = (np.log((total + c_base + 1) / c_base) + c_init) * np.sqrt(total)
        factor *= scale(node)
        initial = unvisited(node)

        def score(action: int) -> float:
            count = node.visits[action]
            q = node.q(action) if count else initial
            return q + factor * node.priors[action] / (1 + count)

        return max(node.actions, key=lambda action: (round(score(action), 5), -rank(node, action)))

    return choose


def rank(node: Node, action: int) -> int:
    """The place of an action by falling prior, smaller actions first among equals."""
    return sorted(node.actions, key=lambda a: (-node.priors[a], a)).index(action)


def evaluate(state: Any, answer: Callable[[Any], tuple[dict[int, float], float]]) -> Node:
    """A node with its priors and its value."""
    logits, value = answer(state)
    exponentials = {action: np.exp(logit) for action, logit in logits.items()}
    node = Node(state, state.to_play, sorted(logits), raw=value)
    node.priors = {action: e / sum(exponentials.values()) for action, e in exponentials.items()}
    node.visits = dict.fromkeys(node.actions, 0)
    return node


def search(
    state: Any,
    simulations: int,
    answer: Callable[[Any], tuple[dict[int, float], float]],
    choose: Choose,
) -> Node:
    """The root after ``simulations`` descents, the root's own evaluation not counted."""
    root = evaluate(state, answer)
    root.total, root.count, root.backed_up = root.raw, 1, [root.raw]
    for _ in range(simulations):
        path: list[tuple[Node, int]] = []
        node, value, player = root, 0.0, 0
        while True:
            action = choose(node, node is root)
            path.append((node, action))
            child = node.children.get(action)
            if child is not None and not child.state.is_terminal:
                node = child
                continue
            if child is None:
                after = node.state.play(action)
                child = Node(after, node.player) if after.is_terminal else evaluate(after, answer)
                node.children[action] = child
            player = child.player
            value = float(child.state.returns[player]) if child.state.is_terminal else child.raw
            child.total += value
            child.count += 1
            child.backed_up.append(value)
            break
        for node, action in reversed(path):
            node.visits[action] += 1
            node.total += value if node.player == player else -value
            node.count += 1
            node.backed_up.append(value)
    return root


def run_core(
    pool: Any,
    tree: int,
    root: Any,
    simulations: int,
    answer: Callable[[Any], tuple[dict[int, float], float]],
    num_actions: int,
    rows: int = 1,
    **begin: Any,
) -> _core.SearchResult:
    """What the core finds with the same answers and ``simulations`` descents below the root."""
    pool.begin(tree, root, simulations=simulations + 1, **begin)
    while pool.running:
        leaves = pool.collect(rows)
        if not len(leaves):
            continue
        logits = np.zeros((len(leaves), num_actions), dtype=np.float32)
        values = np.zeros(len(leaves), dtype=np.float32)
        for row, state in enumerate(leaves.states()):
            moves, values[row] = answer(state)
            for action, logit in moves.items():
                logits[row, action] = logit
        pool.complete(leaves, policy_logits=logits, value=values)
    return pool.finish(tree)
