"""Games of one's own that break their contract in a search: they are named, and what broke."""

import numpy as np
import pytest
from own_games import Stones

from phasezoo import agents, arena, inference
from phasezoo.errors import GameContract
from phasezoo.types import SIMULTANEOUS

pytestmark = pytest.mark.usefixtures("own_games_forgotten")

LIMIT = agents.Limit(simulations=30)


class Pile(Stones):
    """A game whose faults begin below ``odd_below`` stones."""

    most, odd_below = 2, 0

    @property
    def is_odd(self):
        return self.stones < self.odd_below


class AtOnce(Pile):
    """Both take one stone at once."""

    to_play = property(lambda self: SIMULTANEOUS)
    acting = property(lambda self: (0, 1))

    def legal_actions_of(self, player):
        return np.arange(2)

    def play(self, actions):
        return type(self)(self.stones - 2)


def broken(kind, member, answer, odd_below):
    """A registered game whose ``member`` answers ``answer`` in odd states."""
    own = getattr(kind, member)
    if isinstance(own, property):
        changed = property(lambda self: answer if self.is_odd else own.fget(self))
    else:

        def changed(self, *given):
            return answer if self.is_odd else own(self, *given)

    made = type("Broken", (kind,), {member: changed, "odd_below": odd_below})
    made.register("my game")
    return made


TURNS = [
    ("play", None),
    ("play", 5),
    ("to_play", None),
    ("to_play", 2),
    ("to_play", -1),
    ("to_play", 0.5),
    ("to_play", "white"),
    ("to_play", np.array([0])),
    ("is_terminal", np.array([True, False])),
    ("legal_actions", None),
    ("legal_actions", "ab"),
    ("legal_actions", np.array([[0, 1]])),
    ("legal_actions", [[0], [0, 1]]),
    ("legal_actions", np.array([0.0, 1.0])),
    ("returns", None),
]


@pytest.mark.parametrize("odd_below", [99, 5])
@pytest.mark.parametrize(("member", "answer"), TURNS)
def test_a_search_names_what_a_game_answers(member, answer, odd_below):
    kind = broken(Pile, member, answer, odd_below)
    searching = [
        agents.MCTSAgent(inference.Uniform(), limit=LIMIT),
        agents.MCTSAgent(inference.Uniform(), limit=LIMIT, graph=False, batch_size=8),
        agents.MCTSAgent(inference.Uniform(), limit=LIMIT, others="random"),
        agents.DecoupledMCTSAgent(inference.Uniform(), limit=LIMIT),
        agents.UCTAgent(limit=LIMIT, threshold=2),
    ]
    for agent in searching:
        with pytest.raises(GameContract, match=member) as caught:
            agent.session(1).act(kind())
        assert "my game" in str(caught.value)


def test_an_end_that_is_a_method_is_named():
    made = type("Broken", (Pile,), {"is_terminal": lambda self: not self.stones})
    made.register("my game")
    for agent in (agents.MCTSAgent(inference.Uniform(), limit=LIMIT), agents.UCTAgent(limit=LIMIT)):
        with pytest.raises(GameContract, match="my game: is_terminal is a method"):
            agent.session(1).act(made())
    with pytest.raises(GameContract, match="my game: is_terminal is a method"):
        arena.play_match(agents.RandomAgent(), agents.RandomAgent(), game="my game", games=2)


@pytest.mark.parametrize(("member", "answer"), [row for row in TURNS if row[0] != "returns"])
def test_a_match_names_it_too(member, answer):
    broken(Pile, member, answer, 5)
    with pytest.raises(GameContract, match=member) as caught:
        arena.play_match(
            agents.RandomAgent(seed=1), agents.RandomAgent(seed=2), game="my game", games=2, seed=1
        )
    assert "my game" in str(caught.value)


@pytest.mark.parametrize("odd_below", [99, 5])
@pytest.mark.parametrize(
    ("member", "answer"),
    [
        ("play", None),
        ("play", 5),
        ("acting", None),
        ("acting", 1),
        ("acting", ()),
        ("acting", (0, 2)),
        ("acting", ("a", "b")),
        ("acting", (0.5, 1)),
        ("legal_actions_of", None),
        ("legal_actions_of", []),
        ("legal_actions_of", [0.0]),
    ],
)
def test_players_who_move_at_once(member, answer, odd_below):
    kind = broken(AtOnce, member, answer, odd_below)
    for agent in (
        agents.DecoupledMCTSAgent(inference.Uniform(), limit=LIMIT),
        agents.MCTSAgent(inference.Uniform(), limit=LIMIT, others="random"),
    ):
        with pytest.raises(GameContract, match=member.removesuffix("_of")) as caught:
            agent.session(1).act(kind())
        assert "my game" in str(caught.value)


@pytest.mark.parametrize("kind", [Pile, AtOnce])
def test_games_that_keep_their_contract_are_searched(kind):
    made = broken(kind, "play", None, 0)
    agent = agents.DecoupledMCTSAgent(inference.Uniform(), limit=LIMIT)
    assert agent.session(1).act(made()) in (0, 1)
    assert agent.session(1).act(made(7, np.int8(0))) in (0, 1)
