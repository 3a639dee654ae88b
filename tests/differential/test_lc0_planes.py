"""Planes of lc0 against an implementation of their description over python-chess boards."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from phasezoo import games

chess = pytest.importorskip("chess")

FORMS = {
    "lc0": 1, "lc0-castling": 2, "lc0-canonical": 3, "lc0-canonical-hectoplies": 4,
    "lc0-canonical-v2": 5,
}  # fmt: skip
STARTS = (
    None,
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    "4k3/8/8/8/8/8/3P4/R3K2R w KQ - 7 20",
    "8/8/3k4/8/2p5/8/1P6/2K1Q3 w - - 3 40",
    "8/5k2/8/8/8/2K5/8/3Q4 b - - 12 60",
    "7k/8/8/8/8/4K3/8/R6r w - - 30 60",
)


def _identity(board):
    return board._transposition_key()


def _repeats(history, at):
    """Whether the position at an index stood before it since the last capture or pawn move."""
    return any(_identity(b) == _identity(history[at]) for b in history[:at])


def _en_passant(history, at):
    """The square that a pawn could take on, or that the FEN of the start names."""
    board = history[max(at, 0)]
    return board.ep_square if at <= 0 or board.has_pseudo_legal_en_passant() else None


def _grid(squares, us):
    grid = np.zeros((8, 8), bool)
    for square in squares:
        rank, file = divmod(square, 8)
        grid[rank if us == chess.WHITE else 7 - rank, file] = True
    return grid


def _pieces(board, us):
    return np.stack([
        _grid(board.pieces(kind, colour), us)
        for colour in (us, not us) for kind in chess.PIECE_TYPES
    ])  # fmt: skip


def _before_double_step(pieces, board, us):
    """The planes with the pawn that has just made a double step back where it came from."""
    square = board.ep_square
    if square is None:
        return pieces
    pieces = pieces.copy()
    file, own = chess.square_file(square), board.turn != us
    plane, home, now = (0, 1, 3) if own else (6, 6, 4)
    pieces[plane, now, file], pieces[plane, home, file] = False, True
    return pieces


def _turn(pieces, castles) -> tuple[int, Callable[[np.ndarray], np.ndarray]]:
    def apply(turn):
        def turned(grid):
            if turn & 1:
                grid = grid[:, ::-1]
            if turn & 2:
                grid = grid[::-1]
            return grid[::-1, ::-1].T if turn & 4 else grid

        return turned

    if castles:
        return 0, apply(0)
    turn = 0
    rank, file = np.argwhere(pieces[5])[0]
    if file < 4:
        turn |= 1
        file = 7 - file
    if pieces[0].any() or pieces[6].any():
        return turn, apply(turn)
    if rank > 3:
        turn |= 2
        rank = 7 - rank
    if rank + file > 7:
        turn |= 4
    elif rank + file == 7:
        own, both = pieces[:6].any(0), pieces.any(0)
        kinds = [pieces[kind] | pieces[6 + kind] for kind in (5, 4, 3, 1, 2)]
        for grid in (both, own, *kinds):
            plain, other = (
                sum(1 << int(8 * r + f) for r, f in np.argwhere(apply(way)(grid)))
                for way in (turn, turn | 4)
            )
            if plain != other:
                turn |= 4 * (other < plain)
                break
    return turn, apply(turn)


def expected(history, form):
    """The planes of the last board of ``history``, which begins at the game's start."""
    now, us = history[-1], history[-1].turn
    canonical = form >= 3
    start = history[0]
    usual = (
        start.board_fen() == chess.STARTING_BOARD_FEN
        and start.turn
        and (start.clean_castling_rights() == chess.BB_CORNERS)
    )
    filled = []
    at = len(history) - 1
    while len(filled) < 8:
        board = history[max(at, 0)]
        if canonical and board.clean_castling_rights() != now.clean_castling_rights():
            break
        if canonical and at != len(history) - 1 and _en_passant(history, at) is not None:
            break
        if at < 0 and (usual or form == 5):
            break
        repeats = at >= 0 and _repeats(history, at)
        if form != 5 or repeats or at == len(history) - 1:
            pieces = _pieces(board, us)
            if at < 0:
                pieces = _before_double_step(pieces, board, us)
            filled.append((pieces, repeats))
        if canonical and board.halfmove_clock == 0:
            break
        at -= 1
    turn, turned = (
        _turn(_pieces(now, us), now.clean_castling_rights()) if canonical else (0, lambda g: g)
    )
    planes = np.zeros((113 if canonical else 112, 8, 8), np.float32)
    for place, (pieces, repeats) in enumerate(filled):
        for kind in range(12):
            planes[13 * place + kind] = turned(pieces[kind])
        planes[13 * place + 12] = repeats
    sides = [
        (now.has_queenside_castling_rights(c), now.has_kingside_castling_rights(c))
        for c in (us, not us)
    ]
    if form == 1:
        for plane, has in enumerate(side for pair in sides for side in pair):
            planes[104 + plane] = has
    else:
        for row, pair in zip((0, 7), sides, strict=True):
            for plane, (file, has) in enumerate(zip((0, 7), pair, strict=True)):
                planes[104 + plane, row, file] = has
    if not canonical:
        planes[108] = us == chess.BLACK
    elif (square := _en_passant(history, len(history) - 1)) is not None:
        mark = np.zeros((8, 8), bool)
        mark[7, chess.square_file(square)] = True
        planes[108] = turned(mark)
    planes[109] = now.halfmove_clock / (100 if form >= 4 else 1)
    planes[111] = 1
    if canonical:
        planes[112] = turn
    return planes


@pytest.mark.parametrize("start", STARTS)
def test_planes_are_those_of_the_description(start):
    rng = random.Random(str(start))
    game = games.make("chess")
    seen = dict.fromkeys(FORMS, 0)
    for _ in range(12):
        board = chess.Board() if start is None else chess.Board(start)
        state = game.initial_state() if start is None else game.from_fen(start)
        history = [board.copy(stack=False)]
        while len(history) < 60 and not state.is_terminal:
            for planes, form in FORMS.items():
                ours, theirs = state.planes(planes), expected(history, form)
                wrong = np.flatnonzero((ours != theirs.astype(np.float32)).any(axis=(1, 2)))
                assert not len(wrong), (planes, board.fen(), len(history), wrong)
                seen[planes] += 1
            moves = list(board.legal_moves)
            # Often back to where the piece came from, so that positions stand again.
            last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
            back = [m for m in moves if m == chess.Move(last.to_square, last.from_square)]
            move = rng.choice(back if back and rng.random() < 0.5 else moves)
            board.push(move)
            state = state.play(state.parse_uci(move.uci()))
            history.append(board.copy(stack=False))
    assert min(seen.values()) > 200


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_earlier_boards_are_those_of_the_states_before(name):
    rng = np.random.default_rng(4)
    castled = 0
    for seed in range(30):
        states = [games.make(name).initial_state(seed=seed)]
        while len(states) < 120 and not states[-1].is_terminal:
            state = states[-1]
            legal = state.legal_actions
            moves = [state.san(int(action)) for action in legal]
            castles = [a for a, m in zip(legal, moves, strict=True) if m.startswith("O-O")]
            castled += bool(castles)
            states.append(state.play(int(castles[0] if castles else rng.choice(legal))))
        for at in rng.integers(8, len(states), 20) if len(states) > 8 else ():
            last = states[at]
            boards = last.planes("lc0")[:104].reshape(8, 13, 8, 8)[:, :12]
            before = states[at : at - 8 : -1]
            players = [last.to_play] * 8
            np.testing.assert_array_equal(boards, games.encode(before, "minimal", players=players))
    assert castled > 10
