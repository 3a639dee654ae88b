"""The PettingZoo environment of chess."""

import numpy as np
import pytest

from phasezoo import errors
from phasezoo.envs import chess_v0


def play(env, *moves):
    for move in moves:
        env.step(env.unwrapped.game_state.parse_uci(move))


def test_each_player_sees_the_board_from_his_side():
    env = chess_v0.env(planes="v1", gate="lichess")
    env.reset(seed=1)
    play(env, "e2e4")
    assert env.agent_selection == "player_1"
    state = env.unwrapped.game_state
    for player, name in enumerate(env.agents):
        shown = env.observe(name)
        np.testing.assert_array_equal(shown["observation"], state.planes("v1", player))
        assert shown["action_mask"].sum() == (20 if player == 1 else 0)
        assert env.observation_space(name).contains(shown)
        info = env.infos[name]
        assert "action_mask" not in info  # TorchRL takes it from one place alone
        assert (info["to_play"], info["ply"], info["phase"]) == (1, 1, 0)
    np.testing.assert_array_equal(env.state(), [state.planes("v1", 0), state.planes("v1", 1)])


def test_rewards_are_each_players_own():
    env = chess_v0.env()
    env.reset()
    play(env, "f2f3", "e7e5", "g2g4", "d8h4")
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_0"]["result"] == "0-1"
    told = {}
    for agent in env.agent_iter():
        observation, told[agent], terminated, _, info = env.last()
        assert terminated
        assert observation["action_mask"].sum() == 0
        assert info["reason"] == "checkmate"
        env.step(None)
    assert told == {"player_0": -1.0, "player_1": 1.0}
    assert env.agents == []


def test_a_finished_state_that_is_put_in_pays_what_it_shows():
    env = chess_v0.env().unwrapped
    env.reset()
    play(env, "f2f3", "e7e5", "g2g4", "d8h4")
    over = env.game_state
    env.reset()
    env.set_game_state(over)
    shown = dict(env.rewards)
    paid = {}
    for agent in env.agent_iter():
        paid[agent] = env.last()[1]
        env.step(None)
    assert paid == shown == {"player_0": -1.0, "player_1": 1.0}
    env.reset()
    for _ in range(2):  # what a finished game paid is not paid with the next one
        env.set_game_state(over)
    assert env.last()[1] == shown[env.agent_selection]


def test_illegal_actions_cost_their_player():
    env = chess_v0.env()
    env.reset()
    play(env, "e2e4")
    env.step(0)
    assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
    assert env.infos["player_1"]["illegal_action"]
    assert not env.infos["player_0"]["illegal_action"]
    assert env.infos["player_0"]["reason"] == "illegal_action"
    assert env.infos["player_0"]["result"] == ""
    for _ in env.agent_iter():
        env.step(None)


def test_illegal_actions_raise_or_are_replaced():
    env = chess_v0.env(illegal="raise")
    env.reset(seed=1)
    with pytest.raises(errors.IllegalAction, match="player 0"):
        env.step(0)
    play(env, "e2e4")
    env = chess_v0.env(illegal="random_legal")
    fens = []
    for _ in range(2):
        env.reset(seed=1)
        env.step(0)
        env.step(0)
        assert env.infos["player_1"]["illegal_action"]
        fens.append(env.unwrapped.game_state.fen)
    assert fens[0] == fens[1]
    for action in (-1, 4672, None, "e2e4"):
        with pytest.raises(errors.IllegalAction, match="0 to 4671"):
            env.step(action)


def test_length_limits_truncate():
    env = chess_v0.env(max_plies=2)
    env.reset()
    play(env, "e2e4", "e7e5")
    assert env.truncations == {"player_0": True, "player_1": True}
    assert env.terminations == {"player_0": False, "player_1": False}
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}


def test_options_of_reset_are_checked():
    env = chess_v0.raw_env()
    env.reset(options={"moves": ["e2e4"]})
    assert env.agent_selection == "player_1"
    with pytest.raises(errors.InvalidConfig, match="fenn"):
        env.reset(options={"fenn": "x"})
    with pytest.raises(errors.InvalidFen):
        env.reset(options={"fen": "x"})
    # The game goes on where it stood.
    play(env, "e7e5")


def test_calls_before_the_first_reset_are_errors():
    env = chess_v0.raw_env(render_mode="ansi")
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.render):
        with pytest.raises(errors.InvalidState, match="reset"):
            call()


def test_render_modes_that_are_none_are_refused():
    with pytest.raises(errors.InvalidConfig, match="render_mode"):
        chess_v0.env(render_mode="film")
