"""The plane tables in the documentation of `Chess-v0` say what the planes are."""

import re

import chess
import numpy as np
import pytest

from phasezoo import games
from phasezoo.envs import ChessEnv

ROW = re.compile(r"\| (\d+)(?:–(\d+))? \| (.+) \|")
TYPES = range(1, 7)


def table(spec):
    """First plane, last plane and meaning of each row of a spec's table."""
    text = ChessEnv.__doc__
    start = text.index(f"| plane of ``{spec}``")
    rows = []
    for line in text[start:].splitlines()[2:]:
        found = ROW.match(line.strip())
        if not found:
            break
        first, last, meaning = found.groups()
        rows.append((int(first), int(last or first), meaning))
    return rows


def board_of(squares, viewer):
    plane = np.zeros((8, 8), dtype=np.float32)
    for square in squares:
        rank, file = divmod(square if viewer == chess.WHITE else square ^ 56, 8)
        plane[rank, file] = 1
    return plane


def full(value):
    return np.full((8, 8), value, dtype=np.float32)


def pieces(board, color, viewer):
    return [board_of(board.pieces(kind, color), viewer) for kind in TYPES]


def counts(board, color):
    return np.array([len(board.pieces(kind, color)) for kind in range(1, 6)])


def castling(board, viewer):
    rights = []
    for color in (viewer, not viewer):
        rights += [
            board.has_kingside_castling_rights(color),
            board.has_queenside_castling_rights(color),
        ]
    return [full(right) for right in rights]


def last_moves(board, viewer):
    planes = []
    for index in range(8):
        known = index < len(board.move_stack)
        move = board.move_stack[-1 - index] if known else None
        planes += [board_of([move.from_square] if known else [], viewer)]
        planes += [board_of([move.to_square] if known else [], viewer)]
    return planes


def times_before(board):
    """Earlier occurrences, counted by replaying."""
    replay, now = board.copy(), board._transposition_key()
    count = 0
    while replay.move_stack:
        replay.pop()
        count += replay._transposition_key() == now
    return count


def opposite_bishops(board):
    light, dark = chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES
    own, other = (int(board.pieces(chess.BISHOP, color)) for color in chess.COLORS)
    single = own.bit_count() == other.bit_count() == 1
    return single and bool((own & light and other & dark) or (own & dark and other & light))


def legal_en_passant(board):
    return [board.ep_square] if board.has_legal_en_passant() else []


MEANINGS = {
    "own P N B R Q K": lambda b, v: pieces(b, v, v),
    "the opponent's P N B R Q K": lambda b, v: pieces(b, not v, v),
    "whether the position stood once, twice before": lambda b, v: [
        full(times_before(b) >= 1), full(times_before(b) >= 2),
    ],
    "en passant square, where a capture is legal": lambda b, v: [
        board_of(legal_en_passant(b), v)
    ],
    "en passant square, after any double step": lambda b, v: [
        board_of([] if b.ep_square is None else [b.ep_square], v)
    ],
    "castling: own short, own long, the opponent's short, long": castling,
    "halfmove clock / 50": lambda b, v: [full(b.halfmove_clock / 50)],
    "the last eight moves, newest first: from-square, to-square": last_moves,
    "chess960": lambda b, v: [full(0)],
    "all own pieces, all the opponent's": lambda b, v: [
        board_of(chess.SquareSet(b.occupied_co[v]), v),
        board_of(chess.SquareSet(b.occupied_co[not v]), v),
    ],
    "checkerboard, 1 on light squares as the viewer sees them": lambda b, v: [
        board_of(chess.SquareSet(chess.BB_LIGHT_SQUARES), chess.WHITE)
    ],
    "own less opponent's P N B R Q / 8": lambda b, v: [
        full(difference / 8) for difference in counts(b, v) - counts(b, not v)
    ],
    "bishops of opposite colours": lambda b, v: [full(opposite_bishops(b))],
    "pieces that give check": lambda b, v: [board_of(b.checkers(), v)],
    "own P N B R Q / 8": lambda b, v: [full(count / 8) for count in counts(b, v)],
    "1 if the viewer is White": lambda b, v: [full(v)],
    "number of the full move / 500": lambda b, v: [full(b.fullmove_number / 500)],
}  # fmt: skip


@pytest.mark.parametrize("spec", ["v1", "v2"])
def test_rows_cover_all_planes_without_gaps(spec):
    rows = table(spec)
    covered = [plane for first, last, _ in rows for plane in range(first, last + 1)]
    assert covered == list(range(games.make("chess").plane_shape(spec)[0]))


@pytest.mark.parametrize("spec", ["v1", "v2"])
def test_every_plane_has_the_meaning_of_its_row(spec):
    rng = np.random.default_rng(4)
    rows = table(spec)
    seen = {meaning: False for _, _, meaning in rows}
    for game in range(25):
        state = games.make("chess").initial_state()
        board = chess.Board()
        for _ in range(60):
            for player in (0, 1):
                planes = state.planes(spec, player)
                for first, last, meaning in rows:
                    expected = np.array(MEANINGS[meaning](board, player == 0))
                    np.testing.assert_allclose(
                        planes[first : last + 1], expected, atol=1e-6, err_msg=meaning
                    )
                    seen[meaning] |= bool(expected.any())
            if state.is_terminal:
                break
            action = int(rng.choice(state.legal_actions))
            # In some games the knights go to and fro, so that positions recur.
            for each in state.legal_actions if game % 5 == 0 else ():
                if state.uci(each) in {"g1f3", "g8f6", "f3g1", "f6g8"}:
                    action = int(each)
            board.push_uci(state.uci(action))
            state = state.play(action)
    rare = {"chess960", "bishops of opposite colours"}
    assert {meaning for meaning, found in seen.items() if not found} <= rare


def test_minimal_is_the_first_twelve():
    state = games.make("chess").initial_state()
    np.testing.assert_array_equal(state.planes("minimal"), state.planes("v2")[:12])
