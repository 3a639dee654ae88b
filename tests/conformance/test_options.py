"""Options that change the game itself pass Gymnasium's checker too."""

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

GYMNASIUM = [
    ("Chess-v0", {"chess960": True}),
    ("Chess-v0", {"chess960": True, "opponent": None}),
    ("KRK-v0", {"start": "train"}),
    ("KRK-v0", {"start": "uniform", "agent_color": "black"}),
    ("KRK-v0", {"start": "heldout", "opponent": None}),
    ("KRK-v0", {"start": "dtm", "dtm": (2, 4), "agent_color": "alternate", "opponent": "random"}),
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
