"""The choice by confidence bounds, forced playouts and cheap searches."""

import numpy as np
import pytest
from branches import Branches, answer, core
from reference_puct import Node, by_bounds, puct, rank, search
from search_fakes import chess_pool, chess_state, drive

from phasezoo import agents
from phasezoo.errors import InvalidConfig


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("stdevs", "proportion"), [(5.0, 0.15), (2.0, 0.05), (0.5, 0.0)])
def test_the_best_lower_bound_is_played(first: int, stdevs: float, proportion: float) -> None:
    others = 0
    for path in [(), (0,), (1,), (0, 1), (1, 1)]:
        for simulations in (30, 90, 250):
            root = Branches(path, (first + len(path)) % 2)
            expected = search(root, simulations, answer, puct())
            found = core(
                root,
                simulations,
                use_lcb_for_selection=True,
                lcb_stdevs=stdevs,
                min_visit_prop_for_lcb=proportion,
            )
            assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
            assert found.action == by_bounds(expected, stdevs, proportion)
            assert found.policy.sum() == pytest.approx(1.0)
            others += found.visits[found.action] < found.visits.max()
    assert others > 0 or stdevs == 5.0


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
def test_bounds_do_not_hide_proofs(player: int, batch_size: int) -> None:
    mate = ["6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1"][player]
    pool, tree = chess_pool(batch_size=batch_size, use_lcb_for_selection=True)
    state = chess_state(fen=mate)
    pool.begin(tree, state, nodes=400)
    drive(pool, num_actions=4672)
    assert state.play(pool.finish(tree).action).is_terminal


# Forced playouts


def least(node: Node, action: int, k: float) -> float:
    return float(np.sqrt(k * node.priors[action] * sum(node.visits.values())))


def forced(k: float) -> object:
    """PUCT, but for visited moves with too few visits."""
    plain = puct()

    def choose(node: Node, is_root: bool) -> int:
        for action in sorted(node.actions, key=lambda a: rank(node, a)):
            if 0 < node.visits[action] < least(node, action, k):
                return action
        return plain(node, True)

    return choose


def pruned(node: Node, k: float) -> list[float]:
    """The policy of KataGo's paper: visits without the forced ones."""
    total = sum(node.visits.values())
    factor = (np.log((total + 19653) / 19652) + 2.5) * np.sqrt(total)

    def score(action: int, visits: int) -> float:
        return node.q(action) + factor * node.priors[action] / (1 + visits)

    best = max(node.actions, key=lambda action: (node.visits[action], -action))
    left = {}
    for action in node.actions:
        count = node.visits[action]
        if action != best and count:
            for _ in range(min(int(least(node, action, k)), count)):
                if score(action, count - 1) >= score(best, node.visits[best]):
                    break
                count -= 1
            count = 0 if count <= 1 else count
        left[action] = count
    return [left[action] / sum(left.values()) for action in node.actions]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("k", [2.0, 8.0])
def test_forced_playouts_are_made_and_pruned(first: int, k: float) -> None:
    root = Branches((0, 1), first)
    expected = search(root, 200, answer, puct(root=forced(k)))  # type: ignore[arg-type]
    found = core(root, 200, forced_playouts_k=k)
    assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
    assert found.policy[: len(expected.actions)] == pytest.approx(pruned(expected, k), abs=1e-5)
    counts = found.visits[found.visits > 0]
    priors = found.prior[found.visits > 0]
    assert (counts + 1 >= np.sqrt(k * priors * 200)).all()


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
def test_a_forced_search_prunes_and_still_mates(player: int, batch_size: int) -> None:
    options = agents.SearchConfig.self_play(batch_size=batch_size, forced_playouts_k=2.0)
    assert options.forced_playouts_k == 2.0
    mate = ["6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1"][player]
    pool, tree = chess_pool(
        batch_size=batch_size, forced_playouts_k=2.0, dirichlet_epsilon=0.25, q_value_weight=0.0
    )
    for state in (chess_state(["e2e4"][:player]), chess_state(fen=mate)):
        pool.clear(tree)
        pool.begin(tree, state, nodes=400)
        drive(pool, num_actions=4672)
        result = pool.finish(tree)
        assert result.policy.sum() == pytest.approx(1.0, abs=1e-5)
        share = result.policy[result.actions]
        assert ((share > 0) <= (result.visits > 0)).all()
    assert state.play(result.action).is_terminal


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
    for wrong in ({"cheap_search_prob": 1.5}, {"cheap_search_nodes": 0}, {"lcb_stdevs": -1.0}):
        with pytest.raises(InvalidConfig, match=next(iter(wrong))):
            chess_pool(**wrong)
