"""A plain beam over states, written from the definition and sharing nothing with the core."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from search_fakes import mix, unit

from phasezoo import games


@dataclass(frozen=True)
class Branches:
    """A random tree: who moves, how many moves there are and how it ends hang on its path.

    Players may move twice in a row. ``wide`` games have twelve moves everywhere and no ends.
    """

    seed: int = 0
    path: tuple = ()

    players = 2
    wide = False

    @property
    def key(self):
        value = mix(self.seed + 77)
        for action in self.path:
            value = mix(value ^ (action + 1))
        return value

    def _draw(self, what, bound):
        return mix(self.key ^ mix(what)) % bound

    @property
    def ply(self):
        return len(self.path)

    @property
    def is_terminal(self):
        ends = len(self.path) > 1 and self._draw(1, 5) == 0
        return not self.wide and (ends or len(self.path) == 9)

    @property
    def to_play(self):
        return self._draw(2, self.players)

    @property
    def legal_actions(self):
        if self.is_terminal:
            return np.array([], dtype=np.int64)
        if self.wide:
            return np.arange(12, dtype=np.int64)
        first = self._draw(3, 4)
        return np.arange(first, first + 1 + self._draw(4, 5), dtype=np.int64)

    @property
    def returns(self):
        if not self.is_terminal:
            return np.zeros(self.players, dtype=np.float32)
        won = [float(self._draw(10 + player, 3)) - 1 for player in range(self.players)]
        return np.array([won[0], -won[0]] if self.players == 2 else won, dtype=np.float32)

    def play(self, action):
        return type(self)(self.seed, (*self.path, int(action)))

    def planes(self, spec, player=None):
        return np.full((1, 1, 1), self.ply, dtype=np.float32)


class Lonely(Branches):
    players = 1


class Three(Branches):
    players = 3


class Wide(Branches):
    wide = True


for kind in (Branches, Lonely, Three, Wide):
    games.register(
        f"test-{kind.__name__.lower()}",
        initial_state=kind,
        num_players=kind.players,
        num_actions=12,
        plane_specs={"default": (1, 1, 1)},
    )


def said(state: Any, grain: int) -> tuple[dict[int, float], float]:
    """Logits and the value for who moves, of a hash; coarse ones make ties."""
    key = state.key
    actions = [int(action) for action in state.legal_actions]
    logits = {a: round(unit(key ^ mix(a + 1)) * grain) * 2.0 / grain for a in actions}
    return logits, round(unit(key) * grain) * 0.9 / grain


def answer(pool: Any, leaves: Any, grain: int) -> None:
    """Complete leaves with what is said of them."""
    offsets, actions = leaves.legal
    logits = np.zeros(len(actions), dtype=np.float32)
    values = np.zeros(len(leaves), dtype=np.float32)
    for row, state in enumerate(leaves.states()):
        told, values[row] = said(state, grain)
        logits[offsets[row] : offsets[row + 1]] = [
            told[int(action)] for action in actions[offsets[row] : offsets[row + 1]]
        ]
    pool.complete(leaves, legal_logits=logits, value=values)


@dataclass
class Rules:
    """What the oracle knows of settings."""

    widths: tuple
    keep: str = "policy"
    rated: int = 0
    backup: str = "minimax"
    wins: str = "root"
    grain: int = 1 << 20


@dataclass
class Position:
    """A node of the oracle's tree; values are one for each player."""

    state: Any
    prior: float = 1.0
    is_end: bool = False
    own: Any = None
    priors: dict = field(default_factory=dict)
    children: dict = field(default_factory=dict)
    exact: int | None = None
    value: Any = None
    best: int | None = None


def players_of(state: Any) -> int:
    return len(state.returns)


def vector(state: Any, value: float) -> np.ndarray:
    """The value of each player, from that of who moves."""
    count = players_of(state)
    others = -value / max(count - 1, 1)
    return np.array([value if p == state.to_play else others for p in range(count)])


class Beam:
    """The whole beam of a root, and its rows by layer."""

    def __init__(self, root: Any, rules: Rules) -> None:
        self.rules = rules
        self.root = self.opened(Position(root))
        self.rows = [1]
        layer = [self.root]
        for depth, width in enumerate(rules.widths):
            self.valued(self.root)
            if self.root.exact is not None:
                break
            below = []
            rows = 0
            for node in layer:
                if node.is_end:
                    continue
                rows += self.expanded(node, depth, width)
                below += node.children.values()
            if not below:
                break
            self.rows.append(rows)
            layer = below
        self.valued(self.root)

    def opened(self, node: Position) -> Position:
        if node.state.is_terminal:
            node.is_end, node.own = True, np.array(node.state.returns, dtype=float)
            return node
        logits, value = said(node.state, self.rules.grain)
        most = max(logits.values())
        weights = {action: np.exp(logit - most) for action, logit in logits.items()}
        total = sum(weights.values())
        node.priors = {action: weight / total for action, weight in weights.items()}
        node.own = vector(node.state, value)
        return node

    def expanded(self, node: Position, depth: int, width: int) -> int:
        """Keep the best successors of ``node``; the rows that it takes."""
        rules, mover = self.rules, node.state.to_play
        order = sorted(node.priors, key=lambda action: (-round(node.priors[action], 9), action))
        won = [
            action
            for action in order
            if (after := node.state.play(action)).is_terminal and after.returns[mover] >= 1
        ]
        if won and (rules.wins == "all" or (rules.wins == "root" and depth == 0)):
            chosen = won[:1]
        elif rules.keep == "policy":
            chosen = order[:width]
        else:
            chosen = order[: max(rules.rated, width) if rules.rated else None]
        made = {a: self.opened(Position(node.state.play(a), node.priors[a])) for a in chosen}
        rows = sum(not child.is_end for child in made.values())
        if rules.keep == "value":

            def worth(action: int) -> tuple:
                child = made[action]
                value = child.own[mover]
                return value, int(np.sign(value)) * (child.is_end and abs(value) >= 1)

            made = {a: made[a] for a in sorted(made, key=worth, reverse=True)[:width]}
        node.children = made
        return rows

    def valued(self, node: Position) -> None:
        """Back values up to ``node``."""
        node.exact, node.value, node.best = 0 if node.is_end else None, node.own, None
        if not node.children:
            return
        mover, kids = node.state.to_play, node.children
        for child in kids.values():
            self.valued(child)

        def order(action: int) -> tuple:
            child = kids[action]
            value = child.value[mover]
            if child.exact is None or abs(value) < 1:
                return round(value, 6), 0
            return round(value, 6), 9999 - child.exact if value > 0 else child.exact - 9999

        node.best = max(kids, key=order)  # the first of equals
        best = kids[node.best]
        self.prove(node, best)
        lost = all(kid.exact is not None and kid.value[mover] == -1 for kid in kids.values())
        if node.exact is None and lost and len(kids) < len(node.priors):
            node.best = None  # what is not kept may be better: as if nothing were
            return
        if self.rules.backup == "minimax" or node.exact is not None:
            node.value = best.value
        else:
            total = sum(child.prior for child in kids.values())
            node.value = sum(child.prior * child.value for child in kids.values()) / total

    def prove(self, node: Position, best: Position) -> None:
        mover, kids = node.state.to_play, node.children.values()
        if best.exact is None:
            return
        value = best.value[mover]
        whole = len(kids) == len(node.priors) and all(kid.exact is not None for kid in kids)
        equals = [kid for kid in kids if kid.value[mover] == value]
        if len(best.value) > 2:
            if not whole or any(not np.array_equal(kid.value, best.value) for kid in equals):
                return
        elif value < 1 and not whole:
            return
        plies = best.exact
        if abs(value) < 1:
            plies = max(kid.exact for kid in equals if kid.exact is not None)
        node.exact = plies + 1


def positions(node: Position) -> int:
    """Positions kept at and below ``node``."""
    return 1 + sum(positions(child) for child in node.children.values())


def agrees(pool: Any, tree: int, node: Position, path: tuple = ()) -> int:
    """Compare every node of the pool's tree with the oracle's; how many there are."""
    view = pool.inspect(tree, list(path))
    assert view is not None, path
    mover = view.player
    if not node.is_end:
        assert mover == node.state.to_play
        if not node.exact:
            assert abs(view.value - node.own[mover]) < 1e-6
    assert abs(view.mean - node.value[mover]) < 1e-5, path
    assert (view.proven is None) == (node.exact is None), path
    assert view.proven_plies == node.exact
    assert view.visits == positions(node)
    if not node.children:
        return 1
    assert view.actions.tolist() == list(node.children), path
    for action, prior in zip(view.actions.tolist(), view.priors, strict=True):
        assert abs(prior - node.children[action].prior) < 1e-5
    return 1 + sum(
        agrees(pool, tree, child, (*path, action)) for action, child in node.children.items()
    )


def line(node: Position) -> list[int]:
    """The principal variation."""
    found = []
    while node.best is not None:
        found.append(node.best)
        node = node.children[node.best]
    return found
