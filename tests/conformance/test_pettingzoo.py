"""Every PettingZoo module passes PettingZoo's own tests."""

import warnings

import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from players import smallest_planes

from phasezoo import games
from phasezoo.envs import rendering
from phasezoo.envs.rendering import MODES, WINDOW

# What api_test says about dictionaries with a mask, which it knows by the names of PettingZoo's own
# environments only.
ALLOWED = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    # At the end of a game nobody may act, and api_test looks at the mask all the same.
    "Action mask numpy array is all zeros",
)


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@pytest.mark.parametrize("chosen", [False, True], ids=["default", "chosen"])
def test_api_test_passes_without_warnings_of_our_making(module, kind, chosen):
    planes = None
    if chosen:
        env = module.env()
        env.reset(seed=1)
        planes = smallest_planes(games.game_of(env.unwrapped.game_state))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(getattr(module, kind)(planes=planes), num_cycles=400)
    other = [str(w.message) for w in caught if not str(w.message).startswith(ALLOWED)]
    assert other == []


def test_seed_test_passes(module):
    seed_test(module.env, num_cycles=100)


def test_render_test_passes(module, monkeypatch):
    pytest.importorskip("pygame", reason="needs the extra render")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "FPS", 1000)  # nobody looks
    tests = {"svg": lambda picture: picture.startswith("<svg")}
    render_test(module.env, custom_tests=tests)
    assert tuple(module.env().metadata["render_modes"]) == (*MODES, WINDOW)


def test_the_name_is_that_of_the_module(module, pettingzoo_module):
    assert str(module.env()) == str(module.raw_env()) == pettingzoo_module
    assert module.raw_env.metadata["name"] == pettingzoo_module


def test_pettingzoos_registry_makes_it(pettingzoo_module):
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this release of PettingZoo has no registry")
    env = pettingzoo.make("aec", f"phasezoo/{pettingzoo_module}")
    env.reset(seed=1)
    assert env.agent_selection == "player_0"
