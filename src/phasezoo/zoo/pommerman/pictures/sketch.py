"""Pommerman as stamps: the board above, a strip with the players' state below."""

from functools import cache

from phasezoo.envs.rendering.geometry import Colour
from phasezoo.envs.rendering.lettering import letter
from phasezoo.envs.rendering.stamps import SIDE, Sketch, Stamp, Symbol
from phasezoo.zoo.pommerman.pictures import scene as codes
from phasezoo.zoo.pommerman.pictures.scene import Bomb, Figure, Scene
from phasezoo.zoo.pommerman.pictures.tiles import tiles
from phasezoo.zoo.pommerman.pictures.tokens import BALL, VISOR, tokens


def symbol(name: str) -> Symbol:
    """The drawing called ``name``, the same object at every call."""
    return _symbols()[name]


@cache
def _symbols() -> dict[str, Symbol]:
    return {name: Symbol(name, layers) for name, layers in {**tiles(), **tokens()}.items()}


BACKDROP: Colour = (47, 50, 60)
SINGLES: tuple[Colour, ...] = ((0, 114, 178), (213, 94, 0), (240, 228, 66), (204, 121, 167))
"""Everyone for themselves: blue, vermilion, yellow, purple (of Okabe and Ito's palette, 2008)."""
PAIRS: tuple[Colour, ...] = ((0, 114, 178), (213, 94, 0), (86, 180, 233), (230, 159, 0))
"""Teams: two blues against vermilion and orange, of the same palette."""
DEAD: Colour = (112, 116, 126)
INK: Colour = (28, 29, 34)
PALE: Colour = (236, 238, 242)
FAINT: Colour = (82, 86, 98)

BOARD = 440
"""Side of the board in pixels: 11 cells of 40, or 8 of 55."""
LEFT, TOP = (SIDE - BOARD) // 2, 4
STRIP = TOP + BOARD + 6
SLOT = SIDE // 4
_TILES = {
    codes.RIGID: "rigid",
    codes.WOOD: "wood",
    codes.FOG: "fog",
    codes.EXTRA_BOMB: "extra-bomb",
    codes.RANGE: "range",
    codes.KICK: "kick",
}


def sketch(scene: Scene) -> Sketch:
    """The stamps of a scene."""
    size = BOARD // scene.size
    ground = [Stamp(symbol(f"floor-{scene.size}"), LEFT, TOP, BOARD)]
    things = []
    for row, line in enumerate(scene.cells):
        for column, code in enumerate(line):
            left, top = LEFT + column * size, TOP + row * size
            if code != codes.PASSAGE:
                ground.append(Stamp(symbol(_TILES[code]), left, top, size))
            if (row, column) in scene.flames:
                life = min(scene.flames[row, column], 2)  # set by hand, it may be more
                things.append(Stamp(symbol(f"flame-{life}"), left, top, size))
    standing = {figure.cell: number for number, figure in enumerate(scene.figures) if figure.cell}
    colours = PAIRS if scene.paired else SINGLES
    for (row, column), number in standing.items():
        left, top = LEFT + column * size, TOP + row * size
        if (row, column) in scene.bombs:  # the figure makes room for it
            small = round(0.72 * size)
            things += _face(number, colours[number], left, top + size - small, small)
        else:
            things += _face(number, colours[number], left, top, size)
    for (row, column), bomb in scene.bombs.items():
        left, top = LEFT + column * size, TOP + row * size
        things += _bomb(bomb, left, top, size, (row, column) in standing)
    signs, states = _strip(scene, colours)
    return Sketch(BACKDROP, tuple(ground + signs), tuple(things + states))


def _bomb(bomb: Bomb, left: int, top: int, cell: int, covered: bool) -> list[Stamp]:
    """A bomb, the larger the farther it reaches, with its number and where it rolls."""
    share = 0.78 + 0.22 * (min(max(bomb.strength, 1), 10) - 1) / 9.0
    size = round(cell * share * (0.68 if covered else 1.0))
    if covered:
        left, top = left + cell - size, top
    else:
        left, top = left + (cell - size) // 2, top + (cell - size) // 2
    x, y, radius = BALL
    middle = left + x * size, top + (1.0 - y) * size
    stamps = [Stamp(symbol("bomb"), left, top, size)]
    if bomb.direction:
        stamps.append(Stamp(symbol(f"arrow-{bomb.direction}"), left, top, size))
    return stamps + _number(bomb.life, middle, 1.75 * radius * size, PALE)


def _face(number: int, colour: Colour, left: int, top: int, size: int) -> list[Stamp]:
    x, y, half = VISOR
    middle = left + x * size, top + (1.0 - y) * size
    digit = _number(number, middle, 2.0 * half * size, INK)
    return [Stamp(symbol("figure"), left, top, size, colour), *digit]


def _number(number: int, middle: tuple[float, float], height: float, ink: Colour) -> list[Stamp]:
    """Digits around a point."""
    text = str(number)
    size = round(height if len(text) == 1 else 0.85 * height)
    advance = 0.55 * size
    left = middle[0] - (size + (len(text) - 1) * advance) / 2.0
    top = round(middle[1] - size / 2.0)
    return [
        Stamp(letter(digit), round(left + place * advance), top, size, ink)
        for place, digit in enumerate(text)
    ]


def _write(text: str, left: float, top: int, size: int, ink: Colour) -> list[Stamp]:
    advance = 0.6 * size
    return [
        Stamp(letter(character), round(left + place * advance), top, size, ink)
        for place, character in enumerate(text)
        if character != " "
    ]


def _strip(scene: Scene, colours: tuple[Colour, ...]) -> tuple[list[Stamp], list[Stamp]]:
    """The players in a row and the step below: signs that always stay, and what changes."""
    signs, states = [], []
    first = (SIDE - SLOT * len(scene.figures)) // 2
    for number, figure in enumerate(scene.figures):
        left = first + number * SLOT + 4
        states += _face(number, colours[number] if figure.alive else DEAD, left, STRIP, 38)
        if not figure.alive:
            states.append(Stamp(symbol("cross"), left + 22, STRIP + 20, 18))
        if figure.won:
            states.append(Stamp(symbol("star"), left + 22, STRIP - 3, 18))
        if number == scene.viewer:
            signs.append(Stamp(symbol("eye"), left + 12, STRIP + 38, 16))
        fixed, changing = _means(figure, left + 40)
        signs += fixed
        states += changing
    text = f"step {scene.step}"
    middle = (SIDE - 0.6 * 16 * len(text)) / 2.0
    return signs, states + _write(text, middle, SIDE - 18, 16, PALE)


def _means(figure: Figure, left: int) -> tuple[list[Stamp], list[Stamp]]:
    signs, states = [], []
    if figure.means is not None:
        ammo, strength, kicks = figure.means
        signs = [
            Stamp(symbol("ammo-sign"), left, STRIP, 18),
            Stamp(symbol("reach-sign"), left + 40, STRIP, 18),
        ]
        states += _write(str(ammo), left + 17, STRIP + 1, 16, PALE)
        states += _write(str(strength), left + 57, STRIP + 1, 16, PALE)
        states.append(
            Stamp(symbol("kick-sign"), left + 1, STRIP + 21, 17, PALE if kicks else FAINT)
        )
    if figure.words is not None:
        signs.append(Stamp(symbol("words-sign"), left + 40, STRIP + 21, 18))
        states += _write("{}{}".format(*figure.words), left + 57, STRIP + 22, 16, PALE)
    return signs, states
