"""What a match tells an agent is what an environment tells; what it takes for an answer."""

from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import pytest

import phasezoo  # noqa: F401 - registers the environments
from phasezoo import agents, arena, games, gating, inference
from phasezoo.errors import GameContract, IllegalAction, InvalidGate, InvalidPlaneSpec

FIRST = [["e2e4", "e7e5", "g1f3"]]
RANDOM = agents.RandomAgent(seed=1)


class Notes:
    """Plays the first legal action, and keeps what it was told."""

    def __init__(self, **wants):
        self.told = []
        self.__dict__.update(wants)

    def __call__(self, observation, info):
        self.told.append((observation, dict(info)))
        mask = info["action_mask"]
        if isinstance(mask, tuple):
            return [int(np.flatnonzero(part)[0]) for part in mask]
        return int(np.flatnonzero(mask)[0])


def heard(notes, key):
    return [info[key] for _, info in notes.told]


# --- phases ---


def test_phases_are_those_of_the_matchs_gate():
    notes = Notes()
    arena.play_match(
        notes, RANDOM, game="chess", gate="moves:3", games=2, max_plies=80, openings=FIRST, seed=1
    )
    assert set(heard(notes, "phase")) == {0, 1, 2}
    gate = gating.make("moves:3", "chess")
    assert all(info["phase"] == gate(info["state"]) for _, info in notes.told)


def test_an_agents_own_gate_holds_where_the_match_has_none():
    own, none = Notes(gate="moves:3"), Notes()
    arena.play_match(own, none, game="chess", games=2, max_plies=60, openings=FIRST, seed=1)
    assert set(heard(own, "phase")) == {0, 1, 2}
    assert set(heard(none, "phase")) == {0}
    own = Notes(gate="moves:3")
    arena.play_match(own, none, gate="none", games=2, max_plies=60, openings=FIRST, seed=1)
    assert set(heard(own, "phase")) == {0}
    with pytest.raises(InvalidGate):
        arena.play_match(own, none, gate="steps:3", games=2)


def test_monotone_phases_remember_the_opening_and_the_game():
    names = ("quiet", "check")

    @gating.register("test-told-check", names=names)
    def in_check(state):
        return int(state.is_check)

    line = ["e2e4", "f7f5", "d1h5", "g7g6"]  # a check in the opening, answered in it
    notes = Notes()
    gate = gating.make("test-told-check", monotone=True)
    arena.play_match(notes, RANDOM, gate=gate, games=2, max_plies=12, openings=[line], seed=1)
    assert set(heard(notes, "phase")) == {1}


# --- planes ---


def test_agents_get_the_planes_they_ask_for():
    minimal, default = Notes(plane_spec="minimal"), Notes()
    arena.play_match(minimal, default, game="chess", games=2, max_plies=16, seed=1)
    assert {observation.shape for observation, _ in minimal.told} == {(12, 8, 8)}
    assert {observation.shape for observation, _ in default.told} == {(52, 8, 8)}
    for observation, info in minimal.told:
        np.testing.assert_array_equal(observation, info["state"].planes("minimal"))
    with pytest.raises(InvalidPlaneSpec, match="'v9'"):
        arena.play_match(Notes(plane_spec="v9"), default, games=2)


def test_the_first_infos_are_an_environments():
    notes = Notes(plane_spec="v1")
    arena.play_match(
        notes, RANDOM, game="krk", gate="box", games=2, max_plies=3, openings=[[]], seed=5
    )
    observation, info = notes.told[0]
    env = gym.make("KRK-v0", opponent=None, planes="v1", gate="box")
    expected, told = env.reset(options={"fen": info["fen"]})
    np.testing.assert_array_equal(observation, expected)
    assert info.keys() == told.keys()
    for key in info.keys() - {"action_mask", "state"}:
        assert info[key] == told[key], key
    np.testing.assert_array_equal(info["action_mask"], told["action_mask"])
    differences = heard(notes, "dtm_difference")
    assert differences[0] is None
    assert any(difference is not None for difference in differences)


# --- hidden information, and actions of several parts ---


@pytest.mark.parametrize("game", ["pommerman-ffa", "pommerman-team", "pommerman-team-radio"])
def test_what_is_hidden_stays_hidden(game):
    notes = Notes()
    match = arena.play_match(notes, RANDOM, game=game, games=4, seed=1, max_plies=20)
    for observation, info in notes.told:
        assert "state" not in info
        assert observation.shape == (23, 11, 11)
        mask = info["action_mask"]
        parts = [len(part) for part in mask] if isinstance(mask, tuple) else len(mask)
        assert parts == ([6, 8, 8] if game == "pommerman-team-radio" else 6)
    assert match.truncated <= 4


def test_dictionaries_of_the_original():
    notes = Notes(plane_spec="dict")
    arena.play_match(notes, RANDOM, game="pommerman-ffa", games=4, seed=1, max_plies=3)
    assert {"board", "alive", "bomb_life"} <= notes.told[0][0].keys()


def test_answers_may_be_indices_or_parts():
    joint = {}
    for name, answer in (("index", 5 + 6 * (1 + 8 * 2)), ("parts", (5, 1, 2))):
        match = arena.play_match(
            lambda observation, info, answer=answer: answer,
            lambda observation, info: 0,
            game="pommerman-team-radio",
            games=4,
            seed=1,
            max_plies=1,
        )
        joint[name] = [record.moves for record in match.games]
    assert joint["index"] == joint["parts"]
    assert joint["index"][0][0].split(",")[0] == str(5 + 6 * (1 + 8 * 2))


# --- answers that are none ---


class Answers:
    """A session agent that answers what it is made with."""

    name = "odd"

    def __init__(self, answer):
        self.answer = answer

    def session(self, seed):
        return self

    def act(self, state, player=None):
        return self.answer


@pytest.mark.parametrize("answer", [None, "12", 1.0, [3], -1, 4672, np.array([1, 2])])
@pytest.mark.parametrize("wrap", [Answers, lambda answer: lambda observation, info: answer])
def test_answers_that_are_no_actions_name_the_side(answer, wrap):
    with pytest.raises(IllegalAction, match=r"side 1 of the match \(.*\) answered .*whole number"):
        arena.play_match(RANDOM, wrap(answer), games=2, names=("good", "odd"))


# --- searches of players at once ---


def test_mixtures_and_single_networks_play_pommerman_by_the_same_calls():
    limit = agents.Limit(simulations=8)
    options = {"others": "simple", "game": "pommerman-team", "limit": limit, "seed": 1}
    uniform = inference.Uniform()
    mixture = agents.M2CTSAgent({"up to 3": uniform, "over 3": uniform}, gate="steps:3", **options)
    single = agents.MCTSAgent(uniform, **options)
    arguments = {"game": "pommerman-team", "games": 4, "seed": 1, "max_plies": 12}
    match = arena.play_match(mixture, single, **arguments)
    assert (match.sides[0].name, match.sides[1].name) == ("M2CTS", "MCTS")
    assert match.sides[0].gate == "steps:3"
    assert match.sides[0].nodes > 0
    assert arena.play_match(mixture, single, **arguments).games == match.games


def test_the_dead_of_a_team_that_goes_on_are_not_asked():
    agent = agents.SinglePlayerMCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=2))
    match = arena.play_match(agent, agents.SimpleAgent(), game="pommerman-team", games=4, seed=1)
    answers = match.sides[0].moves + match.sides[1].moves
    assert answers < sum(4 * len(record.moves) for record in match.games)


def test_one_at_a_time_gives_the_same_games_of_pommerman():
    agent = agents.SinglePlayerMCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=6))
    options = {"game": "pommerman-ffa", "games": 4, "seed": 2, "max_plies": 30}
    together = arena.play_match(agent, agents.SimpleAgent(), **options)
    alone = arena.play_match(agent, agents.SimpleAgent(), concurrency=1, **options)
    assert together.games == alone.games


# --- games of one's own that break their contract ---


class Taken:
    """A pile that changes in place."""

    def __init__(self, pile=6):
        self.pile = pile

    @property
    def to_play(self):
        return self.pile % 2

    @property
    def is_terminal(self):
        return self.pile <= 0

    @property
    def legal_actions(self):
        return np.array([0], dtype=np.int64)

    @property
    def returns(self):
        return np.zeros(2, dtype=np.float32)

    def play(self, action):
        self.pile -= 1
        return Taken(self.pile)

    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


@dataclass(frozen=True)
class Nobody:
    """The third turn is of a player who is none."""

    ply: int = 0

    @property
    def to_play(self):
        return 5 if self.ply == 2 else self.ply % 2

    @property
    def is_terminal(self):
        return self.ply >= 4

    @property
    def legal_actions(self):
        return np.array([0], dtype=np.int64)

    @property
    def returns(self):
        return np.zeros(2, dtype=np.float32)

    def play(self, action):
        return Nobody(self.ply + 1)

    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


@pytest.fixture
def broken(own_games_forgotten):
    """Registers games that break their contract for the length of a test."""
    for kind in (Taken, Nobody):
        games.register(
            f"told-{kind.__name__.lower()}",
            initial_state=kind,
            num_players=2,
            num_actions=1,
            plane_specs={"default": (1, 1, 1)},
        )


def test_games_that_break_their_contract_are_named(broken):
    with pytest.raises(GameContract, match=r"Taken\.play\(action\) has changed the state"):
        arena.play_match(RANDOM, RANDOM, game="told-taken", games=2)
    with pytest.raises(GameContract, match="to_play is 5, expected players from 0 to 1"):
        arena.play_match(RANDOM, RANDOM, game="told-nobody", games=2)
