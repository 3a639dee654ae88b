"""Agents as opponents and as learners in the environments."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo import agents, inference
from phasezoo.errors import InvalidConfig

LIMIT = agents.Limit(nodes=12)


def opponents():
    return {
        "random": agents.RandomAgent(2),
        "policy": agents.PolicyAgent(inference.Uniform(), temperature=1.0),
        "mcts": agents.MCTSAgent(inference.Uniform(), limit=LIMIT),
    }


def played(env, plies, seed=3):
    """FENs of a game in which the learner plays its first legal action."""
    _, info = env.reset(seed=seed)
    fens = [info["fen"]]
    for _ in range(plies):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, truncated, info = env.step(action)
        fens.append(info["fen"])
        if terminated or truncated:
            break
    return fens


@pytest.mark.parametrize("name", opponents())
def test_every_agent_is_an_opponent(name):
    env = gym.make("Chess-v0", opponent=opponents()[name])
    first = played(env, 8)
    assert len(set(first)) == len(first) == 9
    assert played(env, 8) == first  # its games draw from the environment's seed
    if name != "mcts":
        assert played(env, 8, seed=4) != first


def test_agents_by_name_are_opponents():
    assert len(played(gym.make("Chess-v0", opponent="mcts"), 1)) == 2


@pytest.mark.parametrize("name", opponents())
def test_every_agent_learns_the_interface(name):
    agent = opponents()[name]
    env = gym.make("Chess-v0", opponent="random")
    observation, info = env.reset(seed=1)
    for _ in range(6):
        action = agent(observation, info)
        assert info["action_mask"][action] == 1
        observation, _, _, _, info = env.step(action)


@pytest.mark.parametrize("name", opponents())
def test_many_boards_ask_an_agent_at_once(name):
    envs = gym.make_vec("Chess-v0", num_envs=5, opponent=opponents()[name])
    envs.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(4):
        envs.step(envs.unwrapped.sample_actions(rng))
    assert envs.unwrapped.states[0].ply >= 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_environment_with_a_searching_opponent_is_copied_in_mid_game(copied):
    env = gym.make(
        "Chess-v0", opponent=agents.MCTSAgent(inference.Uniform(), limit=LIMIT)
    ).unwrapped
    env.reset(seed=3)
    env.step(int(env.game_state.legal_actions[0]))
    twin = copied(env)
    assert twin.game_state == env.game_state
    for other in (twin, env):
        other.step(int(other.game_state.legal_actions[1]))
        assert other.game_state.ply == 4


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    "opponent",
    [
        agents.MCTSAgent(
            inference.Uniform(),
            limit=agents.Limit(nodes=30),
            dirichlet_epsilon=0.25,
            temperature=1.2,
            temperature_plies=60,
        ),
        agents.UCTAgent(threshold=5, limit=agents.Limit(simulations=60)),
    ],
    ids=["mcts", "uct"],
)
def test_a_copied_environment_goes_on_with_its_searching_opponent(opponent, copied):
    def step(env, rng):
        env.step(int(rng.choice(env.unwrapped.game_state.legal_actions)))

    env = gym.make("Chess-v0", opponent=opponent, observation="none")
    env.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(5):
        step(env, rng)
    twin, other = copied(env), np.random.default_rng(7)
    rng = np.random.default_rng(7)
    for _ in range(5):
        step(env, rng)
        step(twin, other)
        assert env.unwrapped.game_state == twin.unwrapped.game_state


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Chess-v0", {"opponent": "mcts:nodes=6,temperature=1.5,temperature_plies=40"}),
        ("ConnectFour-v0", {"opponent": "uct:simulations=20,threshold=7"}),
        ("PommermanFFA-v0", {"opponents": ["scripted:simple", "simple_unbiased:seed=1", "random"]}),
    ],
)
def test_a_spec_with_texts_is_json_and_makes_the_same_environment(name, options):
    def seen(env):
        env.action_space.seed(1)
        observations = [env.reset(seed=5)[0]]
        mask = env.reset(seed=5)[1]["action_mask"]
        for _ in range(5):
            observation, _, terminated, _, info = env.step(env.action_space.sample(mask))
            mask = info["action_mask"]
            observations.append(observation)
            if terminated:
                break
        return np.array(observations)

    env = gym.make(name, **options)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec.kwargs == env.spec.kwargs
    assert np.array_equal(seen(env), seen(again))


def test_scripted_players_by_text_are_the_games_own():
    played = []
    for opponents in ("simple", "scripted:simple"):
        env = gym.make("PommermanFFA-v0", opponents=opponents)
        env.reset(seed=3)
        played.append([env.step(0)[0] for _ in range(20)])
    assert np.array_equal(*played)


def test_a_wrong_text_is_refused_when_the_environment_is_made():
    with pytest.raises(InvalidConfig, match="did you mean nodes="):
        gym.make("Chess-v0", opponent="mcts:node=6")
