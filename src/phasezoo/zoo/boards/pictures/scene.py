"""Scene of a chess state: pieces, squares to highlight, whose view."""

from dataclasses import dataclass
from typing import Any

from phasezoo.envs.rendering.geometry import Colour

LIGHT: Colour = (236, 231, 220)
DARK: Colour = (139, 155, 174)
LAST_MOVE: Colour = (243, 208, 92)
CHECK: Colour = (217, 76, 61)
BORDER: Colour = (28, 29, 34)
STRIP: Colour = (188, 193, 198)
"""Where pockets lie."""
WHITE: tuple[Colour, Colour] = ((252, 250, 245), BORDER)
"""Fill and details of the first player's pieces."""
BLACK: tuple[Colour, Colour] = ((62, 64, 71), (228, 227, 222))
"""Fill and details of the second player's pieces."""


@dataclass(frozen=True)
class Scene:
    """A board to draw. Squares are 0 (a1) to 63 (h8)."""

    pieces: dict[int, str]
    """FEN letters by square."""
    last_move: tuple[int, ...] = ()
    """From- and to-square of the last move; only a to-square for a drop."""
    check: int | None = None
    """Where a king stands in check."""
    flipped: bool = False
    """Whether the second player sits at the bottom."""
    pockets: tuple[str, str] | None = None
    """FEN letters of what the players have in hand; None in games without pockets."""

    def place(self, square: int) -> tuple[int, int]:
        """Row from the top and column from the left at which ``square`` is drawn."""
        rank, file = divmod(square, 8)
        return (rank, 7 - file) if self.flipped else (7 - rank, file)

    def pocket_rows(self) -> tuple[str, str]:
        """The pockets of the players who sit at the top and at the bottom."""
        first, second = self.pockets or ("", "")
        return (first, second) if self.flipped else (second, first)


def scene_of(state: Any, *, flipped: bool = False) -> Scene:
    """The scene of a state of the chess family."""
    pieces = _pieces(state.fen)
    moves = state.moves
    king = None
    if state.is_check:
        letter = "K" if state.to_play == 0 else "k"
        king = next((square for square, piece in pieces.items() if piece == letter), None)
    last_move = _squares(moves[-1]) if moves else ()
    return Scene(pieces, last_move, king, flipped, _pockets(state.fen))


def _placement(fen: str) -> list[str]:
    """The eight ranks of a FEN, from the eighth down; pockets follow the last and are left out."""
    board = fen.split(maxsplit=1)[0]
    return board.split("[", maxsplit=1)[0].split("/")[:8]


def _pockets(fen: str) -> tuple[str, str] | None:
    board = fen.split(maxsplit=1)[0]
    if "[" not in board:
        return None
    letters = board.partition("[")[2].rstrip("]")
    return (
        "".join(letter for letter in letters if letter.isupper()),
        "".join(letter for letter in letters if letter.islower()),
    )


def _pieces(fen: str) -> dict[int, str]:
    pieces = {}
    for row, text in enumerate(_placement(fen)):
        file = 0
        for letter in text.replace("~", ""):
            if letter.isdigit():
                file += int(letter)
            else:
                pieces[(7 - row) * 8 + file] = letter
                file += 1
    return pieces


def _squares(move: str) -> tuple[int, ...]:
    """The squares of a UCI move (``e2e4``, ``e7e8q``) or drop (``N@f3``)."""
    names = [move[2:4]] if "@" in move else [move[:2], move[2:4]]
    return tuple((int(name[1]) - 1) * 8 + "abcdefgh".index(name[0]) for name in names)
