"""Calls of the package's Python functions in one step of an environment and one round of a search.

``python -m benchmarks.calls`` prints the mean number of each; ``--names`` says which functions they
are. Time differs from machine to machine, calls do not.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium
import numpy as np

import phasezoo
from phasezoo import agents, games, gating, inference
from phasezoo.inference.evaluator import Uniform

PACKAGE = str(Path(phasezoo.__file__).parent)
STEPS = 200
"""Steps that are counted, over several games."""
NODES, BATCH = 256, 8
"""Nodes of a search, and leaves a round."""


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count calls of Python functions in the package while the block runs."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            found[f"{code.co_filename[len(PACKAGE) + 1 :]}:{code.co_qualname}"] += 1

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


def calls_of_a_step() -> Counter[str]:
    """Count :data:`STEPS` steps of chess against a random opponent; resets are left out."""
    env = gymnasium.make("Chess-v0", opponent="random")
    total: Counter[str] = Counter()
    _, info = env.reset(seed=1)
    for number in range(STEPS):
        legal = np.flatnonzero(info["action_mask"])
        action = int(legal[number % len(legal)])
        with counted() as found:
            _, _, terminated, truncated, info = env.step(action)
        total += found
        if terminated or truncated:
            _, info = env.reset()
    return total


def calls_of_a_round() -> tuple[Counter[str], int]:
    """Count one M2CTS search with uniform experts, and its rounds of evaluation."""
    game = games.make("chess")
    rounds = 0

    class Expert(Uniform):
        def evaluate_batch(self, leaves: Any) -> Any:
            nonlocal rounds
            rounds += 1
            return super().evaluate_batch(leaves)

    gate = gating.make("lichess", "chess")
    experts = inference.MixtureOfExperts({n: Expert() for n in gate.names}, gate, game="chess")
    config = agents.SearchConfig(batch_size=BATCH)
    agent = agents.MCTSAgent(experts, limit=agents.Limit(nodes=NODES), config=config, game="chess")
    state = game.initial_state()
    agent.search(state)
    rounds = 0
    with counted() as found:
        agent.search(state)
    return found, rounds


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", action="store_true", help="name the functions too")
    options = parser.parse_args()
    rows: list[tuple[str, Callable[[], tuple[Counter[str], int]]]] = [
        ("a step against a random opponent", lambda: (calls_of_a_step(), STEPS)),
        ("a round of an M2CTS search", calls_of_a_round),
    ]
    for name, count in rows:
        found, times = count()
        print(f"{name:<34} {found.total() / times:6.1f} calls")
        for function, calls in found.most_common() if options.names else ():
            print(f"    {calls / times:6.2f} {function}")


if __name__ == "__main__":
    main()
