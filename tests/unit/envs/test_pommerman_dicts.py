"""The original's dictionaries have a space of their own."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from phasezoo.envs import PommermanEnv, pommerman_v0
from phasezoo.pommerman_compat.constants import Item

MODES = ("ffa", "team", "radio", "1v1")


@pytest.mark.parametrize("mode", MODES)
def test_everything_that_is_shown_in_a_game_is_of_the_space(mode):
    env = pommerman_v0.parallel_env(mode=mode, observation="dict")
    observations, _ = env.reset(seed=3)
    seen = 0
    while env.agents and seen < 400:
        for agent, observation in observations.items():
            assert env.observation_space(agent).contains(observation)
            seen += 1
        observations, *_ = env.step({a: env.action_space(a).sample() for a in env.agents})


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_checkers_are_content(mode):
    env = PommermanEnv(mode=mode, observation="dict")
    check_env(env, skip_render_check=True)
    assert not isinstance(env.observation_space, gym.spaces.Box)


def spoiled(observation):
    """Dictionaries that the original never shows, each with what is wrong."""
    size = len(observation["board"])
    changes = {
        "a key is missing": {"ammo": None},
        "a list became an array": {"alive": np.array(observation["alive"])},
        "nobody's number": {"alive": [10, 99]},
        "another type of board": {"board": observation["board"].astype(np.int64)},
        "an unknown code": {"board": np.full((size, size), 77, dtype=np.uint8)},
        "a board of another size": {"board": np.zeros((size + 1, size + 1), dtype=np.uint8)},
        "single precision": {"bomb_life": np.zeros((size, size), dtype=np.float32)},
        "a way that is none": {"bomb_moving_direction": np.full((size, size), 7.0)},
        "outside the board": {"position": (size, 0)},
        "a place as a list": {"position": [1, 1]},
        "a number for an enum": {"teammate": Item.Agent0.value},
        "enemies of no list": {"enemies": (Item.Agent1,)},
        "an enemy by number": {"enemies": [11]},
        "text for a number": {"ammo": "1"},
        "a number for a flag": {"can_kick": 1},
        "another game's type": {"game_type": 9},
    }
    for what, change in changes.items():
        changed = copy.deepcopy(observation) | change
        if what == "a key is missing":
            del changed["ammo"]
        yield what, changed
    yield "a key too many", observation | {"secret": 1}
    yield "no dictionary", np.zeros(3)


@pytest.mark.parametrize("mode", MODES)
def test_what_the_original_never_shows_is_not_of_the_space(mode):
    env = PommermanEnv(mode=mode, observation="dict")
    observation, _ = env.reset(seed=4)
    assert env.observation_space.contains(observation)
    for what, changed in spoiled(observation):
        assert not env.observation_space.contains(changed), what


def test_the_words_of_the_mate_are_of_the_radio_alone():
    radio, _ = PommermanEnv(mode="radio", observation="dict").reset(seed=1)
    space = PommermanEnv(mode="radio", observation="dict").observation_space
    assert not space.contains(radio | {"message": (9, 0)})
    assert not space.contains({key: radio[key] for key in radio if key != "message"})
    team = PommermanEnv(mode="team", observation="dict")
    shown, _ = team.reset(seed=1)
    assert not team.observation_space.contains(shown | {"message": (0, 0)})


def test_the_space_draws_members_and_is_a_value():
    space = PommermanEnv(mode="radio", observation="dict").observation_space
    space.seed(3)
    assert space.contains(space.sample())
    assert space == pickle.loads(pickle.dumps(space)) == copy.deepcopy(space)
    assert space != PommermanEnv(mode="team", observation="dict").observation_space
