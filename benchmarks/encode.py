"""`games.encode` of 10,000 boards into a buffer, with their legal actions."""

import statistics
import time

import numpy as np

from benchmarks.common import Row, sized
from phasezoo import _core, games

BOARDS = sized(10_000, 100)
REPEATS = sized(15, 2)


def boards() -> list:
    """Positions of random games, as they come."""
    chess = games.make("chess")
    rng = np.random.default_rng(7)
    states = []
    state = chess.initial_state()
    while len(states) < BOARDS:
        states.append(state)
        state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            state = chess.initial_state()
    return states


def milliseconds(work) -> list[float]:  # noqa: ANN001
    """Sorted times of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)


def rows() -> list[Row]:
    """One row, beside clearing the same buffer with NumPy."""
    states = boards()
    out = np.empty((BOARDS, 52, 8, 8), dtype=np.float32)

    def ours() -> None:
        games.encode(states, "v2", out, threads=2)
        _core.legal_actions(states)

    ours()
    mine, clearing = milliseconds(ours), milliseconds(lambda: out.fill(0.0))
    name = f"encode {BOARDS:,} boards into out=, with legal actions, two threads"
    return [
        Row(
            name,
            statistics.median(mine),
            "ms",
            "≤ 12 ms",
            "clearing the buffer, one thread (ms)",
            statistics.median(clearing),
            (mine[0], mine[-1]),
        )
    ]
