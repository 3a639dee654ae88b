"""Searches and networks in child processes, after the parent has used all of its threads."""

import multiprocessing
import sys
from typing import Any

import numpy as np
import pytest

from phasezoo import _core, agents, games, inference

CONTEXTS = ("fork", "spawn") if sys.platform != "win32" else ("spawn",)
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


def child(given: Any, name: str, sender: Any) -> None:
    """Work with what was inherited, and with what is made anew."""
    inherited = [given[1](given[0])] if given else []
    made, work = MADE[name]()
    sender.send([*inherited, work(made)])


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_finds_what_its_parent_finds(context: str, name: str) -> None:
    made, work = MADE[name]()
    here = work(made)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    # What is spawned gets copies, and pools have none.
    given = (made, work) if context == "fork" else None
    process = multiprocessing.get_context(context).Process(target=child, args=(given, name, sender))
    process.start()
    try:
        assert receiver.poll(120), "the child hangs"
        found = receiver.recv()
    finally:
        process.kill()
        process.join()
    assert len(found) == (2 if context == "fork" else 1)
    for there in found:
        np.testing.assert_allclose(there, here, atol=1e-5)
    np.testing.assert_allclose(work(made), here, atol=1e-5)  # and the parent goes on
