"""Planning with Gumbel noise, against the formulas of Danihelka et al. (2022) in NumPy."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from branches import Branches, answer, core
from reference_puct import Node, puct, rank, search
from search_fakes import chess_pool, chess_state, drive

from phasezoo import agents, games, inference
from phasezoo.errors import InvalidConfig

Array = npt.NDArray[np.float64]


def considered_visits(considered: int, budget: int) -> list[int]:
    """The visits that simulation t is to find, by the definition of sequential halving."""
    if considered == 1:
        return list(range(budget))
    phases = math.ceil(math.log2(considered))
    order: list[int] = []
    done = 0
    while len(order) < budget:
        each = max(1, budget // (phases * considered))
        order += [done + turn for turn in range(each) for _ in range(considered)]
        done += each
        considered = max(2, considered // 2)
    return order[:budget]


class Formulas:
    """The paper's formulas at a node, actions in order of their numbers."""

    def __init__(self, considered: int = 16, init: float = 50, scale: float = 0.1) -> None:
        self.considered, self.init, self.scale = considered, init, scale
        self.rescale = True

    def sigma(self, node: Node) -> Array:
        counts = np.array([node.visits[a] for a in node.actions])
        priors = np.array([node.priors[a] for a in node.actions])
        q = np.array([node.q(a) if node.visits[a] else 0.0 for a in node.actions])
        seen = counts > 0
        by_prior = (priors * q)[seen].sum() / priors[seen].sum() if seen.any() else 0.0
        mixed = (node.raw + counts.sum() * by_prior) / (1 + counts.sum())
        completed = np.where(seen, q, mixed)
        if self.rescale:
            spread = completed.max() - completed.min()
            completed = (completed - completed.min()) / max(spread, 1e-8)
        return (self.init + counts.max()) * self.scale * completed

    def improved(self, node: Node) -> Array:
        logits = np.log([node.priors[a] for a in node.actions]) + self.sigma(node)
        weights = np.exp(logits - logits.max())
        return weights / weights.sum()

    def halving(self, budget: int) -> Any:
        def choose(node: Node, is_root: bool) -> int:
            counts = np.array([node.visits[a] for a in node.actions])
            order = considered_visits(min(self.considered, len(node.actions)), budget)
            return self.best(node, counts == order[counts.sum()])

        return choose

    def best(self, node: Node, allowed: npt.NDArray[np.bool_]) -> int:
        logits = np.log([node.priors[a] for a in node.actions])
        scores = np.where(allowed, logits + self.sigma(node), -np.inf)
        return max(node.actions, key=lambda a: (round(scores[a], 6), -rank(node, a)))

    def played(self, node: Node) -> int:
        counts = np.array([node.visits[a] for a in node.actions])
        return self.best(node, counts == counts.max())

    def interior(self, node: Node) -> int:
        counts = np.array([node.visits[a] for a in node.actions])
        return int(np.argmax(self.improved(node) - counts / (1 + counts.sum())))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("considered", [1, 2, 3, 16])
@pytest.mark.parametrize("budget", [3, 16, 50, 200])
def test_halving_at_the_root_is_the_papers(considered: int, budget: int, first: int) -> None:
    formulas = Formulas(considered)
    root = Branches((1,) if first == 0 else (), first)  # three moves and four
    expected = search(root, budget, answer, puct(root=formulas.halving(budget)))
    given = {"root": "gumbel", "max_num_considered_actions": considered}
    found = core(root, budget, gumbel_scale=0.0, **given)
    assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
    assert found.action == formulas.played(expected)
    assert found.policy[: len(expected.actions)] == pytest.approx(
        formulas.improved(expected), abs=2e-4
    )


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("rescale", [True, False])
def test_selection_below_the_root_is_the_papers(first: int, rescale: bool) -> None:
    formulas = Formulas(init=30, scale=0.2)
    formulas.rescale = rescale
    halving = formulas.halving(150)

    def choose(node: Node, is_root: bool) -> int:
        return halving(node, True) if is_root else formulas.interior(node)

    expected = search(Branches(first=first), 150, answer, choose)
    found = core(
        Branches(first=first),
        150,
        root="gumbel",
        interior="gumbel",
        gumbel_scale=0.0,
        gumbel_maxvisit_init=30,
        gumbel_value_scale=0.2,
        gumbel_rescale_values=rescale,
    )
    assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
    assert found.value == pytest.approx(expected.mean(expected.player), abs=1e-5)


def test_noise_draws_moves_as_often_as_their_priors_say() -> None:
    root = Branches()
    counts = np.zeros(5)
    for seed in range(600):
        counts[core(root, 0, seed=seed, root="gumbel").action] += 1
    logits = np.array(list(answer(root)[0].values()))
    expected = 600 * np.exp(logits) / np.exp(logits).sum()
    error = np.sqrt(expected)
    assert (np.abs(counts[: len(logits)] - expected) < 4 * error).all()


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("interior", ["puct", "gumbel"])
def test_mates_are_found_and_met(player: int, batch_size: int, interior: str) -> None:
    mate = ["6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1"][player]
    pool, tree = chess_pool(batch_size=batch_size, root="gumbel", interior=interior)
    state = chess_state(fen=mate)
    pool.begin(tree, state, nodes=400)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    assert (result.proven, result.proven_plies) == ("win", 1)
    assert state.play(result.action).is_terminal


@pytest.mark.parametrize("batch_size", [1, 64])
def test_a_search_is_repeated_by_its_seed_and_shares_its_budget(batch_size: int) -> None:
    options = {"batch_size": batch_size, "root": "gumbel"}
    results = []
    for _ in range(2):
        pool, tree = chess_pool(**options, max_num_considered_actions=8)
        pool.begin(tree, chess_state(), simulations=257)
        drive(pool, num_actions=4672)
        results.append(pool.finish(tree))
    first, second = results
    assert first.visits.tolist() == second.visits.tolist()
    assert first.simulations == 257
    assert (first.visits > 0).sum() == 8
    assert first.policy.sum() == pytest.approx(1.0, abs=1e-5)
    assert first.visits[first.actions.tolist().index(first.action)] == first.visits.max()


def test_a_reused_tree_gets_a_schedule_of_its_own() -> None:
    pool, tree = chess_pool(root="gumbel", max_num_considered_actions=4, gumbel_scale=0.0)
    state = chess_state()
    pool.begin(tree, state, nodes=300)
    drive(pool, num_actions=4672)
    for action in pool.finish(tree).pv[:2]:
        pool.advance(tree, action)
        state = state.play(action)
    before = {int(a): int(n) for a, n in visits_of(pool, tree)}
    assert sum(before.values()) > 10
    pool.begin(tree, state, simulations=64)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    own = {int(a): n - before[int(a)] for a, n in zip(result.actions, result.visits, strict=True)}
    assert sorted(own.values())[-4:] == [8, 8, 24, 24]
    assert own[result.action] == 24


def visits_of(pool: Any, tree: int) -> Any:
    node = pool.inspect(tree)
    return zip(node.actions, node.action_visits, strict=True)


def test_a_search_by_time_alone_is_refused() -> None:
    agent = agents.MCTSAgent(inference.Uniform(), root="gumbel", limit=agents.Limit(movetime_ms=20))
    with pytest.raises(InvalidConfig, match="nodes= or simulations="):
        agent.search(chess_state())
    agent = agents.MCTSAgent(inference.Uniform(), root="gumbel", gumbel_scale=0.0)
    assert agent.search(chess_state()).nodes == 800


def test_a_schedule_of_many_simulations_takes_no_memory() -> None:
    """A time limit may end a search long before so many."""
    searched = agents.MCTSAgent(
        inference.Uniform(), root="gumbel", game="connect-four",
        limit=agents.Limit(nodes=10**9, simulations=10**12, movetime_ms=20),
    ).search(games.make("connect-four").initial_state())  # fmt: skip
    assert searched.ended == "movetime"
    assert searched.visits.max() - searched.visits.min() <= 1  # the first phase has not ended
