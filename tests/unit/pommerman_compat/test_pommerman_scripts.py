"""Scripts as people wrote them for the original: their import lines alone are changed."""

import copy
import json
import random

import numpy as np
import pytest

from phasezoo import games
from phasezoo.errors import IllegalAction, InvalidConfig
from phasezoo.pommerman_compat import agents, configs, constants, make, utility
from phasezoo.pommerman_compat.characters import Bomb, Bomber, Flame
from phasezoo.pommerman_compat.constants import Action, GameType, Item, Result
from phasezoo.pommerman_compat.env import REGISTRY
from phasezoo.pommerman_compat.envs import v0, v1, v2
from phasezoo.pommerman_compat.forward_model import ForwardModel

TRAINING = """
import numpy as np
from phasezoo import pommerman_compat as pommerman
from phasezoo.pommerman_compat import agents, characters, constants, utility
from phasezoo.pommerman_compat.agents import SimpleAgent, RandomAgent, PlayerAgent, BaseAgent
from phasezoo.pommerman_compat.configs import ffa_v0_fast_env
from phasezoo.pommerman_compat.envs.v0 import Pomme
from phasezoo.pommerman_compat.characters import Bomber


class Trained(BaseAgent):
    def act(self, obs, action_space):
        pass


def flat(obs):
    parts = [utility.make_np_float(obs[key]).reshape(-1)
             for key in ("board", "bomb_life", "position", "ammo", "can_kick")]
    mate = utility.make_np_float([obs["teammate"].value])
    return np.concatenate([*parts, mate])


config = ffa_v0_fast_env()
env = Pomme(**config["env_kwargs"])
env.seed(0)
players = []
for agent_id in range(3):
    players.append(RandomAgent(config["agent"](agent_id, config["game_type"])))
agent_id += 1
players.append(Trained(config["agent"](agent_id, config["game_type"])))
env.set_agents(players)
env.set_training_agent(players[-1].agent_id)
env.set_init_game_state(None)
lengths, ends = [], []
for episode in range(3):
    state = env.reset()
    done = False
    while not done:
        others = env.act(state)
        assert flat(state[3]).shape == (2 * 121 + 5,)
        others.append(int(np.random.randint(env.action_space.n)))
        state, reward, done, info = env.step(others)
    lengths.append(env._step_count)
    ends.append(info["result"])
env.close()
"""

PLANNING = """
from copy import deepcopy
from phasezoo.pommerman_compat import characters, configs, constants, forward_model
from phasezoo.pommerman_compat.agents import DummyAgent, BaseAgent
from phasezoo.pommerman_compat.constants import Action, Item
from phasezoo.pommerman_compat.envs.v0 import Pomme
from phasezoo.pommerman_compat.forward_model import ForwardModel


class Careful(BaseAgent):
    '''Tries two moves in the forward model, and takes those after which it lives longest.'''

    def act(self, obs, action_space):
        pairs = [(first, second) for first in range(5) for second in range(5)]
        return max(pairs, key=lambda moves: self.steps(obs, moves))[0]

    def steps(self, obs, plan):
        board = obs["board"].copy()
        figures = []
        for code in range(10, 14):
            number = code - 10
            figure = characters.Bomber(number, constants.GameType.FFA)
            where = (board == code).nonzero()
            if len(where[0]):
                figure.position = (int(where[0][0]), int(where[1][0]))
            else:
                figure.position, figure.is_alive = (0, 0), False
            figures.append(figure)
        mine = figures[self.agent_id]
        mine.ammo, mine.blast_strength = obs["ammo"], obs["blast_strength"]
        bombs = []
        for row, column in zip(*obs["bomb_life"].nonzero()):
            bombs.append(characters.Bomb(
                mine, (row, column), int(obs["bomb_life"][row, column]),
                int(obs["bomb_blast_strength"][row, column]), None))
        flames = [characters.Flame((row, column), int(obs["flame_life"][row, column]) - 1)
                  for row, column in zip(*obs["flame_life"].nonzero())]
        model, items = ForwardModel(), {}
        for step in range(12):
            moves = [0] * 4
            moves[self.agent_id] = plan[step] if step < 2 else 0
            board, figures, bombs, items, flames = model.step(
                moves, board, figures, bombs, items, flames)
            if not figures[self.agent_id].is_alive:
                return step
        return 12


config = configs.ffa_competition_env()
env = Pomme(**config["env_kwargs"])
hero = Careful(config["agent"](0, config["game_type"]))
env.set_agents([hero] + [DummyAgent(config["agent"](i, config["game_type"])) for i in (1, 2, 3)])
state = env.reset()
env.step([5, 0, 0, 0])
state = env.get_observations()
for _ in range(11):
    actions = env.act(state)
    state, reward, done, info = env.step(actions)
alive = hero.is_alive
"""


def run(script):
    names = {"__name__": "script"}
    exec(compile(script, "script", "exec"), names)
    return names


def test_a_training_script_by_keyword_runs():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002 - as the script draws
    names = run(TRAINING)
    assert set(names["ends"]) <= {Result.Win, Result.Tie}
    assert all(9 <= length < 400 for length in names["lengths"])


def test_a_script_that_plans_by_the_forward_model_saves_its_figure():
    random.seed(3)
    assert run(PLANNING)["alive"]


@pytest.mark.parametrize("env_id", REGISTRY)
def test_every_configuration_makes_the_environment_of_its_id(env_id):
    config = configs.config_of(env_id)
    pomme = {"v0": v0, "v1": v1, "v2": v2}[config["env_entry_point"].split(".")[2][:2]].Pomme
    env = pomme(**config["env_kwargs"])
    count = 2 if config["game_type"] is GameType.OneVsOne else 4
    players = [agents.DummyAgent(config["agent"](i, config["game_type"])) for i in range(count)]
    env.set_agents(players)
    other = make(env_id, [agents.DummyAgent() for _ in range(count)])
    env.seed(8), other.seed(8)
    ours, theirs = env.reset(), other.reset()
    assert [each["game_env"] for each in ours] == [config["env_entry_point"]] * count
    for mine, known in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine["board"], known["board"])
    assert [agent.position for agent in players] == [each["position"] for each in ours]


def test_every_function_of_the_configurations_is_one_of_the_ids():
    made = [getattr(configs, name)() for name in configs.__all__ if name.endswith("_env")]
    assert {each["env_id"] for each in made} == set(REGISTRY)
    assert configs.team_competition_env()["env_kwargs"]["agent_view_size"] == 4


def test_options_by_keyword_make_other_games():
    kwargs = configs.one_vs_one_env()["env_kwargs"]
    env = v0.Pomme(**kwargs | {"board_size": 6, "num_rigid": 2, "num_wood": 4, "num_items": 3})
    env.set_agents([agents.DummyAgent() for _ in range(2)])
    env.seed(2)
    board = env.reset()[0]["board"]
    assert board.shape == (6, 6)
    assert [(board == item.value).sum() for item in (Item.Rigid, Item.Wood)] == [2, 4]
    assert len(env._items) == 3
    assert set(env._items.values()) <= {6, 7, 8}
    env = v0.Pomme(**configs.ffa_competition_env()["env_kwargs"] | {"max_steps": 7})
    env.set_agents([agents.DummyAgent() for _ in range(4)])
    env.reset()
    for step in range(7):
        _, rewards, done, info = env.step([0] * 4)
        assert done == (step == 6)
    assert (rewards, info) == ([-1] * 4, {"result": Result.Tie})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"borad_size": 11}, r"borad_size.*did you mean 'board_size'"),
        ({"default_bomb_life": 4}, "default_bomb_life=4.*9 alone"),
        ({"max_steps": 900}, "max_steps=900.*1 to 800"),
        ({"board_size": 20}, "board_size=20.*4 to 11"),
        ({"is_partially_observable": True, "agent_view_size": 2}, "agent_view_size=2.*4"),
        ({"radio_num_words": 5}, "radio_num_words=5.*2 alone"),
    ],
)
def test_options_that_cannot_be_are_refused(options, said):
    with pytest.raises(InvalidConfig, match=said):
        v0.Pomme(game_type=GameType.FFA, **options)


def test_games_start_from_files(tmp_path):
    env = make("PommeTeam-v0", [agents.RandomAgent() for _ in range(4)])
    env.seed(4)
    state = env.reset()
    for step in range(12):
        state, *_ = env.step([0, 5 * (step == 5), 0, 1 + step % 2])
    env.save_json(str(tmp_path))
    path = tmp_path / f"{env._step_count:03d}.json"
    again = make("PommeTeam-v0", [agents.RandomAgent() for _ in range(4)], str(path))
    np.testing.assert_array_equal(again.reset()[2]["board"], state[2]["board"])
    assert again._step_count == 12
    assert again.get_json_info() == json.loads(path.read_text())
    again.set_init_game_state(None)
    assert again.reset()[0]["step_count"] == 0
    for text in ("[1]", "no json"):
        path.write_text(text)
        with pytest.raises(InvalidConfig, match="game_state_file"):
            again.set_init_game_state(str(path))


# --- the forward model ---


def parts(env):
    figures = env._figures()
    return env._board.copy(), figures, env._bombs, env._items, env._flames


@pytest.mark.parametrize("env_id", ["OneVsOne-v0", "PommeFFACompetition-v0", "PommeTeam-v0"])
def test_the_forward_model_plays_whole_games_as_the_environment_does(env_id):
    game_type = configs.config_of(env_id)["game_type"]
    count = 2 if game_type is GameType.OneVsOne else 4
    env = make(env_id, [agents.SimpleAgent() for _ in range(count)])
    env.seed(11)
    random.seed(1)
    state, done = env.reset(), False
    board, figures, bombs, items, flames = parts(env)
    steps = 0
    while not done and steps < 150:
        actions = env.act(state)
        state, rewards, done, info = env.step(actions)
        given = board, figures, items
        board, figures, bombs, items, flames = ForwardModel.step(
            actions, board, figures, bombs, items, flames
        )
        assert given == (board, figures, items)  # changed in place
        steps += 1
        late = (steps, constants.MAX_STEPS)
        np.testing.assert_array_equal(board, env._board)
        assert items == env._items
        assert [each.to_json() for each in figures] == [f.to_json() for f in env._figures()]
        assert [each.to_json() for each in bombs] == [b.to_json() for b in env._bombs]
        assert [each.to_json() for each in flames] == [f.to_json() for f in env._flames]
        assert ForwardModel.get_rewards(figures, game_type, *late) == rewards
        assert ForwardModel.get_done(figures, *late, game_type, None) == done
        assert ForwardModel.get_info(done, rewards, game_type, figures) == info
        shown = ForwardModel.get_observations(
            board, figures, bombs, flames, False, None, game_type, "mine"
        )
        for ours, theirs in zip(shown, state, strict=True):
            assert ours.keys() == theirs.keys() - {"step_count"}
            for key in ours.keys() - {"game_env"}:
                np.testing.assert_array_equal(ours[key], theirs[key], err_msg=key)
    assert steps > 20


def test_fog_limits_what_the_forward_model_shows():
    env = make("PommeTeamCompetition-v0", [agents.DummyAgent() for _ in range(4)])
    state = env.reset()
    board, figures, bombs, _, flames = parts(env)
    shown = ForwardModel.get_observations(
        board, figures, bombs, flames, True, 4, GameType.Team, "x"
    )
    np.testing.assert_array_equal(shown[1]["board"], state[1]["board"])
    with pytest.raises(InvalidConfig, match="agent_view_size=3"):
        ForwardModel.get_observations(board, figures, [], [], True, 3, GameType.Team, "x")


def test_the_forward_model_takes_agents_and_words():
    env = make("PommeRadio-v2", [agents.DummyAgent() for _ in range(4)])
    env.reset()
    board, _, bombs, items, flames = parts(env)
    players = copy.deepcopy(env._agents)
    _, _, bombs, _, _ = ForwardModel.step(
        [[5, 1, 1], Action.Right, (0, 0, 0), np.int64(0)], board, players, bombs, items, flames
    )
    assert bombs[0].bomber is players[0]._character
    assert (players[0].ammo, bombs[0].position) == (0, (1, 1))
    assert players[1].position == env.game_state.play([0, 4, 0, 0]).agents[1][:2]
    for wrong in ([0, 0, 0, 7], [0, 0, 0], [0, 0, 0, "up"]):
        with pytest.raises(IllegalAction, match=r"0 to 5"):
            ForwardModel.step(wrong, board, players, bombs, items, flames)


@pytest.mark.parametrize(
    ("game_type", "living", "rewards", "done"),
    [
        (GameType.FFA, {1, 2}, [-1, 0, 0, -1], False),
        (GameType.FFA, {2}, [-1, -1, 1, -1], True),
        (GameType.FFA, set(), [-1, -1, -1, -1], True),
        (GameType.Team, {0, 1, 2}, [0, 0, 0, 0], False),
        (GameType.Team, {0, 2}, [1, -1, 1, -1], True),
        (GameType.Team, set(), [-1, -1, -1, -1], True),
        (GameType.OneVsOne, set(), [0, 0], True),
        (GameType.OneVsOne, {1}, [-1, 1], True),
    ],
)
def test_rewards_and_ends_by_who_lives(game_type, living, rewards, done):
    figures = [Bomber(player, game_type) for player in range(len(rewards))]
    for player, figure in enumerate(figures):
        figure.is_alive = player in living
    assert ForwardModel.get_rewards(figures, game_type, 50, 800) == rewards
    assert ForwardModel.get_done(figures, 50, 800, game_type, None) == done
    assert ForwardModel.get_done(figures, 800, 800, game_type, None)


# --- boards and figures ---


@pytest.mark.parametrize(("size", "rigid", "wood", "players"), [(11, 36, 36, 4), (8, 16, 16, 2)])
def test_boards_are_like_the_originals(size, rigid, wood, players):
    mode = {4: "pommerman-ffa", 2: "pommerman-1v1"}[players]
    for seed in range(8):
        board = utility.make_board(size, rigid, wood, players, random.Random(seed))
        known = games.make(mode).initial_state(seed=seed).board
        counts = np.bincount(board.ravel(), minlength=14)
        np.testing.assert_array_equal(counts, np.bincount(known.ravel(), minlength=14))
        walls = np.isin(board, (1, 2))
        np.testing.assert_array_equal(walls, walls.T)
        assert not walls.diagonal().any()
        assert len(utility.inaccessible_passages(board, [(1, 1)])) <= 4
        items = utility.make_items(board, 10, random.Random(seed))
        assert len(items) == 10
        assert all(board[place] == Item.Wood.value for place in items)
    with pytest.raises(InvalidConfig, match="no room"):
        utility.make_board(size, 200, 0, players)
    with pytest.raises(InvalidConfig, match="ask for fewer"):
        utility.make_items(board, 100)


def test_figures_bombs_and_flames_do_what_scripts_ask_of_them():
    figure = Bomber(2, GameType.Team)
    figure.set_start_position((9, 9))
    figure.reset(ammo=2, can_kick=True)
    assert (figure.position, figure.ammo, figure.can_kick) == ((9, 9), 2, True)
    bomb = figure.maybe_lay_bomb()
    assert (bomb.position, bomb.life, figure.ammo) == ((9, 9), 10, 1)
    bomb.tick()
    assert (bomb.life, bomb.is_moving(), bomb.exploded()) == (9, False, False)
    bomb.fire()
    assert bomb.exploded()
    figure.incr_ammo()
    figure.maybe_lay_bomb()
    figure.maybe_lay_bomb()
    assert figure.maybe_lay_bomb() is None
    figure.die()
    assert not figure.is_alive
    flame = Flame((1, 2))
    flame.tick()
    assert (flame.life, flame.is_dead()) == (1, False)
    rolling = Bomb(figure, (1, 1), 3, 2, Action.Left)
    text = json.dumps([figure, rolling, flame, Item.Wood, np.arange(2), np.float32(1)],
                      cls=utility.PommermanJSONEncoder)  # fmt: skip
    assert json.loads(text)[1]["moving_direction"] == 3
