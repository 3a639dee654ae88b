"""Pictures of the variants: pockets, drops, missing kings."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from phasezoo import games
from phasezoo.envs import CrazyhouseEnv
from phasezoo.envs.rendering import render
from phasezoo.zoo.boards.pictures import scene_of
from phasezoo.zoo.boards.pictures.sketch import pocket_steps

HOUSE = games.make("crazyhouse")
FEN = "r1b1kbnr/pp2pppp/2n5/q7/8/2N5/PPPP1PPP/R1BQKBNR[PPNp] w KQkq - 0 6"


def test_pockets_stand_beside_their_owners_side():
    state = HOUSE.from_fen(FEN)
    lines = render(HOUSE, state, "ansi").splitlines()
    assert len(lines) == 9
    assert lines[0].startswith("8 r . b")
    assert lines[0].endswith("[p]")
    assert sorted(lines[7].partition("[")[2]) == sorted("PPN]")
    flipped = render(HOUSE, state, "ansi", flipped=True).splitlines()
    assert flipped[7].endswith("[p]")


def test_pockets_are_drawn_in_pictures_of_the_same_size():
    full, empty = HOUSE.from_fen(FEN), HOUSE.from_fen(FEN.replace("PPNp", ""))
    images = [render(HOUSE, state, "rgb_array") for state in (full, empty)]
    assert all(image.shape == (512, 512, 3) and image.dtype == np.uint8 for image in images)
    changed = (images[0] != images[1]).any(axis=(1, 2))
    assert changed[:48].any()
    assert changed[-48:].any()
    assert not changed[48:-48].any()


@pytest.mark.parametrize("pocket", ["", "P", "QQQQPPPPPPPPPPPPPPPPnnnnbbbbrrrr"])
@pytest.mark.parametrize("flipped", [False, True])
def test_svg_has_every_piece_of_the_board_and_the_pockets(pocket, flipped):
    state = HOUSE.from_fen(FEN.replace("PPNp", pocket))
    root = ET.fromstring(render(HOUSE, state, "svg", flipped=flipped))
    uses = [element.get("href") for element in root.iter() if element.tag.endswith("use")]
    on_board = sum(letter.isalpha() for letter in FEN.split("[", maxsplit=1)[0])
    assert sum(len(href) == len("#Q") for href in uses) == on_board + len(pocket)


def test_many_pieces_stay_inside_the_strip():
    for count in (0, 1, 2, 12, 30):
        steps = pocket_steps(count, 512, 48)
        assert len(steps) == count
        assert steps == sorted(set(steps))
        assert all(0 <= step <= 512 - 48 for step in steps)


def test_a_drop_marks_one_square():
    state = HOUSE.from_fen(FEN)
    assert scene_of(state.play(state.parse_uci("N@f3"))).last_move == (21,)


def test_the_environment_draws_the_defenders_side():
    env = CrazyhouseEnv(render_mode="ansi", agent_color="black")
    env.reset(seed=1)
    assert env.render().splitlines()[0].startswith("1 ")


@pytest.mark.parametrize("mode", ["ansi", "svg", "rgb_array"])
def test_a_board_without_a_king_can_be_drawn(mode):
    atomic = games.make("atomic")
    end = atomic.from_fen(
        "rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2", ["f3e5", "a7a6", "e5f7"]
    )
    assert end.outcome.reason == "king_exploded"
    assert scene_of(end).check is None
    assert len(render(atomic, end, mode))
