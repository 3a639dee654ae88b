"""Pommerman's agents, and search by one player among others."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.agents import Limit, SinglePlayerMCTSAgent
from phasezoo.errors import (
    IllegalAction,
    InvalidArray,
    InvalidConfig,
    InvalidState,
)

FFA = games.make("pommerman-ffa")
UNIFORM = inference.Uniform()


def play(sessions, seed, game=FFA, steps=800):
    """A game of one session for each player, with every state."""
    states = [game.initial_state(seed=seed)]
    while not states[-1].is_terminal and len(states) <= steps:
        state = states[-1]
        actions = [session.act(state, player) for player, session in enumerate(sessions)]
        states.append(state.play(np.array(actions)))
    return states


@pytest.mark.parametrize("kind", [agents.SimpleAgent, agents.SimpleUnbiasedAgent])
def test_sessions_repeat_and_differ_by_seed(kind):
    def game(offset):
        return play([kind().session(offset + player) for player in range(4)], seed=1)[-1]

    assert game(0) == game(0)
    assert game(0) != game(10)


@pytest.mark.parametrize("kind", [agents.SimpleAgent, agents.SimpleUnbiasedAgent])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copied_sessions_go_on_alike(kind, copied):
    ours = [kind().session(player) for player in range(4)]
    state = play(ours, seed=3, steps=40)[-1]
    theirs = [copied(session) for session in ours]
    for _ in range(60):
        actions = [session.act(state, player) for player, session in enumerate(ours)]
        assert [session.act(state, player) for player, session in enumerate(theirs)] == actions
        state = state.play(np.array(actions))
        if state.is_terminal:
            break


def test_the_unbiased_agent_prefers_no_seat_and_ends_its_games():
    winners, lengths = Counter(), []
    for seed in range(300):
        sessions = [agents.SimpleUnbiasedAgent().session(4 * seed + p) for p in range(4)]
        last = play(sessions, seed)[-1]
        winners[last.outcome.winner] += 1
        lengths.append(last.ply)
    # As its docstring says; every seat wins a quarter of the decided games within four errors.
    assert 140 < np.mean(lengths) < 200
    assert winners[None] < 0.12 * 300
    decided = 300 - winners[None]
    error = np.sqrt(3 / 16 / decided)
    assert all(abs(winners[player] / decided - 1 / 4) < 4 * error for player in range(4))


def test_the_dead_stop_and_other_games_are_refused():
    session = agents.SimpleAgent().session(1)
    state = FFA.initial_state(seed=1)
    while state.agents[0][5]:
        state = state.play(np.array([5, 0, 0, 0]))
    assert session.act(state, 0) == 0
    with pytest.raises(InvalidConfig, match="give a state of it and a player"):
        session.act(state)
    with pytest.raises(InvalidConfig, match="plays Pommerman"):
        session.act(games.make("chess").initial_state(), 0)
    with pytest.raises(InvalidConfig, match="seed -1"):
        agents.SimpleAgent().session(-1)
    with pytest.raises(InvalidState, match="game_state"):
        agents.SimpleAgent()(np.zeros(3), {"action_mask": np.ones(6)})


def test_searches_repeat_whatever_was_searched_before():
    agent = SinglePlayerMCTSAgent(UNIFORM, limit=Limit(simulations=60), seed=5)
    state = FFA.initial_state(seed=5)
    first = agent.search(state, player=2)
    agent.search(state, player=0)
    again = agent.search(state, player=2)
    assert first.action == again.action
    np.testing.assert_array_equal(first.visits, again.visits)
    assert first.simulations == 60
    assert set(first.actions.tolist()) <= set(range(6))
    other = SinglePlayerMCTSAgent(UNIFORM, limit=Limit(simulations=60), seed=6)
    assert other.search(state, player=2).policy.shape == (6,)


def hidden_changed(state):
    """The same state but for what nobody sees: the power-ups under wood."""
    import json

    document = json.loads(state.to_json())
    items = [[place, 6 + (kind - 5) % 3] for place, kind in json.loads(document["items"])]
    document["items"] = json.dumps(items)
    return FFA.from_json(json.dumps(document))


def test_an_observing_search_does_not_see_what_is_hidden():
    states = play([agents.SimpleAgent().session(p) for p in range(4)], seed=2, steps=60)
    for state in states[::10]:
        other = hidden_changed(state)
        assert other != state
        assert other.observed(1) == state.observed(1)
        assert not state.observed(1).items.any()
        limit = Limit(simulations=200)
        ours = SinglePlayerMCTSAgent(UNIFORM, limit=limit).search(state, player=1)
        theirs = SinglePlayerMCTSAgent(UNIFORM, limit=limit).search(other, player=1)
        np.testing.assert_array_equal(ours.visits, theirs.visits)


class Looks:
    """An evaluator that remembers the states it was shown."""

    plane_spec = None

    def __init__(self):
        self.seen = []

    def evaluate_batch(self, leaves):
        self.seen += leaves.states()
        return inference.Evaluation(value=np.zeros(len(leaves), dtype=np.float32))


def test_the_root_is_what_the_player_knows_unless_all_is_shown():
    state = play([agents.SimpleAgent().session(p) for p in range(4)], seed=2, steps=30)[-1]
    for information in ("observed", "full"):
        looks = Looks()
        agent = SinglePlayerMCTSAgent(
            looks, limit=Limit(simulations=3), information=information, others="stop"
        )
        agent.search(state, player=1)
        assert looks.seen[0] == (state if information == "full" else state.observed(1))
        assert looks.seen[0].items.any() == (information == "full")


def test_sessions_know_what_they_have_seen():
    """Who has watched from the start knows owners and powers that a single look does not show."""
    looks = Looks()
    agent = SinglePlayerMCTSAgent(looks, limit=Limit(simulations=1), others="stop")
    session = agent.session(1)
    others = [agents.SimpleUnbiasedAgent().session(player) for player in range(4)]
    state = FFA.initial_state(seed=4)
    better = 0
    for _ in range(150):
        looks.seen.clear()
        session.search(state, 0)
        known, guessed = looks.seen[0], state.observed(0)
        powers = [agent[2:] for agent in state.agents if agent[5]]
        assert [a[2:] for a in known.agents if a[5]] == powers
        better += [a[2:] for a in guessed.agents if a[5]] != powers
        state = state.play(np.array([o.act(state, p) for p, o in enumerate(others)]))
        if state.is_terminal or not state.agents[0][5]:
            break
    assert better > 20


def test_others_may_be_agents_in_python():
    class Rights:
        def __init__(self, answer):
            self.answer, self.asked = answer, []

        def select_batch(self, states, players):
            self.asked.append((states[0], list(players)))
            return self.answer(players)

    state = FFA.initial_state(seed=1)
    others = Rights(lambda players: [4] * len(players))
    agent = SinglePlayerMCTSAgent(UNIFORM, others=others, limit=Limit(simulations=20))
    result = agent.search(state, player=2)
    assert result.simulations == 20
    assert {tuple(players) for _, players in others.asked} == {(0, 1, 3)}
    wrong = [
        (lambda players: [6] * len(players), IllegalAction, "answered action 6 for player 0"),
        (lambda players: [0], InvalidArray, "1 actions for 3 players"),
        (lambda players: 1 / 0, ZeroDivisionError, "division"),
    ]
    for answer, error, message in wrong:
        agent = SinglePlayerMCTSAgent(UNIFORM, others=Rights(answer))
        with pytest.raises(error, match=message):
            agent.search(state, player=2)
    policy = agents.PolicyAgent(UNIFORM)
    agent = SinglePlayerMCTSAgent(UNIFORM, others=policy, limit=Limit(simulations=10))
    assert agent.search(state, player=0).simulations == 10


def test_words_stay_silent_in_a_search():
    radio = games.make("pommerman-team-radio")
    agent = SinglePlayerMCTSAgent(UNIFORM, limit=Limit(simulations=30))
    result = agent.search(radio.initial_state(seed=1), player=3)
    assert result.actions.max() < 6
    assert result.policy.shape == (384,)


class Counts:
    """An evaluator that counts the rows it answers."""

    plane_spec = "standard"

    def __init__(self):
        self.rows = 0

    def evaluate(self, planes):
        assert planes.shape[1:] == (23, 11, 11)
        self.rows += len(planes)
        return inference.Evaluation(value=np.zeros(len(planes), dtype=np.float32))


def test_mixtures_route_by_the_step_of_each_leaf():
    experts = {"up to 3": Counts(), "over 3": Counts()}
    mixture = inference.MixtureOfExperts(experts, "steps:3", game="pommerman-ffa")
    agent = SinglePlayerMCTSAgent(mixture, limit=Limit(simulations=200), others="stop")
    assert agent.name == "M2CTS"
    looks = Looks()
    start = FFA.initial_state(seed=1)
    agent.search(start, player=0)
    SinglePlayerMCTSAgent(looks, limit=Limit(simulations=200), others="stop").search(start, 0)
    late = sum(state.ply > 3 for state in looks.seen)
    assert late > 0
    assert [expert.rows for expert in experts.values()] == [len(looks.seen) - late, late]


def test_a_search_beats_agents_that_do_not_search():
    """Twelve games against three random players, who mostly kill themselves: few may be lost."""
    agent = SinglePlayerMCTSAgent(UNIFORM, others="stop", limit=Limit(simulations=40))
    lost = 0
    for seed in range(12):
        session, rng = agent.session(seed), np.random.default_rng(seed)
        state = FFA.initial_state(seed=seed)
        while not state.is_terminal and state.agents[0][5]:
            actions = rng.integers(0, 6, 4)
            actions[0] = session.act(state, 0)
            state = state.play(actions)
        lost += not state.agents[0][5]
    assert lost <= 3


def test_bad_options_are_refused():
    for options, message in [
        ({"others": "smple"}, "smple"),
        ({"information": "all"}, "'observed' or 'full'"),
        ({"limit": 100}, "expected a Limit"),
        ({"reuse_tree": True}, "reuse_tree=True"),
        ({"batch": 8}, "a search has no such option"),
    ]:
        with pytest.raises(InvalidConfig, match=message):
            SinglePlayerMCTSAgent(UNIFORM, **options)
    agent = SinglePlayerMCTSAgent(UNIFORM)
    with pytest.raises(InvalidConfig, match="others"):
        agents.MCTSAgent(UNIFORM).search(FFA.initial_state(seed=1))
    with pytest.raises(InvalidConfig, match="player=4"):
        agent.search(FFA.initial_state(seed=1), player=4)
    with pytest.raises(InvalidConfig, match="leave others= out"):
        agent.search(games.make("chess").initial_state(), player=0)
    with pytest.raises(InvalidConfig, match="select_batch"):
        SinglePlayerMCTSAgent(UNIFORM, others=object()).search(FFA.initial_state(seed=1))
