"""Routing by rules of one's own, and policies and values by different evaluators."""

from functools import partial

import numpy as np
import pytest

from phasezoo import agents, errors, games, gating, inference
from phasezoo.agents.search.slot import PhaseMemory
from phasezoo.inference.routing import exact, majority

CHESS = games.make("chess")
NAMES = ("opening", "middlegame", "endgame")
LATE = CHESS.from_fen("r4rk1/1p3ppp/2n1b3/8/8/2N1B3/PP3PPP/R4RK1 w - - 0 20")


class Constant:
    """Answers one value, and logits that prefer high or low actions."""

    plane_spec = None

    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope
        self.rows = 0

    def evaluate_batch(self, leaves):
        self.rows += len(leaves)
        _, actions = leaves.legal
        logits = (self.slope * actions / 4672).astype(np.float32)
        values = np.full(len(leaves), self.value, np.float32)
        return inference.Evaluation(legal_logits=logits, value=values)


def experts():
    return {name: Constant(value) for name, value in zip(NAMES, (-0.5, 0.0, 0.5), strict=True)}


def searched(routing, state=LATE, nodes=120, evaluators=None, **options):
    mixture = inference.MixtureOfExperts(evaluators or experts(), "lichess", routing)
    limit = agents.Limit(nodes=nodes)
    return agents.MCTSAgent(mixture, limit=limit, seed=1, **options).search(state)


@pytest.mark.parametrize("batch_size", [1, 8])
def test_rules_see_where_each_row_is(batch_size):
    gate = gating.make("lichess")
    seen = []

    def rule(rows):
        states = rows.states()
        np.testing.assert_array_equal(rows.depths, [s.ply - LATE.ply for s in states])
        np.testing.assert_array_equal(rows.phases, gate.batch(states))
        assert set(rows.root_phases.tolist()) == {gate(LATE)}
        for row, state in enumerate(states):
            moves = state.moves
            above = CHESS.from_fen(state.start_fen, moves[:-1]) if moves else None
            expected = -1 if above is None else gate(above)
            assert rows.parent_phases[row] == expected
            assert (rows.visits[row] > 0) == (above is not None)
        seen.append(rows.depths.max())
        return rows.phases

    found = searched(rule, batch_size=batch_size)
    assert max(seen) >= 2
    np.testing.assert_array_equal(found.visits, searched("exact", batch_size=batch_size).visits)


@pytest.mark.parametrize(
    "make",
    [
        partial(agents.MCTSAgent, limit=agents.Limit(nodes=3), reuse_tree=False),
        agents.BeamAgent,
    ],
)
def test_a_root_knows_the_phase_before_it_from_the_game_alone(make):
    game = games.make("connect-four")
    gate = gating.make("monotone:plies:4", game="connect-four")
    seen = []

    def rule(rows):
        if rows.depths[0] == 0:
            seen.append((int(rows.parent_phases[0]), int(rows.phases[0])))
        return rows.phases

    experts = {name: inference.Uniform() for name in gate.names}
    agent = make(inference.MixtureOfExperts(experts, gate, rule))
    agent.search(game.from_columns("44332"))
    assert seen == [(-1, 1)]
    seen.clear()
    session, state = agent.session(1), game.from_columns("443")
    for column in (2, 1, 5):
        session.search(state)
        state = state.play(column)
    assert seen == [(-1, 0), (0, 0), (0, 1)]


def test_a_monotone_gate_of_ones_own_is_asked_once_about_a_position():
    """Its answer may depend on the phase before otherwise than by being the larger one."""

    class Counting:
        monotone = True

        def __call__(self, state, player=None, *, previous=None):
            return 0 if previous is None else previous + 1

    game, memory = games.make("connect-four"), PhaseMemory(Counting())
    state = game.initial_state()
    for ply in range(3):
        memory.see(state)
        memory.see(game.from_columns("123"[:ply]))
        assert memory.previous == (None if ply == 0 else ply - 1)
        state = state.play(ply)


def test_leaves_outside_a_search_are_roots():
    batch = inference.StateBatch([LATE, CHESS.initial_state()], [1, 0])
    assert batch.depths.tolist() == [0, 0]
    assert batch.parent_phases.tolist() == [-1, -1]
    assert batch.root_phases.tolist() == [1, 0]
    assert batch.visits.tolist() == [0, 0]


def by_parent(rows):
    return np.where(rows.parent_phases < 0, rows.phases, rows.parent_phases)


def by_root(rows):
    return rows.root_phases


def deep_majority(rows):
    return np.where(rows.depths > 2, rows.phases, rows.root_phases)


@pytest.mark.parametrize("rule", [by_parent, by_root, deep_majority, exact, majority])
def test_rules_are_pure_functions_of_their_rows(rule):
    """A tree finds the same alone and beside others, whose rows share its batches."""
    evaluators = experts()
    alone = searched(rule, evaluators=evaluators, batch_size=4)
    mixture = inference.MixtureOfExperts(evaluators, "lichess", rule)
    assert mixture.routing == rule.__name__
    agent = agents.MCTSAgent(mixture, limit=agents.Limit(nodes=120), seed=1, batch_size=4)
    pool = agent.session_pool(CHESS)
    for state in (LATE, CHESS.initial_state(), LATE):
        pool.ask(pool.open(1), state, state.to_play)
    moves = {}
    while len(moves) < 3:
        moves |= dict(pool.poll())
    assert [moves[slot].action for slot in sorted(moves)][::2] == [alone.action] * 2
    assert moves[min(moves)].value == alone.value


def test_by_root_asks_one_expert_alone():
    evaluators = experts()
    searched(by_root, evaluators=evaluators)
    phase = NAMES[gating.make("lichess")(LATE)]
    asked = {name: expert.rows for name, expert in evaluators.items()}
    assert asked[phase] > 0
    assert sum(asked.values()) == asked[phase]


def test_weights_average_all_experts():
    def learned_router(rows):
        return np.tile([0.25, 0.25, 0.5], (len(rows), 1))

    leaves = inference.StateBatch([LATE], [1])
    mixture = inference.MixtureOfExperts(experts(), "lichess", learned_router)
    answer = mixture.evaluate_batch(leaves)
    assert answer.values()[0] == pytest.approx(0.25 * -0.5 + 0.5 * 0.5)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda rows: np.zeros(len(rows) + 1, int), "for 1 rows"),
        (lambda rows: np.zeros(len(rows)), "float64"),
        (lambda rows: np.full(len(rows), 3), "phase 3"),
        (lambda rows: np.full(len(rows), -1), "phase -1"),
        (lambda rows: np.ones((len(rows), 3)), "sum 1"),
        (lambda rows: np.full((len(rows), 3), np.nan), "sum 1"),
        (lambda rows: None, "object"),
    ],
)
def test_rules_that_answer_something_else_are_refused(answer, reason):
    mixture = inference.MixtureOfExperts(experts(), "lichess", answer)
    with pytest.raises(errors.PhasezooError, match=reason):
        mixture.evaluate_batch(inference.StateBatch([LATE], [1]))


def test_whole_numbers_are_weights_too_and_errors_of_a_rules_array_are_named():
    leaves = inference.StateBatch([LATE], [1])
    whole = inference.MixtureOfExperts(
        experts(), "lichess", lambda rows: np.eye(3, dtype=int)[rows.phases]
    )
    assert whole.evaluate_batch(leaves).values()[0] == 0.0
    torch = pytest.importorskip("torch")
    learned = inference.MixtureOfExperts(
        experts(), "lichess", lambda rows: torch.ones(len(rows), 3, requires_grad=True) / 3
    )
    with pytest.raises(errors.InvalidConfig, match="no array of numbers"):
        learned.evaluate_batch(leaves)


def test_a_rule_of_ones_own_may_have_the_name_of_another():
    def rule(rows):
        return np.full((len(rows), 3), 1 / 3)

    def searched():
        mixture = inference.MixtureOfExperts(experts(), "lichess", rule)
        agent = agents.MCTSAgent(mixture, limit=agents.Limit(nodes=20), batch_size=4)
        pool = agent.session_pool(CHESS)
        for seed, state in enumerate((LATE, CHESS.initial_state())):
            pool.ask(pool.open(seed), state, state.to_play)
        moves = {}
        while len(moves) < 2:
            moves |= dict(pool.poll())
        return moves

    own = searched()
    rule.__name__ = "exact"
    assert searched() == own


def test_unknown_names_of_rules_are_refused():
    with pytest.raises(errors.InvalidConfig, match="majority"):
        inference.MixtureOfExperts(experts(), "lichess", "majorty")


def test_policies_by_phase_with_one_value():
    policies = {name: Constant(0.9, slope) for name, slope in zip(NAMES, (0, 3, 9), strict=True)}
    value = Constant(-0.3)
    mixture = inference.MixtureOfExperts(policy=policies, value=value, gate="lichess")
    leaves = inference.StateBatch([LATE, CHESS.initial_state()], [1, 0])
    answer = mixture.evaluate_batch(leaves)
    np.testing.assert_allclose(answer.values(), -0.3)
    own = inference.MixtureOfExperts(policies, "lichess").evaluate_batch(leaves)
    np.testing.assert_array_equal(answer.legal_logits, own.legal_logits)
    assert (answer.spent.rows, answer.spent.calls) == (4, 3), "the value once for both phases"
    assert answer.spent.expert_rows.keys() == {"opening", "middlegame"}


def test_one_policy_with_values_by_phase_and_one_pair_for_all():
    policy, values = Constant(0.9, 5.0), experts()
    mixture = inference.MixtureOfExperts(policy=policy, value=values, gate="lichess")
    answer = mixture.evaluate_batch(inference.StateBatch([LATE, LATE], [2, 1]))
    np.testing.assert_allclose(answer.values(), [0.5, 0.0])
    alone = inference.PolicyAndValue(policy, values["endgame"])
    limit = agents.Limit(nodes=60)
    first = agents.MCTSAgent(alone, limit=limit, seed=1).search(LATE)
    both = inference.MixtureOfExperts(
        policy=policy, value=values["endgame"], gate="lichess", routing="majority"
    )
    second = agents.MCTSAgent(both, limit=limit, seed=1).search(LATE)
    np.testing.assert_array_equal(first.visits, second.visits)
    assert first.value == second.value
    assert first.network_value == second.network_value == pytest.approx(0.5)


def test_the_same_evaluator_for_both_is_asked_once():
    evaluators = experts()
    mixture = inference.MixtureOfExperts(policy=evaluators, value=evaluators, gate="lichess")
    answer = mixture.evaluate_batch(inference.StateBatch([LATE], [1]))
    assert (answer.spent.rows, answer.spent.calls) == (1, 1)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"policy": Constant(0)}, "value= is missing"),
        ({"value": Constant(0)}, "policy= is missing"),
        ({"experts": experts(), "value": Constant(0)}, "leave out"),
        ({"policy": experts(), "value": {"opening": Constant(0)}}, "same phases"),
        ({}, "policy= is missing"),
    ],
)
def test_half_given_evaluators_are_refused(given, reason):
    with pytest.raises(errors.InvalidConfig, match=reason):
        inference.MixtureOfExperts(gate="lichess", **given)


@pytest.mark.parametrize("part", [3, "runs/x", None, Constant])
def test_parts_that_are_no_evaluators_are_refused(part):
    for given in ((part, Constant(0)), (Constant(0), part)):
        with pytest.raises(errors.InvalidConfig, match="no evaluator"):
            inference.PolicyAndValue(*given)


def test_a_pair_is_seen_through_by_what_asks_of_its_parts():
    pytest.importorskip("torch")
    from phasezoo import networks
    from phasezoo.inference.calls import parallel_calls_of

    shape = games.make("connect-four").plane_shape()
    network = networks.make("mlp-8x1", shape, 7, seed=1)
    other = inference.TorchEvaluator(network, game="connect-four", device="cpu")
    with pytest.raises(errors.GameMismatch, match="connect-four"):
        agents.MCTSAgent(inference.PolicyAndValue(Constant(0), other), game="chess")
    pair = inference.PolicyAndValue(other, other)
    assert parallel_calls_of(pair) == parallel_calls_of(other)


def test_a_cache_keeps_policies_and_values_apart():
    pytest.importorskip("onnxruntime")
    folder = inference.load_experts("phasezoo/chess-small")
    one = folder.baseline(threads=1)
    parts = {phase: folder.expert(phase, threads=1) for phase in folder.phases}
    mixture = inference.MixtureOfExperts(policy=parts, value=one, gate="lichess")
    limit = agents.Limit(nodes=40)
    plain = agents.MCTSAgent(mixture, limit=limit, seed=1).search(LATE)
    kept = agents.MCTSAgent(mixture, limit=limit, seed=1, cache_mb=4)
    for _ in range(2):
        np.testing.assert_array_equal(kept.search(LATE).visits, plain.visits)
    pair = agents.MCTSAgent(
        inference.PolicyAndValue(parts["endgame"], one), limit=limit, seed=1, cache_mb=4
    )
    assert pair.search(LATE).nodes == 40


def test_policy_and_value_of_folders_by_text():
    text = "m2cts:policy=phasezoo/chess-small,value=phasezoo/chess-small,nodes=8"
    pytest.importorskip("onnxruntime")
    pytest.importorskip("torch")
    folder = inference.load_experts("phasezoo/chess-small")
    own = agents.make("m2cts:experts=phasezoo/chess-small,nodes=8", seed=1)
    assert agents.make(text, seed=1).search(LATE).action == own.search(LATE).action
    baseline = folder.directory / folder.baseline_folder
    alone = text.replace("value=phasezoo/chess-small", f"value={baseline}").replace("=8", "=1")
    expected = inference.load(baseline).evaluate(games.encode([LATE], "v2")).values()[0]
    assert agents.make(alone, seed=1).search(LATE).value == pytest.approx(expected, abs=1e-5)
    with pytest.raises(errors.InvalidConfig, match="policy= and value="):
        agents.make("m2cts:nodes=8")
