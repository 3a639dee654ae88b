"""Every PettingZoo module passes PettingZoo's own tests."""

import warnings
from importlib import import_module

import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from players import at_once, smallest_planes

from phasezoo import games
from phasezoo.envs import rendering
from phasezoo.registration import ENVIRONMENTS

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


# Options that change what infos, observations and actions are.
OPTIONS = {
    "default": {},
    "packed": {"observation": "packed"},
    "masked": {"observation": "masked"},
    "replaced": {"illegal": "random_legal", "max_plies": 20},
    "gated": {"gate": "plies:2,5", "monotone": True},
}
OF_TURNS = {"state": {"state_in_info": True}}
OF_MODULE = {
    "chess_v0": {"chess960": {"chess960": True}},
    "krk_v0": {
        "uniform": {"start": "uniform"},
        "short": {"start": "dtm", "dtm": (1, 3)},
        "heldout": {"start": "heldout", "planes": "minimal"},
    },
    "pommerman_v0": {
        "original": {"rewards": "original"},
        "collapse": {"collapse": True},
        "fog": {"fog": True},
    },
}
MODES = ("ffa", "team", "radio", "1v1")


def option_sets(name):
    """The options that PettingZoo's tests are run with, by what they are called."""
    sets = OPTIONS | ({} if at_once(name) else OF_TURNS) | OF_MODULE.get(name, {})
    if not at_once(name):
        return sets
    return {f"{mode}-{key}": {"mode": mode} | each for mode in MODES for key, each in sets.items()}


def pytest_generate_tests(metafunc):
    """Every module of the catalogue with each of its option sets."""
    if "options" in metafunc.fixturenames:
        names = dict.fromkeys(each.pettingzoo_module for each in ENVIRONMENTS)
        given = [
            pytest.param(import_module(f"phasezoo.envs.{name}"), options, id=f"{name}-{key}")
            for name in names
            for key, options in option_sets(name).items()
        ]
        metafunc.parametrize(("each", "options"), given)


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:(Observation|Action) space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_pettingzoos_tests_pass_with_options(each, options):
    api_test(each.env(**options), num_cycles=60)
    seed_test(lambda: each.env(**options), num_cycles=60)
    if hasattr(each, "parallel_env"):
        parallel_api_test(each.parallel_env(**options), num_cycles=40)
        parallel_seed_test(lambda: each.parallel_env(**options), num_cycles=40)


def test_render_test_passes(module, monkeypatch):
    pytest.importorskip("pygame", reason="needs the extra render")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "FPS", 1000)  # nobody looks
    tests = {"svg": lambda picture: picture.startswith("<svg")}
    render_test(module.env, custom_tests=tests)
    assert tuple(module.env().metadata["render_modes"]) == (*rendering.MODES, rendering.WINDOW)


def test_the_name_is_that_of_the_module(module, pettingzoo_module):
    assert str(module.env()) == str(module.raw_env()) == pettingzoo_module
    assert module.raw_env.metadata["name"] == pettingzoo_module


def test_pettingzoos_registry_makes_it(pettingzoo_module):
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this release of PettingZoo has no registry")
    env = pettingzoo.make("aec", f"phasezoo/{pettingzoo_module}")
    env.reset(seed=1)
    assert env.agent_selection == "player_0"
