"""The reference of ``scripts/alpha_beta.py`` against plain minimax over python-chess."""

import random
import runpy
from pathlib import Path

import chess
import chess.variant
import pytest

from phasezoo import agents, games

SCRIPT = Path(__file__).parents[2] / "scripts" / "alpha_beta.py"
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


def lead(board):
    signs = {board.turn: 1, not board.turn: -1}
    pieces = board.piece_map().values()
    return sum(signs[p.color] * WORTH.get(p.piece_type, 0) for p in pieces)


def minimax(board, depth):
    if board.is_game_over():
        won = {"1-0": 1, "0-1": -1}.get(board.result(), 0) * (1 if board.turn else -1)
        return won * (1000 + depth)
    if depth == 0:
        return lead(board)
    values = []
    for move in board.legal_moves:
        board.push(move)
        values.append(-minimax(board, depth - 1))
        board.pop()
    return max(values)


@pytest.mark.parametrize(
    ("game", "board"), [("chess", chess.Board), ("atomic", chess.variant.AtomicBoard)]
)
def test_its_moves_are_those_of_minimax(game, board, monkeypatch):
    monkeypatch.setattr(agents, "register", lambda *_: None)
    search = runpy.run_path(str(SCRIPT))["MaterialSearch"]
    rng, known = random.Random(4), 0
    for _ in range(12):
        state = games.make(game).initial_state()
        for _ in range(rng.randrange(60)):
            following = state.play(rng.choice(state.legal_actions.tolist()))
            state = state if following.is_terminal else following
        there, worth = board(state.fen), {}
        for move in there.legal_moves:
            there.push(move)
            worth[move.uci()] = -minimax(there, 1)
            there.pop()
        chosen = {state.uci(search(2).session(seed).act(state)) for seed in range(8)}
        assert {worth[move] for move in chosen} == {max(worth.values())}
        known += len(chosen) > 1
    assert known > 2  # equals are drawn
