"""Other Python threads go on while a pool moves a tree along or drops it."""

from functools import partial

import numpy as np
from interpreter_lock import lets_others_go_on

from phasezoo import _core, games

NODES = 10_000
ONE_MOVE = "r1b1kbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1qPP/RNBQK2R w KQkq - 0 5"
"""White has one legal move, below which everything lies that a search finds."""


def large_tree() -> tuple[_core.SearchPool, int]:
    """A pool with a tree of many nodes, and the tree's only move at its root."""
    root = games.make("chess").from_fen(ONE_MOVE)
    (action,) = root.legal_actions.tolist()
    params = _core.SearchParams(batch_size=4_096, fpu=0.0)
    pool = _core.SearchPool("chess", params, threads=1)
    tree = pool.add(1)
    pool.begin(tree, root, nodes=NODES, infinite=True)
    while pool.running:
        leaves = pool.collect(4_096)
        pool.complete(leaves, value=np.zeros(len(leaves), dtype=np.float32))
    assert tree == 0
    return pool, action


def test_a_call_that_keeps_the_lock_is_noticed() -> None:
    assert not lets_others_go_on(partial(sum, range(100_000)))


def test_others_go_on_while_a_tree_is_moved_along() -> None:
    pool, action = large_tree()
    assert lets_others_go_on(partial(pool.advance, 0, action))
    kept = pool.inspect(0)
    assert kept is not None
    assert kept.visits > NODES // 2


def test_others_go_on_while_a_tree_is_forgotten() -> None:
    pool, _ = large_tree()
    assert lets_others_go_on(partial(pool.remove, 0))


def test_others_go_on_while_a_pool_is_dropped() -> None:
    pools = [large_tree()[0]]
    assert lets_others_go_on(pools.clear)
