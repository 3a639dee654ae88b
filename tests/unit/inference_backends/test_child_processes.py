"""Searches and networks in child processes, after the parent has used all of its threads."""

import multiprocessing
import sys
from typing import Any

import numpy as np
import pytest

from phasezoo import _core, agents, games, inference

NETWORK = "phasezoo/connect-four-small"
ROWS = 512
"""Enough for every backend to share them out among its threads."""


def positions() -> list[Any]:
    state = games.make("connect-four").initial_state()
    return [state.play(row % 7) for row in range(ROWS)]


def answers(evaluator: Any) -> Any:
    return evaluator.evaluate(games.encode(positions(), threads=2)).value


def asked(backend: str) -> Any:
    pytest.importorskip("onnxruntime" if backend == "onnx" else backend)
    evaluator = inference.load(NETWORK, backend, threads=2)
    return evaluator, answers


def chosen(agent: Any) -> Any:
    own = agent.session(3).act(positions()[0])
    return np.append(agent.select_batch(positions()[:64]), own)


def grown(agent: Any) -> Any:
    return agent.search(positions()[0]).visits


def searching(kind: str) -> Any:
    limit = agents.Limit(nodes=60)
    if kind == "mcts":
        options: dict[str, Any] = {"limit": limit, "batch_size": 8, "threads": 2, "seed": 1}
        return agents.MCTSAgent(inference.Uniform(), **options), chosen
    if kind == "graph":
        return agents.MCTSAgent(inference.Uniform(), limit=limit, graph=True, seed=1), chosen
    return agents.UCTAgent(limit=agents.Limit(simulations=600), seed=1), grown


def pooled(pool: Any) -> Any:
    """What trees of a pool that the parent made find."""
    trees = [pool.add(seed) for seed in range(16)]
    for tree, state in zip(trees, positions(), strict=False):
        pool.begin(tree, state, nodes=40)
    while pool.running:
        leaves = pool.collect(64)
        pool.complete(leaves, value=np.zeros(len(leaves), np.float32))
    found = [pool.finish(tree).visits for tree in trees]
    for tree in trees:
        pool.remove(tree)
    return np.concatenate(found)


def a_pool() -> Any:
    return _core.SearchPool("connect-four", _core.SearchParams(), None, 2), pooled


MADE = {
    "torch": lambda: asked("torch"),
    "onnx": lambda: asked("onnx"),
    "mcts": lambda: searching("mcts"),
    "graph": lambda: searching("graph"),
    "uct": lambda: searching("uct"),
    "pool": a_pool,
}


def anew(name: str) -> Any:
    made, work = MADE[name]()
    return work(made)


def child(work: Any, sender: Any) -> None:
    for answer in work():
        sender.send(answer)


def found_in_child(context: str, work: Any, count: int) -> list[Any]:
    """Return the answers of a child process."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context(context).Process(target=child, args=(work, sender))
    process.start()
    found = []
    try:
        while len(found) < count:
            assert receiver.poll(120), f"the child hangs after {len(found)} answers"
            found.append(receiver.recv())
    finally:
        process.kill()
        process.join()
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("name", MADE)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_finds_what_its_parent_finds(name: str) -> None:
    made, work = MADE[name]()
    here = work(made)
    for there in found_in_child("fork", lambda: (work(made), anew(name)), 2):
        np.testing.assert_allclose(there, here, atol=1e-5)
    np.testing.assert_allclose(work(made), here, atol=1e-5)  # and the parent goes on


def everything() -> Any:
    return map(anew, MADE)


def test_a_spawned_child_finds_what_its_parent_finds() -> None:
    here = list(everything())
    for there, found in zip(here, found_in_child("spawn", everything, len(MADE)), strict=True):
        np.testing.assert_allclose(found, there, atol=1e-5)
