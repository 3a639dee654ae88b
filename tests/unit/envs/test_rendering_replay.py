"""Films of games: that every state is on them, in time, and what is refused."""

import sys
import xml.etree.ElementTree as ET

import environment_toys
import numpy as np
import pytest

from phasezoo import errors, games
from phasezoo.envs.rendering import render, save_replay
from phasezoo.envs.rendering.document import Drawing, animated

SVG = "{http://www.w3.org/2000/svg}"


def played(name, plies, seed=1, **options):
    """A game's states; actions are drawn."""
    game = games.make(name, **options)
    state = game.initial_state(seed=seed)
    states, draw = [state], np.random.default_rng(seed)
    while len(states) <= plies and not state.is_terminal:
        if hasattr(state, "acting"):
            state = state.play([int(draw.integers(6)) for _ in state.acting])
        else:
            state = state.play(int(draw.choice(state.legal_actions)))
        states.append(state)
    return game, states


def gif(path):
    """Frames as ``uint8[512, 512, 3]``, how long each lasts in ms, and the number of rounds."""
    image_module = pytest.importorskip("PIL.Image")
    with image_module.open(path) as image:
        frames, durations = [], []
        for index in range(image.n_frames):
            image.seek(index)
            frames.append(np.asarray(image.convert("RGB")))
            durations.append(image.info["duration"])
        return frames, durations, image.info["loop"]


@pytest.mark.parametrize(
    ("name", "player"),
    [("pommerman-ffa", None), ("pommerman-1v1", 1), ("chess", None), ("crazyhouse", 1)],
)
def test_a_gif_has_every_state_in_its_colours(name, player, tmp_path):
    game, states = played(name, 9)
    save_replay(states, tmp_path / "game.gif", fps=5, player=player)
    frames, durations, loop = gif(tmp_path / "game.gif")
    assert len(frames) == len(states)
    assert durations == [200] * len(states)
    assert loop == 0  # for ever
    for frame, state in zip(frames, states, strict=True):
        expected = render(game, state, "rgb_array", player=player).astype(int)
        assert np.abs(frame - expected).mean() < 3
        assert np.abs(frame - expected).max() < 100


@pytest.mark.parametrize("name", ["game.gif", "game.svg"])
def test_a_full_disk_leaves_the_film_that_was_there(name, tmp_path, full_disk):
    pytest.importorskip("PIL.Image")
    _, states = played("chess", 6)
    (tmp_path / name).write_text("old")
    told = rf"{name} cannot be written .*nothing was changed: free some space"
    with full_disk(4_000), pytest.raises(errors.RunDirectoryError, match=told):
        save_replay(states, tmp_path / name)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_the_frames_of_a_gif_keep_the_time(tmp_path):
    _, states = played("pommerman-ffa", 29)
    save_replay(states, str(tmp_path / "GAME.GIF"), fps=30)
    _, durations, _ = gif(tmp_path / "GAME.GIF")
    assert set(durations) == {30, 40}
    assert sum(durations) == pytest.approx(len(states) * 1000 / 30, abs=5)


def test_equal_pictures_are_one_frame_that_lasts_longer(tmp_path):
    _, states = played("chess", 2)
    save_replay([states[0], states[0], states[1]], tmp_path / "game.gif", fps=10)
    _, durations, _ = gif(tmp_path / "game.gif")
    assert durations == [200, 100]


@pytest.mark.parametrize(("name", "player"), [("pommerman-team", 0), ("chess", None)])
def test_an_svg_has_a_group_for_every_state(name, player, tmp_path):
    game, states = played(name, 11)
    save_replay(states, tmp_path / "game.svg", fps=4, player=player)
    root = ET.parse(tmp_path / "game.svg").getroot()
    frames = [group for group in root.findall(f"{SVG}g") if group.get("class") == "frame"]
    assert len(frames) == len(states)
    # Without animation the first is seen.
    assert [frame.get("display") for frame in frames] == [None] + ["none"] * (len(states) - 1)
    shared = [one for one in root if one not in frames and one.tag != f"{SVG}defs"]
    assert shared
    assert list(root)[-len(frames) :] == frames  # what they share lies below them
    for frame, state in zip(frames, states, strict=True):
        one = ET.fromstring(render(game, state, "svg", player=player))
        expected = sorted(ET.tostring(part) for part in one if part.tag != f"{SVG}defs")
        parts = [*shared, *(part for part in frame if part.tag != f"{SVG}animate")]
        assert sorted(map(ET.tostring, parts)) == expected
    defined = {one.get("id") for one in root.find(f"{SVG}defs")}
    assert {use.get("href")[1:] for use in root.iter(f"{SVG}use")} <= defined


def test_at_every_time_one_frame_is_seen(tmp_path):
    _, states = played("pommerman-1v1", 6)
    save_replay(states, tmp_path / "game.svg", fps=2)
    clocks = list(ET.parse(tmp_path / "game.svg").getroot().iter(f"{SVG}animate"))
    assert len(clocks) == len(states)
    assert {clock.get("dur") for clock in clocks} == {f"{len(states) / 2:.7g}s"}
    assert {clock.get("repeatCount") for clock in clocks} == {"indefinite"}
    for index in range(len(states)):
        now = (index + 0.5) / len(states)
        shown = []
        for clock in clocks:
            times = [float(time) for time in clock.get("keyTimes").split(";")]
            assert times[0] == 0.0
            values = clock.get("values").split(";")
            shown.append(values[np.searchsorted(times, now, side="right") - 1])
        assert [value == "inline" for value in shown] == [k == index for k in range(len(states))]


def test_one_state_makes_a_film_that_stands_still(tmp_path):
    _, states = played("pommerman-ffa", 0)
    save_replay(iter(states), tmp_path / "game.svg")
    root = ET.parse(tmp_path / "game.svg").getroot()
    assert not list(root.iter(f"{SVG}animate"))
    save_replay(states, tmp_path / "game.gif")
    assert len(gif(tmp_path / "game.gif")[0]) == 1


def test_what_all_frames_share_is_written_once():
    drawings = [
        Drawing(8, (0, 0, 8, 8), {"a": "<a/>"}, ("<floor/>", wall), (thing,))
        for wall, thing in (("<w1/>", "<t1/>"), ("<w2/>", "<t2/>"))
    ]
    text = animated(drawings, 4)
    assert text.count("<floor/>") == 1
    assert text.index("<floor/>") < text.index("<w1/>") < text.index("<t1/>") < text.index("<w2/>")


def test_films_in_svg_stay_small(tmp_path):
    _, states = played("pommerman-team", 300, fog=True)
    repeated = (states * 300)[:300]
    save_replay(repeated, tmp_path / "game.svg", player=1)
    assert (tmp_path / "game.svg").stat().st_size < 3_000_000


@pytest.mark.parametrize("name", ["game.mp4", "game", "gif"])
def test_other_endings_are_refused(name, tmp_path):
    _, states = played("chess", 1)
    with pytest.raises(errors.InvalidConfig, match=r"films end in \.gif or \.svg"):
        save_replay(states, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["svg", "gif"])
@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"fps": 0}, r"fps=0: expected 0\.1 to 50"),
        ({"fps": 51}, "fps=51"),
        ({"fps": float("nan")}, "fps=nan"),
        ({"fps": "4"}, "fps='4'"),
        ({"player": 4}, "player=4: pommerman-ffa has the players 0 to 3"),
    ],
)
def test_options_out_of_range_are_refused(ending, options, match, tmp_path):
    _, states = played("pommerman-ffa", 1)
    with pytest.raises(errors.InvalidConfig, match=match):
        save_replay(states, tmp_path / f"game.{ending}", **options)
    assert not list(tmp_path.iterdir())


class Nothing:
    """A state of no game."""


def test_no_states_and_mixed_states_are_refused(tmp_path):
    with pytest.raises(errors.InvalidConfig, match="at least one"):
        save_replay([], tmp_path / "game.svg")
    states = [games.make(name).initial_state(seed=0) for name in ("chess", "chess", "atomic")]
    with pytest.raises(errors.InvalidConfig, match=r"states\[2\] is of 'atomic' and .* 'chess'"):
        save_replay(states, tmp_path / "game.svg")
    with pytest.raises(errors.UnknownGame):
        save_replay([Nothing()], tmp_path / "game.svg")


def test_games_of_ones_own_have_no_pictures(tmp_path):
    environment_toys.register()
    with pytest.raises(errors.InvalidConfig, match="'toy-race' has no pictures"):
        save_replay([environment_toys.Race()], tmp_path / "game.svg")


def test_without_pillow_the_extra_is_named(tmp_path, monkeypatch):
    _, states = played("chess", 1)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(errors.MissingDependency, match=r"pip install '.*\[plot\]'"):
        save_replay(states, tmp_path / "game.gif")
    save_replay(states, tmp_path / "game.svg")
