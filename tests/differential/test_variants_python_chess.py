"""Random games of chess and its variants agree with python-chess ply by ply."""

import random
from collections import Counter

import chess
import pytest
from boards import BOARDS, comparable

from phasezoo import games

GAMES_PER_CHUNK = 100
# 2,000 games of each; in `make test` the first 500 of chess and 300 of each other.
CASES = [
    pytest.param(variant, chunk, marks=[pytest.mark.slow] * (chunk >= quick))
    for variant in BOARDS
    for quick in [5 if variant == "chess" else 3]
    for chunk in range(20)
]
# Games of crazyhouse can go on for thousands of plies.
MOST_PLIES = 200
SEED = 20_261_121

# Starts that reach rare rules soon: castling, promotion, en passant, bare pieces, old clocks. Every
# third game is from one of them, of chess every other.
STARTS = {
    "chess": (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "4k3/8/8/3b4/8/2N5/8/4K3 w - - 80 90",
        "8/5k2/8/8/2B5/8/1b3K2/8 b - - 96 120",
        "7k/PPPP4/8/8/8/8/4pppp/K7 w - - 0 40",
        "7k/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/K7 w - - 0 30",
    ),
    "chess960": (
        "1rk2r2/8/8/8/8/8/8/1RK2R2 w BFbf - 0 1",
        "2r1kr2/8/8/8/8/8/8/1R2K1R1 w GBfc - 0 1",
        "rk5r/8/8/3b4/8/8/8/RK5R w AHah - 0 1",
    ),
    "atomic": (
        "rnb1kb1r/p1p2ppp/7q/1p1pP3/3P2n1/8/PPP3PP/RNBQKBNR w KQkq - 0 9",
        "r3k2r/8/3K4/8/8/8/8/R6R b kq - 0 1",
        "8/8/8/2k5/2K5/8/PP4pp/R6r w - - 90 60",
        "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",
        "7k/8/8/8/8/8/5b2/K4B2 w - - 0 1",
    ),
    "crazyhouse": (
        "2k5/P6p/8/8/8/8/p6P/4K3[Qn] w - - 0 1",
        "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R[NNnnPPpp] w KQkq - 0 1",
        "k7/8/8/8/8/8/8/K7[Bb] w - - 0 60",
    ),
    "krk": (
        "8/8/8/8/3k4/8/3R4/3K4 b - - 90 80",
        "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
        "8/8/8/2r5/8/4K3/8/3k4 w - - 0 1",
    ),
}


def python_chess_end(board, variant, times):
    """The end of the game by ``docs/definitions/ends.md``: (reason, winner), or None."""
    if board.is_checkmate():
        return "checkmate", int(board.turn)  # the mated side moves; White is player 0
    if board.is_variant_end():
        return "king_exploded", int(board.turn)
    if board.is_stalemate():
        return "stalemate", None
    if variant != "crazyhouse" and board.is_insufficient_material():
        return "insufficient_material", None
    if times >= 3:
        assert board.is_repetition(3)
        return "threefold_repetition", None
    if variant != "crazyhouse" and board.halfmove_clock >= 100:
        return "fifty_moves", None
    return None


def assert_same(state, board, variant, times, legal):
    assert comparable(state.fen) == comparable(board.fen())
    assert state.to_play == (0 if board.turn else 1)
    assert state.is_check == board.is_check(), board.fen()
    end = python_chess_end(board, variant, times)
    outcome = state.outcome
    assert (outcome and (outcome.reason, outcome.winner)) == end, board.fen()
    assert state.is_terminal == (end is not None)
    actions = state.legal_actions.tolist()
    assert bool(actions) == (end is None)
    if end is None:
        assert {state.uci(action) for action in actions} == legal, board.fen()


def start_of(game, variant, number):
    starts = STARTS[variant]
    every = 2 if variant == "chess" else 3
    if number % every == 0:
        return game.from_fen(starts[number // every % len(starts)])
    return game.initial_state(seed=SEED + number)


def choose(moves, board, rng, style):
    """A move at random; players of some styles repeat positions or take what they can."""
    if style == 0 and len(board.move_stack) >= 2 and rng.random() < 0.3:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    if style == 1 and rng.random() < 0.5:
        captures = [move for move in moves if board.is_capture(move)]
        return rng.choice(captures or moves)
    return rng.choice(moves)


@pytest.mark.parametrize(("variant", "chunk"), CASES)
def test_random_games_agree(variant, chunk):
    rng = random.Random(SEED + chunk)
    game = games.make(variant) if variant != "krk" else games.make(variant, start="uniform")
    reasons = set()
    for number in range(chunk * GAMES_PER_CHUNK, (chunk + 1) * GAMES_PER_CHUNK):
        state = start_of(game, variant, number)
        board = BOARDS[variant](state.start_fen or game.initial_state().fen)
        seen = Counter()  # is_repetition(3) at every ply of a long game would take most of the time
        while True:
            key = board._transposition_key()
            seen[key] += 1
            moves = list(board.legal_moves)
            assert_same(state, board, variant, seen[key], {move.uci() for move in moves})
            if state.is_terminal:
                reasons.add(state.outcome.reason)
                break
            if variant == "crazyhouse" and state.ply == MOST_PLIES:
                break
            move = choose(moves, board, rng, number % (3 if variant == "chess" else 4))
            state = state.play(state.parse_uci(move.uci()))
            board.push(move)
        assert state.ply == len(board.move_stack)
        assert state.board() == board
        assert type(state.board()) is type(board)
        assert state.moves == [m.uci() for m in board.move_stack]
    assert len(reasons) >= (3 if variant == "chess" else 2)


@pytest.mark.parametrize("seed", range(8))
def test_san_agrees(seed):
    rng = random.Random(seed)
    state, board = games.make("chess").initial_state(), chess.Board()
    while not state.is_terminal and state.ply < 150:
        for move in board.legal_moves:
            action = state.parse_uci(move.uci())
            san = board.san(move)
            assert state.san(action) == san
            assert state.parse_san(san) == action
        move = rng.choice(list(board.legal_moves))
        state = state.play(state.parse_uci(move.uci()))
        board.push(move)
