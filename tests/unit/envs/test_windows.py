"""``render_mode="human"``: the picture in a window, here one without a screen."""

import copy
import pickle
import sys

import gymnasium as gym
import numpy as np
import pytest

from phasezoo.envs import ChessEnv, GymEnv, chess_v0, pommerman_v0, rendering
from phasezoo.envs.rendering import check_mode, render
from phasezoo.errors import InvalidConfig, MissingDependency
from phasezoo.games import make

pygame = pytest.importorskip("pygame", reason="needs the extra render")


@pytest.fixture(autouse=True)
def _without_a_screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "FPS", 1000)  # nobody looks
    yield
    pygame.quit()


def shown():
    """What the window shows, ``uint8[512, 512, 3]``."""
    surface = pygame.display.get_surface()
    return None if surface is None else pygame.surfarray.array3d(surface).swapaxes(0, 1)


def assert_shows(env, game, **options):
    expected = render(game, env.unwrapped.game_state, "rgb_array", **options)
    np.testing.assert_array_equal(shown(), expected)


def test_gymnasium_shows_every_position_by_itself():
    env = gym.make("Chess-v0", render_mode="human", agent_color="black")
    _, info = env.reset(seed=1)
    assert_shows(env, make("chess"), flipped=True)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert_shows(env, make("chess"), flipped=True)
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None


def test_aec_shows_every_position_by_itself():
    env = chess_v0.env(render_mode="human")
    env.reset(seed=1)
    env.step(877)
    assert env.render() is None
    assert_shows(env, make("chess"))
    env.close()
    assert pygame.display.get_surface() is None


def test_parallel_shows_every_position_by_itself():
    env = pommerman_v0.parallel_env(render_mode="human", mode="1v1")
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, 1))
    assert env.render() is None
    assert_shows(env, env.game)
    env.close()


def test_a_window_that_was_closed_stays_closed():
    env = ChessEnv(render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(int(env.game_state.legal_actions[0]))
    assert pygame.display.get_surface() is None
    env.step(int(env.game_state.legal_actions[0]))
    assert pygame.display.get_surface() is None


def test_environments_with_a_window_are_copied_and_pickled():
    env = ChessEnv(render_mode="human")
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin.step(int(twin.game_state.legal_actions[0]))
        assert_shows(twin, make("chess"))


@pytest.mark.parametrize(
    "construct",
    [
        lambda: ChessEnv(render_mode="human"),
        lambda: chess_v0.env(render_mode="human"),
        lambda: pommerman_v0.parallel_env(render_mode="human"),
    ],
)
def test_without_pygame_construction_names_the_extra(construct, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingDependency, match=r"\[render\]"):
        construct()


def test_games_without_pictures_and_vectors_have_no_window():
    import environment_toys

    environment_toys.register()
    with pytest.raises(InvalidConfig, match="'ansi'"):
        GymEnv("toy-race", opponent=None, render_mode="human")
    with pytest.raises(InvalidConfig, match="render_mode='human'"):
        gym.make_vec("Chess-v0", 2, render_mode="human")
    with pytest.raises(InvalidConfig, match=r"render_mode='film'.*'human'"):
        ChessEnv(render_mode="film")
    with pytest.raises(InvalidConfig, match="render_mode='human'"):
        check_mode(make("chess"), "human")
