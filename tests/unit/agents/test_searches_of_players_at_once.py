"""Tree search in games whose players move at once, by the agents of every other game."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from phasezoo import agents, games, gating, inference
from phasezoo.errors import (
    GameContract,
    IllegalAction,
    InvalidArray,
    InvalidConfig,
)
from phasezoo.types import SIMULTANEOUS

UNIFORM = inference.Uniform()
FFA = games.make("pommerman-ffa")
SHORT = agents.Limit(simulations=40)


@dataclass(frozen=True)
class Duel:
    """Three rounds of matching pennies: player 0 wants equal actions, player 1 different ones.

    Before the last round player 0 moves alone, and may end the game (action 2) or go on.
    """

    rounds: int = 0
    points: int = 0
    asked: bool = False

    @property
    def to_play(self):
        return 0 if self.rounds == 2 and not self.asked else SIMULTANEOUS

    @property
    def acting(self):
        return () if self.is_terminal else (0,) if self.to_play == 0 else (0, 1)

    @property
    def is_terminal(self):
        return self.rounds >= 3

    @property
    def legal_actions(self):
        return np.array([0, 2], dtype=np.int64)

    def legal_actions_of(self, player):
        return self.legal_actions if self.to_play == 0 else np.array([0, 1], dtype=np.int64)

    @property
    def returns(self):
        score = np.sign(self.points) if self.is_terminal else 0
        return np.array([score, -score], dtype=np.float32)

    def play(self, action):
        if self.to_play == 0:
            return replace(self, rounds=3 if action == 2 else 2, asked=True)
        first, second = (int(each) for each in action)
        return replace(
            self, rounds=self.rounds + 1, points=self.points + (1 if first == second else -1)
        )

    def planes(self, spec, player=None):
        sign = 1 if player == 0 else -1
        return np.array([[[self.rounds, sign * self.points]]], dtype=np.float32)


DUEL = games.register(
    "test-duel",
    initial_state=Duel,
    num_players=2,
    num_actions=3,
    plane_specs={"default": (1, 1, 2)},
)


class Always:
    """Moves the others by one action, and by 0 where player 0 moves alone."""

    def __init__(self, action):
        self.action = action
        self.asked = []

    def select_batch(self, states, players):
        self.asked.append((tuple(states), tuple(players)))
        return np.array([0 if state.to_play == 0 else self.action for state in states])


# --- one's own games ---


@pytest.mark.parametrize("other", [0, 1])
@pytest.mark.parametrize("player", [0, 1])
def test_the_answer_to_others_who_are_known_is_found(player, other):
    others = Always(other)
    agent = agents.MCTSAgent(UNIFORM, others=others, limit=agents.Limit(simulations=200))
    result = agent.search(Duel(), player)
    assert result.action == (other if player == 0 else 1 - other)
    assert result.value > 0.8
    assert {players for _, players in others.asked} <= {(1 - player,), (0,)}
    assert all(isinstance(state, Duel) for states, _ in others.asked for state in states)


def test_a_session_plays_a_whole_game_of_both_players():
    agent = agents.MCTSAgent(UNIFORM, others="random", limit=SHORT, game="test-duel")
    first, second, state = agent.session(1), agent.session(2), Duel()
    while not state.is_terminal:
        if state.to_play == SIMULTANEOUS:
            state = state.play([first.act(state, 0), second.act(state, 1)])
        else:
            state = state.play(first.act(state))
    assert agent.search(Duel(), 1).visits.tolist() == agent.search(Duel(), 1).visits.tolist()
    assert agent.select_batch([Duel(), Duel()], [0, 1]).shape == (2,)


def test_evaluators_and_gates_see_what_the_player_sees():
    seen = []

    class Looks:
        plane_spec = "default"

        def evaluate(self, planes):
            seen.extend(planes[:, 0, 0].tolist())
            return inference.Evaluation(value=np.zeros(len(planes), dtype=np.float32))

    asked = []

    @gating.register("test-duel-late", names=("early", "late"))
    def late(state):
        asked.append(type(state))
        return int(state.rounds > 0)

    agent = agents.M2CTSAgent(
        {"early": Looks(), "late": Looks()},
        gate="test-duel-late",
        others=Always(1),
        limit=SHORT,
        player=1,
    )
    assert agent.name == "M2CTS"
    agent.search(Duel(points=1))
    assert seen[0] == [0, -1]
    assert set(asked) == {Duel}


def test_others_whose_answers_are_wrong():
    for answer, error, message in [
        (Always(2), IllegalAction, "answered action 2 for player 1; legal are"),
        (Always(0.5), InvalidArray, "float64"),
    ]:
        with pytest.raises(error, match=message):
            agents.MCTSAgent(UNIFORM, others=answer, limit=SHORT).search(Duel())


# --- what is said to whoever forgets them ---


@pytest.mark.parametrize("state", [Duel(), FFA.initial_state(seed=1)])
def test_searches_without_others_say_what_is_missing(state):
    for ask in (
        lambda: agents.MCTSAgent(UNIFORM).search(state),
        lambda: agents.MCTSAgent(UNIFORM).session(1).act(state, 0),
        lambda: agents.MCTSAgent(UNIFORM).select_batch([state], [0]),
    ):
        with pytest.raises(InvalidConfig, match=r"move at once.*others=.*'random'.*select_batch"):
            ask()
    with pytest.raises(InvalidConfig, match="move at once"):
        agents.UCTAgent().search(state)


def test_others_of_games_in_which_one_player_moves():
    chess = games.make("chess").initial_state()
    with pytest.raises(InvalidConfig, match="one player moves at a time"):
        agents.MCTSAgent(UNIFORM, others="random", game="chess")
    with pytest.raises(InvalidConfig, match="one player moves at a time"):
        agents.MCTSAgent(UNIFORM, others="random").search(chess)
    with pytest.raises(InvalidConfig, match=r"'rando'.*'random'"):
        agents.MCTSAgent(UNIFORM, others="rando")
    with pytest.raises(InvalidConfig, match="reuse_tree=True"):
        agents.MCTSAgent(UNIFORM, others="random", reuse_tree=True)
    with pytest.raises(InvalidConfig, match=r"'simple'.*'random'"):  # Pommerman's, not everybody's
        agents.MCTSAgent(UNIFORM, others="simple").search(Duel())


# --- Pommerman ---


def test_mcts_with_the_published_settings_is_the_published_search():
    state = FFA.initial_state(seed=3)
    published = agents.SinglePlayerMCTSAgent(UNIFORM, limit=SHORT, seed=2)
    plain = agents.MCTSAgent(
        UNIFORM,
        others="simple_unbiased",
        limit=SHORT,
        seed=2,
        virtual_style="virtual_loss",
        solver=False,
    )
    for player in range(4):
        first, second = published.search(state, player), plain.search(state, player)
        np.testing.assert_array_equal(first.visits, second.visits)
    assert isinstance(published, agents.MCTSAgent)
    assert not agents.MCTSAgent(UNIFORM, others="stop").config.solver
    assert not agents.MCTSAgent(UNIFORM, others="stop").config.reuse_tree


def test_a_mixture_searches_pommerman():
    agent = agents.M2CTSAgent(
        {"up to 3": UNIFORM, "over 3": UNIFORM},
        gate="steps:3",
        game="pommerman-ffa",
        others="simple",
        information="full",
        limit=SHORT,
        seed=1,
        player=2,
    )
    result = agent.search(FFA.initial_state(seed=1))
    assert result.simulations == 40
    assert agent.search(FFA.initial_state(seed=1), 2).visits.tolist() == result.visits.tolist()
    with pytest.raises(InvalidConfig, match="player=4"):
        agent.search(FFA.initial_state(seed=1), 4)


# --- contracts of one's own games ---


class Mutable:
    """A pile whose play takes from the pile itself."""

    def __init__(self, pile=5, turn=0, in_place=True):
        self.pile = pile
        self.turn = turn
        self.in_place = in_place

    @property
    def to_play(self):
        return self.turn

    @property
    def is_terminal(self):
        return self.pile <= 0

    @property
    def legal_actions(self):
        return np.arange(1, min(self.pile, 2) + 1)

    @property
    def returns(self):
        return np.array([0.0, 0.0], dtype=np.float32)

    def play(self, action):
        self.pile -= action
        self.turn = 1 - self.turn
        return self

    def planes(self, spec, player=None):
        return np.full((1, 1, 1), self.pile, dtype=np.float32)


@pytest.fixture
def broken(own_games_forgotten):
    """Registers a game that breaks its contract for the length of a test."""
    games.register(
        "test-mutable",
        initial_state=Mutable,
        num_players=2,
        num_actions=3,
        plane_specs={"default": (1, 1, 1)},
    )


def test_play_that_changes_the_state_itself_is_named(broken):
    for agent in (agents.MCTSAgent(UNIFORM, limit=SHORT), agents.UCTAgent(limit=SHORT)):
        with pytest.raises(GameContract, match=r"Mutable\.play\(action\) has changed the state"):
            agent.search(Mutable())


@pytest.mark.parametrize("turn", [7, -1])
def test_a_turn_of_nobody_is_named(turn, broken):
    for agent in (agents.MCTSAgent(UNIFORM, limit=SHORT), agents.UCTAgent(limit=SHORT)):
        with pytest.raises(GameContract, match=f"to_play is {turn}, expected players from 0 to 1"):
            agent.search(Mutable(turn=turn))


# --- what is no evaluator ---


def test_networks_and_other_things_are_no_evaluators():
    torch = pytest.importorskip("torch")

    class Small(torch.nn.Module):
        def evaluate(self, planes):
            raise NotImplementedError

    for make in (
        agents.MCTSAgent,
        lambda network: agents.M2CTSAgent({"all": network}, gate="none"),
        lambda network: agents.SinglePlayerMCTSAgent(network),
    ):
        with pytest.raises(InvalidConfig, match=r"a Small is a network.*TorchEvaluator.*load"):
            make(Small())
    for other in (None, inference.Uniform, 3):
        with pytest.raises(InvalidConfig, match="is no evaluator"):
            agents.MCTSAgent(other)
