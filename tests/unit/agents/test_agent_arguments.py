"""What agents and sessions are given is checked when it is given, and named."""

import re

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.errors import IllegalAction, InvalidArray, InvalidConfig, InvalidState, UnknownGame

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
@pytest.mark.parametrize("name", sorted(set(SEEDED) - {"tablebase", "decoupled"}))
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
def test_options_of_pools(name):
    agent = SEARCHING[name]()
    for option, value in [("threads", 0), ("limit", 5), ("pool_rows", "9"), ("pool_rows", 0)]:
        with names(option, value):
            agent.session_pool(FOUR, **{option: value})


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


# --- evaluators ---


class NoSpec:
    def evaluate(self, planes):
        return inference.Evaluation(value=np.zeros(len(planes)))


def made(**members):
    return type("Mine", (NoSpec,), members)()


@pytest.mark.parametrize(
    ("evaluator", "text"),
    [
        (NoSpec(), "plane_spec is missing"),
        (made(plane_spec=5), "plane_spec is 5"),
        (made(plane_spec=None, evaluate=3), "no evaluator"),
        (made(evaluate_batch=3), "no evaluator"),
        (NoSpec, "no evaluator"),
        (None, "no evaluator"),
        ("phasezoo/chess-small", "no evaluator"),
        (lambda planes: 0, "no evaluator"),
    ],
)
def test_what_is_no_evaluator_is_named_when_an_agent_is_made(evaluator, text):
    for make in (agents.MCTSAgent, agents.DecoupledMCTSAgent, agents.PolicyAgent):
        with pytest.raises(InvalidConfig, match=text):
            make(evaluator)
    with pytest.raises(InvalidConfig, match=text):
        agents.M2CTSAgent({"part 0": evaluator, "part 1": inference.Uniform()}, "hash:2")


# --- states ---


PLAYING = SEEDED | {"others": lambda: agents.MCTSAgent(inference.Uniform(), others="random")}


@pytest.mark.parametrize("name", PLAYING)
@pytest.mark.parametrize("state", [None, 5, "8/8/8/8/8/8/8/K1k5 w - - 0 1", np.zeros(3), object()])
def test_what_is_no_state_is_named(name, state):
    agent = PLAYING[name]()
    asked = [agent.session(1).act]
    if hasattr(agent, "search"):
        asked.append(agent.search)
    if hasattr(agent, "select_batch"):
        asked.append(lambda state: agent.select_batch([state]))
    for ask in asked:
        with pytest.raises(UnknownGame, match="no state of a registered game"):
            ask(state)


BATCHED = sorted(set(PLAYING) - {"uct"})


@pytest.mark.parametrize("name", BATCHED)
def test_batches_are_lists_of_states_and_players(name):
    agent, state = PLAYING[name](), FOUR.initial_state()
    for given in (None, 5, state, "fen"):
        with pytest.raises(InvalidArray, match="expected a list of states"):
            agent.select_batch(given)
    for players in ([0], 0, "ab"):
        with pytest.raises(InvalidArray if players != "ab" else InvalidConfig, match="player"):
            agent.select_batch([state, state], players)
    for player in ("a", 9, -1, 0.5):
        with names("player", player):
            agent.select_batch([state], [player])


@pytest.mark.parametrize("name", PLAYING)
@pytest.mark.parametrize("info", [None, 5, {}, {"fen": "…"}])
def test_infos_without_what_an_agent_needs(name, info):
    with pytest.raises(InvalidState, match="missing"):
        PLAYING[name]()(None, info)


def test_a_policy_of_players_at_once_asks_for_whom():
    state = games.make("pommerman-ffa").initial_state(seed=1)
    with pytest.raises(InvalidState, match="say for whom"):
        agents.PolicyAgent(inference.Uniform()).session(1).act(state)


@pytest.mark.parametrize("name", ["mcts", "decoupled"])
def test_pools_of_a_game_by_name(name):
    agent = SEARCHING[name](limit=LIMIT)
    assert agent.session_pool("connect-four").game == FOUR
    with pytest.raises(UnknownGame, match="5: no such game"):
        agent.session_pool(5)


@pytest.mark.parametrize(
    ("answer", "kind"), [(None, InvalidArray), ("abc", InvalidArray), ([99], IllegalAction)]
)
def test_others_that_answer_something_else(answer, kind):
    class Others:
        def select_batch(self, states, players):
            return answer * len(players) if isinstance(answer, list) else answer

    state = games.make("pommerman-ffa").initial_state(seed=1)
    agent = agents.MCTSAgent(inference.Uniform(), others=Others(), limit=LIMIT)
    with pytest.raises(kind, match="the agent that moves the others"):
        agent.search(state)
    with pytest.raises(InvalidConfig, match="others="):
        agents.MCTSAgent(inference.Uniform(), others=Others)
