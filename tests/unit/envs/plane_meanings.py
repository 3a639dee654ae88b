"""What the rows of plane tables mean, by python-chess."""

import re

import chess
import numpy as np

ROW = re.compile(r"\| (\d+)(?:–(\d+))? \| (.+) \|")
TYPES = range(1, 7)


def table(env, spec, kind="plane"):
    """First plane, last plane and meaning of each row of a table in an environment's docs."""
    text = env.__doc__
    start = text.index(f"| {kind} of ``{spec}``")
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


def counts(board, color, kinds=range(1, 6)):
    return np.array([len(board.pieces(kind, color)) for kind in kinds])


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
        came_from_board = known and move.drop is None
        planes += [board_of([move.from_square] if came_from_board else [], viewer)]
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


def pocket(board, color):
    return [full(board.pockets[color].count(kind) / 32) for kind in range(1, 6)]


def promoted(board, color, viewer):
    return board_of(chess.SquareSet(board.promoted & board.occupied_co[color]), viewer)


def which_variant(board):
    order = ("chess", "crazyhouse", "kingofthehill", "3check", "antichess", "atomic")
    return [full(board.uci_variant == name) for name in (*order, "horde", "racingkings")]


MEANINGS = {
    "own P N B R Q K": lambda b, v: pieces(b, v, v),
    "the opponent's P N B R Q K": lambda b, v: pieces(b, not v, v),
    "whether the position stood once, twice before": lambda b, v: [
        full(times_before(b) >= 1), full(times_before(b) >= 2),
    ],
    "en passant square, if a capture is legal": lambda b, v: [
        board_of(legal_en_passant(b), v)
    ],
    "en passant square, after any double step": lambda b, v: [
        board_of([] if b.ep_square is None else [b.ep_square], v)
    ],
    "castling: own short, own long, the opponent's short, long": castling,
    "halfmove clock / 50": lambda b, v: [full(b.halfmove_clock / 50)],
    "the last eight moves, newest first: from-square, to-square": last_moves,
    "chess960": lambda b, v: [full(b.chess960)],
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
    "halfmove clock / 40": lambda b, v: [full(b.halfmove_clock / 40)],
    "own pocket: P N B R Q / 32": lambda b, v: pocket(b, v),
    "the opponent's pocket: P N B R Q / 32": lambda b, v: pocket(b, not v),
    "own pieces that were promoted, the opponent's": lambda b, v: [
        promoted(b, v, v), promoted(b, not v, v),
    ],
    "which variant: chess, crazyhouse, king of the hill, three-check, antichess, atomic, horde, "
    "racing kings": lambda b, v: which_variant(b),
    "own less opponent's P N B R Q K / 8": lambda b, v: [
        full(n / 8) for n in counts(b, v, TYPES) - counts(b, not v, TYPES)
    ],
    "own P N B R Q K / 8": lambda b, v: [full(n / 8) for n in counts(b, v, TYPES)],
}  # fmt: skip


def expected_planes(meaning, board, viewer):
    """The planes of a row, ``float32[C, 8, 8]``; rows of zeros say so."""
    if meaning.startswith("0, "):
        return full(0)[None]
    return np.array(MEANINGS[meaning](board, viewer))
