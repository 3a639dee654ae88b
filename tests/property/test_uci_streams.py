"""Whatever an engine is told, it never fails or hangs, and answers each ``go`` exactly once."""

import random
import time

import pytest
from drills.fuzz.engine_lines import stream, tell

from phasezoo.apps.uci.commands import COMMANDS, read_line

AGENTS = ("mcts:nodes=16,batch_size=4", "mcts:simulations=9,graph=true", "random", "nobody")


def run(seed, agent=None):
    """Tell an engine a stream of lines; what was told and answered."""
    draw = random.Random(seed)
    agent = AGENTS[seed % len(AGENTS)] if agent is None else agent

    def pause():
        if draw.random() < 0.1:
            time.sleep(draw.choice((0, 0.001, 0.004)))

    return tell(agent, stream(draw), pause)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_streams(first):
    for seed in range(first, first + 100):
        run(seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(1_000, 11_000, 1_000))
def test_ten_thousand_streams(first):
    for seed in range(first, first + 1_000):
        run(seed)


def test_the_streams_ask_for_what_they_should():
    told = [text for seed in range(300) for text in run(seed, "random")[0]]
    names = {command.name for command in map(read_line, told) if command is not None}
    assert names == set(COMMANDS)
