"""Agents as opponents in the native vector: move for move as in single environments."""

import pytest
from vector_pairs import Pair, play

from phasezoo import agents, inference

LIMIT = agents.Limit(nodes=15)


def mcts(**options):
    return agents.MCTSAgent(inference.Uniform(), limit=LIMIT, dirichlet_epsilon=0.3, **options)


CHESS = {
    "mcts that keeps its tree": lambda: mcts(reuse_tree=True, seed=4),
    "mcts with new trees": lambda: mcts(reuse_tree=False),
    "mcts in batches": lambda: mcts(batch_size=4, reuse_tree=True),
    "uct": lambda: agents.UCTAgent(threshold=2, limit=agents.Limit(simulations=30)),
    "policy": lambda: agents.PolicyAgent(inference.Uniform(), temperature=1.0),
    "random": lambda: agents.RandomAgent(2),
}


@pytest.mark.parametrize("agent", CHESS)
@pytest.mark.parametrize("color", ["white", "alternate"])
def test_agents_play_in_vectors_as_in_single_environments(agent, color):
    pair = Pair(3, "SameStep", opponent=CHESS[agent](), agent_color=color, max_plies=14)
    assert play(pair, 24, seed=5, illegal_share=0.0) > 3


def test_a_table_of_perfect_play_defends_in_vectors_as_in_single_environments():
    pair = Pair(3, "NextStep", env_id="KRK-v0", opponent=agents.TablebaseAgent(), start="uniform")
    play(pair, 20, seed=6, illegal_share=0.0)


@pytest.mark.parametrize("information", ["observed", "full"])
def test_searches_of_players_at_once_play_in_vectors_as_in_single_environments(information):
    agent = agents.SinglePlayerMCTSAgent(
        inference.Uniform(), limit=LIMIT, information=information, dirichlet_epsilon=0.3
    )
    pair = Pair(2, "SameStep", env_id="PommermanFFA-v0", opponents=agent)
    play(pair, 30, seed=7, illegal_share=0.0)


def test_opponents_of_several_kinds_play_in_vectors_as_in_single_environments():
    kinds = [agents.make("simple"), mcts(others="simple_unbiased"), "random"]
    pair = Pair(2, "SameStep", env_id="PommermanFFA-v0", opponents=kinds)
    play(pair, 30, seed=8, illegal_share=0.0)
