"""The gates of ``docs/definitions/gates.md`` once more, in plain Python on python-chess boards."""

import chess

OFFICERS = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def region_score(table, y, white, black):
    """One 2x2 region whose lower rank is y, 1 to 7, by ``docs/definitions/gates.md``."""
    engine, current = table == "engine", table == "current"
    if (white, black) == (1, 0):
        return 9 - y
    if (white, black) == (0, 1):
        return 1 + y
    if (white, black) == (2, 0):
        return 2 + max(y - 2, 0) if engine else (y if y > 2 else 0)
    if black == 0 and white in (3, 4):
        return 3 + max(y - 1, 0) if engine else (y + 2 if y > 1 else 0)
    if (white, black) == (0, 2):
        return 2 + max(6 - y, 0) if engine else (8 - y if y < 6 else 0)
    if white == 0 and black in (3, 4):
        return 3 + max(7 - y, 0) if engine else (10 - y if y < 7 else 0)
    if (white, black) == (1, 1):
        return 5 + abs(4 - y) if current else 5 + abs(3 - y)
    return {
        (2, 1): 3 + y if current else 4 + y,
        (1, 2): 11 - y if current else 10 - y,
        (3, 1): 4 + y if current else 5 + y,
        (1, 3): 12 - y if current else 11 - y,
        (2, 2): 7,
        (0, 0): 0,
    }[white, black]


def mixedness(board, table="classic"):
    total = 0
    for rank in range(7):
        for file in range(7):
            colors = [
                board.color_at(chess.square(file + df, rank + dr)) for df in (0, 1) for dr in (0, 1)
            ]
            total += region_score(table, rank + 1, colors.count(True), colors.count(False))
    return total


def officers(board):
    return sum(len(board.pieces(kind, color)) for kind in OFFICERS for color in chess.COLORS)


def lichess(board, table="classic"):
    if officers(board) <= 6:
        return 2
    sparse = any(
        sum(board.color_at(chess.square(file, rank)) == color for file in range(8)) <= 3
        for color, rank in ((chess.WHITE, 0), (chess.BLACK, 7))
    )
    return int(officers(board) <= 10 or sparse or mixedness(board, table) > 150)


def moves(board, n):
    length = round(42.85 / n)
    return min(n - 1, (board.fullmove_number - 1) // length)


def phase(spec, board):
    """The phase of a board by any spec of a chess gate."""
    name, _, argument = spec.partition(":")
    if name == "lichess":
        return lichess(board, argument or "classic")
    if name == "moves":
        return moves(board, int(argument))
    numbers = [int(number) for number in argument.split(",")]
    if name == "material":
        return sum(officers(board) <= threshold for threshold in numbers)
    return sum(mixedness(board) > threshold for threshold in numbers)
