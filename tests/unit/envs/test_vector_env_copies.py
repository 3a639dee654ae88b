"""A vector environment that is pickled or copied in mid-game goes on as the original would."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import agents, gating, inference

MODES = ("NextStep", "SameStep", "Disabled")
NODES = agents.Limit(nodes=10)


def choosing(observation, info):
    """A callable that answers by what it sees."""
    allowed = np.flatnonzero(info["action_mask"])
    return int(allowed[int(np.abs(observation).sum()) % len(allowed)])


@gating.register("few-plies", names=("early", "late"))
def few_plies(state):
    return int(state.ply % 5 > 2)


def searching(**options):
    return agents.MCTSAgent(inference.Uniform(), limit=NODES, dirichlet_epsilon=0.3, **options)


SETUPS = {
    "self-play": ("Chess-v0", {"opponent": None, "gate": "few-plies", "monotone": True}),
    "random": (
        "AtomicChess-v0",
        {"opponent": "random", "agent_color": "random", "gate": "lichess"},
    ),
    "monotone gate of the core": (
        "Crazyhouse-v0",
        {"opponent": "random", "gate": "hash:3", "monotone": True, "agent_color": "alternate"},
    ),
    "table": ("KRK-v0", {"opponent": "tablebase", "gate": "few-plies", "agent_color": 1}),
    "callable": (
        "Chess-v0",
        {"chess960": True, "opponent": choosing, "gate": "few-plies", "monotone": True},
    ),
    "search": ("Chess-v0", {"opponent": searching(seed=4), "agent_color": "alternate"}),
    "uct": (
        "KRK-v0",
        {"opponent": agents.UCTAgent(threshold=2, limit=agents.Limit(simulations=20))},
    ),
    "scripted": ("PommermanFFA-v0", {"opponents": "simple_unbiased", "gate": "proximity"}),
    "scripted with a gate in Python": (
        "PommermanTeamRadio-v0",
        {"opponents": "simple", "gate": "few-plies", "monotone": True, "player": "random"},
    ),
    "several kinds": (
        "PommermanTeam-v0",
        {"opponents": ["simple", searching(others="simple_unbiased"), "random"], "player": 1},
    ),
}
COPIES = {"copied": copy.deepcopy, "pickled": lambda env: pickle.loads(pickle.dumps(env))}


def made(setup, mode):
    env_id, options = SETUPS[setup]
    options = {"max_plies": 9, **options}
    return gym.make_vec(env_id, num_envs=3, autoreset_mode=mode, **options)


def flattened(value):
    """What was shown, in a form that is compared by ``==``."""
    if isinstance(value, np.ndarray):
        content = value.tobytes() if value.dtype != object else flattened(value.tolist())
        return value.shape, value.dtype.str, content
    if isinstance(value, dict):
        return {key: flattened(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [flattened(each) for each in value]
    return value


def played(env, steps, seed):
    """What an environment shows over some steps."""
    rng, shown = np.random.default_rng(seed), []
    for _ in range(steps):
        seen = env.step(env.unwrapped.sample_actions(rng))
        shown.append(flattened(seen))
        shown.append(list(env.unwrapped.states))
        over = seen[2] | seen[3]
        if env.metadata["autoreset_mode"].value == "Disabled" and over.any():
            shown.append(flattened(env.reset(options={"reset_mask": over})))
    return shown


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("setup", SETUPS)
def test_a_copy_goes_on_as_the_original_would(setup, mode, copied):
    env = made(setup, mode)
    env.reset(seed=7)
    played(env, 6, seed=1)
    twin = COPIES[copied](env)
    expected = played(env, 22, seed=2)
    assert played(twin, 22, seed=2) == expected
    # Seeds that nobody gave go on too.
    assert flattened(twin.reset()) == flattened(env.reset())
    assert played(twin, 4, seed=3) == played(env, 4, seed=3)


def test_a_copy_and_the_original_do_not_touch_each_other():
    env = made("search", "SameStep")
    env.reset(seed=7)
    twin = copy.deepcopy(env)
    before = list(twin.unwrapped.states)
    played(env, 5, seed=1)
    assert list(twin.unwrapped.states) == before
    env.close()
    assert played(twin, 5, seed=1)


def test_an_environment_that_was_never_reset_is_copied_too():
    env = made("scripted", "NextStep")
    twin = pickle.loads(pickle.dumps(env))
    assert flattened(twin.reset(seed=3)) == flattened(env.reset(seed=3))
