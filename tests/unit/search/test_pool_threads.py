"""One pool, eight threads: results are those of one thread, and nobody waits for ever."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from search_fakes import chess_state

from phasezoo import _core

THREADS = 8
STARTS = ([], ["e2e4"], ["d2d4", "d7d5"], ["g1f3", "g8f6", "g2g3"])


def answered(leaves: Any) -> dict[str, Any]:
    """Logits and values that a row has in any batch."""
    planes = leaves.planes("v2").reshape(len(leaves), -1)
    mixed = (planes * np.arange(1, planes.shape[1] + 1, dtype=np.float32) % 7).sum(axis=1)
    logits = np.sin(mixed[:, None] + np.arange(4672, dtype=np.float32)).astype(np.float32)
    return {"policy_logits": logits, "value": np.sin(mixed).astype(np.float32)}


def in_threads(work: Callable[[int], object]) -> None:
    """Do work in eight threads at once; an error of one is raised here."""
    errors: list[BaseException] = []
    begin = threading.Barrier(THREADS)

    def told(number: int) -> None:
        try:
            begin.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=told, args=(n,), daemon=True) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a thread waits for ever"
    if errors:
        raise errors[0]


def a_pool(batch_size: int) -> Any:
    return _core.SearchPool("chess", _core.SearchParams(batch_size=batch_size), None, 2)


def begun(pool: Any, seed: int, nodes: int = 40) -> int:
    tree = pool.add(seed)
    pool.begin(tree, chess_state(list(STARTS[seed % len(STARTS)])), nodes=nodes)
    return int(tree)


def drain(pool: Any, rows: int = 7) -> None:
    while pool.running:
        leaves = pool.collect(rows)
        if len(leaves):
            pool.complete(leaves, **answered(leaves))


def found(pool: Any, tree: int) -> list[Any]:
    result = pool.finish(tree)
    return [result.action, result.visits.tolist(), result.q.tolist(), result.pv, result.nodes]


@pytest.mark.parametrize("batch_size", [1, 4])
def test_eight_threads_find_what_one_finds(batch_size: int) -> None:
    alone = a_pool(batch_size)
    trees = [begun(alone, seed) for seed in range(24)]
    drain(alone)
    expected = [found(alone, tree) for tree in trees]
    pool = a_pool(batch_size)
    trees = [begun(pool, seed) for seed in range(24)]
    # All rows of a tree at once: in which order parts of them come back is the threads' chance.
    in_threads(lambda _: drain(pool, rows=24 * batch_size))
    assert [found(pool, tree) for tree in trees] == expected


def test_each_thread_has_trees_of_its_own_in_a_pool_of_all() -> None:
    alone = a_pool(1)
    trees = [begun(alone, seed) for seed in range(THREADS)]
    drain(alone)
    expected = [found(alone, tree) for tree in trees]
    pool = a_pool(1)
    results: list[list[Any]] = [[] for _ in range(THREADS)]

    def work(number: int) -> None:
        for _ in range(3):
            tree = begun(pool, number)
            while pool.is_running(tree):  # answers whatever comes, of others' trees too
                leaves = pool.collect(5)
                if len(leaves):
                    pool.complete(leaves, **answered(leaves))
            results[number].append(found(pool, tree))
            pool.remove(tree)

    in_threads(work)
    assert results == [[each] * 3 for each in expected]


def test_looking_and_stopping_disturb_nothing() -> None:
    pool = a_pool(4)
    trees = [begun(pool, seed, nodes=10**6) for seed in range(8)]

    def work(number: int) -> None:
        if number < 4:
            drain(pool)
            return
        for _ in range(20):
            for tree in trees:
                assert pool.progress(tree)[0] >= 0
                pool.inspect(tree)
        for tree in trees[number - 4 :: 4]:
            pool.stop(tree)

    in_threads(work)
    assert {pool.finish(tree).ended for tree in trees} == {"stopped"}
