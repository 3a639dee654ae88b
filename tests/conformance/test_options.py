"""Options that change the game itself pass the public checkers too."""

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from phasezoo.envs import chess_v0, krk_v0

GYMNASIUM = [
    ("Chess-v0", {"chess960": True}),
    ("Chess-v0", {"chess960": True, "opponent": None}),
    ("KRK-v0", {"start": "train"}),
    ("KRK-v0", {"start": "uniform", "agent_color": "black"}),
    ("KRK-v0", {"start": "heldout", "opponent": None}),
    ("KRK-v0", {"start": "dtm", "dtm": (2, 4), "agent_color": "alternate", "opponent": "random"}),
]
PETTINGZOO = [
    (chess_v0, {"chess960": True}),
    (krk_v0, {"start": "uniform"}),
    (krk_v0, {"start": "dtm", "dtm": (1, 3)}),
]


@pytest.mark.parametrize(("name", "options"), GYMNASIUM)
def test_gymnasiums_checker_passes(name, options):
    check_env(gym.make(name, **options).unwrapped, skip_render_check=True)


@pytest.mark.parametrize(("name", "options"), GYMNASIUM)
def test_specs_with_options_make_the_same_game(name, options):
    env = gym.make(name, **options)
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again = gym.make(spec)
    assert again.unwrapped.game == env.unwrapped.game
    for seed in range(5):
        assert again.reset(seed=seed)[1]["fen"] == env.reset(seed=seed)[1]["fen"]


@pytest.mark.parametrize(("module", "options"), PETTINGZOO)
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_pettingzoos_tests_pass(module, options):
    api_test(module.env(**options), num_cycles=200)
    seed_test(lambda: module.env(**options), num_cycles=60)
