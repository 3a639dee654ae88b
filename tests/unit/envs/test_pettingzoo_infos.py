"""PettingZoo's infos hold what every wrapper can carry: plain values under the same keys."""

import copy
import json
import pickle

import numpy as np
import pytest

from phasezoo import agents, inference
from phasezoo.envs import (
    AECGameEnv,
    atomic_chess_v0,
    chess_v0,
    connect_four_v0,
    crazyhouse_v0,
    krk_v0,
    pommerman_v0,
)
from phasezoo.errors import IllegalAction, InvalidConfig, InvalidState
from phasezoo.observation.plain import UNKNOWN, TextCode

TURNS = [atomic_chess_v0, chess_v0, connect_four_v0, crazyhouse_v0, krk_v0, pommerman_v0]
MODES = ["ffa", "team", "radio", "1v1"]
SMALL = {chess_v0: "minimal", atomic_chess_v0: "minimal", crazyhouse_v0: "minimal"}


def signature(info):
    """Keys in order, with the type, and of arrays the shape."""
    return [
        (key, value.dtype, value.shape)
        if isinstance(value, np.ndarray)
        else (key, np.asarray(value).dtype, type(value))
        for key, value in info.items()
    ]


def infos_in_turns(env, seed):
    """Every info that a random game tells, of every agent, those included whose game is over."""
    env.reset(seed=seed)
    yield from env.infos.values()
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter(600):
        observation, _, terminated, truncated, info = env.last()
        yield info
        if terminated or truncated:
            env.step(None)
        else:
            mask = info.get("action_mask")
            mask = observation["action_mask"] if mask is None else mask
            space = env.action_space(agent)
            legal = np.flatnonzero(mask) if hasattr(space, "n") else [0]
            env.step(int(rng.choice(legal)))
        yield from env.infos.values()


def infos_at_once(env, seed):
    _, infos = env.reset(seed=seed)
    yield from infos.values()
    rng = np.random.default_rng(seed)
    while env.agents:
        infos = env.step({name: int(rng.integers(6)) for name in env.agents})[4]
        yield from infos.values()


def check_plain(infos, keys):
    first = signature(infos[0])
    assert {key for key, *_ in first} == keys
    for info in infos:
        assert signature(info) == first
        for value in info.values():
            assert isinstance(value, int | float | np.ndarray)
            assert np.asarray(value).dtype.kind in "biuf"


BASE = {"to_play", "ply", "phase", "result", "reason", "illegal_action"}


@pytest.mark.parametrize("module", TURNS, ids=lambda module: module.__name__)
def test_infos_are_alike_from_the_reset_to_the_end(module):
    options = {"max_plies": 60, "planes": SMALL[module]} if module in SMALL else {}
    keys = BASE | {krk_v0: {"dtm", "dtm_difference"}}.get(module, set())
    keys |= {"action_mask", "winners"} if module is pommerman_v0 else set()
    for seed in range(3):
        check_plain(list(infos_in_turns(module.env(**options), seed)), keys)


@pytest.mark.parametrize("observation", ["planes", "masked", "dict", "none", "packed"])
@pytest.mark.parametrize("mode", MODES)
def test_infos_at_once_are_alike_too(mode, observation):
    keys = BASE | {"winners"}
    keys |= {"action_mask"} if observation != "masked" else set()
    keys |= {"action_parts"} if mode == "radio" else set()
    env = pommerman_v0.parallel_env(mode=mode, observation=observation)
    infos = list(infos_at_once(env, 2))
    check_plain(infos, keys)
    if "action_mask" in infos[0]:
        assert infos[0]["action_mask"].shape == (22 if mode == "radio" else 6,)
        assert infos[0]["action_mask"].dtype == np.int8
    assert infos[-1]["result"] in ("win", "tie")
    assert infos[-1]["winners"].any() == (infos[-1]["result"] == "win")
    assert (infos[0]["result"], infos[0]["reason"], infos[0]["winners"].any()) == ("", "", False)


def test_numbers_that_are_not_known_have_a_value_that_equals_itself():
    env = krk_v0.env()
    env.reset(options={"fen": "8/8/8/8/8/4k3/3R4/K7 w - - 0 1"})
    info = env.infos["player_0"]
    assert info["dtm"] > 0
    assert info["dtm_difference"] == UNKNOWN == -1000.0
    env.step(env.unwrapped.game_state.parse_uci("a1b1"))
    env.step(env.unwrapped.game_state.parse_uci("e3d2"))  # takes the rook
    info = env.infos["player_0"]
    assert info["dtm"] == UNKNOWN
    assert (info["result"], info["reason"]) == ("1/2-1/2", "insufficient_material")


def test_the_state_comes_by_an_option():
    env = connect_four_v0.env(state_in_info=True)
    env.reset()
    env.step(3)
    for info in env.infos.values():
        assert info["state"] == env.unwrapped.game_state
        assert info["action_mask"].shape == (7,)
        assert info["result"] == ""
    assert {"state", "fen"} <= chess_with_state().infos["player_0"].keys()
    with pytest.raises(InvalidConfig, match=r"pommerman-ffa.*env\.unwrapped\.game_state"):
        pommerman_v0.parallel_env(state_in_info=True)
    with pytest.raises(InvalidConfig, match="state_in_info='yes': expected True or False"):
        AECGameEnv("chess", state_in_info="yes")


def chess_with_state():
    env = chess_v0.env(state_in_info=True, planes="minimal")
    env.reset()
    return env


PLANNERS = {
    "mcts": agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=4)),
    "uct": agents.UCTAgent(limit=agents.Limit(simulations=9), seed=1),
    "policy": agents.PolicyAgent(inference.Uniform()),
}


@pytest.mark.parametrize("name", PLANNERS)
def test_agents_that_plan_name_the_option_that_they_need(name):
    blind, env = connect_four_v0.env(), connect_four_v0.env(state_in_info=True)
    for each in (blind, env):
        each.reset(seed=1)
    observation, *_, info = blind.last()
    with pytest.raises(InvalidState, match="state_in_info=True"):
        PLANNERS[name](observation, info)
    observation, *_, info = env.last()
    assert observation["action_mask"][PLANNERS[name](observation, info)] == 1


def test_the_random_agent_reads_every_mask():
    agent = agents.RandomAgent(1)
    turns = connect_four_v0.env()
    turns.reset()
    for column in [3] * 6:
        turns.step(column)
    observation, *_, info = turns.last()
    drawn = {agent(observation, info) for _ in range(200)}
    assert drawn == {0, 1, 2, 4, 5, 6}
    radio = pommerman_v0.parallel_env(mode="radio")
    observations, infos = radio.reset(seed=3)
    given = np.array([agent(observations["player_0"], infos["player_0"]) for _ in range(300)])
    assert given.shape == (300, 3)
    assert given.max(axis=0).tolist() == [5, 7, 7]
    with pytest.raises(InvalidState, match="action_mask"):
        agent(None, {"ply": 1})


def test_the_dead_are_refused_actions_in_turns():
    env = pommerman_v0.env()
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    while not any(env.terminations.values()):
        env.step(int(rng.integers(6)))
    dead = env.agent_selection
    with pytest.raises(IllegalAction, match=rf"action 5.*{dead}.*step\(None\)"):
        env.step(5)
    env.step(None)
    assert dead not in env.agents


def test_a_text_code_is_its_text_and_a_number():
    code = TextCode("checkmate")
    assert code == "checkmate"
    assert code != "stalemate"
    assert code == TextCode("checkmate") != TextCode("stalemate")
    assert code in {"checkmate"}
    assert f"{code:>10}" == " checkmate"
    assert (str(code), repr(code), bool(code)) == ("checkmate", "'checkmate'", True)
    empty = TextCode()
    assert (int(empty), bool(empty), str(empty)) == (0, False, "")
    for value in (code, empty):
        assert np.asarray(value).dtype == np.int64
        assert int(np.float32(int(value))) == int(value)
        for again in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert (again, int(again), type(again)) == (value, int(value), TextCode)
    assert json.loads(json.dumps({"reason": code})) == {"reason": int(code)}


def test_who_played_what_is_not_legal_is_told_at_their_next_turn():
    env = AECGameEnv("connect-four", illegal="random_legal")
    env.reset(seed=1)
    for column in (0, 0, 0, 0, 0, 0, 0, 3):  # the seventh does not fit any more
        env.step(column)
    assert env.agent_selection == "player_0"
    assert env.last()[4]["illegal_action"]
    assert not env.infos["player_1"]["illegal_action"]
    env.step(3)
    env.step(3)
    assert not env.last()[4]["illegal_action"]
