"""Phases against the published values, the golden arrays and an implementation in plain Python."""

import json
import random

import chess
import numpy as np
import pytest
from gate_reference import lichess, mixedness, moves, phase

from phasezoo import _core, games, gating

CHESS = games.make("chess")

# Placement, and mixedness by the classic, engine and current tables
# (docs/definitions/gates.md#mixedness).
WORKED = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 0, 70, 0),
    ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR", 64, 126, 62),
    ("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R", 102, 157, 98),
    ("rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R", 95, 149, 95),
    ("rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R", 125, 173, 122),
    ("r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1", 125, 172, 123),
    ("r1bq1rk1/pppnppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQ1RK1", 107, 156, 107),
]


@pytest.mark.parametrize(("placement", "classic", "engine", "current"), WORKED)
def test_worked_values(placement, classic, engine, current):
    state = CHESS.from_fen(f"{placement} w - - 0 1")
    board = chess.Board(f"{placement} w - - 0 1")
    for table, expected in (("classic", classic), ("engine", engine), ("current", current)):
        assert _core.chess_mixedness(state, table) == expected
        assert mixedness(board, table) == expected
        assert (
            gating.make(f"lichess:{table}")(state) == lichess(board, table) == int(expected > 150)
        )


def test_mixedness_knows_three_tables():
    with pytest.raises(gating.registry.InvalidGate, match="classic"):
        _core.chess_mixedness(CHESS.initial_state(), "published")


SPECS = (
    *("lichess", "lichess:current", "lichess:engine"),
    *(f"moves:{n}" for n in range(2, 21)),
    *("material:10,6", "material:14,13,3,0", "mixedness:50,150", "mixedness:0,1,64,400"),
)


def test_phases_of_random_games_are_those_of_the_reference():
    draw = random.Random(5)
    gates = {spec: gating.make(spec) for spec in SPECS}
    for _ in range(10):
        board, state = chess.Board(), CHESS.initial_state()
        for _ in range(120):
            if state.is_terminal:
                break
            move = draw.choice(list(board.legal_moves))
            board.push(move)
            state = state.play(state.parse_uci(move.uci()))
            for spec, gate in gates.items():
                assert gate(state) == phase(spec, board), f"{spec}: {board.fen()}"


def test_hash_is_the_key_modulo_n_and_spreads_evenly():
    draw = random.Random(6)
    counts = np.zeros(5)
    gate = gating.make("hash:5")
    for _ in range(40):
        state = CHESS.initial_state()
        for _ in range(60):
            if state.is_terminal:
                break
            state = state.play(draw.choice(state.legal_actions.tolist()))
            assert gate(state) == state.key % 5
            counts[gate(state)] += 1
    assert counts.min() > 0.8 * counts.mean()


def test_the_key_is_of_the_position_alone():
    moves_ = ["g1f3", "g8f6", "f3g1", "f6g8"]
    there = CHESS.from_fen(chess.STARTING_FEN, moves_)
    other_counters = CHESS.from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 7 30")
    gate = gating.make("hash:7")
    assert gate(there) == gate(other_counters) == gate(CHESS.initial_state())
    assert there.key == CHESS.initial_state().key


def test_golden_phases(shared_dir):
    golden = shared_dir / "golden"
    lines = (golden / "chess_planes_gates_public.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    index = np.load(golden / "chess_planes_gates_public.npz")["index"]
    states = []
    for game, ply, *_ in index.tolist():
        start = records[game]["start_fen"] or chess.STARTING_FEN
        states.append(CHESS.from_fen(start, records[game]["moves"][:ply]))
    for table, score, phase_column in (("classic", 3, 4), ("current", 5, 6)):
        assert [_core.chess_mixedness(s, table) for s in states] == index[:, score].tolist()
        phases = gating.make(f"lichess:{table}").batch(states)
        np.testing.assert_array_equal(phases, index[:, phase_column])
    for n, column in ((2, 7), (3, 8), (4, 9), (5, 10)):
        np.testing.assert_array_equal(gating.make(f"moves:{n}").batch(states), index[:, column])
    assert len(states) == 1120


def test_move_counts_are_full_moves_completed():
    gate = gating.make("moves:3")
    for number, expected in ((1, 0), (14, 0), (15, 1), (28, 1), (29, 2), (300, 2)):
        for side in "wb":
            fen = f"4k3/8/8/8/8/8/8/4K2R {side} - - 0 {number}"
            assert gate(CHESS.from_fen(fen)) == expected == moves(chess.Board(fen), 3)
