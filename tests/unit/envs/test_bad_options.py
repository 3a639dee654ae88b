"""What environments and searches are given in error is refused by name."""

from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import pytest

import phasezoo  # noqa: F401 - registers
from phasezoo import agents, games
from phasezoo.envs import (
    AECGameEnv,
    GameVectorEnv,
    GymEnv,
    chess_v0,
    connect_four_v0,
    pommerman_v0,
)
from phasezoo.errors import GameContract, InvalidConfig


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
@pytest.mark.parametrize(
    ("option", "here"), [("opponent", "opponents="), ("agent_color", "player=")]
)
def test_pommermans_own_names_are_told(make, option, here):
    with pytest.raises(InvalidConfig, match=here):
        make("PommermanFFA-v0", **{option: "random"})


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_an_agents_class_is_no_opponent(make):
    with pytest.raises(InvalidConfig, match="RandomAgent is a class: give an agent"):
        make("ConnectFour-v0", opponent=agents.RandomAgent)


@pytest.mark.parametrize(
    ("make", "option", "meant"),
    [
        (lambda **o: gym.make("ConnectFour-v0", **o), "oponent", "opponent"),
        (lambda **o: gym.make("Chess-v0", **o), "ches960", "chess960"),
        (lambda **o: gym.make("KRK-v0", **o), "stat", "start"),
        (lambda **o: gym.make("PommermanFFA-v0", **o), "oponents", "opponents"),
        (lambda **o: gym.make("PommermanTeam-v0", **o), "oponent", "opponents"),
        (lambda **o: gym.make_vec("ConnectFour-v0", num_envs=2, **o), "thread", "threads"),
        (lambda **o: gym.make_vec("KRK-v0", num_envs=2, **o), "max_step", "max_episode_steps"),
        (lambda **o: gym.make_vec("PommermanFFA-v0", num_envs=2, **o), "colapse", "collapse"),
        (chess_v0.env, "plane", "planes"),
        (chess_v0.env, "state_in_infos", "state_in_info"),
        (connect_four_v0.env, "ilegal", "illegal"),
        (pommerman_v0.env, "mod", "mode"),
        (pommerman_v0.parallel_env, "reward", "rewards"),
        (lambda **o: GymEnv("connect-four", **o), "agent_colour", "agent_color"),
        (lambda **o: AECGameEnv("connect-four", **o), "max_ply", "max_plies"),
        (lambda **o: GameVectorEnv(2, "connect-four", **o), "autoreset", "autoreset_mode"),
    ],
)  # fmt: skip
def test_unknown_options_get_the_one_that_is_meant(make, option, meant):
    with pytest.raises(InvalidConfig, match=f"^{option}=: .*; did you mean .*{meant}=") as caught:
        make(**{option: "random"})
    assert f" {meant}" in str(caught.value).partition("there are")[2]


def test_options_that_are_like_none_are_refused_too():
    with pytest.raises(InvalidConfig, match=r"^xyzzy=: ChessEnv has no such option; there are "):
        gym.make("Chess-v0", xyzzy=1)


@pytest.mark.parametrize("options", [5, "fen", ["fen"]])
def test_reset_options_that_are_no_dictionary_are_refused(options):
    for env in (
        gym.make("Chess-v0").unwrapped, gym.make_vec("ConnectFour-v0", num_envs=2).unwrapped,
        chess_v0.raw_env(), pommerman_v0.parallel_env(),
    ):  # fmt: skip
        with pytest.raises(InvalidConfig, match="expected a dictionary"):
            env.reset(seed=1, options=options)


@pytest.mark.parametrize("options", [{"board": 3}, {"fen": "x"}, {"moves": ["e2e4"]}])
def test_a_game_without_notation_has_no_reset_options(options):
    with pytest.raises(InvalidConfig, match=r"'pommerman-ffa' has none; set_game_state"):
        gym.make("PommermanFFA-v0").reset(options=options)


def test_a_limit_that_the_core_cannot_count_is_refused():
    with pytest.raises(InvalidConfig, match="from 1 to 9,223,372,036,854,775,807"):
        agents.Limit(nodes=10**30)


@dataclass(frozen=True)
class Endless:
    """A game that nobody ends."""

    ply: int = 0
    is_terminal = False
    returns = np.zeros(2)
    legal_actions = np.arange(2)

    @property
    def to_play(self):
        return self.ply % 2

    def play(self, action):
        return Endless(self.ply + 1)

    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


def test_rollouts_of_a_game_that_never_ends_are_given_up(own_games_forgotten):
    games.register(
        "endless", initial_state=Endless, num_players=2, num_actions=2,
        plane_specs={"default": (1, 1, 1)},
    )  # fmt: skip
    agent = agents.UCTAgent(limit=agents.Limit(simulations=5), seed=1)
    with pytest.raises(GameContract, match="max_rollout_plies="):
        agent.search(Endless())
    limited = agents.UCTAgent(limit=agents.Limit(simulations=5), max_rollout_plies=20, seed=1)
    assert limited.search(Endless()).action in (0, 1)


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_limits_of_plies(make):
    with pytest.raises(InvalidConfig, match="max_plies=4294967296"):
        make("ConnectFour-v0", max_plies=2**32)
    env = make("ConnectFour-v0", max_plies=1, agent_color="black")
    with pytest.raises(InvalidConfig, match=r"max_plies.* ends the game before .*; raise it"):
        env.reset(seed=0)


def test_seeds_of_many_games_may_be_an_array():
    envs = [gym.make_vec("ConnectFour-v0", num_envs=3) for _ in range(2)]
    envs[0].reset(seed=[1, 2, 3])
    envs[1].reset(seed=np.array([1, 2, 3]))
    ours, theirs = (each.unwrapped._seeds.next.copy() for each in envs)
    np.testing.assert_array_equal(ours, theirs)
    envs[0].reset(seed=3)
    envs[1].reset(seed=np.array(3))
    np.testing.assert_array_equal(*(each.unwrapped._seeds.next for each in envs))


@pytest.mark.parametrize("seed", [[1, "a", 3], [1, 2, -5], [1.0, 2.0, 3.0], np.ones(3)])
def test_seeds_that_are_none_are_refused_and_seed_nothing(seed):
    envs = gym.make_vec("ConnectFour-v0", num_envs=3)
    envs.reset(seed=[5, 6, 7])
    before = envs.unwrapped._seeds.next.copy()
    with pytest.raises(InvalidConfig, match="whole numbers from 0"):
        envs.reset(seed=seed)
    np.testing.assert_array_equal(envs.unwrapped._seeds.next, before)
