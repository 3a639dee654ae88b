"""Observations that the original gave, key for key, and SimpleAgents that see only these."""

import gzip
import json

import numpy as np
import pytest
import replay_pommerman as recordings

from phasezoo import _core
from phasezoo.pommerman_compat.constants import Item
from phasezoo.pommerman_compat.simple import state_of
from phasezoo.zoo.pommerman.observation import pommerman_observation

MAPS = ("bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life")


def states(path):
    """(record, state before it or None, state after it) of every line."""
    playing = None
    with gzip.open(path, "rt") as file:
        for record in map(json.loads, file):
            tally = recordings.Tally()
            if record["t"] == "game":
                playing, before = recordings.replay_game(tally, record), None
            else:
                before = playing.state
                recordings.replay_step(tally, playing, record)
            assert not tally.differences, tally.first
            yield record, before, playing.state


def recorded(observation):
    """An observation as it is recorded, its types checked."""
    board = observation["board"]
    assert board.dtype == np.uint8
    shown = {"board": board.reshape(-1).tolist()}
    for key in MAPS:
        cells = observation[key]
        assert cells.dtype == np.float64
        assert cells.shape == board.shape
        shown[key] = [[*place, cells[tuple(place)]] for place in np.argwhere(cells).tolist()]
    assert type(observation["position"]) is tuple
    assert {type(each) for each in observation["position"]} == {int}
    assert type(observation["can_kick"]) is bool
    assert {type(each) for each in observation["alive"]} <= {int}
    for key in ("game_type", "blast_strength", "ammo", "step_count"):
        assert type(observation[key]) is int
        shown[key] = observation[key]
    assert type(observation["game_env"]) is str
    assert {type(each) for each in (observation["teammate"], *observation["enemies"])} == {Item}
    shown["alive"] = observation["alive"]
    shown["position"] = list(observation["position"])
    shown["can_kick"] = int(observation["can_kick"])
    shown["teammate"] = observation["teammate"].value
    shown["enemies"] = [enemy.value for enemy in observation["enemies"]]
    if "message" in observation:
        assert type(observation["message"]) is tuple
        shown["message"] = list(observation["message"])
    return shown


@pytest.mark.parametrize("name", ["radio_random_obs", "team_comp_simple_obs"])
def test_observations_are_the_recorded_ones(shared_dir, name):
    compared = 0
    for record, _, state in states(shared_dir / "pommerman" / f"{name}.jsonl.gz"):
        for player, expected in enumerate(record["obs"]):
            observation = pommerman_observation(state, player)
            assert recorded(observation) == expected, (record["t"], record.get("i"), player)
            assert observation.keys() == expected.keys() | {"game_env"}
            compared += 1
    assert compared > 2000


def test_a_simple_agent_that_sees_observations_decides_as_recorded(shared_dir):
    path = shared_dir / "pommerman" / "team_comp_simple_obs.jsonl.gz"
    compared = 0
    for record, before, _ in states(path):
        if record["t"] == "game":
            natives = [_core.PommermanSimple() for _ in range(4)]
            continue
        for player, drawn in enumerate(record["rng"]):
            if drawn:
                coins, choice, rule = drawn
                seen = state_of(pommerman_observation(before, player))
                assert seen[1] == player
                options, chosen = choice or (0, None)
                ours = natives[player].replay(*seen, [coin == "1" for coin in coins], chosen)
                assert ours == (record["a"][player], rule, len(coins), options)
                compared += 1
    assert compared > 10_000
