"""Games that are not chess, in Python, through every environment. All values worked out by hand."""

import copy
import pickle

import environment_toys
import numpy as np
import pytest
from environment_toys import SPECS, Mixed, Pennies, Race
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test

from phasezoo._core import Stream
from phasezoo.envs import AECGameEnv, GameVectorEnv, GymEnv, ParallelGameEnv
from phasezoo.errors import GameContract, IllegalAction, InvalidConfig, InvalidState
from phasezoo.games import register
from phasezoo.games.queries import acting_players, legal_actions_of
from phasezoo.types import SIMULTANEOUS


@pytest.fixture(autouse=True)
def _registered():
    environment_toys.register()


def test_three_players_in_self_play():
    env = GymEnv("toy-race", opponent=None, gate="hash:4")
    observation, info = env.reset(seed=5)
    assert (observation.ravel().tolist(), info["action_mask"].tolist()) == ([0, 0], [0, 1, 1, 1])
    assert (info["to_play"], info["ply"], info["phase"], info["winners"]) == (0, 0, 0, None)
    assert "fen" not in info
    for action, total, to_play, phase in ((3, 3, 1, 3), (3, 6, 2, 2), (3, 9, 0, 1)):
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation.ravel().tolist() == [total, to_play]
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert (info["to_play"], info["phase"], env.player) == (to_play, phase, to_play)
    assert info["action_mask"].tolist() == [0, 1, 0, 0]
    observation, reward, terminated, truncated, info = env.step(1)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["result"], info["winners"], info["reason"]) == ("win", (0,), None)
    # The last observation is for the player who would be next.
    assert observation.ravel().tolist() == [10, 1]
    assert info["action_mask"].tolist() == [1, 1, 1, 1]


def test_random_opponents_draw_from_the_stream_of_their_seat():
    env = GymEnv("toy-race", opponent="random", agent_color=1)
    observation, info = env.reset(seed=11)
    rng = np.random.default_rng(11)
    seed = int(rng.integers(1 << 63))
    total = 1 + Stream(seed, "opponent", 0).below(3)
    assert (observation.ravel().tolist(), info["ply"]) == ([total, 1], 1)
    observation, _, terminated, _, _ = env.step(1)
    total += 1
    total += 1 + Stream(seed, "opponent", 2).below(3)
    stream = Stream(seed, "opponent", 0, drawn=1)
    total += 1 + stream.below(min(3, 10 - total)) if total < 10 else 0
    assert observation[0, 0, 0] == total
    assert terminated == (total == 10)


def test_a_list_names_the_opponents_in_the_order_of_seats():
    asked = []

    def opponent(name, action):
        def act(observation, info):
            asked.append((name, observation.ravel().tolist(), info["to_play"]))
            return action

        return act

    env = GymEnv("toy-race", opponent=[opponent("a", 1), opponent("b", 2)], agent_color=1)
    observation, _ = env.reset()
    assert observation.ravel().tolist() == [1, 1]
    observation, *_ = env.step(3)
    assert asked == [("a", [0, 0], 0), ("b", [4, 2], 2), ("a", [6, 0], 0)]
    assert observation.ravel().tolist() == [7, 1]
    # Player 2 wins: the learner loses with the other who did not move last.
    _, reward, terminated, _, info = env.step(1)
    assert (reward, terminated, info["winners"]) == (-1.0, True, (2,))
    with pytest.raises(InvalidConfig, match="3 entries for 2 players"):
        GymEnv("toy-race", opponent=["random"] * 3)


def test_seats_alternate_over_all_players():
    env = GymEnv("toy-race", agent_color="alternate")
    for _ in range(2):
        seats = []
        for game in range(4):
            env.reset(seed=3 if game == 0 else None)
            seats.append(env.player)
        assert seats == [0, 1, 2, 0]


def test_players_who_move_at_once_see_the_same_state():
    seen = []

    def rival(observation, info):
        seen.append((observation.ravel().tolist(), info["ply"], info["to_play"]))
        return 1

    env = GymEnv("toy-pennies", opponent=rival)
    _, info = env.reset(seed=1)
    assert (info["to_play"], info["action_mask"].tolist()) == (SIMULTANEOUS, [1, 1])
    rewards = [env.step(action)[1:3] for action in (1, 0, 1)]
    assert rewards == [(0.0, False), (0.0, False), (1.0, True)]
    assert seen == [([0, 1], 0, -2), ([1, 1], 1, -2), ([1, 1], 2, -2)]
    with pytest.raises(InvalidConfig, match="move at once"):
        GymEnv("toy-pennies", opponent=None).reset()


def test_turns_alone_and_at_once_may_be_mixed():
    env = GymEnv("toy-mixed", opponent=lambda observation, info: 0, agent_color=1)
    observation, info = env.reset()
    # Player 0 has moved alone; now both move.
    assert (observation.ravel().tolist(), info["ply"]) == ([0, 1], 1)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["result"]) == (1.0, True, "0-1")


def test_starts_are_drawn_from_the_seed():
    starts = {
        GymEnv("toy-seeded", opponent=None).reset(seed=seed)[0][0, 0, 0] for seed in range(30)
    }
    assert len(starts) > 3
    first, again = (GymEnv("toy-seeded", opponent=None) for _ in range(2))
    totals = [[env.reset(seed=3)[0][0, 0, 0], env.reset()[0][0, 0, 0]] for env in (first, again)]
    assert totals[0] == totals[1]


@pytest.mark.parametrize("name", ["toy-race", "toy-seeded"])
def test_gymnasiums_checker_passes_over_own_games(name):
    check_env(GymEnv(name), skip_render_check=True)
    check_env(GymEnv(name, opponent=None), skip_render_check=True)


def test_own_games_are_drawn_as_text_and_stepped_by_gymnasium():
    env = GymEnv("toy-race", opponent=None, render_mode="ansi")
    env.reset()
    assert env.render() == "Race(total=0, ply=0)"
    with pytest.raises(InvalidConfig, match="render_mode"):
        GymEnv("toy-race", render_mode="svg")
    with pytest.raises(InvalidConfig, match="SyncVectorEnv"):
        GameVectorEnv(2, "toy-race")


class DrawnRace(Race):
    """The race, whose states draw themselves."""

    drawing: str | None = "<svg>{}</svg>"

    def svg(self):
        return self.drawing and self.drawing.format(self.total)


def test_own_games_that_draw_themselves_have_pictures(monkeypatch):
    register(
        "toy-drawn-race", initial_state=DrawnRace, num_players=3, num_actions=4, plane_specs=SPECS
    )
    env = GymEnv("toy-drawn-race", opponent=None, render_mode="svg")
    env.reset()
    env.step(3)
    assert env.render() == "<svg>3</svg>"
    assert "ansi" in env.metadata["render_modes"]
    for drawing in (None, "a picture"):
        monkeypatch.setattr(DrawnRace, "drawing", drawing)
        with pytest.raises(GameContract, match=r"svg\(\) gave .*expected an SVG"):
            env.render()


def test_three_players_in_pettingzoo():
    env = AECGameEnv("toy-race")
    env.reset(seed=1)
    for agent, action in (("player_0", 3), ("player_1", 3), ("player_2", 3), ("player_0", 1)):
        assert env.agent_selection == agent
        observation, reward, *_ = env.last()
        assert (observation["observation"][1, 0, 0], reward) == (float(agent[-1]), 0.0)
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0, "player_2": -1.0}
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.infos["player_2"]["winners"].tolist() == [True, False, False]
    last = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert (observation["action_mask"].sum(), terminated, truncated) == (0, True, False)
        last.append((agent, reward))
        env.step(None)
    assert sorted(last) == [("player_0", 1.0), ("player_1", -1.0), ("player_2", -1.0)]


def test_pettingzoo_asks_players_who_move_at_once_in_turn():
    env = AECGameEnv("toy-pennies")
    env.reset()
    for ply, (first, second) in enumerate(((1, 1), (0, 0), (0, 1))):
        assert env.agent_selection == "player_0"
        env.step(first)
        assert env.agent_selection == "player_1"
        # The other has chosen, but nothing has happened yet.
        assert env.game_state.rounds == ply
        assert env.observe("player_0")["action_mask"].sum() == 0
        env.step(second)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}


@pytest.mark.parametrize("name", ["toy-race", "toy-pennies", "toy-mixed"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_api_test_passes_over_own_games(name):
    api_test(AECGameEnv(name), num_cycles=50)


def test_players_who_move_at_once_in_the_parallel_environment():
    env = ParallelGameEnv("toy-pennies", gate="none")
    observations, infos = env.reset(seed=1)
    assert {name: array.ravel().tolist() for name, array in observations.items()} == {
        "player_0": [0, 0],
        "player_1": [0, 1],
    }
    assert infos["player_1"]["action_mask"].tolist() == [1, 1]
    for first, second in ((1, 1), (0, 1), (1, 0)):
        result = env.step({"player_0": first, "player_1": second})
    observations, rewards, terminations, truncations, infos = result
    assert rewards == {"player_0": -1.0, "player_1": 1.0}
    assert terminations == {"player_0": True, "player_1": True}
    assert truncations == {"player_0": False, "player_1": False}
    assert infos["player_0"]["result"] == "0-1"
    assert infos["player_0"]["action_mask"].tolist() == [0, 0]
    assert env.agents == []
    for sent in ({}, {"player_0": 0, "player_1": 0}):
        assert env.step(sent) == ({}, {}, {}, {}, {})
    with pytest.raises(InvalidState, match="reset"):
        ParallelGameEnv("toy-pennies").step({})


def test_who_is_not_to_move_is_not_listened_to():
    env = ParallelGameEnv("toy-mixed")
    _, infos = env.reset()
    assert infos["player_1"]["action_mask"].tolist() == [1, 1]
    env.step({"player_0": 1, "player_1": 1})
    assert env.game_state == Mixed(1, 1)
    with pytest.raises(InvalidConfig, match="player_1 is to move"):
        env.step({"player_0": 1})
    _, rewards, *_ = env.step({"player_0": 1, "player_1": 0})
    assert rewards == {"player_0": 1.0, "player_1": -1.0}


@pytest.mark.parametrize("name", ["toy-pennies", "toy-mixed"])
def test_parallel_api_test_passes(name):
    parallel_api_test(ParallelGameEnv(name), num_cycles=20)
    parallel_seed_test(lambda: ParallelGameEnv(name), num_cycles=20)


@pytest.mark.parametrize(
    ("illegal", "rewards"),
    [("terminate", {"player_0": 0.0, "player_1": -1.0}), ("random_legal", None), ("raise", None)],
)
def test_illegal_actions_of_one_player_among_many(illegal, rewards):
    register(
        "toy-wide", initial_state=Pennies, num_players=2, num_actions=3,
        plane_specs=environment_toys.SPECS,
    )  # fmt: skip
    env = ParallelGameEnv("toy-wide", illegal=illegal)
    env.reset(seed=2)
    if illegal == "raise":
        with pytest.raises(IllegalAction, match="player 1"):
            env.step({"player_0": 1, "player_1": 2})
        assert env.game_state == Pennies()
        return
    _, given, terminations, _, infos = env.step({"player_0": 1, "player_1": 2})
    assert infos["player_1"]["illegal_action"]
    assert not infos["player_0"]["illegal_action"]
    if illegal == "terminate":
        assert given == rewards
        assert infos["player_0"]["reason"] == "illegal_action"
    else:
        assert not any(terminations.values())
        assert env.game_state.rounds == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_own_games_keep_the_game(copied):
    for env in (GymEnv("toy-race"), AECGameEnv("toy-race"), ParallelGameEnv("toy-pennies")):
        env.reset(seed=1)
        action = {"player_0": 1, "player_1": 0} if isinstance(env, ParallelGameEnv) else 2
        env.step(action)
        other = copied(env)
        assert other.game_state == env.game_state
        env.step(action)
        other.step(action)
        assert other.game_state == env.game_state


class Stuck(Race):
    legal_actions = np.empty(0, dtype=np.int64)


class WrongPlanes(Race):
    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


class WrongReturns(Race):
    total = 10
    returns = np.zeros(2, dtype=np.float32)

    def play(self, action):
        return type(self)(10)


class LargeReturns(WrongReturns):
    returns = np.array([5, -5, 0], dtype=np.float32)


class Unknown(Race):
    legal_actions = np.array([0, 99])


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (Stuck, "no legal action"),
        (Unknown, r"may play \[0, 99\], but the game has the actions 0 to 3"),
        (WrongPlanes, "gave shape"),
        (WrongReturns, "expected 3 numbers in"),
        (LargeReturns, "expected 3 numbers in"),
    ],
)
def test_broken_games_are_named(state, message):
    register(
        "toy-broken", initial_state=state, num_players=3, num_actions=4,
        plane_specs=environment_toys.SPECS,
    )  # fmt: skip
    env = GymEnv("toy-broken", opponent=None)
    with pytest.raises(GameContract, match=message):  # noqa: PT012 - some break later than others
        env.reset()
        env.step(1)


@pytest.mark.parametrize("missing", ["acting", "legal_actions_of"])
def test_players_at_once_of_whom_nothing_is_said_are_named(missing):
    kept = {"acting": (0, 1), "legal_actions_of": lambda self, player: np.array([0])}
    del kept[missing]
    own = {"to_play": SIMULTANEOUS, "is_terminal": False, "ply": 0, **kept}
    state = type("Silent", (), own)()
    with pytest.raises(GameContract, match=f"Silent: .*{missing!r} is missing") as caught:
        legal_actions_of(state, 0)
    assert "to_play is their index" in str(caught.value)


def test_an_acting_that_fails_by_itself_says_so():
    class Failing:
        to_play, is_terminal = SIMULTANEOUS, False

        @property
        def acting(self):
            return self.table

    with pytest.raises(AttributeError, match="table"):
        acting_players(Failing())


class Misled(Race):
    """A race that names a player who is none after the first move."""

    @property
    def to_play(self):
        return 7 if self.total else super().to_play

    def play(self, action):
        return Misled(self.total + int(action), self.ply + 1)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_a_player_who_is_none_is_named(opponent):
    register(
        "toy-misled",
        initial_state=Misled,
        num_players=3,
        num_actions=4,
        plane_specs={"default": (2, 1, 1)},
    )
    env = GymEnv("toy-misled", opponent=opponent, agent_color=0)
    env.reset(seed=1)
    with pytest.raises(GameContract, match="to_play is 7, expected players from 0 to 2"):
        env.step(3)
    aec = AECGameEnv("toy-misled")
    aec.reset(seed=1)
    with pytest.raises(GameContract, match="to_play is 7, expected players from 0 to 2"):
        aec.step(3)


class OneCoin(Pennies):
    def legal_actions_of(self, player):
        return np.array([0], dtype=np.int64)


@pytest.mark.parametrize("illegal", ["random_legal", "terminate"])
def test_in_turns_and_at_once_the_same_actions_are_not_legal(illegal):
    register("toy-one-coin", initial_state=OneCoin, num_players=2, num_actions=2, plane_specs=SPECS)
    for actions in ((1, 0), (0, 1), (1, 1), (0, 0)):
        turns = AECGameEnv("toy-one-coin", illegal=illegal)
        once = ParallelGameEnv("toy-one-coin", illegal=illegal)
        turns.reset(seed=1)
        once.reset(seed=1)
        for action in actions:
            turns.step(action)
        _, rewards, _, _, infos = once.step(dict(zip(once.agents, actions, strict=True)))
        expected = {name: info["illegal_action"] for name, info in infos.items()}
        assert {name: turns.infos[name]["illegal_action"] for name in expected} == expected
        assert turns.rewards == rewards
