"""`DecoupledMCTSAgent` in whole games: sessions, pools, matches, and a position of Pommerman."""

import copy
import json
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from phasezoo import agents, arena, games, gating, inference
from phasezoo.errors import GameContract, InvalidConfig

UNIFORM = inference.Uniform()
FFA = games.make("pommerman-ffa")
SHORT = agents.Limit(simulations=40)


@dataclass(frozen=True)
class Rounds:
    """Three rounds of matching pennies."""

    ply: int = 0
    points: int = 0
    acting_of: tuple = (0, 1)

    to_play = games.SIMULTANEOUS

    @property
    def is_terminal(self):
        return self.ply == 3

    @property
    def acting(self):
        return () if self.is_terminal else self.acting_of

    def legal_actions_of(self, player):
        return np.array([0, 1], dtype=np.int64)

    @property
    def returns(self):
        score = np.sign(self.points) if self.is_terminal else 0
        return np.array([score, -score], dtype=np.float32)

    def play(self, action):
        first, second = (int(each) for each in action)
        points = self.points + (1 if first == second else -1)
        return replace(self, ply=self.ply + 1, points=points)

    def planes(self, spec, player=None):
        sign = 1 if player == 0 else -1
        return np.array([[[self.ply, sign * self.points]]], dtype=np.float32)


ROUNDS = games.register(
    "test-rounds",
    initial_state=Rounds,
    num_players=2,
    num_actions=2,
    plane_specs={"default": (1, 1, 2)},
)


def board(rows, figures, bombs):
    """A game of two on a small board, as the original writes it; flames and items are none."""
    agents_ = [
        {
            "agent_id": player,
            "is_alive": True,
            "position": list(place),
            "ammo": 0,
            "blast_strength": 2,
            "can_kick": False,
        }
        for player, place in enumerate(figures)
    ]
    bombs_ = [
        {"bomber_id": owner, "position": list(place), "life": life, "blast_strength": blast,
         "moving_direction": None}
        for owner, place, life, blast in bombs
    ]  # fmt: skip
    text = {"board_size": str(len(rows)), "step_count": "20", "board": rows, "agents": agents_,
            "bombs": bombs_, "flames": [], "items": []}  # fmt: skip
    return games.make("pommerman-1v1").from_json(
        json.dumps(
            {
                name: each if isinstance(each, str) else json.dumps(each)
                for name, each in text.items()
            }
        )
    )


def cornered():
    """Player 1 is shut in beside a bomb; player 0 stands in its blast, two steps away."""
    rows = [
        [11, 3, 0, 10, 0],
        [1, 1, 0, 1, 1],
        [1, 1, 0, 1, 1],
        [1, 1, 0, 1, 1],
        [1, 1, 1, 1, 1],
    ]
    return board(rows, [(0, 3), (0, 0)], [(0, (0, 1), 2, 4)])


@pytest.mark.parametrize("selection", ["puct", "regret_matching"])
@pytest.mark.parametrize("batch_size", [1, 8])
def test_the_only_escape_wins_against_who_cannot_flee(selection, batch_size):
    agent = agents.DecoupledMCTSAgent(
        UNIFORM, selection=selection, batch_size=batch_size, limit=agents.Limit(simulations=600),
        information="full", play="best", seed=3,
    )  # fmt: skip
    result = agent.search(cornered(), player=0)
    assert result.action == 3  # towards the bomb, and down in the step after
    assert result.value > 0.6
    assert result.values[1] == pytest.approx(-result.value, abs=0.15)
    # What was found is so: who leaves the row lives, and who stays dies too.
    state = cornered().play(np.array([3, 0])).play(np.array([2, 0]))
    assert state.returns.tolist() == [1.0, -1.0]
    stays = cornered()
    while not stays.is_terminal:
        stays = stays.play(np.array([0, 0]))
    assert stays.returns.tolist() == [0.0, 0.0]


def test_dead_players_have_no_rows_and_keep_what_the_game_was_worth_to_them():
    asked = []

    class Rows:
        plane_spec = None

        def evaluate_batch(self, leaves):
            asked.append(leaves.players.tolist())
            return inference.Evaluation(value=np.zeros(len(leaves), dtype=np.float32))

    state, simple = FFA.initial_state(seed=4), agents.make("simple")
    sessions = [simple.session(player) for player in range(4)]
    while sum(agent[5] for agent in state.agents) > 2:
        acting = games.acting_players(state)
        state = state.play(np.array([sessions[player].act(state, player) for player in acting]))
    assert not state.is_terminal
    living = [player for player, agent in enumerate(state.agents) if agent[5]]
    result = agents.DecoupledMCTSAgent(Rows(), limit=SHORT, information="full").search(
        state, living[0]
    )
    assert asked[0] == living
    dead = [player for player in range(4) if player not in living]
    assert result.values[dead].tolist() == [-1.0] * len(dead)
    assert result.policies[dead].sum() == 0


@pytest.mark.parametrize("name", ["pommerman-ffa", "pommerman-team", "pommerman-team-radio"])
def test_whole_games_are_played_with_what_players_may_know(name):
    game = games.make(name, fog=True) if name == "pommerman-team" else games.make(name)
    agent = agents.DecoupledMCTSAgent(UNIFORM, limit=agents.Limit(simulations=8), seed=5)
    sessions = [agent.session(player) for player in range(4)]
    state = game.initial_state(seed=6)
    for _ in range(12):
        joint = [sessions[player].act(state, player) for player in games.acting_players(state)]
        for player, action in zip(games.acting_players(state), joint, strict=True):
            assert action in games.legal_actions_of(state, player)
        state = state.play(np.array(joint))
        if state.is_terminal:
            break
    assert state.ply > 2


def test_what_nobody_told_the_player_changes_nothing():
    hidden = FFA.initial_state(seed=7)
    text = json.loads(hidden.to_json())
    text["items"] = "[]"
    known = FFA.from_json(json.dumps(text))
    agent = agents.DecoupledMCTSAgent(UNIFORM, limit=SHORT, seed=1)
    ours, theirs = agent.search(hidden, 2), agent.search(known, 2)
    np.testing.assert_array_equal(ours.policies, theirs.policies)
    np.testing.assert_array_equal(ours.visits, theirs.visits)


def test_many_at_once_are_searched_as_one_by_one():
    states = [FFA.initial_state(seed=seed) for seed in range(6)]
    agent = agents.DecoupledMCTSAgent(
        UNIFORM, limit=SHORT, selection="regret_matching", batch_size=4
    )

    def moves(pool_rows, at_once):
        pool = agent.session_pool(FFA, pool_rows=pool_rows)
        numbers = [pool.open(seed) for seed in range(6)]
        found = {}
        for start in range(0, 6, at_once):
            for number in numbers[start : start + at_once]:
                pool.ask(number, states[number], number % 4)
            while len(found) < min(start + at_once, 6):
                found |= dict(pool.poll())
        return found

    together, few, alone = moves(None, 6), moves(16, 6), moves(None, 1)
    assert together == few == alone
    assert len(agent.select_batch(states, [0, 1, 2, 3, 0, 1])) == 6


def test_a_copy_goes_on_as_the_original_would():
    agent = agents.DecoupledMCTSAgent(UNIFORM, limit=SHORT, play="sample", game="test-rounds")
    session, state = agent.session(3), Rounds()
    session.act(state, 1)
    state = state.play([0, 1])
    copies = [pickle.loads(pickle.dumps(session)), copy.deepcopy(session)]
    expected = [session.act(state, 1), session.act(state.play([1, 1]), 1)]
    for each in copies:
        assert [each.act(state, 1), each.act(state.play([1, 1]), 1)] == expected


@pytest.mark.parametrize("concurrency", [1, 8])
def test_it_sits_in_matches(concurrency):
    searching = agents.DecoupledMCTSAgent(
        UNIFORM, limit=agents.Limit(simulations=60), selection="regret_matching"
    )
    match = arena.play_match(
        searching,
        agents.RandomAgent(),
        game="test-rounds",
        games=8,
        seed=5,
        concurrency=concurrency,
    )
    assert match.wins + match.draws + match.losses == 8
    first = (
        [record.actions for record in match.records] if hasattr(match, "records") else match.wins
    )
    again = arena.play_match(
        searching, agents.RandomAgent(), game="test-rounds", games=8, seed=5, concurrency=4
    )
    assert first == (
        [record.actions for record in again.records] if hasattr(again, "records") else again.wins
    )


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_a_mixture_answers_every_player_by_the_phase_that_they_see(routing):
    gate = gating.make("steps:2", game="pommerman-ffa")
    mixture = inference.MixtureOfExperts(
        {name: inference.Uniform() for name in gate.names}, gate, routing, game="pommerman-ffa"
    )
    agent = agents.DecoupledMCTSAgent(mixture, limit=SHORT, batch_size=4, game="pommerman-ffa")
    pool = agent.session_pool(FFA)
    pool.ask(pool.open(1), FFA.initial_state(seed=2), 3)
    while not (done := pool.poll()):
        pass
    assert done[0][1].nodes == SHORT.simulations
    assert pool.counts.rows >= 4 * SHORT.simulations
    assert pool.result.phase == 0


def test_it_has_a_name_and_follows_environments_rules():
    agent = agents.make("decoupled_mcts", limit=SHORT, seed=2)
    assert isinstance(agent, agents.DecoupledMCTSAgent)
    assert agent({}, {"state": Rounds()}) in (0, 1)
    assert "regret_matching" not in repr(agent)
    agents.check(agent, "test-rounds")
    with pytest.raises(InvalidConfig, match="at least 32 or a smaller batch_size"):
        agents.DecoupledMCTSAgent(UNIFORM, batch_size=8).session_pool(FFA, pool_rows=31)


@pytest.mark.parametrize("acting", [(), (0, 2)])
def test_a_game_that_says_wrongly_who_moves_is_told_so(acting):
    agent = agents.DecoupledMCTSAgent(UNIFORM, limit=SHORT, game="test-rounds")
    with pytest.raises(GameContract, match=r"acting|those who move"):
        agent.search(Rounds(acting_of=acting), 0)
