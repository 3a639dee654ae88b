"""Random games agree with python-chess ply by ply: moves, FEN, checks and ends."""

import random

import chess
import pytest

from phasezoo import games

GAMES_PER_CHUNK = 50
# 2,000 games; the first 500 in `make test`.
CHUNKS = [
    chunk if chunk < 10 else pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(40)
]
SEED = 20_240_229

# Starts that reach rare rules soon: castling, promotion, en passant, bare pieces, old clocks. Every
# other game begins at the usual start.
STARTS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "4k3/8/8/3b4/8/2N5/8/4K3 w - - 80 90",
    "8/5k2/8/8/2B5/8/1b3K2/8 b - - 96 120",
    "7k/PPPP4/8/8/8/8/4pppp/K7 w - - 0 40",
    "7k/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/K7 w - - 0 30",
)

STYLES = ("shuffle", "plain", "capture")


def python_chess_end(board):
    """The end of the game by ``docs/definitions/ends.md``: (reason, winner), or None."""
    if board.is_checkmate():
        return "checkmate", int(board.turn)  # the mated side moves; White is player 0
    if board.is_stalemate():
        return "stalemate", None
    if board.is_insufficient_material():
        return "insufficient_material", None
    if board.halfmove_clock >= 8 and board.is_repetition(3):
        return "threefold_repetition", None
    if board.halfmove_clock >= 100:
        return "fifty_moves", None
    return None


def assert_same(state, board, legal):
    assert state.fen == board.fen()
    assert state.to_play == (0 if board.turn else 1)
    assert state.is_check == board.is_check()
    end = python_chess_end(board)
    outcome = state.outcome
    assert (outcome and (outcome.reason, outcome.winner)) == end, board.fen()
    assert state.is_terminal == (end is not None)
    actions = state.legal_actions.tolist()
    if end is None:
        assert {state.uci(action) for action in actions} == legal, board.fen()
    else:
        assert actions == []


@pytest.mark.parametrize("chunk", CHUNKS)
def test_random_games_agree(chunk):
    rng = random.Random(SEED + chunk)
    game = games.make("chess")
    reasons = set()
    for number in range(GAMES_PER_CHUNK):
        start = STARTS[number // 2 % len(STARTS)] if number % 2 else None
        state = game.initial_state() if start is None else game.from_fen(start)
        board = chess.Board() if start is None else chess.Board(start)
        while True:
            moves = list(board.legal_moves)
            assert_same(state, board, {move.uci() for move in moves})
            if state.is_terminal:
                reasons.add(state.outcome.reason)
                break
            move = _choose(moves, board, rng, STYLES[number % len(STYLES)])
            state = state.play(state.parse_uci(move.uci()))
            board.push(move)
        assert state.ply == len(board.move_stack)
        assert state.board() == board
        assert state.moves == [m.uci() for m in board.move_stack]
    assert len(reasons) >= 3


def _choose(moves, board, rng, style):
    """A move at random; players of some styles repeat positions or take what they can."""
    if style == "shuffle" and len(board.move_stack) >= 2 and rng.random() < 0.3:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    if style == "capture" and rng.random() < 0.7:
        captures = [move for move in moves if board.is_capture(move)]
        return rng.choice(captures or moves)
    return rng.choice(moves)


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
