"""What agents and sessions are given is checked when it is given, and named."""

import re

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.errors import InvalidConfig, InvalidState

FOUR = games.make("connect-four")
LIMIT = agents.Limit(simulations=5)


def m2cts(**options):
    experts = {f"part {i}": inference.Uniform() for i in range(2)}
    return agents.M2CTSAgent(experts, "hash:2", **options)


SEARCHING = {
    "mcts": lambda **options: agents.MCTSAgent(inference.Uniform(), **options),
    "m2cts": m2cts,
    "decoupled": lambda **options: agents.DecoupledMCTSAgent(inference.Uniform(), **options),
}
SEEDED = SEARCHING | {
    "uct": agents.UCTAgent,
    "random": agents.RandomAgent,
    "tablebase": agents.TablebaseAgent,
    "policy": lambda **options: agents.PolicyAgent(inference.Uniform(), **options),
}

NO_SEEDS = [-1, 2**64, 1.5, "a", None, True, float("nan"), [1]]


def names(option, value):
    return pytest.raises(InvalidConfig, match=re.escape(f"{option}={value!r}: "))


@pytest.mark.parametrize("seed", NO_SEEDS)
@pytest.mark.parametrize("name", SEEDED)
def test_seeds(name, seed):
    with names("seed", seed):
        SEEDED[name](seed=seed)
    with names("seed", seed):
        SEEDED[name]().session(seed)


@pytest.mark.parametrize("seed", [0, np.int64(7), np.uint64(2**64 - 1), 2**64 - 1])
@pytest.mark.parametrize("name", set(SEEDED) - {"tablebase", "decoupled"})
def test_seeds_that_are_some(name, seed):
    limited = {} if name in ("random", "policy") else {"limit": LIMIT}
    agent = SEEDED[name](seed=seed, **limited)
    assert agent.session(seed).act(FOUR.initial_state()) in range(7)


@pytest.mark.parametrize("name", SEARCHING)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("threads", value) for value in (0, -1, 1.5, "a", True, 1025, 2**70)),
        *(("player", value) for value in (-1, 1.5, "a", None, True)),
        *(("config", value) for value in (5, {"batch_size": 1}, "fast")),
        *(("limit", value) for value in (5, {"nodes": 1})),
        ("name", 5),
    ],
)
def test_options_of_agents(name, option, value):
    with names(option, value):
        SEARCHING[name](**{option: value})


@pytest.mark.parametrize("name", ["mcts", "decoupled"])
def test_players_of_a_game(name):
    others = {"others": "random"} if name == "mcts" else {}
    with names("player", 4):
        SEARCHING[name](player=4, game="pommerman-ffa", **others)
    agent = SEARCHING[name](player=4, limit=LIMIT, **others)
    state = games.make("pommerman-ffa").initial_state(seed=1)
    with names("player", 4):
        agent.search(state)
    for player in (4, -1, "a", 1.5):
        with names("player", player):
            agent.search(state, player)
        with names("player", player):
            agent.session(1).act(state, player)
    with names("player", 2):
        SEARCHING[name]().search(FOUR.initial_state(), 2)


@pytest.mark.parametrize("searchmoves", [3, "ab", [1.5], [None], [True], None.__class__])
def test_actions_that_are_searched_alone(searchmoves):
    agent = agents.MCTSAgent(inference.Uniform(), limit=LIMIT)
    with names("searchmoves", searchmoves):
        agent.search(FOUR.initial_state(), searchmoves=searchmoves)


@pytest.mark.parametrize("name", ["mcts", "decoupled"])
def test_options_of_seats(name):
    agent = SEARCHING[name]()
    for option, value in [("threads", 0), ("limit", 5), ("pool_rows", "9"), ("pool_rows", 0)]:
        with names(option, value):
            agent.seats(FOUR, **{option: value})


def test_a_session_goes_on_after_a_refused_question():
    session = agents.MCTSAgent(inference.Uniform(), limit=LIMIT).session(1)
    state = FOUR.initial_state()
    for options in ({"player": 7}, {"searchmoves": "x"}):
        with pytest.raises(InvalidConfig):
            session.search(state, **options)
    assert session.search(state).simulations == 5
    over = FOUR.from_columns("1212121")
    with pytest.raises(InvalidState):
        session.search(over)
    assert session.search(state).simulations == 5
