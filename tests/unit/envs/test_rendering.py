"""Pictures: what must be on them, whose side they show, and that they stay what they are."""

import hashlib
import itertools
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest

from phasezoo import games
from phasezoo.envs import ChessEnv
from phasezoo.envs.rendering import render
from phasezoo.envs.rendering.lettering import glyph
from phasezoo.envs.rendering.raster import line_coverage
from phasezoo.envs.rendering.stamping import _coverage, stamped
from phasezoo.zoo.boards.pictures import Scene, scene_of
from phasezoo.zoo.boards.pictures.scene import CHECK, LAST_MOVE
from phasezoo.zoo.boards.pictures.shapes import PIECES
from phasezoo.zoo.boards.pictures.sketch import SYMBOLS, sketch

CHESS = games.make("chess")
START = CHESS.initial_state()
SQUARE = 64


def after(*moves, fen=None):
    state = START if fen is None else CHESS.from_fen(fen)
    for move in moves:
        state = state.play(state.parse_uci(move))
    return state


def block(image, square, *, flipped=False):
    row, column = Scene({}, flipped=flipped).place(square)
    return image[row * SQUARE : (row + 1) * SQUARE, column * SQUARE : (column + 1) * SQUARE]


def test_pictures_are_the_same_everywhere():
    state = after("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")
    frames = {}
    for flipped in (False, True):
        image = render(CHESS, state, "rgb_array", flipped=flipped)
        assert (image.shape, image.dtype) == ((512, 512, 3), np.uint8)
        # To a few grey levels, since floating point may round otherwise on another machine.
        coarse = image.reshape(64, 8, 64, 8, 3).mean(axis=(1, 3)).round(-1).astype(np.uint8)
        frames[flipped] = hashlib.sha256(coarse.tobytes()).hexdigest()[:16]
    assert frames == {False: "4fa335ed55a668f0", True: "64187f14d4059851"}


def test_black_looks_from_the_other_side():
    image = render(CHESS, START, "rgb_array", flipped=True)
    other = render(CHESS, START, "rgb_array")
    # Away from the coordinates, squares look alike from both sides.
    for square in (9, 12, 27, 50, 62):
        inner = (slice(16, -16), slice(16, -16))
        np.testing.assert_array_equal(
            block(image, square, flipped=True)[inner], block(other, square)[inner]
        )


def test_the_last_move_and_a_check_are_marked():
    state = after("f2f3", "e7e5", "g2g4", "d8h4")
    image = render(CHESS, state, "rgb_array").astype(int)
    plain = stamped(sketch(Scene(scene_of(state).pieces))).astype(int)
    changed = {
        square for square in range(64) if (block(image, square) != block(plain, square)).any()
    }
    names = {"d8": 59, "h4": 31, "e1": 4}
    assert changed == set(names.values())
    for name, colour in (("d8", LAST_MOVE), ("e1", CHECK)):
        corner = block(image, names[name])[8, -8]
        before = block(plain, names[name])[8, -8]
        assert np.abs(corner - colour).sum() < np.abs(before - np.array(colour)).sum()


def test_every_piece_is_to_be_told_from_the_others():
    shapes = {
        letter: [_coverage(layer, SQUARE) for layer in SYMBOLS[letter].layers] for letter in PIECES
    }
    for letter, (border, body, details) in shapes.items():
        assert 0.1 < body.mean() < 0.5, letter
        assert (border >= body).all()
        assert (details <= border).all()
        assert details.sum() > 0
        # Nothing sticks out of its square.
        assert max(border[0].max(), border[-1].max(), border[:, 0].max(), border[:, -1].max()) == 0
        assert np.isin(body, (0.0, 1.0)).mean() < 1  # edges are smooth
    for first, second in itertools.combinations(PIECES, 2):
        assert np.abs(shapes[first][1] - shapes[second][1]).sum() > 40


def test_letters_and_digits_differ():
    drawn = [line_coverage(glyph(letter), 16) for letter in "abcdefgh12345678"]
    for first, second in itertools.combinations(drawn, 2):
        assert np.abs(first - second).sum() > 3


@pytest.mark.parametrize("flipped", [False, True])
def test_drawings_are_svg_with_every_piece(flipped):
    root = ET.fromstring(render(CHESS, after("e2e4"), "svg", flipped=flipped))
    namespace = "{http://www.w3.org/2000/svg}"
    uses = root.findall(f"{namespace}use")
    found = Counter(use.get("href").removeprefix("#") for use in uses)
    assert {name: found[name] for name in SYMBOLS} == Counter("rnbqkbnr" + 8 * "p") + Counter(
        "RNBQKBNR" + 8 * "P"
    )
    defined = {group.get("id") for group in root.find(f"{namespace}defs")}
    assert defined == set(found) | set(SYMBOLS)
    king = next(use for use in uses if use.get("href") == "#K")
    assert (king.get("x"), king.get("y")) == (("192", "0") if flipped else ("256", "448"))


def test_a_page_has_the_pieces_that_a_pawn_may_become():
    root = ET.fromstring(render(CHESS, CHESS.from_fen("8/P6k/8/8/8/8/7K/8 w - - 0 1"), "svg"))
    assert {symbol.get("id") for symbol in root.iter() if symbol.get("id")} >= set("QRBNqrbn")


def test_text_is_the_board():
    assert render(CHESS, after("e2e4"), "ansi").splitlines() == [
        "8 r n b q k b n r",
        "7 p p p p p p p p",
        "6 . . . . . . . .",
        "5 . . . . . . . .",
        "4 . . . . P . . .",
        "3 . . . . . . . .",
        "2 P P P P . P P P",
        "1 R N B Q K B N R",
        "  a b c d e f g h",
    ]
    flipped = render(CHESS, START, "ansi", flipped=True).splitlines()
    assert flipped[0] == "1 R N B K Q B N R"


def test_drops_and_pockets_are_understood():
    class Crazy:
        fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N~2/PPPP1PPP/RNBQ1RK1[Pn] b kq - 5 4"
        moves = ("N@f3",)
        is_check = False
        to_play = 1

    scene = scene_of(Crazy())
    assert scene.last_move == (21,)
    assert len(scene.pieces) == 32
    assert scene.pieces[21] == "N"


def test_the_environment_shows_the_learners_side():
    env = ChessEnv(agent_color="black", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().splitlines()[-1].split() == list("hgfedcba")
    env = ChessEnv(opponent=None, agent_color="black", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().splitlines()[-1].split() == list("abcdefgh")
