"""The endgame's gates against their definitions (``docs/definitions/gates.md``)."""

import numpy as np
import pytest

from phasezoo import agents, games, gating, inference

KRK = games.make("krk", start="uniform")


def states():
    """Positions along random games, won and drawn, with a rook and without."""
    rng = np.random.default_rng(3)
    found = []
    for seed in range(60):
        state = KRK.initial_state(seed)
        for _ in range(25):
            found.append(state)
            if state.is_terminal:
                break
            state = state.play(rng.choice(state.legal_actions))
    return found


STATES = states()


def room(state):
    """Squares that the lone king reaches without crossing the rook's rank or file."""
    board = state.board()
    rooks = board.pieces(4, True) | board.pieces(4, False)
    if not rooks:
        return 64
    rook = next(iter(rooks))
    lone = board.king(not board.color_at(rook))
    walls = {s for s in range(64) if s % 8 == rook % 8 or s // 8 == rook // 8}
    reached, waiting = {lone}, [lone]
    while waiting:
        rank, file = divmod(waiting.pop(), 8)
        for r in range(max(rank - 1, 0), min(rank + 2, 8)):
            for f in range(max(file - 1, 0), min(file + 2, 8)):
                square = r * 8 + f
                if square not in walls and square not in reached:
                    reached.add(square)
                    waiting.append(square)
    return len(reached)


@pytest.mark.parametrize("thresholds", [(10, 5), (14, 9, 1), (0,)])
def test_dtm_counts_thresholds_that_the_distance_is_within(thresholds):
    gate = gating.make("dtm:" + ",".join(map(str, thresholds)), "krk")
    expected = [
        len(thresholds) if state.dtm is None else sum(state.dtm <= t for t in thresholds)
        for state in STATES
    ]
    assert gate.batch(STATES).tolist() == expected == [gate(state) for state in STATES]
    assert len(set(expected)) == len(thresholds) + 1


@pytest.mark.parametrize("thresholds", [(20, 9), (30, 16, 2)])
def test_box_counts_thresholds_that_the_lone_kings_room_is_within(thresholds):
    gate = gating.make("box:" + ",".join(map(str, thresholds)), "krk")
    expected = [sum(room(state) <= t for t in thresholds) for state in STATES]
    assert gate.batch(STATES).tolist() == expected
    assert len(set(expected)) == len(thresholds) + 1


@pytest.mark.parametrize("spec", ["dtm", "box", "hash:3"])
def test_experts_by_these_gates_search(spec):
    gate = gating.make(spec, "krk")
    experts = {name: inference.Uniform() for name in gate.names}
    agent = agents.M2CTSAgent(
        experts, gate=spec, routing="exact", limit=agents.Limit(nodes=200), seed=1
    )
    state = KRK.from_fen("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    assert state.san(agent.search(state).action) == "Ra8#"
