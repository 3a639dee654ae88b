"""Native vectors of Pommerman play exactly what SyncVectorEnv over the scalar environment plays."""

import gymnasium as gym
import numpy as np
import pytest
from vector_pairs import MODES, Pair, play

from phasezoo import agents, gating
from phasezoo.errors import IllegalAction, InvalidArray, InvalidConfig

IDS = {
    "FFA": "PommermanFFA-v0",
    "Team": "PommermanTeam-v0",
    "Radio": "PommermanTeamRadio-v0",
    "1v1": "PommermanOneVsOne-v0",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", IDS.values(), ids=IDS)
def test_trajectories_are_equal(env_id, mode):
    pair = Pair(5, mode, env_id=env_id, player="alternate", gate="proximity", max_plies=60)
    assert play(pair, 130, seed=3) > 5


@pytest.mark.parametrize(
    "options",
    [
        {"opponents": "random", "player": "random", "gate": "opponents"},
        {"opponents": "simple_unbiased", "gate": "steps:10", "collapse": True},
        {"opponents": ["simple", "random", "simple_unbiased"], "player": "alternate"},
        {"opponents": agents.SimpleAgent(), "player": 2},
        {"opponents": ["simple", agents.SimpleUnbiasedAgent(), "random"]},
        {"fog": True, "gate": "proximity:6,3", "monotone": True, "rewards": "original"},
        {"observation": "none", "player": 3},
    ],
    ids=["random", "unbiased", "mixed", "agent", "list", "fog", "unseen"],
)
def test_options_are_equal(options):
    pair = Pair(4, "SameStep", env_id="PommermanFFA-v0", **options)
    assert play(pair, 120, seed=8) > 3


def first_allowed(observation, info):
    assert observation.shape == (23, 11, 11)
    assert "state" not in info
    return int(np.flatnonzero(info["action_mask"])[-1])


@pytest.mark.parametrize("mode", MODES)
def test_opponents_from_outside_are_equal_and_the_dead_are_not_asked(mode):
    pair = Pair(3, mode, env_id="PommermanTeam-v0", opponents=first_allowed, player="random")
    assert play(pair, 80, seed=1) > 2


def near(state, player=None):
    rows = [agent[0] for agent in state.agents]
    return int(abs(rows[player] - rows[(player + 1) % len(rows)]) < 4)


@pytest.mark.parametrize("monotone", [False, True])
def test_gates_in_python_are_equal(monotone):
    gate = gating.make(near, names=("far", "near"))
    pair = Pair(
        3, "NextStep", env_id="PommermanFFA-v0", gate=gate, monotone=monotone, opponents="random"
    )
    assert play(pair, 90, seed=4) > 3


def test_a_dead_member_of_a_team_is_ignored_and_paid_at_the_end():
    envs = gym.make_vec("PommermanTeam-v0", 32, illegal="raise")
    _, infos = envs.reset(seed=2)
    dead_steps, rewards = 0, []
    rng = np.random.default_rng(0)
    for _ in range(900):
        dead = infos["action_mask"].sum(axis=1) == 1
        dead_steps += int(dead.sum())
        # Whatever the dead send is ignored, never illegal.
        _, reward, terminated, truncated, infos = envs.step(rng.integers(0, 6, 32))
        assert not truncated.any()
        assert not infos["illegal_action"].any()
        rewards += reward[terminated].tolist()
        assert (reward[~terminated] == 0).all()
    assert dead_steps > 500
    assert set(rewards) == {-1.0, 1.0}


def test_bad_actions_move_nothing():
    envs = gym.make_vec("PommermanTeamRadio-v0", 2)
    envs.reset(seed=1)
    before = list(envs.unwrapped.states)
    with pytest.raises(IllegalAction, match="game 1: expected 3 whole numbers below"):
        envs.step(np.array([[0, 0, 0], [0, 8, 0]]))
    with pytest.raises(InvalidArray, match=r"\[2, 3\]"):
        envs.step(np.array([0, 1]))
    assert list(envs.unwrapped.states) == before
    envs = gym.make_vec("PommermanFFA-v0", 2)
    envs.reset(seed=1)
    with pytest.raises(IllegalAction, match="0 to 5"):
        envs.step(np.array([0, 6]))


def test_bad_options_are_refused():
    for options, message in [
        ({"opponents": None}, "opponents=None"),
        ({"observation": "dict"}, "observation='dict'"),
        ({"mode": "ffb"}, "mode='ffb'"),
        ({"fog": 1}, "fog=1"),
        ({"opponents": ["simple"]}, "1 entries for 3 players"),
    ]:
        with pytest.raises(InvalidConfig, match=message):
            gym.make_vec("PommermanFFA-v0", 2, **options)
