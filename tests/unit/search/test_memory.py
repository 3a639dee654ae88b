"""What a tree of Python states holds is counted, and bounds the search."""

from dataclasses import dataclass

from search_fakes import Pile, drive, pile_pool

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
