"""Compact actions: few indices for the same games, in the scalar environment and in vectors."""

import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from vector_pairs import MODES, Pair, play

from phasezoo import games
from phasezoo.errors import IllegalAction, InvalidConfig

KRK = {"start": "uniform", "planes": "minimal", "compact_actions": True}


def test_every_legal_action_has_one_index_that_means_its_move():
    game = games.make("krk", start="uniform")
    rng = np.random.default_rng(1)
    directions = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
    steps = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
    for seed in range(60):
        state = game.initial_state(seed=seed)
        for _ in range(4):
            if state.is_terminal:
                break
            table, legal = game.compact_actions(state), state.legal_actions
            assert table.shape == (game.num_compact,) == (36,)
            own = table[np.isin(table, legal)]
            assert sorted(own.tolist()) == legal.tolist()
            for index in np.flatnonzero(np.isin(table, legal)):
                uci, forward = state.uci(int(table[index])), 1 if state.to_play == 0 else -1
                across = ord(uci[2]) - ord(uci[0])
                along = forward * (int(uci[3]) - int(uci[1]))
                if index < 8:
                    name = directions[index]
                    x, y = (sum(steps[letter][axis] for letter in name) for axis in (0, 1))
                else:
                    name, distance = "NESW"[(index - 8) // 7], (index - 8) % 7 + 1
                    x, y = (part * distance for part in steps[name])
                assert (across, along) == (x, y)
            state = state.play(int(rng.choice(legal)))


@pytest.mark.parametrize("opponent", ["tablebase", "random", None])
def test_the_environment_plays_what_an_index_means(opponent):
    env = gym.make("KRK-v0", opponent=opponent, agent_color="alternate", max_plies=40, **KRK)
    assert env.action_space == gym.spaces.Discrete(36)
    rng = np.random.default_rng(2)
    for seed in range(6):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            state = env.unwrapped.game_state
            mask = info["action_mask"]
            assert mask.shape == (36,)
            assert mask.dtype == np.int8
            np.testing.assert_array_equal(mask.astype(bool), env.unwrapped.action_masks())
            index = int(rng.choice(np.flatnonzero(mask)))
            action = int(env.unwrapped.game.compact_actions(state)[index])
            assert mask.sum() == len(state.legal_actions)
            _, _, terminated, truncated, info = env.step(index)
            over = terminated or truncated
            assert not info["illegal_action"]
            now = env.unwrapped.game_state
            assert now.moves[len(state.moves)] == state.uci(action)
            told = None if info["dtm_difference"] is None else int(info["dtm_difference"])
            assert told == state.dtm_difference(action)
        assert info["action_mask"].all()


def test_opponents_are_told_of_the_games_own_actions():
    seen = []

    def first(observation, info):
        seen.append(info["action_mask"].shape)
        return int(np.flatnonzero(info["action_mask"])[0])

    env = gym.make("KRK-v0", opponent=first, **KRK)
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert set(seen) == {(4672,)}


@pytest.mark.parametrize("observation", ["planes", "masked"])
def test_gymnasiums_checker_passes(observation):
    check_env(gym.make("KRK-v0", observation=observation, **KRK).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"opponent": None, "illegal": "random_legal"},
        {"opponent": "random", "agent_color": "alternate", "observation": "masked"},
    ],
)
def test_vectors_play_the_same(mode, options):
    pair = Pair(4, mode, env_id="KRK-v0", max_plies=30, **KRK, **options)
    assert play(pair, 80, seed=3) > 4


def test_lists_and_draws_of_actions_are_compact():
    envs = gym.make_vec("KRK-v0", 32, illegal="raise", **KRK).unwrapped
    _, infos = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(30):
        offsets, actions = envs.legal_actions()
        for row, mask in enumerate(infos["action_mask"]):
            if not mask.all():  # finished games have no legal actions
                listed = actions[offsets[row] : offsets[row + 1]].tolist()
                assert listed == np.flatnonzero(mask).tolist()
        chosen = envs.sample_actions(rng)
        assert all(mask[action] for mask, action in zip(infos["action_mask"], chosen, strict=True))
        seen |= set(chosen.tolist())
        infos = envs.step(chosen)[4]
    assert seen <= set(range(36))
    assert len(seen) > 30
    other = copy.deepcopy(envs)
    chosen = envs.sample_actions(rng)
    np.testing.assert_array_equal(envs.step(chosen)[0], other.step(chosen)[0])


def test_actions_that_mean_nothing_are_illegal():
    env = gym.make("KRK-v0", illegal="raise", opponent=None, **KRK).unwrapped
    env.reset(seed=1, options={"fen": "8/8/8/4k3/8/8/8/K6R b - - 0 1"})
    with pytest.raises(IllegalAction, match="action 20 is not one of the 8 legal actions"):
        env.step(20)  # Black has no rook
    for wrong in (36, -1, "e2e4", 1.5):
        with pytest.raises(IllegalAction, match="from 0 to 35"):
            env.step(wrong)
    envs = gym.make_vec("KRK-v0", 2, illegal="raise", **KRK)
    envs.reset(seed=1)
    with pytest.raises(IllegalAction, match="from 0 to 35"):
        envs.step(np.array([0, 36]))


@pytest.mark.parametrize("env_id", ["Chess-v0", "ConnectFour-v0"])
def test_games_without_compact_actions_refuse_them(env_id):
    for make in (gym.make, gym.make_vec):
        with pytest.raises(InvalidConfig, match="have no compact form"):
            make(env_id, compact_actions=True)
    with pytest.raises(InvalidConfig, match="expected True or False"):
        gym.make("KRK-v0", compact_actions="yes")
