"""The original's observations, where no recordings are."""

import enum
import json

import numpy as np
import pytest

from phasezoo import games
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.pommerman_compat.constants import GameType, Item
from phasezoo.zoo.pommerman.observation import game_type_of, pommerman_observation

FFA = games.make("pommerman-ffa")


def start(name="pommerman-ffa", seed=3, **options):
    return games.make(name, **options).initial_state(seed=seed)


def burning(game, flames):
    """A start, with flames (row, column, life) in the middle."""
    values = json.loads(game.initial_state(seed=3).to_json())
    board = np.array(json.loads(values["board"]))
    for row, column, _ in flames:
        board[row, column] = Item.Flames.value
    values["board"] = board.tolist()
    values["flames"] = [{"position": flame[:2], "life": flame[2]} for flame in flames]
    values["items"] = []
    return game.from_json(json.dumps(values))


@pytest.mark.parametrize(
    ("name", "kind", "mates", "enemies"),
    [
        (
            "pommerman-ffa",
            1,
            [9, 9, 9, 9],
            [[11, 12, 13], [10, 12, 13], [10, 11, 13], [10, 11, 12]],
        ),
        ("pommerman-team", 2, [12, 13, 10, 11], [[11, 13, 9], [10, 12, 9]] * 2),
        ("pommerman-team-radio", 3, [12, 13, 10, 11], [[11, 13, 9], [10, 12, 9]] * 2),
        ("pommerman-1v1", 4, [9, 9], [[11], [10]]),
        ("pommerman-1v1-11", 4, [9, 9], [[11], [10]]),
    ],
)
def test_sides(name, kind, mates, enemies):
    state = start(name)
    assert game_type_of(state) is GameType(kind)
    for player in range(state.num_players):
        observation = pommerman_observation(state, player)
        assert observation["game_type"] == kind
        assert observation["teammate"] is Item(mates[player])
        assert observation["enemies"] == [Item(enemy) for enemy in enemies[player]]
        assert ("message" in observation) == (kind == 3)


def test_without_fog_everything_is_seen():
    state = start().play([0, 0, 5, 0])
    observation = pommerman_observation(state, 0)
    assert (observation["board"] == state.board).all()
    assert observation["bomb_life"][9, 9] == 9
    assert observation["bomb_blast_strength"][9, 9] == 2
    assert observation["step_count"] == 1
    assert np.count_nonzero(observation["bomb_life"]) == 1


def test_fog_hides_what_is_farther_than_four_cells():
    state = start("pommerman-ffa", fog=True).play([0, 0, 5, 0])
    observation = pommerman_observation(state, 0)
    seen = np.zeros((11, 11), dtype=bool)
    seen[:6, :6] = True
    assert ((observation["board"] == Item.Fog.value) == ~seen).all()
    assert (observation["board"][seen] == state.board[seen]).all()
    assert not observation["bomb_life"].any()
    assert pommerman_observation(state, 2)["bomb_life"][9, 9] == 9
    assert observation["alive"] == [10, 11, 12, 13]


def test_the_last_flame_of_a_cell_is_shown_one_higher():
    state = burning(FFA, [(5, 5, 0), (5, 5, 2), (5, 6, 1), (5, 4, 2), (5, 4, 0)])
    life = pommerman_observation(state, 1)["flame_life"]
    assert life[5, 4:7].tolist() == [1, 3, 2]
    assert np.count_nonzero(life) == 3


def test_the_dead_see_from_where_they_died():
    state = start(fog=True)
    while state.agents[0][5]:
        state = state.play([5, 0, 0, 0])
    assert state.acting == (1, 2, 3)
    observation = pommerman_observation(state, 0)
    assert observation["position"] == (1, 1)
    assert observation["alive"] == [11, 12, 13]
    assert observation["board"][5, 5] != Item.Fog.value == observation["board"][6, 5]


def test_words_are_those_of_the_mate():
    state = start("pommerman-team-radio").play([6 * (3 + 8 * 5), 6 * 1, 0, 0])
    messages = [pommerman_observation(state, player)["message"] for player in range(4)]
    assert messages == [(0, 0), (0, 0), (3, 5), (1, 0)]


def test_arrays_are_the_callers():
    state = start()
    pommerman_observation(state, 0)["board"][:] = 7
    assert pommerman_observation(state, 0)["board"][1, 1] == 10


@pytest.mark.parametrize(
    ("name", "options", "version"),
    [
        ("pommerman-ffa", {}, 0),
        ("pommerman-1v1", {}, 0),
        ("pommerman-team", {"fog": True}, 0),
        ("pommerman-ffa", {"collapse": True}, 1),
        ("pommerman-team-radio", {"fog": True}, 2),
    ],
)
def test_the_name_of_the_environment(name, options, version):
    observation = pommerman_observation(start(name, **options), 0)
    assert observation["game_env"] == f"pommerman.envs.v{version}:Pomme"


def test_items_may_be_those_of_the_original():
    theirs = enum.Enum("Theirs", {item.name: item.value for item in Item})
    observation = pommerman_observation(start("pommerman-team"), 1, items=theirs)
    assert observation["teammate"] is theirs.Agent3
    assert observation["enemies"] == [theirs.Agent0, theirs.Agent2, theirs.AgentDummy]


@pytest.mark.parametrize("player", [-1, 2, 4])
def test_a_player_that_is_none_is_an_error(player):
    with pytest.raises(InvalidConfig, match="players 0 to 1"):
        pommerman_observation(start("pommerman-1v1"), player)


def test_another_game_is_an_error():
    with pytest.raises(InvalidState, match="BoardState is no state of Pommerman"):
        pommerman_observation(games.make("chess").initial_state(), 0)
