"""Copies made in the middle of a game go on as the original does."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from players import (
    at_once,
    bare,
    gate_of,
    legal_action,
    mask_of,
    opponents,
    without_opponent,
)

from phasezoo.observation.action_parts import flat_mask

COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


def advance(env, steps, rng):
    """Play random legal actions; everything that was shown."""
    shown = []
    for _ in range(steps):
        mask = env.unwrapped._shown(env.unwrapped._turn, illegal=False)[1]["action_mask"]
        observation, *outcome, info = env.step(legal_action(mask, env.action_space, rng))
        state = env.unwrapped.game_state
        shown.append((observation.tobytes(), *outcome, state, info["phase"]))
        if outcome[1] or outcome[2]:
            env.reset()
    return shown


def learner(env_id):
    return {"player": "random"} if at_once(env_id) else {"agent_color": "random"}


@pytest.mark.parametrize("copied", COPIES)
def test_gymnasium_copies_keep_the_game(env_id, copied):
    for kind in opponents(env_id, "random", "simple" if at_once(env_id) else None):
        env = gym.make(
            env_id, gate=gate_of(env_id), illegal="random_legal", monotone=True, **kind,
            **learner(env_id),
        )  # fmt: skip
        env.reset(seed=5)
        advance(env, 20, np.random.default_rng(1))
        # In chess illegal: replaced from a stream, which has to be copied too.
        if env.step(env.action_space.sample() * 0)[2]:
            env.reset()
        other = COPIES[copied](env)
        assert other.unwrapped.game_state == env.unwrapped.game_state
        # Several games long, so that seeds and seats of later games are compared too.
        ours = advance(env, 400, np.random.default_rng(2))
        assert advance(other, 400, np.random.default_rng(2)) == ours


def test_gymnasium_states_can_be_put_back(env_id):
    env = gym.make(env_id, gate=gate_of(env_id), **without_opponent(env_id)).unwrapped
    env.reset(seed=1)
    advance(env, 3, np.random.default_rng(3))
    saved, mask = env.game_state, env.action_masks()
    first = advance(env, 5, np.random.default_rng(4))
    observation, info = env.set_game_state(saved)
    assert env.game_state == saved
    np.testing.assert_array_equal(flat_mask(info["action_mask"]), mask)
    np.testing.assert_array_equal(observation, saved.planes(player=env.player))
    if not at_once(env_id):  # opponents' random numbers are not part of a state
        assert advance(env, 5, np.random.default_rng(4)) == first


def aec_advance(env, steps, rng):
    shown = []
    for agent in env.agent_iter(steps):
        observation, *rest = env.last()
        over = rest[1] or rest[2]
        state = env.unwrapped.game_state
        shown.append((agent, bare(observation).tobytes(), *rest[:3], state))
        mask = mask_of(observation, rest[3])
        env.step(None if over else legal_action(mask, env.action_space(agent), rng))
    return shown


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_copies_keep_the_game(module, copied, kind):
    env = getattr(module, kind)(max_plies=60, gate=gate_of(module.__name__))
    env.reset(seed=5)
    aec_advance(env, 5, np.random.default_rng(1))
    other = COPIES[copied](env)
    ours = aec_advance(env, 400, np.random.default_rng(2))
    if not at_once(module.__name__):
        # All plies that are left, then both are told that it is over.
        assert len(ours) == env.unwrapped.game_state.ply - 5 + 2
    assert aec_advance(other, 400, np.random.default_rng(2)) == ours
    assert other.agents == env.agents == []


@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_states_can_be_put_back(module, kind):
    if at_once(module.__name__):
        pytest.skip("players move at once: test_pommerman_env.py puts states back in parallel")
    env = getattr(module, kind)()
    env.reset(seed=1)
    aec_advance(env, 3, np.random.default_rng(3))
    saved = env.unwrapped.game_state
    assert env.agent_selection == "player_1"
    first = aec_advance(env, 2, np.random.default_rng(4))
    env.unwrapped.set_game_state(saved)
    assert env.unwrapped.game_state == saved
    assert env.agent_selection == "player_1"
    assert aec_advance(env, 2, np.random.default_rng(4)) == first
