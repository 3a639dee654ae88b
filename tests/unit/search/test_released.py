"""Other Python threads go on while a pool moves a large tree along or drops it."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from phasezoo import _core, games

NODES = 100_000
ONE_MOVE = "r1b1kbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1qPP/RNBQK2R w KQkq - 0 5"
"""White has one legal move, below which everything lies that a search finds."""


@pytest.fixture
def _no_switches() -> Iterator[None]:
    """The interpreter lock passes on only where somebody lets it go."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e3)
    yield
    sys.setswitchinterval(interval)


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


def turns_of_another_thread(work: Callable[[], object]) -> int:
    """How often another thread had the interpreter lock while ``work`` was done."""
    turns, done = 0, False

    def take_turns() -> None:
        nonlocal turns
        while not done:
            turns += 1
            time.sleep(1e-5)

    other = threading.Thread(target=take_turns)
    other.start()
    time.sleep(1e-3)
    before = turns
    work()
    during = turns - before
    done = True
    other.join()
    return during


def lets_others_go_on(work: Callable[[_core.SearchPool, int], object]) -> bool:
    """Whether another thread had a turn: on a busy machine it may miss short work a few times."""
    return any(turns_of_another_thread(partial(work, *large_tree())) for _ in range(40))


@pytest.mark.usefixtures("_no_switches")
def test_others_go_on_while_a_tree_is_moved_along() -> None:
    assert lets_others_go_on(lambda pool, action: pool.advance(0, action))
    pool, action = large_tree()
    pool.advance(0, action)
    kept = pool.inspect(0)
    assert kept is not None
    assert kept.visits > NODES // 2


@pytest.mark.usefixtures("_no_switches")
def test_others_go_on_while_a_tree_is_forgotten() -> None:
    assert lets_others_go_on(lambda pool, _: pool.remove(0))


@pytest.mark.usefixtures("_no_switches")
def test_others_go_on_while_a_pool_is_dropped() -> None:
    def turns() -> int:
        pools = [large_tree()[0]]
        return turns_of_another_thread(pools.clear)

    assert any(turns() for _ in range(40))
