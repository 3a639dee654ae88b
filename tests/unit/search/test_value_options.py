"""What a draw is worth, and plies to the end as a tie-break, against a search in plain Python."""

from typing import Any

import numpy as np
import pytest
from branches import Branches, answer, core, mean
from reference_puct import Node, by_bounds, puct, rank, search
from search_fakes import Pile, chess_pool, chess_state, drive, pile_pool, unit

from phasezoo import agents, inference
from phasezoo.errors import InvalidConfig, InvalidEvaluation


def wdl_of(state: Any) -> tuple[float, float, float]:
    """Win, draw and loss out of the position's key."""
    draw = 0.5 + 0.5 * unit(state.key ^ 11)
    win = (1 - draw) * (0.5 + 0.5 * unit(state.key ^ 12))
    return win, draw, 1 - draw - win


class Scored(Branches):
    """The same game, in which a draw is worth something to its first player to move."""

    score = 0.0

    @property
    def returns(self) -> Any:
        values = super().returns
        shift = self.score if self.first == 0 else -self.score
        drawn = self.is_terminal and values[0] == 0
        return np.array([shift, -shift], dtype=np.float32) if drawn else values

    def play(self, action: int) -> "Scored":
        after = Scored((*self.path, int(action)), self.first)
        after.score = self.score
        return after


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("score", [-0.6, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("has_value", [True, False])
def test_a_draw_counts_for_the_one_who_searches(score: float, first: int, has_value: bool) -> None:
    def shifted(state: Any) -> tuple[dict[int, float], float]:
        win, draw, loss = wdl_of(state)
        sign = 1 if state.to_play == first else -1
        value = answer(state)[1] if has_value else win - loss
        return answer(state)[0], float(np.clip(value + sign * score * draw, -1, 1))

    root = Scored(first=first)
    root.score = score
    expected = search(root, 250, shifted, puct())

    def heads(state: Any) -> dict[str, Any]:
        value = {"value": answer(state)[1]} if has_value else {}
        return {"wdl": wdl_of(state), **value}

    found = core(Branches(first=first), 250, heads=heads, draw_score=score)
    assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
    assert found.value == pytest.approx(mean(expected), abs=1e-5)


def halved(state: Any) -> float:
    """A value of -0.5, 0 or 0.5 out of the position's key: means of them are often exactly 0."""
    return round(1.4 * unit(state.key ^ 31)) / 2


def by_veto_and_weight(root: Node, weight: float, veto: float) -> list[float]:
    """The final policy as ``docs/definitions/limits.md#played-move`` says it."""
    share = {action: float(root.visits[action]) for action in root.actions}
    visited = [action for action in root.actions if root.visits[action]]
    best = max(root.actions, key=lambda a: (share[a], -rank(root, a)))
    top = max([best, *visited], key=root.q)
    others = [action for action in root.actions if action != best]
    second = max(others, key=lambda a: (share[a], -others.index(a)))
    if top != best and root.q(top) > root.q(best) + veto and root.visits[top] > 1:
        share[top], share[best] = share[best], share[top]
    elif share[second] and root.q(second) > root.q(best):
        share[second] += (root.q(second) - root.q(best)) * weight * share[best]
    return [share[action] / sum(share.values()) for action in root.actions]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("score", [-0.75, -0.25, 0.5])
def test_a_mean_of_zero_is_no_draw_to_the_rules_that_choose(score: float, first: int) -> None:
    def valued(state: Any) -> tuple[dict[int, float], float]:
        return answer(state)[0], halved(state)

    def heads(state: Any) -> dict[str, Any]:
        return {"wdl": ((1 + halved(state)) / 2, 0.0, (1 - halved(state)) / 2)}

    means_of_zero, vetoed, bounded = 0, 0, 0
    for path in [(), (0,), (1,), (0, 1), (1, 1), (1, 0), (0, 0)]:
        for simulations in (1, 2, 3, 4, 5, 6, 8, 10, 12, 30):
            root = Scored(path, (first + len(path)) % 2)
            root.score = score if len(path) % 2 == 0 else -score
            expected = search(root, simulations, valued, puct())
            own = root.score if root.to_play == root.first else -root.score
            plain = Branches(path, root.first)
            options = {"heads": heads, "draw_score": own}
            found = core(plain, simulations, q_value_weight=2.0, q_veto_delta=0.2, **options)
            assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
            tried = [a for a in expected.actions if expected.visits[a]]
            q = [expected.q(action) for action in tried]
            np.testing.assert_allclose(found.q[tried], q, atol=1e-6)
            means_of_zero += q.count(0.0)
            policy = by_veto_and_weight(expected, 2.0, 0.2)
            np.testing.assert_allclose(found.policy[: len(policy)], policy, atol=1e-5)
            assert policy[found.action] > max(policy) - 1e-7  # equal ones differ by rounding
            shares = [expected.visits[a] / simulations for a in expected.actions]
            vetoed += not np.allclose(policy, shares)
            bounds = {"lcb_stdevs": 0.5, "min_visit_prop_for_lcb": 0.1}
            found = core(plain, simulations, use_lcb_for_selection=True, **bounds, **options)
            assert found.action == by_bounds(expected, 0.5, 0.1)
            bounded += found.visits[found.action] < found.visits.max()
    assert means_of_zero > 3
    assert vetoed > 3
    assert bounded > 0


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("score", [-0.9, 0.9])
def test_proofs_stay_what_they_are(score: float, player: int, batch_size: int) -> None:
    drawn = ["k7/8/8/8/8/8/8/KB6 w - - 0 1", "kb6/8/8/8/8/8/8/K7 b - - 0 1"]
    mate = ["6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1"][player]
    pool, tree = chess_pool(batch_size=batch_size, draw_score=score, draw_on_second_occurrence=True)
    state = chess_state(fen=mate)
    pool.begin(tree, state, nodes=400)
    while pool.running:
        leaves = pool.collect(batch_size)
        pool.complete(leaves, wdl=np.tile(np.float32([0.2, 0.6, 0.2]), (len(leaves), 1)))
    result = pool.finish(tree)
    assert (result.proven, state.play(result.action).is_terminal) == ("win", True)
    assert chess_state(fen=drawn[player]).is_terminal


@pytest.mark.parametrize("first", [0, 1])
def test_a_proven_draw_is_taken_or_left_by_its_score(first: int) -> None:
    # Against everything else that is even, a draw for sure is sought or shunned.
    visits = {
        score: core(
            Branches(first=first),
            400,
            heads=lambda state: {"wdl": (0.5, 0.0, 0.5)},
            solver=True,
            draw_score=score,
        )
        for score in (-0.9, 0.9)
    }
    assert visits[-0.9].visits.tolist() != visits[0.9].visits.tolist()
    assert visits[0.9].proven == visits[-0.9].proven


def test_the_side_that_searches_decides_what_is_kept() -> None:
    pool, tree = chess_pool(draw_score=-0.3)

    def run(state: Any) -> Any:
        pool.begin(tree, state, nodes=60)
        while pool.running:
            leaves = pool.collect(1)
            pool.complete(leaves, wdl=np.tile(np.float32([0.3, 0.4, 0.3]), (len(leaves), 1)))
        return pool.finish(tree)

    state = chess_state()
    line = run(state).pv[:2]
    pool.advance(tree, line[0])
    state = state.play(line[0])
    first = run(state)  # the other player's turn: draws are worth the opposite
    assert int(first.visits.sum()) + 1 == first.simulations
    for action in first.pv[:2]:
        pool.advance(tree, action)
        state = state.play(action)
    second = run(state)
    assert int(second.visits.sum()) + 1 > second.simulations


def test_what_has_no_draws_is_refused() -> None:
    pool, tree = chess_pool(draw_score=-0.2)
    pool.begin(tree, chess_state(), nodes=10)
    leaves = pool.collect(1)
    with pytest.raises(InvalidEvaluation, match=r"draw_score is set .* no wdl"):
        pool.complete(leaves, value=[0.0])
    with pytest.raises(InvalidEvaluation, match="wdl"):
        pool.complete(leaves, value=[0.0], wdl=[[0.5, 0.7, 0.1]])
    pool.complete(leaves, value=[0.0], wdl=[[0.25, 0.5, 0.25]])
    with pytest.raises(InvalidConfig, match="more than two players"):
        pile_pool(players=3, draw_score=0.1)
    agent = agents.MCTSAgent(inference.Uniform(), draw_score=0.2)
    with pytest.raises(InvalidEvaluation, match="no wdl"):
        agent.search(chess_state())


# Plies left


def plies_of(state: Any) -> float:
    return 40.0 * (1 + unit(state.key ^ 21))


def utility(plies: float, parent_plies: float, q: float, parent: float) -> float:
    """lc0's formula with a slope of 0.02, at most 0.2, from a value of 0.1 on."""
    if abs(parent) <= 0.1:
        return 0.0
    effect = float(np.clip(0.02 * (plies - parent_plies), -0.2, 0.2))
    certain = max(0.0, abs(q) - 0.1) / 0.9
    return -float(np.sign(q)) * effect * (0.1 + 1.6521 * certain - 0.6521 * certain**2)


MOVES_LEFT = {
    "moves_left_max_effect": 0.2,
    "moves_left_slope": 0.02,
    "moves_left_threshold": 0.1,
    "moves_left_constant_factor": 0.1,
}


@pytest.mark.parametrize("first", [0, 1])
def test_plies_left_tip_the_scales_as_in_lc0(first: int) -> None:
    expected = search(Branches(first=first), 250, answer, puct(), plies_of, utility)

    def heads(state: Any) -> dict[str, Any]:
        return {"value": answer(state)[1], "plies_left": plies_of(state)}

    found = core(Branches(first=first), 250, heads=heads, **MOVES_LEFT)
    assert found.visits.tolist() == [expected.visits[a] for a in expected.actions]
    assert found.value == pytest.approx(mean(expected), abs=1e-5)
    assert found.value != core(Branches(first=first), 250).value


@pytest.mark.parametrize("batch_size", [1, 16])
@pytest.mark.parametrize("sign", [1, -1])
def test_who_wins_takes_the_shorter_way_and_who_loses_the_longer(
    sign: int, batch_size: int
) -> None:
    # All moves of the root are as good; one of them ends the game soon.
    soon = chess_state().parse_uci("h2h4")
    options = {"moves_left_max_effect": 0.3, "moves_left_slope": 0.01, "fpu": 0.0}
    pool, tree = chess_pool(batch_size=batch_size, **options)
    pool.begin(tree, chess_state(), nodes=400)
    while pool.running:
        leaves = pool.collect(batch_size)
        values, plies = [], []
        for state in leaves.states():
            values.append(sign * 0.95 * (1 if state.to_play == 0 else -1))
            is_soon = str(state.board().piece_at(31)) == "P"
            plies.append(10.0 if is_soon else 80.0)
        pool.complete(leaves, value=values, plies_left=plies)
    result = pool.finish(tree)
    visits = result.visits[result.actions.tolist().index(soon)]
    assert visits == result.visits.max() if sign == 1 else visits == result.visits.min()


def test_plies_left_have_to_be_told() -> None:
    pool, tree = chess_pool(moves_left_max_effect=0.03)
    pool.begin(tree, chess_state(), nodes=10)
    leaves = pool.collect(1)
    for given, message in [
        ({}, "no plies_left"),
        ({"plies_left": [-1.0]}, r"plies_left\[0\] is -1"),
        ({"plies_left": [float("nan")]}, r"plies_left\[0\] is NaN"),
        ({"plies_left": [1.0, 2.0]}, "plies_left"),
    ]:
        with pytest.raises(InvalidEvaluation, match=message):
            pool.complete(leaves, value=[0.0], **given)
    pool.complete(leaves, value=[0.0], plies_left=[30.0])
    drive_with_plies(pool)
    assert pool.finish(tree).nodes == 10


def drive_with_plies(pool: Any) -> None:
    while pool.running:
        leaves = pool.collect(8)
        zeros = np.zeros(len(leaves), dtype=np.float32)
        pool.complete(leaves, value=zeros, plies_left=zeros)


@pytest.mark.parametrize(
    "name", ["draw_score", "moves_left_max_effect", "epsilon_greedy", "epsilon_checks"]
)
def test_shared_nodes_are_refused_what_they_cannot_know(name: str) -> None:
    with pytest.raises(InvalidConfig, match=f"{name} is 0.1, and graph is on"):
        chess_pool(graph=True, **{name: 0.1})


def test_heads_are_judged_alike_whether_an_option_asks_for_them_or_not() -> None:
    pool, tree = pile_pool(batch_size=3)
    pool.begin(tree, Pile(12), nodes=20)
    leaves = pool.collect(1)
    with pytest.raises(InvalidEvaluation, match=r"plies_left\[0\] is -5"):
        pool.complete(leaves, value=[0.0], plies_left=[-5.0])
    with pytest.raises(InvalidEvaluation, match="sum to 1"):
        pool.complete(leaves, value=[0.0], wdl=[[1.0, 1.0, 1.0]])
    pool.complete(leaves, value=[0.0], plies_left=[5.0], wdl=[[0.0, 1.0, 0.0]])
    drive(pool, num_actions=4)
    assert pool.finish(tree).simulations > 0
