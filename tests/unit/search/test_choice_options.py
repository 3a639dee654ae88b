"""The choice of the move, cheap searches, and searches of different lengths."""

import numpy as np
import pytest
from branches import Branches, answer, core
from reference_puct import Node, puct, rank, search
from search_fakes import chess_pool, chess_state, drive

from phasezoo.errors import InvalidConfig


def by_veto_and_weight(root: Node, weight: float, veto: float) -> list[float]:
    """The final policy as ``docs/definitions/limits.md#played-move`` says it."""
    share = {action: float(root.visits[action]) for action in root.actions}
    visited = [action for action in root.actions if root.visits[action]]
    best = max(root.actions, key=lambda a: (share[a], -rank(root, a)))
    top = max([best, *visited], key=root.q)
    others = [action for action in root.actions if action != best]
    second = max(others, key=lambda a: (share[a], -others.index(a)))
    if top != best and root.q(top) > root.q(best) + veto and root.visits[top] > 1:
        share[top], share[best] = share[best], share[top]
    elif share[second] and root.q(second) > root.q(best):
        share[second] += (root.q(second) - root.q(best)) * weight * share[best]
    return [share[action] / sum(share.values()) for action in root.actions]


@pytest.mark.parametrize("first", [0, 1])
def test_the_policy_is_visits_with_veto_and_weight(first: int) -> None:
    changed = 0
    for path in [(), (0,), (1,), (0, 1), (1, 1), (1, 0), (0, 0)]:
        for simulations in (1, 2, 3, 4, 5, 6, 8, 10, 12, 30):
            root = Branches(path, (first + len(path)) % 2)
            expected = search(root, simulations, answer, puct())
            found = core(root, simulations, q_value_weight=2.0, q_veto_delta=0.2)
            assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
            policy = by_veto_and_weight(expected, 2.0, 0.2)
            np.testing.assert_allclose(found.policy[: len(policy)], policy, atol=1e-5)
            assert policy[found.action] > max(policy) - 1e-7  # equal ones differ by rounding
            shares = [expected.visits[a] / simulations for a in expected.actions]
            changed += not np.allclose(policy, shares)
    assert changed > 3


# Cheap searches


def test_some_searches_are_cheap() -> None:
    options = {"cheap_search_prob": 0.75, "cheap_search_nodes": 5, "dirichlet_epsilon": 0.5}
    plain, _ = chess_pool()
    plain.begin(0, chess_state(), nodes=5)
    drive(plain, num_actions=4672)
    quiet = plain.finish(0).visits.tolist()
    pool, _ = chess_pool(**options)
    cheap = 0
    for seed in range(200):
        tree = pool.add(seed)
        pool.begin(tree, chess_state(), nodes=12)
        drive(pool, num_actions=4672)
        result = pool.finish(tree)
        assert result.nodes == (5 if result.cheap else 12)
        assert not result.cheap or result.visits.tolist() == quiet
        cheap += result.cheap
    assert 120 < cheap < 180


def test_searches_differ_in_their_nodes_as_published() -> None:
    """n + draw modulo rn - rn / 2, drawn evenly (CrazyAra's self-play)."""
    for limit, told in [({"nodes": 40}, "nodes"), ({"simulations": 40}, "simulations")]:
        pool, tree = chess_pool(node_random_factor=0.25)
        found = []
        for _ in range(200):
            pool.clear(tree)
            pool.begin(tree, chess_state(), **limit)
            drive(pool, num_actions=4672)
            found.append(getattr(pool.finish(tree), told))
        assert set(found) == set(range(35, 45))
        assert min(np.bincount(found)[35:45]) > 5
    same, tree = chess_pool(node_random_factor=0.25)
    same.begin(tree, chess_state(), nodes=3)  # of which a quarter is none
    drive(same, num_actions=4672)
    assert same.finish(tree).nodes == 3
    with pytest.raises(InvalidConfig, match="node_random_factor"):
        chess_pool(node_random_factor=1.5)


def test_cheap_searches_have_no_more_than_their_limit() -> None:
    pool, tree = chess_pool(cheap_search_prob=1.0, cheap_search_nodes=50)
    for limit, nodes in [({"nodes": 20}, 20), ({"simulations": 1000}, 50)]:
        pool.clear(tree)
        pool.begin(tree, chess_state(), **limit)
        drive(pool, num_actions=4672)
        result = pool.finish(tree)
        assert (result.nodes, result.cheap) == (nodes, True)
    for wrong in ({"cheap_search_prob": 1.5}, {"cheap_search_nodes": 0}):
        with pytest.raises(InvalidConfig, match=next(iter(wrong))):
            chess_pool(**wrong)
