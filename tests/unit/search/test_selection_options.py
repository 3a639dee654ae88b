"""First play urgency, and descents that begin elsewhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from branches import Branches, answer, core, mean
from reference_puct import Node, puct, search
from search_fakes import chess_pool, chess_state, drive

from phasezoo import _core
from phasezoo.errors import InvalidConfig


def visited_prior(node: Node) -> float:
    return sum(prior for action, prior in node.priors.items() if node.visits[action])


UNVISITED: dict[str, tuple[dict[str, Any], Callable[[Node], float]]] = {
    "loss": ({}, lambda node: -1.0),
    "reduction": ({"fpu": 0.3}, lambda node: max(-1.0, mean(node) - 0.3)),
    "scaled": (
        {"fpu": 0.3, "fpu_style": "scaled_reduction"},
        lambda node: max(-1.0, mean(node) - 0.3 * np.sqrt(visited_prior(node))),
    ),
    "zero": ({"fpu": 0.0, "fpu_style": "absolute"}, lambda node: 0.0),
    "absolute": ({"fpu": -0.4, "fpu_style": "absolute"}, lambda node: -0.4),
}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", UNVISITED)
def test_unvisited_children_are_worth_what_the_style_says(name: str, first: int) -> None:
    params, unvisited = UNVISITED[name]
    expected = search(Branches(first=first), 250, answer, puct(unvisited=unvisited))
    found = core(Branches(first=first), 250, **params)
    assert found.visits.tolist() == [expected.visits[a] for a in found.actions]
    assert found.value == pytest.approx(mean(expected), abs=1e-5)


def by_scatter(scale: float) -> Callable[[Node], float]:
    """KataGo's factor: the deviation of the values and two more, whose deviation is 0.4."""

    def factor(node: Node) -> float:
        if node.count == 1:
            return 1.0
        own = mean(node)
        squares = [value**2 for value in node.backed_up]
        moment = (2 * (own**2 + 0.4**2) + sum(squares)) / (len(squares) + 1)
        return float(1 + scale * (np.sqrt(moment - own**2) / 0.4 - 1))

    return factor


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("scale", [0.3, 0.85, 1.0])
def test_exploration_follows_the_scatter_of_values(scale: float, first: int) -> None:
    rule = puct(unvisited=lambda node: mean(node), scale=by_scatter(scale))
    expected = search(Branches(first=first), 250, answer, rule)
    found = core(Branches(first=first), 250, fpu=0.0, c_puct_stdev_scale=scale)
    assert found.visits.tolist() == [expected.visits[a] for a in found.actions]
    assert found.value == pytest.approx(mean(expected), abs=1e-5)
    assert found.value != core(Branches(first=first), 250, fpu=0.0).value


def pruned(found: Any, c: float, base: float) -> list[int]:
    """Visits after taking away one at a time what a search without noise would not have made."""
    visits, total = found.visits.tolist(), int(found.visits.sum())
    factor = (np.log((total + base + 1) / base) + c) * np.sqrt(total)
    best = max(range(len(visits)), key=lambda i: (visits[i], found.prior[i]))
    wanted = found.q[best] + factor * found.prior[best] / (1 + visits[best])
    for index in range(len(visits)):
        if index == best or found.q[index] >= wanted:
            continue
        while (
            visits[index] > 0
            and found.q[index] + factor * found.prior[index] / visits[index] <= wanted
        ):
            visits[index] -= 1
        if visits[index] == 1:
            visits[index] = 0
    return list(visits)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("nodes", [40, 300])
def test_a_policy_without_the_visits_of_noise(nodes: int, seed: int) -> None:
    options = {"dirichlet_epsilon": 0.5, "dirichlet_alpha": 0.3, "q_value_weight": 0.0}
    pool, _ = chess_pool(solver=False, prune_policy=True, **options)
    tree = pool.add(seed)
    pool.begin(tree, chess_state(fen=QUEENS[seed % 2]), nodes=nodes)
    drive(pool, num_actions=4672)
    found = pool.finish(tree)
    left = np.array(pruned(found, 2.5, 19652.0), dtype=float)
    assert found.policy[found.actions] == pytest.approx(left / left.sum(), abs=1e-6)
    assert left.sum() < found.visits.sum()
    assert found.visits.sum() >= nodes - 1  # what was visited is said as ever


@pytest.mark.parametrize(
    "given",
    [
        {"fpu": -0.5},
        {"fpu": 1.5, "fpu_style": "absolute"},
        {"fpu_style": "loss"},
        {"epsilon_greedy": 1.5},
        {"prune_policy": True, "root": "gumbel"},
        {"c_puct_stdev_scale": -0.5},
        {"c_puct_stdev_scale": 0.5, "graph": True},
        {"epsilon_checks": float("nan")},
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig, match=next(iter(given))):
        _core.SearchParams(**given)


# Descents that begin elsewhere

QUEENS = {
    0: "6k1/5p1p/6p1/8/8/8/5PPP/Q5K1 w - - 0 1",
    1: "q5k1/5ppp/8/8/8/6P1/5P1P/6K1 b - - 0 1",
}


def totals(pool: Any, tree: int, path: tuple[int, ...] = ()) -> list[tuple[int, int]]:
    """(visits of each evaluated node, visits of its moves and its own) below a path."""
    node = pool.inspect(tree, list(path))
    if node is None or node.phase == -1:
        return []
    found = [(node.visits, int(node.action_visits.sum()) + 1)]
    for action, visits in zip(node.actions, node.action_visits, strict=True):
        if visits:
            found += totals(pool, tree, (*path, int(action)))
    return found


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["epsilon_greedy", "epsilon_checks"])
def test_only_the_way_from_where_a_descent_began_counts(
    name: str, player: int, batch_size: int
) -> None:
    pool, tree = chess_pool(batch_size=batch_size, solver=False, **{name: 0.5})
    pool.begin(tree, chess_state(fen=QUEENS[player]), nodes=600)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    # A node's visits are its own and those of its moves, wherever descents began; what began below
    # the root is missing there.
    assert all(visits == below for visits, below in totals(pool, tree))
    assert result.nodes == 600
    assert result.visits.sum() < result.simulations - 100
    again = chess_pool(batch_size=batch_size, solver=False, **{name: 0.5})[0]
    again.begin(0, chess_state(fen=QUEENS[player]), nodes=600)
    drive(again, num_actions=4672)
    assert again.finish(0).visits.tolist() == result.visits.tolist()


MATES = {
    0: "7k/8/R7/1R6/8/8/8/K7 w - - 0 1",
    1: "k7/8/8/8/1r6/r7/8/7K b - - 0 1",
}


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
def test_proofs_reach_the_root_wherever_descents_began(player: int, batch_size: int) -> None:
    pool, tree = chess_pool(batch_size=batch_size, fpu=0.0, epsilon_greedy=0.3, epsilon_checks=0.3)
    root = chess_state(fen=MATES[player])
    pool.begin(tree, root, nodes=10_000)
    drive(pool, num_actions=4672)
    assert pool.finish(tree).proven == "win"
    means = [pool.inspect(tree, [int(a)]) for a in root.legal_actions]
    assert all(abs(node.mean) <= 1 for node in means if node is not None)


@pytest.mark.parametrize("player", [0, 1])
def test_all_moves_are_tried_if_every_descent_explores(player: int) -> None:
    fen = QUEENS[player]
    state = chess_state(fen=fen)
    plain, tree = chess_pool(c_puct_init=0.0)
    plain.begin(tree, state, nodes=120)
    drive(plain, num_actions=4672)
    assert (plain.finish(tree).visits == 0).any()
    pool, tree = chess_pool(c_puct_init=0.0, epsilon_greedy=1.0)
    pool.begin(tree, state, nodes=120)
    drive(pool, num_actions=4672)
    assert (pool.finish(tree).visits > 0).all()


@pytest.mark.parametrize("player", [0, 1])
def test_checks_are_tried_first(player: int) -> None:
    state = chess_state(fen=QUEENS[player])
    checks = {int(a) for a in state.legal_actions if state.play(int(a)).board().is_check()}
    assert checks
    pool, tree = chess_pool(epsilon_checks=1.0, solver=False)
    pool.begin(tree, state, nodes=40)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    visited = {int(a) for a, n in zip(result.actions, result.visits, strict=True) if n}
    # Half of the descents begin at the root, far more than there are checks.
    assert checks <= visited


def test_games_without_forcing_moves_explore_greedily() -> None:
    found = core(Branches(), 200, epsilon_checks=1.0)
    assert (found.visits > 0).all()
    assert found.visits.tolist() != core(Branches(), 200).visits.tolist()


def test_descents_collide_if_those_that_wait_count_for_nothing() -> None:
    params = {"fpu": 0.0}
    one = core(Branches(), 300, **params)
    blind = core(Branches(), 300, 8, virtual_style="none", **params)
    assert blind.visits.tolist() == one.visits.tolist(), "one leaf a batch"
    assert blind.q.tolist() == one.q.tolist()
    assert one.collisions == 0
    assert blind.collisions == 8 * (blind.nodes - 1), "eight in every batch but the root's"
    for style in ("virtual_loss", "virtual_visit", "virtual_mix"):
        seeing = core(Branches(), 300, 8, virtual_style=style, **params)
        assert 0 <= seeing.collisions < blind.collisions / 2
