"""Lines that share nodes, through Python."""

from dataclasses import dataclass

import pytest
from search_fakes import Pile, chess_state, drive, pile_pool

from phasezoo import agents, errors, inference


@dataclass(frozen=True)
class Unshared(Pile):
    """A pile whose states share nothing."""

    graph_key: None = None

    def play(self, action: int) -> "Unshared":
        """The state after an action."""
        return Unshared(self.stones - action, 1 - self.to_play)


@pytest.mark.parametrize("stones", [8, 9, 12, 13])
def test_piles_that_meet_are_looked_at_once(stones: int) -> None:
    nodes = []
    for root, graph in ((Pile(stones), False), (Pile(stones), True), (Unshared(stones), True)):
        pool, tree = pile_pool(graph=graph)
        pool.begin(tree, root, nodes=100_000)
        drive(pool)
        result = pool.finish(tree)
        # Who takes the last stone has lost: one more than a multiple of four loses.
        assert result.proven == ("loss" if stones % 4 == 1 else "win")
        nodes.append(result.nodes)
    tree_nodes, shared, unshared = nodes
    assert shared < tree_nodes
    assert unshared == tree_nodes


def test_an_agent_follows_a_game_through_a_graph() -> None:
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=300), graph=True)
    session = agent.session(3)
    state = chess_state()
    for _ in range(6):
        result = session.search(state)
        assert result.nodes <= 300
        state = state.play(result.action)


@dataclass(frozen=True)
class Tuple(Pile):
    """A pile whose key is no number."""

    @property
    def key(self) -> tuple[int, int]:  # type: ignore[override]
        """What the state is."""
        return (self.stones, self.to_play)

    def play(self, action: int) -> "Tuple":
        """The state after an action."""
        return Tuple(self.stones - action, 1 - self.to_play)


@dataclass(frozen=True)
class Raising(Pile):
    """A pile whose key for graphs cannot be told."""

    @property
    def graph_key(self) -> int:
        """What makes it the same."""
        return self.stonse  # type: ignore[attr-defined, no-any-return]

    def play(self, action: int) -> "Raising":
        """The state after an action."""
        return Raising(self.stones - action, 1 - self.to_play)


def test_keys_that_are_no_numbers_are_named() -> None:
    pool, tree = pile_pool(graph=True)
    pool.begin(tree, Tuple(9), nodes=100)
    with pytest.raises(errors.GameContract, match=r"the key of a state is \(\d+, \d\); with graph"):
        drive(pool)
    pool.begin(tree, Raising(9), nodes=100)
    with pytest.raises(AttributeError, match="stonse"):
        drive(pool)


@pytest.mark.parametrize("name", ["epsilon_greedy", "epsilon_checks"])
def test_shared_nodes_are_refused_what_they_cannot_know(name: str) -> None:
    with pytest.raises(errors.InvalidConfig, match=f"{name} is 0.1, and graph is on"):
        pile_pool(graph=True, **{name: 0.1})
