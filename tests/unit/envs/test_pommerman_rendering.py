"""Pictures of Pommerman: what must be on them, and that text, SVG and pixels show the same."""

import itertools
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from phasezoo import errors, games
from phasezoo.envs.rendering import MODES, check_mode, modes_of, render
from phasezoo.envs.rendering.lettering import glyph
from phasezoo.envs.rendering.raster import line_coverage
from phasezoo.envs.rendering.stamps import SIDE
from phasezoo.zoo.pommerman.pictures.scene import FOG, scene_of
from phasezoo.zoo.pommerman.pictures.sketch import BOARD, LEFT, PAIRS, SINGLES, TOP, sketch

NAMES = ("pommerman-ffa", "pommerman-team", "pommerman-team-radio", "pommerman-1v1")
SVG = "{http://www.w3.org/2000/svg}"


def edited(change, name="pommerman-ffa", seed=1, **options):
    """The game and its state for ``seed``, the JSON of which ``change`` may edit."""
    game = games.make(name, **options)
    content = json.loads(game.initial_state(seed=seed).to_json())
    content = {key: json.loads(value) for key, value in content.items()}
    change(content)
    return game, game.from_json(json.dumps({k: json.dumps(v) for k, v in content.items()}))


def bare(content):
    """An empty board for the players, without walls."""
    content["board"] = [[cell if cell >= 10 else 0 for cell in row] for row in content["board"]]
    content["items"] = []


def with_cell(code):
    """A board that is bare but for the cell (5, 5)."""

    def change(content):
        bare(content)
        content["board"][5][5] = code
        if code == 3:
            content["bombs"] = [bomb(5, 5)]
        if code == 4:
            content["flames"] = [{"position": [5, 5], "life": 2}]
        if code >= 10:
            row, column = content["agents"][code - 10]["position"]
            content["board"][row][column] = 0
            content["agents"][code - 10]["position"] = [5, 5]

    return change


def bomb(row, column, life=7, strength=2, direction=None):
    return {
        "bomber_id": 0,
        "position": [row, column],
        "life": life,
        "blast_strength": strength,
        "moving_direction": direction,
    }


def with_bomb(*place, **features):
    def change(content):
        bare(content)
        row, column = place
        if content["board"][row][column] == 0:
            content["board"][row][column] = 3
        content["bombs"] = [bomb(row, column, **features)]

    return change


def with_flames(*lives):
    def change(content):
        bare(content)
        content["board"][5][5] = 4
        content["flames"] = [{"position": [5, 5], "life": life} for life in lives]

    return change


def killed(*players):
    def change(content):
        for player in players:
            row, column = content["agents"][player]["position"]
            content["board"][row][column] = 0
            content["agents"][player]["is_alive"] = False

    return change


def pixels(change, name="pommerman-ffa", **options):
    game, state = edited(change, name, **options)
    return render(game, state, "rgb_array")


def block(image, row, column, size=11):
    cell = BOARD // size
    top, left = TOP + row * cell, LEFT + column * cell
    return image[top : top + cell, left : left + cell]


def changed_cells(first, second, size=11):
    """The cells of the board in which two pictures differ."""
    return {
        (row, column)
        for row in range(size)
        for column in range(size)
        if (block(first, row, column, size) != block(second, row, column, size)).any()
    }


def uses(svg):
    return [use.get("href") for use in ET.fromstring(svg).iter(f"{SVG}use")]


@pytest.mark.parametrize("name", NAMES)
def test_every_game_has_every_mode(name):
    game = games.make(name)
    state = game.initial_state(seed=1)
    assert modes_of(game) == MODES
    image = render(game, state, "rgb_array")
    assert (image.shape, image.dtype) == ((512, 512, 3), np.uint8)
    assert ET.fromstring(render(game, state, "svg")).tag == f"{SVG}svg"
    assert render(game, state, "ansi").isascii()
    with pytest.raises(errors.InvalidConfig, match="render_mode='human'"):
        check_mode(game, "human")


def test_every_cell_code_has_a_picture_of_its_own():
    codes = (0, 1, 2, 3, 4, 6, 7, 8, 10, 11, 12, 13)
    images = {code: block(pixels(with_cell(code)), 5, 5).astype(int) for code in codes}
    for first, second in itertools.combinations(codes, 2):
        assert np.abs(images[first] - images[second]).mean() > 2, (first, second)
    texts = {code: render(*edited(with_cell(code)), "ansi").splitlines()[5] for code in codes}
    assert len(set(texts.values())) == len(codes)


def test_a_cell_changes_nothing_around_it():
    plain = pixels(bare)
    for code in (1, 2, 3, 4, 6, 7, 8):
        assert changed_cells(pixels(with_cell(code)), plain) == {(5, 5)}


@pytest.mark.parametrize("feature", ["life", "strength", "direction"])
def test_bombs_tell_their_life_reach_and_direction(feature):
    values = {"life": range(11), "strength": range(1, 11), "direction": (None, 1, 2, 3, 4)}[feature]
    seen = [block(pixels(with_bomb(5, 5, **{feature: value})), 5, 5).tobytes() for value in values]
    assert len(set(seen)) == len(values)


def test_a_bomb_under_a_player_is_seen_with_its_life():
    alone = pixels(bare)
    covered = [pixels(with_bomb(1, 1, life=life)) for life in (3, 8)]
    assert changed_cells(covered[0], alone) == {(1, 1)}
    assert changed_cells(*covered) == {(1, 1)}
    game, state = edited(with_bomb(1, 1, life=3))
    assert render(game, state, "ansi").splitlines()[1].split() == [*".", "03", *"." * 7, "3", "."]
    assert uses(render(game, state, "svg")).count("#bomb") == 1
    assert uses(render(game, state, "svg")).count("#figure") == 4 + 4  # board and strip


def test_flames_fade_and_the_last_to_die_is_drawn():
    images = [pixels(with_flames(life)) for life in (0, 1, 2)]
    from_floor = [np.abs(image.astype(int) - pixels(bare)).sum() for image in images]
    assert from_floor[0] < from_floor[1]
    warmth = [block(image, 5, 5).astype(int) for image in images]
    yellow = [(cell[..., 1] - cell[..., 2]).mean() for cell in warmth]
    assert yellow == sorted(yellow)
    assert yellow[0] < yellow[1] < yellow[2]
    np.testing.assert_array_equal(pixels(with_flames(0, 2)), images[2])


def test_dead_players_leave_the_board_and_stay_in_the_strip():
    game, state = edited(lambda content: None)
    _, after = edited(killed(2))
    image, other = (render(game, one, "rgb_array") for one in (state, after))
    assert changed_cells(image, other) == {(9, 9)}
    np.testing.assert_array_equal(block(other, 9, 9), block(pixels(bare), 4, 4))
    strip = (image[TOP + BOARD :] != other[TOP + BOARD :]).any(axis=(0, 2)).nonzero()[0]
    assert strip.min() >= 2 * SIDE // 4
    assert strip.max() < 3 * SIDE // 4
    drawn = uses(render(game, after, "svg"))
    assert (drawn.count("#figure"), drawn.count("#cross")) == (3 + 4, 1)
    assert [line.split()[1] for line in render(game, after, "ansi").splitlines()[-4:]] == [
        "alive", "alive", "dead", "alive",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "feature", [{"ammo": 3}, {"ammo": 10}, {"blast_strength": 4}, {"can_kick": True}]
)
def test_the_strip_tells_what_players_carry(feature):
    def change(content):
        content["agents"][3].update(feature)

    image, plain = pixels(change), pixels(lambda content: None)
    rows, columns = (image != plain).any(axis=2).nonzero()
    assert rows.min() > TOP + BOARD
    assert columns.min() >= 3 * SIDE // 4
    assert render(*edited(change), "ansi") != render(*edited(lambda content: None), "ansi")


def test_the_step_is_written():
    def change(content):
        content["step_count"] = 345

    game, state = edited(change)
    assert "step 345" in render(game, state, "ansi").splitlines()
    image, plain = pixels(change), pixels(lambda content: None)
    rows, _ = (image != plain).any(axis=2).nonzero()
    assert rows.min() >= SIDE - 18
    letters = [use.removeprefix("#letter-") for use in uses(render(game, state, "svg"))]
    assert letters[-7:] == list("step345")


def test_the_end_and_the_winners_are_told():
    game, state = edited(killed(1, 3), "pommerman-team")
    # A step makes the end of a game whose last opponents are dead.
    state = state if state.is_terminal else state.play([0] * len(state.acting))
    assert state.is_terminal
    lines = render(game, state, "ansi").splitlines()
    assert lines[-5].endswith(f", over: {state.outcome.reason}")
    assert [line.endswith("won") for line in lines[-4:]] == [True, False, True, False]
    assert uses(render(game, state, "svg")).count("#star") == 2


# What the colour-blind see, in linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
SIGHTS = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
XYZ = ((0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0177, 0.1095, 0.8728))


def lab(colour, sight):
    """CIELAB of a colour as it is seen, in which equal distances look about alike."""
    share = np.array(colour) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.array(XYZ) @ np.clip(np.array(sight) @ linear, 1e-3, 1.0))
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
def test_players_have_colours_that_all_can_tell_apart(sight):
    for palette in (SINGLES, PAIRS):
        seen = [lab(colour, SIGHTS[sight]) for colour in palette]
        gaps = {
            (first, second): np.linalg.norm(seen[first] - seen[second])
            for first, second in itertools.combinations(range(4), 2)
        }
        assert min(gaps.values()) > 17, gaps  # 2 is seen side by side
    mates, others = (0, 2), (1, 3)
    assert max(gaps[mates], gaps[others]) < min(gaps[0, 1], gaps[0, 3], gaps[1, 2], gaps[2, 3])


def test_players_wear_their_colours():
    for name, colours in (("pommerman-ffa", SINGLES), ("pommerman-team", PAIRS)):
        picture = sketch(scene_of(games.make(name).initial_state(seed=1)))
        inks = [stamp.ink for stamp in picture.things if stamp.symbol.name == "figure"]
        assert inks[4:] == list(colours)
        assert set(inks[:4]) == set(colours)


def test_words_are_seen_where_there_is_a_radio():
    game = games.make("pommerman-team-radio")
    state = game.initial_state(seed=1)
    spoken = state.play([6 * (3 + 8 * 5), 0, 0, 0])
    assert spoken.words[0] == (3, 5)
    assert "words 3 5" in render(game, spoken, "ansi")
    assert uses(render(game, spoken, "svg")).count("#words-sign") == 4
    plain = render(games.make("pommerman-team"), spoken, "ansi", player=2).splitlines()
    # Their mate hears them; the others do not.
    assert ["words" in line for line in plain[-4:]] == [True, False, True, False]
    hidden = render(game, spoken, "ansi", player=1).splitlines()
    assert ["words" in line for line in hidden[-4:]] == [False, True, False, True]


@pytest.mark.parametrize("mode", MODES)
def test_equal_states_have_equal_pictures(mode):
    game = games.make("pommerman-ffa")
    first, second = (game.initial_state(seed=7).play([5, 4, 1, 2]) for _ in range(2))
    other = game.initial_state(seed=8).play([5, 4, 1, 2])
    pictures = [render(game, state, mode) for state in (first, second, other)]
    if mode == "rgb_array":
        pictures = [picture.tobytes() for picture in pictures]
    assert pictures[0] == pictures[1] != pictures[2]
    assert np.array_equal(
        render(game, first, "rgb_array"), render(game, first, "rgb_array", flipped=True)
    )


@pytest.mark.parametrize(("player", "corner"), [(0, (1, 1)), (2, (9, 9))])
def test_fog_hides_what_is_farther_than_the_view(player, corner):
    game = games.make("pommerman-team", fog=True)
    state = game.initial_state(seed=1).play([5, 5, 5, 5])
    assert state.view == 4
    far = {
        (row, column)
        for row, column in itertools.product(range(11), repeat=2)
        if max(abs(row - corner[0]), abs(column - corner[1])) > 4
    }
    scene = scene_of(state, player)
    fog = {(r, c) for r, line in enumerate(scene.cells) for c, code in enumerate(line)
           if code == FOG}  # fmt: skip
    assert fog == far
    assert set(scene.bombs) == {corner}
    image, full = (render(game, state, "rgb_array", player=one) for one in (player, None))
    assert changed_cells(image, full) == far
    lines = render(game, state, "ansi", player=player).splitlines()
    assert sum(line.count("?") for line in lines[:11]) == len(far)
    assert [figure.cell is None for figure in scene.figures].count(True) == 3
    assert [figure.means is None for figure in scene.figures].count(True) == 3
    assert all(figure.alive for figure in scene.figures)


def test_the_dead_look_on_from_where_they_died():
    game, state = edited(killed(0), "pommerman-team", fog=True)
    scene = scene_of(state, 0)
    assert (scene.cells[5][5], scene.cells[6][5]) != (FOG, FOG)
    assert scene.cells[6][5] == FOG
    assert not scene.figures[0].alive
    assert render(game, state, "svg", player=0) != render(game, state, "svg")


def test_without_fog_players_see_the_board_and_what_they_carry():
    game = games.make("pommerman-1v1")
    state = game.initial_state(seed=1)
    images = [render(game, state, "rgb_array", player=player) for player in (None, 0, 1)]
    for image in images[1:]:
        assert changed_cells(image, images[0], 8) == set()
    strips = {image[TOP + BOARD :].tobytes() for image in images}
    assert len(strips) == 3
    lines = render(game, state, "ansi", player=1).splitlines()
    assert "ammo ?" in lines[-2]
    assert "ammo 1" in lines[-1]


@pytest.mark.parametrize(("name", "player"), [("pommerman-1v1", 2), ("chess", 2), ("chess", -1)])
def test_players_that_a_game_does_not_have_are_refused(name, player):
    game = games.make(name)
    with pytest.raises(errors.InvalidConfig, match=f"player={player}: .* 0 to 1"):
        render(game, game.initial_state(seed=0), "ansi", player=player)


def test_chess_boards_are_turned_to_the_player():
    game = games.make("chess")
    state = game.initial_state()
    for player, flipped in ((0, False), (1, True)):
        shown = render(game, state, "ansi", player=player)
        assert shown == render(game, state, "ansi", flipped=flipped)


def test_lives_and_numbers_that_were_set_by_hand_are_drawn():
    def change(content):
        with_bomb(5, 5, life=200, strength=100)(content)
        content["flames"] = [{"position": [4, 4], "life": 9}]
        content["board"][4][4] = 4
        content["agents"][3].update(ammo=111, blast_strength=222)
        content["step_count"] = 123

    game, state = edited(change)
    assert render(game, state, "rgb_array").shape == (512, 512, 3)
    lines = render(game, state, "ansi").splitlines()
    assert [lines[4].split()[4], lines[5].split()[5]] == ["*9", "o+"]
    assert {"#flame-2", "#bomb"} < set(uses(render(game, state, "svg")))


def test_svg_and_pixels_are_drawn_from_the_same_stamps():
    game, state = edited(with_bomb(1, 1))
    picture = sketch(scene_of(state))
    root = ET.fromstring(render(game, state, "svg"))
    stamps = [
        (f"#{one.symbol.name}", str(one.left), str(one.top), str(one.size))
        for one in (*picture.ground, *picture.things)
    ]
    drawn = [tuple(map(use.get, ("href", "x", "y", "width"))) for use in root.iter(f"{SVG}use")]
    assert drawn == stamps
    defined = {f"#{one.get('id')}" for one in root.iter(f"{SVG}symbol")}
    assert defined == {href for href, *_ in drawn}


def test_digits_are_to_be_told_from_each_other():
    drawn = {digit: line_coverage(glyph(digit), 16) for digit in "0123456789"}
    for first, second in itertools.combinations(drawn, 2):
        assert np.abs(drawn[first] - drawn[second]).sum() > 3, (first, second)
