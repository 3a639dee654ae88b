"""Random games by python-chess, as boards, PGN text and stores."""

import random

import chess
import chess.pgn
import numpy as np

from phasezoo import games as registry
from phasezoo.data.store import GameStore

CHESS = registry.make("chess")

STARTS = (
    None,
    None,
    "4k3/P6P/8/8/8/8/p6p/4K2R b K - 3 40",
    "r3k2r/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/R3K2R w KQkq e6 0 12",
)
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


def random_game(seed, longest=100):
    """A game of python-chess with a move or more, random tags and, unless it is over, result."""
    draw = random.Random(seed)
    start = draw.choice(STARTS)
    board = chess.Board(start) if start else chess.Board()
    for _ in range(draw.randint(1, longest)):
        legal = list(board.legal_moves)
        if not legal:
            break
        board.push(draw.choice(legal))
    game = chess.pgn.Game.from_board(board)
    result = RESULTS[draw.choice((1, 0, -1))]
    game.headers["Result"] = result if any(board.legal_moves) else board.result()
    game.headers["Event"] = f"random {seed}"
    if draw.random() < 0.7:
        game.headers["WhiteElo"] = str(draw.randint(1, 3000))
    if draw.random() < 0.7:
        game.headers["Date"] = f"20{seed % 100:02}.0{seed % 9 + 1}.??"
    return game


def random_games(count, seed=0, longest=100):
    return [random_game(seed * 10_000 + index, longest) for index in range(count)]


def actions_of(game):
    """The actions of a game, as ``state.play`` takes them, beyond what ends it by the rules too."""
    actions, board = [], game.board()
    for move in game.mainline_moves():
        actions.append(CHESS.from_fen(board.fen()).parse_uci(move.uci()))
        board.push(move)
    return actions


def result_of(game):
    return {text: number for number, text in RESULTS.items()}[game.headers["Result"]]


def start_of(game):
    """The FEN a game starts from, as the store keeps it; None for the usual start."""
    fen = game.board().fen(en_passant="fen")
    return None if fen == chess.STARTING_FEN else fen


def boards_of(game):
    """The board before each move."""
    board = game.board()
    for move in game.mainline_moves():
        yield board, move
        board.push(move)


def store_of(games):
    actions = [actions_of(game) for game in games]
    return GameStore(
        "chess",
        np.array([action for game in actions for action in game], dtype=np.uint16),
        np.cumsum([0, *map(len, actions)]),
        returns_of([result_of(game) for game in games]),
        starts={i: start_of(game) for i, game in enumerate(games) if start_of(game)},
        ratings=[(int(g.headers.get("WhiteElo", 0)), 0) for g in games],
        dates=np.array([date_of(game) for game in games], dtype="S10"),
    )


def returns_of(results):
    """What both players got, of results for the first."""
    first = np.array(results, dtype=np.float32)
    return np.stack([first, -first], axis=1)


def date_of(game):
    date = game.headers.get("Date", "")
    return b"" if date.startswith("?") else date.encode()


def assert_same(store, other, changes=None, texts=("players", "sources")):
    """That two stores hold the same games, but for columns that are given."""
    assert (store.game, len(store)) == (other.game, len(other))
    assert store.starts == other.starts
    for name in ("actions", "offsets", "returns", "ratings", "dates", "salvaged"):
        column, wanted = getattr(store.columns, name), getattr(other.columns, name)
        np.testing.assert_array_equal(column, (changes or {}).get(name, wanted))
        assert column.dtype == wanted.dtype
    for name in texts:
        assert getattr(store.columns, name).tolist() == getattr(other.columns, name).tolist()
    for name in ("values", "surprises", "phases"):
        column, wanted = getattr(store.columns, name), getattr(other.columns, name)
        assert (column is None) == (wanted is None)
        np.testing.assert_array_equal(column, wanted)
    assert store.has_visits == other.has_visits
    if store.has_visits:
        for column, wanted in zip(
            vars(store.columns.visits).values(), vars(other.columns.visits).values(), strict=True
        ):
            np.testing.assert_array_equal(column, wanted)
            assert column.dtype == wanted.dtype
