"""Training scripts for the original Pommerman run over our simulator."""

import math
import random

import numpy as np
import pytest

from phasezoo import games, pommerman_compat
from phasezoo.envs import pommerman_v0
from phasezoo.errors import IllegalAction, InvalidConfig, InvalidState, UnknownGame
from phasezoo.pommerman_compat import agents
from phasezoo.pommerman_compat.constants import GameType, Result
from phasezoo.pommerman_compat.env import REGISTRY, PommermanGame, make

# As people wrote them: one agent is trained, the package asks the others.
SCRIPT = """
import random

import pommerman
from pommerman import agents, constants


class Learner(agents.BaseAgent):
    def act(self, obs, action_space):
        raise AssertionError('the training agent is not asked')


def train(episodes):
    print(pommerman.REGISTRY)
    learner = Learner()
    env = pommerman.make('PommeFFACompetition-v0',
                         [agents.SimpleAgent(), learner, agents.RandomAgent(),
                          agents.SimpleAgent()])
    env.set_training_agent(learner.agent_id)
    ends = []
    for _ in range(episodes):
        state, done, total = env.reset(), False, 0
        while not done:
            env.render()
            actions = env.act(state)
            actions.insert(env.training_agent, env.action_space.sample())
            state, reward, done, info = env.step(actions)
            total += reward[learner.agent_id]
            features = env.featurize(state[learner.agent_id])
            assert features.shape == env.observation_space.shape == (372,)
            assert env.observation_space.contains(features)
        assert learner.position == state[1]['position'] and total in (-1, 1)
        ends.append((info['result'], state[1]['step_count'], total))
    env.close()
    return ends
"""

RULES = {
    "OneVsOne-v0": {"mode": "1v1"},
    "PommeFFACompetition-v0": {"mode": "ffa"},
    "PommeFFA-v1": {"mode": "ffa", "collapse": True},
    "PommeTeam-v0": {"mode": "team"},
    "PommeTeamCompetition-v1": {"mode": "team", "fog": True, "collapse": True},
    "PommeRadio-v2": {"mode": "radio"},
}


STAND = 0
"""If all stand they see the board collapse, in the first game of each kind."""


class Still(agents.BaseAgent):
    """Stops, and counts its calls."""

    asked = 0
    closed = 0

    def act(self, obs, action_space):
        self.asked += 1
        return 0

    def shutdown(self):
        self.closed += 1


def made(config_id, kind=agents.DummyAgent):
    return make(config_id, [kind() for _ in range(2 if config_id == "OneVsOne-v0" else 4)])


def test_a_training_script_runs():
    pommerman_compat.uninstall()
    pommerman_compat.install(replace=True)
    try:
        script = {}
        exec(SCRIPT, script)
        random.seed(3)
        ends = script["train"](4)
    finally:
        pommerman_compat.uninstall()
    assert all(result in (Result.Win, Result.Tie) for result, _, _ in ends)
    assert len({steps for _, steps, _ in ends}) > 1


def same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for key, value in ours.items():
        np.testing.assert_array_equal(value, theirs[key], err_msg=key)


@pytest.mark.parametrize("config_id", RULES)
def test_it_is_our_environment_step_for_step(config_id):
    env = made(config_id)
    reference = pommerman_v0.parallel_env(
        observation="dict", rewards="original", **RULES[config_id]
    )
    reference.reset(seed=0)
    rng = np.random.default_rng(5)
    sizes = [6, 8, 8] if "Radio" in config_id else 6
    results = set()
    for game in range(4):
        stand = game == 0 and "collapse" in RULES[config_id]
        shown = env.reset() if game else env.set_game_state(env._game.initial_state(seed=9))
        told, infos = reference.set_game_state(env.game_state)
        done = False
        while not done:
            for player, name in enumerate(told):
                same(shown[player], told[name])
            actions = [STAND if stand else rng.integers(sizes) for _ in shown]
            shown, rewards, done, info = env.step(actions)
            by_name = dict(zip(reference.possible_agents, actions, strict=True))
            told, paid, ended, _, infos = reference.step(by_name)
            assert rewards == [paid[name] for name in paid]
            assert [done] * len(rewards) == list(ended.values())
        for player, name in enumerate(told):
            same(shown[player], told[name])
        ours = infos["player_0"]
        assert info["result"].name.lower() == ours["result"]
        assert info.get("winners", []) == np.flatnonzero(ours["winners"]).tolist()
        results.add(info["result"])
    assert Result.Win in results


def test_every_id_has_its_rules():
    assert len(REGISTRY) == 12
    for config_id in REGISTRY:
        env = made(config_id)
        shown = env.reset()
        version = config_id[-1] if config_id != "OneVsOne-v0" else "0"
        assert shown[0]["game_env"] == f"pommerman.envs.v{version}:Pomme"
        assert shown[0]["board"].shape == (env._board_size, env._board_size)
        is_fogged = "Radio" in config_id or "TeamCompetition" in config_id
        assert (5 in shown[0]["board"]) == is_fogged
        assert env.featurize(shown[0]).shape == env.observation_space.shape
        assert GameType(shown[0]["game_type"]) is env._game_type
        shown, rewards, done, info = env.step([0] * len(shown))
        assert (rewards, done, info) == ([0] * len(shown), False, {"result": Result.Incomplete})
        assert env._step_count == 1
        assert (env._board == env.game_state.board).all()


def test_boards_come_from_a_seed_or_from_the_global_generator():
    env = made("PommeFFACompetition-v0")

    def boards():
        return [env.reset()[0]["board"].tobytes() for _ in range(3)]

    env.seed(7)
    seeded = boards()
    drawn = games.make("pommerman-ffa").initial_state(seed=7).board.tobytes()
    assert seeded[0] == drawn
    assert len(set(seeded)) == 3
    env.seed(7)
    assert boards() == seeded
    env.seed()
    random.seed(1)
    unseeded = boards()
    random.seed(1)
    assert boards() == unseeded


def test_the_death_of_the_training_agent_ends_a_game_for_oneself_only():
    lay = [0, 5, 0, 0]  # player 1 lays a bomb and stays
    for config_id, ends in (("PommeFFACompetition-v0", True), ("PommeTeam-v0", False)):
        env = make(config_id, [Still() for _ in range(4)])
        env.set_training_agent(1)
        env.reset()
        env.step(lay)
        for _ in range(9):
            _, rewards, done, info = env.step([0] * 4)
        assert not env.game_state.agents[1][5]
        assert done == ends
        assert info == {"result": Result.Tie if ends else Result.Incomplete}
        assert rewards == ([0, -1, 0, 0] if ends else [0] * 4)
        # The dead are not asked, and what they are given counts for nothing.
        other = make(config_id, [Still() for _ in range(4)])
        other.set_game_state(env.game_state)
        assert other.act(other.observations) == [0] * 4
        assert [agent.asked for agent in other._agents] == [1, 0, 1, 1]
        other.step([0, "nonsense", 0, 0])
        other.close()
        assert [agent.closed for agent in other._agents] == [1] * 4


def test_figures_are_kept_current():
    env = make("PommeTeamCompetition-v0", [Still() for _ in range(4)])
    env.reset()
    assert [agent.position for agent in env._agents] == [(1, 1), (9, 1), (9, 9), (1, 9)]
    env.step([5, 0, 0, 0])
    assert [agent.ammo for agent in env._agents] == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("game_type", (99, "FFA", None)),
        ("board_size", ("x", 8.7, 3, True)),
        ("num_rigid", (3, -4, math.nan)),
        ("num_wood", (1,)),
        ("num_items", (-1, 1.5)),
        ("agent_view_size", (-1, 1.5)),
    ],
)
def test_numbers_that_no_game_can_have_are_refused(name, values):
    for value in values:
        with pytest.raises(InvalidConfig, match=name):
            PommermanGame(**{name: value})


def test_seeds_of_numpy_are_numbers():
    env = PommermanGame()
    assert env.seed(np.int64(3)) == [3]
    for seed in (True, -1, 1.5):
        with pytest.raises(InvalidConfig, match="seed="):
            env.seed(seed)


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownGame, match=r"PommeFFA-v7.*PommeFFACompetition-v0"):
        made("PommeFFA-v7")
    with pytest.raises(InvalidConfig, match=r"3 agents for pommerman-ffa: give 4"):
        make("PommeFFA-v1", [agents.DummyAgent()] * 3)
    with pytest.raises(InvalidConfig, match=r"agent 1 is a NoneType without act"):
        make("OneVsOne-v0", [agents.DummyAgent(), None])
    with pytest.raises(InvalidConfig, match="game_state_file"):
        make("OneVsOne-v0", [agents.DummyAgent()] * 2, "state.json")
    env = made("OneVsOne-v0")
    with pytest.raises(InvalidState, match="reset"):
        env.step([0, 0])
    with pytest.raises(InvalidConfig, match="no player 2"):
        env.set_training_agent(2)
    with pytest.raises(InvalidConfig, match="record_json_dir"):
        env.render(record_json_dir="x")
    with pytest.raises(InvalidConfig, match="no state of pommerman-1v1"):
        env.set_game_state(games.make("pommerman-ffa").initial_state(seed=1))
    env.reset()
    for wrong in ([0], [0, 6], [0, None], [0, [1, 2, 3]], [0, 1.5]):
        with pytest.raises(IllegalAction):
            env.step(wrong)
    assert env._step_count == 0
    lay = [5, 0]
    for _ in range(10):
        _, _, done, _ = env.step(lay)
        lay = [0, 0]
    assert done
    with pytest.raises(InvalidState, match="over"):
        env.step([0, 0])
