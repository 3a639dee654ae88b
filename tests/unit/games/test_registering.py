from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from phasezoo import agents, arena, games, inference
from phasezoo.errors import GameContract, InvalidConfig, InvalidState, UnknownGame
from phasezoo.training import GameStore, play_games


@dataclass(frozen=True)
class Once:
    """One action ends it."""

    played: bool = False
    to_play: int = 0
    rewards: object = (0.0, 0.0)

    @property
    def is_terminal(self):
        return self.played

    @property
    def legal_actions(self):
        return np.arange(0 if self.played else 1, dtype=np.int64)

    @property
    def returns(self):
        return self.rewards

    def play(self, action):
        return Once(True, 1, self.rewards)

    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


def registered(**given):
    sizes = {"num_players": 2, "num_actions": 1, "plane_specs": {"default": (1, 1, 1)}}
    return games.register(**{"name": "once", "initial_state": Once, **sizes, **given})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": None}, "name None: expected a text"),
        ({"name": ""}, "name '': expected a text"),
        ({"name": ["once"]}, r"name \['once'\]: expected a text"),
        ({"name": "once\ud800"}, "expected a text"),
        ({"plane_specs": {"default": (True, 1, 1)}}, r"is \(True, 1, 1\); expected channels"),
        ({"num_players": True}, "num_players=True: expected a whole number"),
        *(({"name": bad}, "no space around it") for bad in ("a:b", "a,b", "a=1", " a", "a\nb")),
        ({"num_players": "2"}, "num_players='2': expected a whole number"),
        ({"num_actions": float("nan")}, "num_actions=nan: expected a whole number"),
        ({"initial_state": None}, "initial_state=None; expected something that makes"),
        ({"plane_specs": {}}, "expected at least one shape"),
        ({"plane_specs": [1]}, r"plane_specs is \[1\]; expected at least one shape"),
        ({"plane_specs": {"default": "x"}}, "is 'x'; expected channels, height and width"),
        ({"plane_specs": {"default": (1, 1)}}, r"is \(1, 1\); expected channels"),
        ({"plane_specs": {"default": (1, 0, 1)}}, r"is \(1, 0, 1\); expected channels"),
    ],
)
def test_what_cannot_be_registered_is_refused_and_leaves_no_trace(given, told):
    with pytest.raises(InvalidConfig, match=told):
        registered(**given)
    assert games.make("chess").name == "chess"


def test_a_class_of_states_may_come_from_anywhere():
    class Pair(NamedTuple):
        first: int = 0

    executed: dict[str, type] = {}
    exec("class Executed: pass", executed)
    for kind in (Pair, executed["Executed"]):
        assert games.game_of(registered(initial_state=kind).initial_state()).name == "once"


@pytest.mark.parametrize("start", [5, None, "state", [Once()], np.zeros(3)])
def test_a_start_that_is_no_state_is_refused(start):
    with pytest.raises(GameContract, match="which is no state"):
        registered(initial_state=lambda: start)
    with pytest.raises(UnknownGame):
        games.game_of(start)


def test_sizes_of_numpy_are_kept_as_numbers(tmp_path):
    game = registered(
        num_players=np.int64(2), num_actions=np.prod((1, 1)),
        plane_specs={"default": tuple(np.array([1, 1, 1]))},
    )  # fmt: skip
    sizes = (game.num_players, game.num_actions, *game.plane_specs["default"])
    assert {type(size) for size in sizes} == {int}
    krk = games.make("krk", start="dtm", dtm=np.array([1, 3]))
    same = games.make("krk", start="dtm", dtm=(np.int64(1), np.int64(3)))
    assert krk == same == games.make(games.spec_of(krk))
    for each in (game, krk):
        out = tmp_path / each.name
        play_games(agents.RandomAgent(), game=each, games=3, max_plies=4, out=out)
        assert len(GameStore.open(out)) == 3
    with pytest.raises(InvalidConfig, match=r"dtm=.*expected"):
        games.make("krk", start="dtm", dtm=(True, 3))


def test_states_of_a_package_game_stay_its_own():
    for name in ("atomic", "connect-four", "pommerman-ffa"):
        game = games.make(name)
        with pytest.raises(InvalidConfig, match=f"states of {name}, a game of the package"):
            registered(name="mine", initial_state=game.new_state)
        assert games.game_of(game.new_state()) is game


def test_games_of_one_class_are_told_apart_by_what_their_states_say():
    class Named(Once):
        def __init__(self, game):
            super().__init__()
            object.__setattr__(self, "game", game)

    for name in ("once", "twice"):
        registered(name=name, initial_state=partial(Named, name))
    assert [games.game_of(Named(name)).name for name in ("once", "twice")] == ["once", "twice"]
    assert games.game_of(Named("unheard")).name == "twice"


@pytest.mark.parametrize("rewards", [None, "win", (float("nan"), 0.0), (float("inf"), 0.0),
                                     (0.0,), (5.0, -5.0), (1.0, 1.1)])  # fmt: skip
def test_a_match_refuses_returns_that_are_none(rewards):
    registered(initial_state=lambda: Once(rewards=rewards))
    with pytest.raises(GameContract, match=r"returns is .* expected 2 numbers in \[-1, 1\]"):
        arena.play_match("random", "random", game="once", games=2)


@pytest.mark.parametrize("rewards", [(-1.0, -1.0), (1.0, 1.0), (0.5, 0.0), (0.0, -0.25)])
def test_returns_of_two_who_move_in_turn_add_up_to_zero(rewards):
    registered(initial_state=lambda: Once(rewards=rewards))
    told = r"add.* up to (0|zero)"
    with pytest.raises(GameContract, match=told):
        arena.play_match("random", "random", game="once", games=2)
    for agent in (
        agents.UCTAgent(limit=agents.Limit(simulations=20)),
        agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=20)),
        agents.BeamAgent(inference.Uniform(), schedule=(2,)),
    ):
        with pytest.raises(GameContract, match=told):
            agent.search(Once(rewards=rewards))
    report = games.check("once")
    assert "returns of two players sum to 0" in str(report)


def test_nothing_is_drawn_from_a_finished_game():
    registered()
    with pytest.raises(InvalidState, match=r"no legal action to draw one from"):
        agents.RandomAgent().session(0).act(Once(played=True))


@pytest.mark.parametrize("name", ["chess", "chess960", "connect-four", "krk", "pommerman-ffa"])
@pytest.mark.parametrize("seed", [-1, 2**64, "a", 1.5, float("nan")])
def test_a_seed_is_a_whole_number_in_every_game(name, seed):
    with pytest.raises(InvalidConfig, match=r"seed=.*: expected a whole number from 0 to 18,446"):
        games.make(name).initial_state(seed=seed)
    assert games.make(name).initial_state(seed=np.uint64(3)) is not None
