from dataclasses import dataclass

import numpy as np
import pytest
from own_games import Stones

from phasezoo import agents, games, inference
from phasezoo.agents.search.continuation import steps_between
from phasezoo.errors import IllegalAction, InvalidConfig, InvalidEvaluation, InvalidState
from phasezoo.gating.callables import CallableGate

CHESS = games.make("chess")
START = CHESS.initial_state()


def after(*moves, start=START):
    for move in moves:
        start = start.play(start.parse_uci(move))
    return start


@dataclass(frozen=True)
class Pair(Stones):
    most = 2


Pair.register("agents-pair")


# --- random ---


def test_random_sessions_repeat_and_differ_by_seed():
    def game(seed):
        session, state, played = agents.RandomAgent().session(seed), START, []
        while not state.is_terminal and len(played) < 30:
            played.append(session.act(state))
            state = state.play(played[-1])
        return played

    assert game(1) == game(1) != game(2)


def test_random_is_uniform_over_legal_actions():
    chosen = agents.RandomAgent(3).select_batch([START] * 4000)
    counts = np.bincount(chosen, minlength=4672)[START.legal_actions]
    assert counts.sum() == 4000
    assert counts.min() > 130  # expected 200 each, standard deviation 14


def test_random_plays_from_the_mask_alone():
    mask = np.zeros(9, dtype=np.int8)
    mask[[2, 7]] = 1
    agent = agents.RandomAgent(0)
    assert {agent(None, {"action_mask": mask}) for _ in range(50)} == {2, 7}


# --- callables ---


def test_a_callable_sees_what_an_environment_shows():
    seen = {}

    def last_legal(observation, info):
        seen.update(info, observation=observation)
        return np.flatnonzero(info["action_mask"])[-1]

    state = after("e2e4")
    action = agents.CallableAgent(last_legal).session(0).act(state)
    assert action == state.legal_actions[-1]
    assert type(action) is int
    np.testing.assert_array_equal(seen["observation"], state.planes("v2"))
    assert (seen["fen"], seen["ply"], seen["to_play"]) == (state.fen, 1, 1)
    assert seen["state"] == state


def test_a_callable_sees_a_game_of_ones_own():
    def looks(observation, info):
        assert observation.shape == (1, 1, 1)
        assert info["action_mask"].tolist() == [1, 1]
        assert "fen" not in info
        return 1

    assert agents.CallableAgent(looks).session(0).act(Pair(3, 1), 1) == 1


def test_a_callable_is_not_told_what_is_hidden():
    def looks(observation, info):
        assert "state" not in info
        assert [len(mask) for mask in info["action_mask"]] == [6, 8, 8]
        return [5, 1, 2]

    state = games.make("pommerman-team-radio").initial_state(seed=1)
    assert agents.CallableAgent(looks).session(0).act(state, 2) == 5 + 6 * (1 + 8 * 2)


@pytest.mark.parametrize("answer", [None, "3", 2.5, [1], 4672])
def test_a_callable_whose_answer_is_no_action(answer):
    with pytest.raises(IllegalAction, match="expected a whole number from 0 to 4671"):
        agents.CallableAgent(lambda observation, info: answer).session(0).act(START)


def test_random_draws_every_part_of_an_action():
    mask = (np.eye(6, dtype=np.int8)[4], np.ones(8, dtype=np.int8), np.eye(8, dtype=np.int8)[7])
    drawn = [agents.RandomAgent(1)(None, {"action_mask": mask}) for _ in range(3)]
    assert all(len(action) == 3 and action[0] == 4 and action[2] == 7 for action in drawn)


def test_what_is_no_agent():
    with pytest.raises(InvalidConfig, match="a str is no agent"):
        agents.CallableAgent("hello")


# --- policy ---


class Likes:
    """Gives one move a logit of its own."""

    plane_spec = None

    def __init__(self, uci, logit=5.0):
        self.uci = uci
        self.logit = logit

    def evaluate_batch(self, leaves):
        logits = []
        for state in leaves.states():
            logits += [self.logit * (state.uci(a) == self.uci) for a in state.legal_actions]
        return inference.Evaluation(legal_logits=np.array(logits), value=np.zeros(len(leaves)))


def test_the_likeliest_move_is_played():
    agent = agents.PolicyAgent(Likes("g1f3"))
    assert START.uci(agent(None, {"state": START})) == "g1f3"
    black = after("e2e4")
    assert agent.select_batch([START, black])[0] == START.parse_uci("g1f3")
    assert agent.session(4).act(START) == START.parse_uci("g1f3")


@pytest.mark.parametrize("temperature", [0.8, 1.0, 2.0])
def test_temperature_draws_from_the_policy(temperature):
    agent = agents.PolicyAgent(Likes("g1f3", logit=3.0), temperature=temperature, seed=2)
    chosen = agent.select_batch([START] * 3000)
    share = np.mean(chosen == START.parse_uci("g1f3"))
    weight = np.exp(3 / temperature)
    expected = weight / (weight + 19)
    assert share == pytest.approx(expected, abs=0.04)


def test_ties_are_drawn():
    chosen = agents.PolicyAgent(inference.Uniform(), seed=1).select_batch([START] * 400)
    assert set(chosen.tolist()) == set(START.legal_actions.tolist())


def test_policy_agents_say_what_is_wrong():
    with pytest.raises(InvalidConfig, match="temperature=-1"):
        agents.PolicyAgent(inference.Uniform(), temperature=-1)
    with pytest.raises(InvalidState, match=r"info\['state'\], which is missing"):
        agents.PolicyAgent(inference.Uniform())(None, {"action_mask": None})

    class Nan:
        plane_spec = None

        def evaluate(self, planes):
            return inference.Evaluation(value=np.full(len(planes), np.nan))

    with pytest.raises(InvalidEvaluation, match="Nan: value has nan"):
        agents.PolicyAgent(Nan()).session(0).act(START)


def test_a_mixture_as_a_policy_is_routed_by_its_gate():
    experts = {
        "opening": Likes("e2e4"),
        "middlegame": inference.Uniform(),
        "endgame": Likes("e1e2"),
    }
    agent = agents.PolicyAgent(inference.MixtureOfExperts(experts, "lichess"))
    ending = CHESS.from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    chosen = agent.select_batch([START, ending])
    assert START.uci(chosen[0]) == "e2e4"
    assert ending.uci(chosen[1]) == "e1e2"


class Noting:
    """An evaluator that knows nothing, and notes its name when it is asked."""

    plane_spec = None

    def __init__(self, name, asked):
        self.name, self.asked = name, asked

    def evaluate(self, planes):
        self.asked.append(self.name)
        return inference.Evaluation(value=np.zeros(len(planes)))


def test_a_monotone_gate_does_not_go_back():
    played = []

    from phasezoo import gating

    names = ("opening", "middlegame", "endgame")
    gate = gating.make("lichess", monotone=True)
    mixture = inference.MixtureOfExperts({name: Noting(name, played) for name in names}, gate)
    pool = agents.PolicyAgent(mixture).session_pool(CHESS)
    ending = CHESS.from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    slot = pool.open(1, [START])
    for state in (START, ending, START):  # no game goes like this; the gate only sees phases
        pool.ask(slot, state, 0)
        pool.poll()
    assert played == ["opening", "endgame", "endgame"]
    played.clear()
    session = agents.PolicyAgent(mixture).session(0)
    for state in (START, ending, START):  # the last one is of another game
        session.act(state)
    assert played == ["opening", "endgame", "opening"]


def test_a_monotone_gate_is_kept_where_nobody_knows_how_a_game_went_on():
    """Of players who act at once, say, whose states no actions of one player connect."""
    names, first = [], games.make("pommerman-ffa").initial_state(seed=3)

    gate = CallableGate(lambda state: int(state.ply == 1), ("a", "b"), "ply", monotone=True)
    session = agents.PolicyAgent(
        inference.MixtureOfExperts({name: Noting(name, names) for name in "ab"}, gate)
    ).session(0)
    state = first
    for _ in range(4):
        session.act(state, 0)
        state = state.play([0, 0, 0, 0])
    session.act(first, 0)
    assert names == ["a", "b", "b", "b", "a"]


# --- following a game ---


def test_steps_between_states_of_one_chess_game():
    old, new = after("e2e4"), after("e2e4", "e7e5", "g1f3")
    steps = steps_between(old, new)
    assert [state.ply for _, state in steps] == [2, 3]
    assert steps[-1][1] == new
    assert old.uci(steps[0][0]) == "e7e5"
    assert steps_between(new, new) == []


@pytest.mark.parametrize(
    "new",
    [
        START,
        after("d2d4", "e7e5"),
        CHESS.from_fen(after("e2e4", "e7e5").fen),
        after("e7e5", start=CHESS.from_fen(after("e2e4").fen)),
        Pair(),
    ],
)
def test_another_game_is_no_continuation(new):
    assert steps_between(after("e2e4"), new) is None


def test_steps_of_a_game_of_ones_own():
    assert steps_between(Pair(6), Pair(6)) == []
    assert steps_between(Pair(6), Pair(4, 1)) == [(1, Pair(4, 1))]
    steps = steps_between(Pair(6), Pair(4))
    assert [state for _, state in steps] == [Pair(5, 1), Pair(4)]
    assert steps_between(Pair(6), Pair(1, 1)) is None
    assert steps_between(Pair(1, 1), Pair(6)) is None
