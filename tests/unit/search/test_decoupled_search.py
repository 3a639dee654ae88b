"""Decoupled search: equilibria of small games, and trees that depend on nothing but themselves."""

import numpy as np
import pytest
from simultaneous_games import (
    BIASED,
    COINS,
    ROCK_PAPER_SCISSORS,
    STAGES,
    Stage,
    matrix,
    random_stages,
    value_of,
)

from phasezoo import _core, agents, inference
from phasezoo.errors import InvalidConfig, InvalidEvaluation, InvalidState

UNIFORM = inference.Uniform()


def searcher(simulations=3000, selection="regret_matching", **options):
    limit = agents.Limit(simulations=simulations)
    return agents.DecoupledMCTSAgent(UNIFORM, limit=limit, selection=selection, **options)


@pytest.mark.parametrize(
    ("payoffs", "equilibrium"),
    [
        (COINS, [0.5, 0.5]),
        (ROCK_PAPER_SCISSORS, [1 / 3] * 3),
        (BIASED, [4 / 7, 2 / 7, 1 / 7]),
    ],
    ids=["pennies", "rps", "biased"],
)
@pytest.mark.parametrize("player", [0, 1])
def test_regret_matching_finds_the_mixed_equilibrium(payoffs, equilibrium, player):
    result = searcher(20_000, exploration=0.02, game="test-stages").search(matrix(payoffs), player)
    count = len(equilibrium)
    for policy in result.policies:
        np.testing.assert_allclose(policy[:count], equilibrium, atol=0.04)
        assert policy.sum() == pytest.approx(1, abs=1e-5)
    np.testing.assert_array_equal(result.policy, result.policies[player])
    np.testing.assert_allclose(result.values, [0, 0], atol=0.04)
    assert result.ended == "simulations"
    assert result.simulations == 20_000
    assert result.visits.sum() == result.simulations - 1  # the root's own is one


@pytest.mark.parametrize("selection", ["puct", "regret_matching"])
@pytest.mark.parametrize("seed", range(3))
def test_a_dominant_action_is_played(selection, seed):
    # Action 1 is better for player 0 whatever player 1 does, who then chooses action 0.
    result = searcher(2000, selection, seed=seed).search(matrix(((-0.5, 0.25), (0.0, 0.75))))
    assert result.action == 1
    assert result.policies[0, 1] > 0.9
    assert result.policies[1, 0] > 0.9
    assert result.value == pytest.approx(0, abs=0.08)


@pytest.mark.parametrize("seed", range(3))
def test_regrets_find_the_dominant_action_where_both_would_rather_not(seed):
    # The prisoner's dilemma, which is not zero-sum.
    dilemma = Stage((((0.5, 0.5), (-1.0, 1.0)), ((1.0, -1.0), (-0.5, -0.5))))
    result = searcher(2000, seed=seed).search(dilemma)
    assert result.action == 1
    assert result.policies[:, 1].min() > 0.95
    np.testing.assert_allclose(result.values, [-0.5, -0.5], atol=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_games_of_several_stages_are_worth_what_backward_induction_says(seed):
    stage = random_stages(np.random.default_rng(seed), 3)
    exact = value_of(stage)
    result = searcher(20_000, exploration=0.02, game="test-stages").search(stage, stage.acting[0])
    assert result.values[0] == pytest.approx(exact, abs=0.08)
    assert result.values[1] == pytest.approx(-result.values[0], abs=1e-5)
    assert result.seldepth == 3


def test_nodes_at_which_one_player_moves_are_searched_as_everywhere():
    last = matrix(((0.25, 0.25), (0.25, 0.25)))
    pay = Stage((((-1.0, 1.0), (1.0, -1.0)),), mover=1)  # player 1 takes the better one
    result = searcher(200, "puct").search(Stage(((pay,), (last,)), mover=0))
    assert result.action == 1
    assert result.value == pytest.approx(0.25, abs=0.15)
    assert result.policies[1].sum() == 0
    assert result.pv[0] == 1
    reply = searcher(200, "puct").search(pay)
    assert reply.action == 0
    assert reply.value > 0.9


def test_a_player_without_a_choice_ends_the_search_unless_it_is_infinite():
    stage = matrix(((0.5, -0.75, 0.25),))  # player 1 alone chooses
    short = searcher(2000).search(stage, 0)
    assert (short.ended, short.simulations) == ("forced", 2)
    agent = agents.DecoupledMCTSAgent(
        UNIFORM,
        limit=agents.Limit(simulations=2000, infinite=True),
        selection="regret_matching",
        game="test-stages",
    )
    for result in (agent.search(stage, 0), searcher(2000).search(stage, 1)):
        assert (result.ended, result.simulations) == ("simulations", 2000)
        assert result.policies[1, 1] > 0.95
        assert result.values[1] == pytest.approx(0.75, abs=0.1)


class Told:
    """Says what it is told to, and remembers for whom it was asked."""

    plane_spec = "default"

    def __init__(self, logits=None, value=None, wdl=None):
        self.answers = {"policy_logits": logits, "value": value, "wdl": wdl}
        self.asked = []

    def evaluate(self, planes):
        rows = len(planes)
        self.asked.append(planes[:, 0, 0, 0].astype(int).tolist())
        repeated = {
            name: None
            if row is None
            else np.array([row(player) for player in self.asked[-1]], dtype=np.float32)
            for name, row in self.answers.items()
        }
        assert all(each is None or len(each) == rows for each in repeated.values())
        return inference.Evaluation(**repeated)


def test_every_player_who_moves_is_asked_for_and_has_priors_of_their_own():
    evaluator = Told(logits=lambda player: [0.0, 0.0, 9.0 if player else 0.0], value=lambda _: 0.0)
    agent = agents.DecoupledMCTSAgent(evaluator, limit=agents.Limit(nodes=1), game="test-stages")
    results = [agent.search(matrix(ROCK_PAPER_SCISSORS), player) for player in (0, 1)]
    assert evaluator.asked == [[0, 1], [0, 1]]
    np.testing.assert_allclose(results[0].prior, [1 / 3] * 3)
    assert results[1].prior[2] > 0.99
    assert results[0].nodes == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"value": lambda player: 0.5 - 0.25 * player},
        {"value": lambda _: [0.5, 0.25]},
        {"wdl": lambda player: [0.5, 0.5, 0.0] if player == 0 else [0.5, 0.25, 0.25]},
    ],
    ids=["own", "each", "wdl"],
)
def test_values_are_each_players_own_in_whatever_form(answer):
    agent = agents.DecoupledMCTSAgent(
        Told(**answer), limit=agents.Limit(nodes=1), game="test-stages"
    )
    np.testing.assert_allclose(agent.search(matrix(COINS)).values, [0.5, 0.25])


def test_who_does_not_move_shares_the_opposite_or_has_a_column():
    alone = Stage(((matrix(COINS),), (matrix(COINS),)), mover=0)
    limit = agents.Limit(nodes=1)
    own = agents.DecoupledMCTSAgent(Told(value=lambda _: 0.5), limit=limit).search(alone)
    np.testing.assert_allclose(own.values, [0.5, -0.5])
    each = agents.DecoupledMCTSAgent(Told(value=lambda _: [0.5, 0.25]), limit=limit).search(alone)
    np.testing.assert_allclose(each.values, [0.5, 0.25])


# --- what a tree depends on ---


def finished(pool, trees):
    return [pool.finish(tree) for tree in trees]


def same(ours, theirs):
    np.testing.assert_array_equal(ours.policies, theirs.policies)
    np.testing.assert_array_equal(ours.values, theirs.values)
    np.testing.assert_array_equal(ours.visits, theirs.visits)
    assert (ours.action, ours.nodes, ours.simulations) == (
        theirs.action,
        theirs.nodes,
        theirs.simulations,
    )


def run(seeds, divide, max_rows, **settings):
    """Searches of one pool; ``divide`` says in which parts rows are answered."""
    pool = _core.SearchPool.decoupled(STAGES, _core.decoupled_settings(**settings))
    trees = [pool.add(seed) for seed in seeds]
    for tree, seed in zip(trees, seeds, strict=True):
        stage = random_stages(np.random.default_rng(seed), 4)
        pool.begin(tree, stage, simulations=200, game_options={"player": stage.acting[0]})
    while pool.running:
        leaves = pool.collect(max_rows)
        for rows in divide(len(leaves)):
            part = leaves.select(rows)
            value = [
                hash_of(state, player)
                for state, player in zip(part.states(), part.players, strict=True)
            ]
            pool.complete(part, value=np.array(value, dtype=np.float32))
    return finished(pool, trees)


def hash_of(state, player):
    """A value of a state for a player, the same in every process."""
    shares = repr(state.outcomes).encode()
    return ((sum(shares) * 31 + player * 7) % 201 - 100) / 100


@pytest.mark.parametrize("selection", ["puct", "regret_matching"])
@pytest.mark.parametrize("batch_size", [1, 7])
def test_a_tree_depends_neither_on_others_nor_on_how_answers_come(selection, batch_size):
    settings = {"selection": selection, "batch_size": batch_size}
    seeds = range(5)
    alone = [run([seed], lambda rows: [range(rows)], 64, **settings)[0] for seed in seeds]
    backwards = run(seeds, lambda rows: [[row] for row in reversed(range(rows))], 64, **settings)
    halves = run(seeds, lambda rows: [range(1, rows, 2), range(0, rows, 2)], 17, **settings)
    for one, other, third in zip(alone, backwards, halves, strict=True):
        same(one, other)
        same(one, third)


def test_leaves_that_were_given_up_are_met_again():
    pool = _core.SearchPool.decoupled(STAGES, _core.decoupled_settings(batch_size=3))
    tree = pool.add(1)
    stage = random_stages(np.random.default_rng(3), 4)
    pool.begin(tree, stage, simulations=60, game_options={"player": stage.acting[0]})
    given_up = 0
    while pool.running:
        leaves = pool.collect(16)
        if given_up < 5 and len(leaves):
            pool.cancel(leaves)
            given_up += 1
            pool.complete(leaves, value=np.zeros(len(leaves)))  # ignored
            continue
        pool.complete(leaves, value=np.zeros(len(leaves)))
    result = pool.finish(tree)
    assert given_up == 5
    assert result.simulations == 60
    assert result.visits.sum() == 59
    again = pool.finish(tree)
    same(result, again)


# --- errors ---


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"selection": "ucb"}, "selection='ucb': expected 'puct' or 'regret_matching'"),
        ({"exploration": 1.5}, "exploration=1.5: expected a number from 0 to 1"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"play": "mean"}, "expected one of 'auto', 'best', 'sample'"),
        ({"fpu": "much"}, "fpu"),
        ({"solver": True}, "solver=: a search has no such option"),
        ({"information": "all"}, "information"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(options, match):
    with pytest.raises(InvalidConfig, match=match):
        agents.DecoupledMCTSAgent(UNIFORM, **options)


def test_who_has_nothing_to_search_for_is_told_so():
    alone = Stage(((matrix(COINS),), (matrix(COINS),)), mover=0)
    with pytest.raises(InvalidState, match="player 1 has nothing to search for"):
        searcher().search(alone, player=1)
    with pytest.raises(InvalidState, match="nothing to search for"):
        searcher().search(matrix(COINS).play(np.array([0, 0])))
    pool = _core.SearchPool.decoupled(STAGES, _core.decoupled_settings())
    tree = pool.add(1)
    with pytest.raises(InvalidState, match="it is the turn of \\[0\\]"):
        pool.begin(tree, alone, nodes=1, game_options={"player": 1})
    with pytest.raises(InvalidState, match="call begin"):
        pool.finish(tree)
    with pytest.raises(InvalidState, match="finish\\(tree\\) says"):
        pool.inspect(tree)


def test_an_answer_that_is_none_is_refused_and_the_rows_stay_out():
    pool = _core.SearchPool.decoupled(STAGES, _core.decoupled_settings())
    tree = pool.add(1)
    pool.begin(tree, matrix(COINS), simulations=10)
    leaves = pool.collect(8)
    assert leaves.players.tolist() == [0, 1]
    with pytest.raises(InvalidEvaluation, match="outside"):
        pool.complete(leaves, value=np.array([0.0, 3.0]))
    with pytest.raises(InvalidEvaluation):
        pool.complete(leaves, value=np.zeros((2, 3)))
    pool.complete(leaves, value=np.zeros(2))
    with pytest.raises(InvalidState, match="completed already"):
        pool.complete(leaves, value=np.zeros(2))
    while pool.running:
        pool.complete(pool.collect(8), value=np.zeros(0))
    assert pool.finish(tree).simulations == 10


def test_a_count_of_nodes_ends_where_nothing_is_left_to_be_expanded():
    agent = agents.DecoupledMCTSAgent(UNIFORM, limit=agents.Limit(nodes=50), game="test-stages")
    found = agent.search(matrix(COINS))
    assert found.ended == "exhausted"
    assert found.nodes == 1
    tiny = agents.DecoupledMCTSAgent(
        UNIFORM, limit=agents.Limit(simulations=500_000), memory_mb=1, game="test-stages"
    )
    deep = random_stages(np.random.default_rng(0), 7)
    assert tiny.search(deep, deep.acting[0]).memory <= 1 << 20
