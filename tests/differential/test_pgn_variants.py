"""PGN of every variant, written by python-chess, comes back as the same moves and positions."""

import random

import chess
import chess.pgn
import numpy as np
import pytest
from boards import BOARDS, comparable

from phasezoo import _core, games

GAMES = 60
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}

# Every third game is from one of these, where castling, promotion and drops come soon.
STARTS = {
    "chess": ("r3k2r/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/R3K2R w KQkq e6 0 12",),
    "chess960": (
        "1rk2r2/8/8/8/8/8/8/1RK2R2 w BFbf - 0 1",
        "rk5r/8/8/3b4/8/8/8/RK5R w AHah - 0 1",
    ),
    "atomic": (
        "rnb1kb1r/p1p2ppp/7q/1p1pP3/3P2n1/8/PPP3PP/RNBQKBNR w KQkq - 0 9",
        "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",
    ),
    "crazyhouse": (
        "2k5/P6p/8/8/8/8/p6P/4K3[Qn] w - - 0 1",
        "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R[NNnnPPpp] w KQkq - 0 1",
    ),
}


def start_of(variant, draw, index):
    if index % 3 == 0:
        return BOARDS[variant](draw.choice(STARTS[variant]))
    if variant == "chess960":
        return chess.Board.from_chess960_pos(draw.randrange(960))
    return BOARDS[variant](chess.STARTING_FEN)


def is_over(board):
    """Whether our states cannot be played on."""
    drawn = board.is_insufficient_material() or board.is_repetition(3) or board.halfmove_clock > 99
    return board.is_variant_end() or drawn


def random_game(variant, seed, index):
    """A game of python-chess with the tags that its own writer gives it."""
    draw = random.Random(f"{variant} {seed} {index}")
    board = start_of(variant, draw, index)
    for _ in range(draw.randint(1, 120)):
        legal = list(board.legal_moves)
        if not legal or is_over(board):
            break
        board.push(draw.choice(legal))
    game = chess.pgn.Game.from_board(board)
    result = RESULTS[draw.choice((1, 0, -1))]
    game.headers["Result"] = result if any(board.legal_moves) else board.result()
    if variant == "chess" and "FEN" in game.headers and draw.random() < 0.5:
        game.headers["Variant"] = "From Position"
    return game


def assert_same(variant, columns, index, game):
    handle = games.make(variant)
    fen = dict(columns["start_fens"]).get(index)
    state = handle.initial_state() if fen is None else handle.from_fen(fen)
    board = game.board()
    first, last = columns["offsets"][index : index + 2]
    moves = list(game.mainline_moves())
    assert last - first == len(moves)
    for action, move in zip(columns["actions"][first:last].tolist(), moves, strict=True):
        assert comparable(state.fen) == comparable(board.fen(en_passant="legal"))
        assert state.uci(action) == board.uci(move)
        state = state.play(action)
        board.push(move)
    assert comparable(state.fen) == comparable(board.fen(en_passant="legal"))
    assert columns["result"][index] == {v: k for k, v in RESULTS.items()}[game.headers["Result"]]


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 2, 3))])
def test_a_file_of_all_variants_gives_columns_of_each(tmp_path, seed):
    made = [random_game(variant, seed, i) for i in range(GAMES) for variant in STARTS]
    random.Random(seed).shuffle(made)
    path = tmp_path / "mixed.pgn"
    path.write_text("\n\n".join(map(str, made)) + "\n")
    found, report = _core.read_pgn([path])
    assert not report["skipped"], report["named"]
    kinds = {variant: [game for game in made if kind_of(game) == variant] for variant in STARTS}
    assert {name: len(columns["result"]) for name, columns in found.items()} == {
        name: len(some) for name, some in kinds.items()
    }
    for variant, some in kinds.items():
        for index, game in enumerate(some):
            assert_same(variant, found[variant], index, game)


def kind_of(game):
    variant = game.headers.get("Variant", "Standard")
    return "chess" if variant in ("Standard", "From Position") else variant.lower()


@pytest.mark.parametrize("variant", STARTS)
def test_one_game_alone(tmp_path, variant):
    made = [random_game(name, 9, i) for i in range(10) for name in STARTS]
    path = tmp_path / "mixed.pgn"
    path.write_text("\n\n".join(map(str, made)) + "\n")
    found, report = _core.read_pgn([path], variant)
    assert list(found) == [variant]
    wanted = [game for game in made if kind_of(game) == variant]
    assert np.diff(found[variant]["offsets"]).tolist() == [
        len(list(game.mainline_moves())) for game in wanted
    ]
    assert report["skipped"] == {"another variant": len(made) - len(wanted)}
