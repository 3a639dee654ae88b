"""What a tree of Python states holds is counted, and bounds the search."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from search_fakes import Pile, drive, pile_pool, zeros

LOAD = 10_000


@dataclass(frozen=True)
class Laden(Pile):
    """A pile with something heavy in each state."""

    load: bytes = bytes(LOAD)

    def play(self, action: int) -> "Laden":
        """The state after an action."""
        return Laden(self.stones - action, 1 - self.to_play, load=bytes([action]) * LOAD)


def test_the_fields_of_states_are_counted() -> None:
    results = {}
    for root in (Pile(21), Laden(21)):
        pool, tree = pile_pool()
        pool.begin(tree, root, nodes=100)
        drive(pool)
        results[type(root)] = pool.finish(tree)
    heavy, light = results[Laden], results[Pile]
    assert heavy.nodes == light.nodes
    assert heavy.memory > light.memory + 100 * LOAD


def test_states_of_ones_own_end_a_search_or_are_pruned() -> None:
    for full, ended in (("end", "memory"), ("prune", "nodes")):
        pool, tree = pile_pool(memory_mb=1, memory_full=full)
        pool.begin(tree, Laden(40), nodes=1_000)
        drive(pool)
        result = pool.finish(tree)
        assert result.ended == ended
        assert result.memory < 2**20 + 2 * LOAD


@pytest.mark.parametrize("graph", [False, True])
def test_a_quarter_is_forgotten_at_a_time(graph: bool) -> None:
    pool, tree = pile_pool(memory_mb=1, memory_full="prune", graph=graph, solver=False)
    pool.begin(tree, Laden(60), nodes=600)
    held = [0]
    while pool.running:
        leaves = pool.collect(64)
        pool.complete(leaves, value=zeros(leaves))
        held.append(pool.report(tree).memory)
    kept = [after / before for before, after in itertools.pairwise(held) if after < before]
    assert len(kept) > 3
    assert min(kept) > 0.7  # most leaves have one visit: not all of them go
    assert max(kept) < 0.8


@pytest.mark.parametrize("stones", [12, 14, 15])
def test_what_is_forgotten_below_a_proof_is_searched_again_when_it_is_played(stones: int) -> None:
    # In a graph another line may hold on to some of the moves below a proof, and not to the best.
    proven = 0
    for played in itertools.product((1, 2, 3), repeat=2):
        pool, tree = pile_pool(memory_mb=1, memory_full="prune", graph=True, batch_size=16)
        root = Laden(stones)
        pool.begin(tree, root, nodes=400)
        drive(pool)
        for action in played:
            pool.advance(tree, action)
            root = root.play(action)
        pool.begin(tree, root, nodes=100)
        drive(pool)
        result = pool.finish(tree)
        if result.proven == "win":
            proven += 1
            assert (root.stones - result.action) % 4 == 1  # what the other player loses from
    assert proven > 3


@pytest.mark.parametrize("seed", range(8))
def test_descents_that_explore_are_not_lost_when_a_tree_is_pruned(seed: int) -> None:
    """Nodes above what is outstanding stay, also those at which a descent explored."""
    pool, tree = pile_pool(
        memory_mb=1, memory_full="prune", epsilon_greedy=0.9, batch_size=16, in_flight=2,
        solver=False,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    pool.begin(tree, Laden(60), nodes=2_000)
    while pool.running:
        leaves = pool.collect(64)
        rows = len(leaves)
        pool.complete(
            leaves,
            policy_logits=rng.normal(size=(rows, 4)).astype(np.float32),
            value=rng.uniform(-0.9, 0.9, rows).astype(np.float32),
        )
    assert pool.finish(tree).ended == "nodes"
