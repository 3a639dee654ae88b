"""The UCI engine beside the same search called from Python, by nodes per second of CPU time."""

import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

from benchmarks.common import Row, sized
from benchmarks.inference_share import evaluator_of
from phasezoo import agents, games
from phasezoo.apps.uci.engine import Engine
from phasezoo.inference import Uniform

REPEATS = sized(7, 1)


class _Heard:
    """Output of an engine, and whether it has answered."""

    def __init__(self) -> None:
        self.answered = threading.Event()

    def __call__(self, text: str) -> None:
        if "bestmove" in text:
            self.answered.set()


def _by_uci(name: str, nodes: int) -> Callable[[], float]:
    heard = _Heard()
    engine = Engine(name, heard)
    engine.handle("isready")

    def search() -> float:
        engine.handle("ucinewgame")
        engine.handle("isready")
        heard.answered.clear()
        engine.handle("position startpos")
        start = time.process_time()
        engine.handle(f"go nodes {nodes}")
        heard.answered.wait()
        return nodes / (time.process_time() - start)

    return search


def _by_python(agent: agents.MCTSAgent, nodes: int) -> Callable[[], float]:
    state: Any = games.make("chess").initial_state()

    def search() -> float:
        session = agent.session(0)
        start = time.process_time()
        session.search(state, limit=agents.Limit(nodes=nodes))
        return nodes / (time.process_time() - start)

    return search


def _row(label: str, evaluator: Any, batch_size: int, nodes: int) -> Row:
    name = f"benchmark-{label.split(',', maxsplit=1)[0].replace(' ', '-')}"
    agents.register(name, lambda: agents.MCTSAgent(evaluator, batch_size=batch_size))
    works = _by_uci(name, nodes), _by_python(agents.make(name), nodes)
    rates: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS + 1):
        for work, found in zip(works, rates, strict=True):
            found.append(work())
    ours, theirs = (sorted(found[1:]) for found in rates)  # the first warms caches up
    return Row(
        f"UCI, batch {batch_size}, {label}",
        statistics.median(ours),
        "nodes/s of CPU",
        "90 % of Python's",
        "the same search from Python",
        statistics.median(theirs),
        (ours[0], ours[-1]),
    )


def rows() -> list[Row]:
    """With a network, and with nothing but the tree."""
    return [
        _row("rise-32x4, ONNX Runtime", evaluator_of("rise-32x4"), 16, sized(8_000, 64)),
        _row("no knowledge", Uniform(), 64, sized(400_000, 640)),
    ]
