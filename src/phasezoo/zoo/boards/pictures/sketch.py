"""Boards as stamps: squares, marks, coordinates, pieces, and pockets above and below."""

from phasezoo.envs.rendering.geometry import Colour, corners
from phasezoo.envs.rendering.lettering import letter
from phasezoo.envs.rendering.stamps import SIDE, Layer, Sketch, Stamp, Symbol
from phasezoo.zoo.boards.pictures.scene import (
    BLACK,
    BORDER,
    CHECK,
    DARK,
    LAST_MOVE,
    LIGHT,
    STRIP,
    WHITE,
    Scene,
)
from phasezoo.zoo.boards.pictures.shapes import PIECES, piece

BORDER_WIDTH = 0.018
HIGHLIGHT = 0.62
"""How much of a highlighted square's colour is the highlight."""
LABEL_SIZE = 0.2
"""Coordinates, as a fraction of a square."""
LABEL_MARGIN = 0.035
POCKET = 12 / 13
"""Height of a pocket's strip, in squares of the board between them: 48 pixels beside 52."""


def pocket_steps(count: int, side: float, size: float) -> list[float]:
    """Where ``count`` pieces of ``size`` begin in a strip of length ``side``; many overlap."""
    step = 0.8 * size if count < 2 else min(0.8 * size, (side - size) / (count - 1))
    return [place * step for place in range(count)]


def _piece(fen_letter: str) -> Symbol:
    shapes = piece(fen_letter.lower())
    fill, details = WHITE if fen_letter.isupper() else BLACK
    layers = (
        Layer(BORDER, shapes.outlines, border=2 * BORDER_WIDTH),
        Layer(fill, shapes.outlines),
        Layer(details, lines=shapes.details),
    )
    return Symbol(fen_letter, layers)


_WHOLE = corners((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
_SQUARE = Symbol("square", (Layer(None, (_WHOLE,)),))
_DARK_SQUARES = tuple(
    _WHOLE / 8 + (column / 8, row / 8)
    for row in range(8)
    for column in range(8)
    if (row + column) % 2 == 0  # from the lower left corner, a1
)
_BOARD = Symbol("board", (Layer(LIGHT, (_WHOLE,)), Layer(DARK, _DARK_SQUARES)))
SYMBOLS = {name: _piece(name) for name in PIECES + PIECES.upper()}
"""The pieces by their FEN letters."""


def sketch(scene: Scene) -> Sketch:
    """The stamps of a board; if there are pockets, it is smaller between their strips."""
    margin = 0 if scene.pockets is None else round(SIDE * POCKET / (8 + 2 * POCKET))
    square = (SIDE - 2 * margin) // 8

    def stamp(symbol: Symbol, where: int, ink: Colour | None = None) -> Stamp:
        row, column = scene.place(where)
        return Stamp(symbol, margin + column * square, margin + row * square, square, ink)

    marks = [(where, LAST_MOVE) for where in scene.last_move]
    if scene.check is not None:
        marks.append((scene.check, CHECK))
    things = [stamp(_SQUARE, where, _marked(where, colour)) for where, colour in marks]
    things += _coordinates(scene, margin, square)
    things += [stamp(SYMBOLS[name], where) for where, name in sorted(scene.pieces.items())]
    for names, top in zip(scene.pocket_rows(), (0, SIDE - margin), strict=True):
        for name, left in zip(names, pocket_steps(len(names), SIDE, margin), strict=True):
            things.append(Stamp(SYMBOLS[name], round(left), top, margin))
    board = Stamp(_BOARD, margin, margin, 8 * square)
    return Sketch(STRIP, (board,), tuple(things), tuple(SYMBOLS.values()))


def _is_light(square: int) -> bool:
    return sum(divmod(square, 8)) % 2 == 1


def _marked(square: int, colour: Colour) -> Colour:
    plain = LIGHT if _is_light(square) else DARK
    red, green, blue = (
        round(HIGHLIGHT * mark + (1 - HIGHLIGHT) * own)
        for mark, own in zip(colour, plain, strict=True)
    )
    return red, green, blue


def _coordinates(scene: Scene, edge: int, square: int) -> list[Stamp]:
    """Files along the bottom, ranks along the left side."""
    size, gap = max(6, round(LABEL_SIZE * square)), round(LABEL_MARGIN * square)
    found = []
    for where in range(64):
        row, column = scene.place(where)
        ink = DARK if _is_light(where) else LIGHT
        left, top = edge + column * square, edge + row * square
        if column == 0:
            found.append(Stamp(letter(str(where // 8 + 1)), left + gap, top + gap, size, ink))
        if row == 7:
            far = square - gap - size
            found.append(Stamp(letter("abcdefgh"[where % 8]), left + far, top + far, size, ink))
    return found
