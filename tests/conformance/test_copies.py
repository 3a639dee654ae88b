"""Copies made in the middle of a game go on as the original does."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest

COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


def advance(env, steps, rng):
    """Play random legal actions; everything that was shown."""
    shown = []
    for _ in range(steps):
        action = int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
        observation, *outcome, info = env.step(action)
        shown.append((observation.tobytes(), *outcome, info["fen"], info["phase"]))
        if outcome[1] or outcome[2]:
            env.reset()
    return shown


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("opponent", ["random", None])
def test_gymnasium_copies_keep_the_game(env_id, copied, opponent):
    env = gym.make(
        env_id, opponent=opponent, agent_color="random", gate="lichess", illegal="random_legal",
        monotone=True,
    )  # fmt: skip
    env.reset(seed=5)
    advance(env, 20, np.random.default_rng(1))
    env.step(0)  # illegal: replaced from a stream, which has to be copied too
    other = COPIES[copied](env)
    assert other.unwrapped.game_state == env.unwrapped.game_state
    # Several games long, so that seeds and seats of later games are compared too.
    ours = advance(env, 400, np.random.default_rng(2))
    assert advance(other, 400, np.random.default_rng(2)) == ours


def test_gymnasium_states_can_be_put_back(env_id):
    env = gym.make(env_id, opponent=None, gate="material").unwrapped
    env.reset(seed=1)
    advance(env, 30, np.random.default_rng(3))
    saved, mask = env.game_state, env.action_masks()
    first = advance(env, 5, np.random.default_rng(4))
    observation, info = env.set_game_state(saved)
    assert env.game_state == saved
    np.testing.assert_array_equal(info["action_mask"], mask)
    np.testing.assert_array_equal(observation, saved.planes())
    assert advance(env, 5, np.random.default_rng(4)) == first


def aec_advance(env, steps, rng):
    shown = []
    for agent in env.agent_iter(steps):
        observation, *rest = env.last()
        over = rest[1] or rest[2]
        shown.append((agent, observation["observation"].tobytes(), *rest[:3], rest[3]["fen"]))
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if over else int(rng.choice(legal)))
    return shown


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_copies_keep_the_game(module, copied, kind):
    env = getattr(module, kind)(max_plies=60, gate="lichess")
    env.reset(seed=5)
    aec_advance(env, 21, np.random.default_rng(1))
    other = COPIES[copied](env)
    ours = aec_advance(env, 100, np.random.default_rng(2))
    assert len(ours) == 41  # 39 plies more, then both are told that it is over
    assert aec_advance(other, 100, np.random.default_rng(2)) == ours
    assert other.agents == env.agents == []


@pytest.mark.parametrize("kind", ["env", "raw_env"])
def test_pettingzoo_states_can_be_put_back(module, kind):
    env = getattr(module, kind)()
    env.reset(seed=1)
    aec_advance(env, 11, np.random.default_rng(3))
    saved = env.unwrapped.game_state
    assert env.agent_selection == "player_1"
    first = aec_advance(env, 6, np.random.default_rng(4))
    env.unwrapped.set_game_state(saved)
    assert env.unwrapped.game_state == saved
    assert env.agent_selection == "player_1"
    assert aec_advance(env, 6, np.random.default_rng(4)) == first
