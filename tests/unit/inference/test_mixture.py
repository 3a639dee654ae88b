import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from leaf_fakes import Expert, FakeGate, FakeLeaves, LearnedGate

from phasezoo import games
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.errors import (
    GateMismatch,
    InvalidConfig,
    InvalidEvaluation,
    InvalidGate,
    InvalidState,
)
from phasezoo.inference import (
    Counts,
    Evaluation,
    MixtureOfExperts,
    StateBatch,
    Uniform,
    evaluate_leaves,
)
from phasezoo.inference.leaf_batches import LeafBatches
from phasezoo.inference.queues import ExpertQueues
from phasezoo.inference.routing import majority_winners

OFFSETS = {"a": 100, "b": 200, "c": 300}


class Always:
    """Answers every row alike."""

    plane_spec = None

    def __init__(self, value=None, wdl=None):
        self.row = {"value": value, "wdl": wdl}

    def evaluate(self, planes):
        rows = {
            name: None if row is None else np.array([row] * len(planes), np.float32)
            for name, row in self.row.items()
        }
        return Evaluation(**rows)


def experts(**options):
    return {name: Expert(offset, **options) for name, offset in OFFSETS.items()}


def mixture(routing, own=None, **options):
    return MixtureOfExperts(
        experts() if own is None else own, options.pop("gate", FakeGate()), routing, **options
    )


def ask(evaluator, leaves):
    counts = Counts()
    return evaluate_leaves(evaluator, leaves, counts), counts


def expected_logits(leaves, offset_of_row):
    """Expert's logit for each legal action: offset + action / 100."""
    offsets, actions = leaves.legal
    rows = np.repeat(np.arange(len(leaves)), np.diff(offsets))
    return np.asarray(offset_of_row, dtype=np.float32)[rows] + actions / np.float32(100)


def test_exact_sends_every_row_to_its_own_expert():
    leaves = FakeLeaves([2, 0, 0, 1, 2, 0])
    moe = mixture("exact")
    evaluation, counts = ask(moe, leaves)
    offsets = [300, 100, 100, 200, 300, 100]
    np.testing.assert_allclose(
        evaluation.value, [(row + o) / 1000 for row, o in enumerate(offsets)]
    )
    np.testing.assert_allclose(evaluation.legal_logits, expected_logits(leaves, offsets), rtol=1e-6)
    assert [expert.calls for expert in moe.experts] == [[[1, 2, 5]], [[3]], [[0, 4]]]
    assert (counts.rows, counts.calls, counts.off_phase_rows) == (6, 3, 0)
    assert counts.expert_rows == {"a": 3, "b": 1, "c": 2}
    assert counts.expert_calls == {"a": 1, "b": 1, "c": 1}


def test_exact_makes_no_call_for_an_absent_phase():
    moe = mixture("exact")
    _, counts = ask(moe, FakeLeaves([1, 1]))
    assert [expert.calls for expert in moe.experts] == [[], [[0, 1]], []]
    assert counts.calls == 1


def test_majority_lets_each_tree_vote():
    # Tree 7: phases 0 1 1 -> 1. Tree 3: 2 0, a tie -> 0. Tree 9, a root alone: 2.
    # Tree 4: phases 1 1 2 2 0, a tie -> 1.
    trees = [7, 3, 7, 9, 4, 3, 7, 4, 4, 4, 4]
    phases = [0, 2, 1, 2, 1, 0, 1, 1, 2, 2, 0]
    winners = [1, 0, 1, 2, 1, 0, 1, 1, 1, 1, 1]
    leaves = FakeLeaves(phases, trees)
    assert majority_winners(leaves.phases, leaves.trees, 3).tolist() == winners
    moe = mixture("majority")
    evaluation, counts = ask(moe, leaves)
    offsets = [100 + 100 * winner for winner in winners]
    np.testing.assert_allclose(
        evaluation.value, [(row + o) / 1000 for row, o in enumerate(offsets)]
    )
    np.testing.assert_allclose(evaluation.legal_logits, expected_logits(leaves, offsets), rtol=1e-6)
    # Trees with the same winner share a call.
    assert [expert.calls for expert in moe.experts] == [
        [[1, 5]],
        [[0, 2, 4, 6, 7, 8, 9, 10]],
        [[3]],
    ]
    assert (counts.rows, counts.calls) == (11, 3)
    assert counts.off_phase_rows == sum(w != p for w, p in zip(winners, phases, strict=True))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=40))
def test_majority_against_a_count_by_hand(rows):
    trees, phases = (np.array(column) for column in zip(*rows, strict=True))
    winners = majority_winners(phases.astype(np.int8), trees.astype(np.int32), 3)
    for tree in set(trees.tolist()):
        votes = [int((phases[trees == tree] == phase).sum()) for phase in range(3)]
        assert set(winners[trees == tree].tolist()) == {votes.index(max(votes))}


def test_with_one_leaf_a_tree_majority_is_exact():
    leaves = FakeLeaves([2, 0, 1, 1])
    by_vote, _ = ask(mixture("majority"), leaves)
    exact, _ = ask(mixture("exact"), leaves)
    np.testing.assert_array_equal(by_vote.value, exact.value)


def test_soft_averages_policies_and_values():
    leaves = FakeLeaves([0, 2], widths=[2, 3])
    own = {
        "a": Expert(0, wdl=True),
        "b": Expert(400, wdl=True),
        "c": Expert(800, wdl=True, logits=None),  # all actions alike
    }
    evaluation, counts = ask(mixture("soft", own, gate=LearnedGate()), leaves)
    weights = np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
    values = np.array([[0.0, 0.4, 0.8], [0.001, 0.401, 0.801]])
    np.testing.assert_allclose(evaluation.value, (weights * values).sum(axis=1), atol=1e-6)
    np.testing.assert_allclose(
        evaluation.wdl[:, 0] - evaluation.wdl[:, 2], evaluation.value, atol=1e-6
    )
    np.testing.assert_allclose(evaluation.wdl.sum(axis=1), 1, atol=1e-6)
    two, three = np.exp([0, 0.01]), np.exp([0.01, 0.02, 0.03])
    policy = np.exp(evaluation.legal_logits)
    np.testing.assert_allclose(policy[:2], 0.75 * two / two.sum() + 0.25 / 2, rtol=1e-5)
    np.testing.assert_allclose(policy[2:], 0.5 * three / three.sum() + 0.5 / 3, rtol=1e-5)
    assert (counts.rows, counts.calls, counts.off_phase_rows) == (6, 3, 0)


def test_soft_with_a_hard_gate_is_exact():
    leaves = FakeLeaves([2, 0, 1, 1, 0])
    soft, _ = ask(mixture("soft"), leaves)
    exact, _ = ask(mixture("exact"), leaves)
    np.testing.assert_allclose(soft.value, exact.value, atol=1e-6)
    offsets, _ = leaves.legal
    for start, end in itertools.pairwise(offsets):
        own = np.exp(exact.legal_logits[start:end] - exact.legal_logits[start:end].max())
        np.testing.assert_allclose(np.exp(soft.legal_logits[start:end]), own / own.sum(), rtol=1e-5)


def test_soft_asks_a_gate_of_ones_own_for_who_looks():
    class Seats:
        """The phase is the parity of who looks."""

        names = ("even", "odd")
        spec = "seats"

        def __call__(self, state, player=None, previous=None):
            return player % 2

        def batch(self, states, players=None, previous=None):
            return np.array([player % 2 for player in players])

        def probabilities(self, states, players=None, previous=None):
            return np.eye(2, dtype=np.float32)[self.batch(states, players)]

    state = games.make("pommerman-ffa").initial_state(seed=3)
    rows = StateBatch([state] * 4, phases=[0, 1, 0, 1], players=[0, 1, 2, 3])
    own = {"even": Always(-0.5), "odd": Always(0.5)}
    for routing in ("exact", "soft"):
        moe = MixtureOfExperts(own, Seats(), routing, game="pommerman-ffa")
        assert moe.evaluate_batch(rows).value.tolist() == [-0.5, 0.5, -0.5, 0.5]


@pytest.mark.parametrize("routing", ["exact", "soft"])
def test_an_expert_without_wdl_knows_of_no_draws_and_takes_none_from_others(routing):
    drawn = Always(wdl=[0.1, 0.8, 0.1])
    own = {"a": drawn, "b": Always(0.5), "c": drawn}
    moe = mixture(routing, own, gate=LearnedGate())
    together, _ = ask(moe, FakeLeaves([0, 1, 2]))
    for row, phase in enumerate([0, 1, 2]):
        alone, _ = ask(moe, FakeLeaves([phase]))
        wdl = np.array([0.75, 0, 0.25]) if alone.wdl is None else alone.wdl[0]
        np.testing.assert_allclose(together.wdl[row], wdl, atol=1e-6)


def test_experts_agree_on_values_of_one_player_or_of_all():
    own = {"a": Always(0.0), "b": Always([0.0, 0.0]), "c": Always([0.0, 0.0])}
    for routing, rows in (("soft", [0]), ("soft", [0, 1, 2]), ("exact", [0, 1])):
        with pytest.raises(InvalidEvaluation, match="they must agree"):
            ask(mixture(routing, own, gate=LearnedGate()), FakeLeaves(rows))


@pytest.mark.parametrize("routing", ["exact", "soft"])
def test_values_of_every_player_have_no_chances_beside_them(routing):
    both = Always([0.0, 0.0], wdl=[1 / 3] * 3)
    own = {"a": both, "b": Always([0.0, 0.0]), "c": both}
    evaluation, _ = ask(mixture(routing, own, gate=LearnedGate()), FakeLeaves([0, 1, 2]))
    assert evaluation.wdl is None
    assert evaluation.value.shape == (3, 2)


def test_soft_averages_values_also_without_wdl_everywhere():
    own = experts() | {"b": Expert(200, wdl=True)}
    evaluation, _ = ask(mixture("soft", own, gate=LearnedGate()), FakeLeaves([1]))
    assert evaluation.value[0] == pytest.approx(0.25 * 0.1 + 0.5 * 0.2 + 0.25 * 0.3)


def test_experts_may_want_different_planes():
    own = {"a": Expert(100), "b": Expert(200, spec="large"), "c": Expert(300)}
    moe = mixture("exact", own)
    evaluation, _ = ask(moe, FakeLeaves([0, 1, 2]))
    np.testing.assert_allclose(evaluation.value, [0.1, 0.201, 0.302])
    assert moe.plane_spec is None
    assert mixture("exact").plane_spec == "small"


def test_experts_may_answer_in_different_ways():
    class ByLeaves:
        """A user's batch evaluator: legal logits, no planes."""

        def evaluate_batch(self, leaves):
            logits = leaves.legal[1] / np.float32(7)
            return Evaluation(legal_logits=logits, value=np.full(len(leaves), -0.5))

    own = {"a": Expert(100, wdl=True), "b": ByLeaves(), "c": Expert(300, logits=None)}
    leaves = FakeLeaves([0, 1, 2, 1], widths=[2, 2, 2, 1])
    evaluation, _ = ask(mixture("exact", own), leaves)
    np.testing.assert_allclose(evaluation.value, [0.1, -0.5, 0.302, -0.5], rtol=1e-5)
    np.testing.assert_allclose(
        evaluation.legal_logits, [100, 100.01, 1 / 7, 2 / 7, 0, 0, 3 / 7], rtol=1e-6
    )
    np.testing.assert_allclose(evaluation.wdl[1], [0.25, 0, 0.75])  # of a value alone


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_a_network_that_serves_several_phases_is_asked_once_about_a_batch(routing):
    def answered(values):
        given = {"policy": experts(wdl=True), "value": values}
        moe = MixtureOfExperts(gate=LearnedGate(), routing=routing, **given)
        return ask(moe, FakeLeaves([0, 1, 2, 1, 0], [0, 1, 2, 1, 0]))

    value = Expert(500, wdl=True)
    together, counts = answered(value)
    alone, more = answered({name: Expert(500, wdl=True) for name in OFFSETS})
    for name in ("value", "wdl", "legal_logits"):
        np.testing.assert_allclose(getattr(together, name), getattr(alone, name), rtol=1e-6)
    assert [sorted(rows) for rows in value.calls] == [[0, 1, 2, 3, 4]]
    assert counts.calls == 4
    assert more.calls == 6
    assert counts.off_phase_rows == more.off_phase_rows
    assert counts.expert_calls == more.expert_calls


def test_phases_with_the_same_expert_share_its_calls():
    shared = Expert(100)
    moe = mixture("exact", {"a": shared, "b": shared, "c": Expert(300)})
    _, counts = ask(moe, FakeLeaves([0, 1, 2]))
    assert (counts.off_phase_rows, counts.calls) == (0, 2)
    assert shared.calls == [[0, 1]]
    assert counts.expert_rows == {"a": 1, "b": 1, "c": 1}
    queues = Queues(moe, capacity=3)
    ((rows, _),) = drain(queues.push(FakeLeaves([0, 1, 0])))
    assert rows == [0, 1, 2]
    assert (queues.counts.calls, queues.counts.off_phase_rows) == (1, 0)


@pytest.mark.parametrize("phases", [[0], [1], [2], [0, 1], [2, 1, 2, 2, 0], [1, 1, 1, 0, 0, 2, 2]])
@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_rows_of_a_shared_network_are_counted_once_among_its_phases(routing, phases):
    shared = Expert(100)
    moe = mixture(routing, {"a": shared, "b": shared, "c": shared}, gate=LearnedGate())
    _, counts = ask(moe, FakeLeaves(phases, [0] * len(phases)))
    assert sum(counts.expert_rows.values()) == counts.rows == len(phases)
    if len(phases) == 1:
        assert counts.expert_rows["abc"[phases[0]]] == 1


@pytest.mark.parametrize("expert", [None, "a text", 3, Expert, object()])
def test_experts_are_evaluators(expert):
    with pytest.raises(InvalidConfig, match=r"the expert of phase 'b': .* (is|a) "):
        mixture("exact", {"a": Expert(100), "b": expert, "c": Expert(300)})


def test_missing_experts_need_a_fallback():
    own = {"a": Expert(100), "c": Expert(300)}
    with pytest.raises(InvalidConfig, match=r"no expert for 'b'.*fallback="):
        mixture("exact", own)
    evaluation, counts = ask(mixture("exact", own, fallback="c"), FakeLeaves([0, 1, 2]))
    np.testing.assert_allclose(evaluation.value, [0.1, 0.301, 0.302], rtol=1e-5)
    assert counts.off_phase_rows == 1
    assert counts.expert_rows == {"a": 1, "c": 2}
    _, counts = ask(mixture("exact", own, fallback="c"), FakeLeaves([1, 1]))  # of one phase alone
    assert (counts.off_phase_rows, counts.expert_rows) == (2, {"c": 2})
    with pytest.raises(InvalidConfig, match="fallback='b' has no expert"):
        mixture("exact", own, fallback="b")


def test_one_expert_may_be_exchanged():
    leaves = FakeLeaves([2, 0, 1, 2])
    moe = mixture("exact")
    other = moe.with_expert("c", Expert(700))
    np.testing.assert_allclose(ask(other, leaves)[0].value, [0.7, 0.101, 0.202, 0.703])
    np.testing.assert_allclose(ask(moe, leaves)[0].value, [0.3, 0.101, 0.202, 0.303])
    with pytest.raises(InvalidConfig, match="no such phase"):
        moe.with_expert("d", Expert(700))
    sparse = mixture("exact", {"a": Expert(100)}, fallback="a")
    assert sparse.with_expert("b", Expert(200)).has_own_expert.tolist() == [True, True, False]


def test_unknown_names_and_routings_are_listed():
    with pytest.raises(
        InvalidConfig, match=r"'endgame': no such phase; the gate has \['a', 'b', 'c'\]"
    ):
        mixture("exact", experts() | {"endgame": Expert(1)})
    with pytest.raises(InvalidConfig, match="a mapping of each phase's name"):
        mixture("exact", list(experts().values()))
    with pytest.raises(InvalidConfig, match="'majority', 'exact', 'soft'"):
        mixture("hard")


def trained(gate, phase, offset=0):
    expert = Expert(offset)
    expert.gate, expert.phase = gate, phase
    return expert


def test_experts_of_another_gate_are_refused():
    own = {name: trained(FakeGate("other"), name) for name in OFFSETS}
    with pytest.raises(GateMismatch, match=r"phase 'a'.*trained under the gate 'other'.*'fake'"):
        mixture("exact", own)
    own = {name: trained(FakeGate(), "a") for name in OFFSETS}
    with pytest.raises(GateMismatch, match="given for phase 'b' was trained as the expert of 'a'"):
        mixture("exact", own)


def test_a_network_of_all_phases_may_serve_any():
    own = {"a": trained(FakeGate(), "a"), "b": trained("none", "all"), "c": trained(None, None)}
    mixture("exact", own)


def test_another_search_gate_is_counted():
    own = {name: trained(FakeGate(), name) for name in OFFSETS}
    shifted = FakeGate("shifted", shift=1)
    moe = mixture("exact", own, search_gate=shifted)
    assert (moe.gate.spec, moe.search_gate.spec) == ("fake", "shifted")
    # The leaves carry the search gate's phases; the states 0, 1, 2 have the same under "fake".
    _, counts = ask(moe, FakeLeaves([0, 1, 2]))
    assert counts.regated_rows == 0
    leaves = FakeLeaves([0, 1, 2])
    leaves.states = lambda: [1, 1, 0]
    _, counts = ask(moe, leaves)
    assert counts.regated_rows == 2
    with pytest.raises(InvalidGate, match="needs the same ones"):
        mixture("exact", own, search_gate=FakeGate("two", names=("a", "b")))


def test_phases_of_another_gate_are_noticed():
    with pytest.raises(InvalidConfig, match="phase 4, the mixture's gate has 3"):
        ask(mixture("exact"), FakeLeaves([0, 4]))


def test_planes_do_not_tell_the_phase():
    with pytest.raises(InvalidState, match="routes by phase"):
        mixture("exact").evaluate(np.zeros((1, 1, 2, 2), np.float32))


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_a_wrong_answer_names_the_expert(routing):
    class Wrong:
        plane_spec = "small"

        def evaluate(self, planes):
            return Evaluation(value=np.full(len(planes), np.nan))

    moe = mixture(routing, experts() | {"b": Wrong()})
    with pytest.raises(InvalidEvaluation, match=r"expert of phase 'b' \(Wrong\)"):
        ask(moe, FakeLeaves([0, 1, 1]))


@pytest.mark.parametrize("routing", ["exact", "majority"])
@pytest.mark.parametrize(
    "given",
    [{"value": np.nan}, {"value": 3.0}, {"value": 0.0, "wdl": (0.5, 0.9, 0.1)}],
)
def test_a_search_names_the_expert_whose_answer_is_wrong(routing, given):
    class Wrong:
        plane_spec = None

        def evaluate(self, planes):
            each = {name: [one] * len(planes) for name, one in given.items()}
            return Evaluation(**{name: np.array(one, np.float32) for name, one in each.items()})

    own = {"opening": Wrong(), "middlegame": Uniform(), "endgame": Uniform()}
    both = {"policy": Uniform(), "value": own}
    for moe in (
        MixtureOfExperts(own, "lichess", routing, game="chess"),
        MixtureOfExperts(gate="lichess", routing=routing, game="chess", **both),
    ):
        agent = MCTSAgent(moe, limit=Limit(nodes=5), seed=1)
        with pytest.raises(InvalidEvaluation, match=r"expert of phase 'opening' \(Wrong\)"):
            agent.search(games.make("chess").initial_state())


def test_policies_and_values_of_two_networks_are_the_same_checked_or_not():
    shared, policies = Expert(400), experts()
    moe = MixtureOfExperts(policy=policies, value=shared, gate=FakeGate())
    for phases in ([1, 1, 1], [0, 1, 1]):  # of one expert, and of two
        leaves, spent = FakeLeaves(phases), Counts()
        checked, unchecked = moe.evaluate_batch(leaves), moe.evaluate_unchecked(leaves, spent)
        (of_value, _) = ask(shared, leaves)
        offsets = [100 + 100 * phase for phase in phases]
        for answer in (checked, unchecked):
            np.testing.assert_array_equal(answer.values(), of_value.values())
        (given, _) = ask(moe, leaves)
        np.testing.assert_allclose(given.legal_logits, expected_logits(leaves, offsets), rtol=1e-6)
        assert checked.spent.as_dict() == {**spent.as_dict(), "seconds": checked.spent.seconds}
        assert spent.rows == 6
        assert sum(spent.expert_rows.values()) == 6


@pytest.mark.parametrize("phases", [[0, 0], [0, 1, 2, 2]])
def test_rows_of_a_mixture_in_a_mixture_count_once(phases):
    inner = mixture("exact")
    outer = MixtureOfExperts(dict.fromkeys("abc", inner), FakeGate())
    _, counts = ask(outer, FakeLeaves(phases))
    assert sum(counts.expert_rows.values()) == counts.rows == len(phases)


def test_one_experts_answer_is_the_same_checked_or_not():
    leaves = FakeLeaves([1, 1, 1])
    spent = Counts(rows=1)
    checked = mixture("exact").evaluate_batch(leaves)
    unchecked = mixture("exact").evaluate_unchecked(leaves, spent)
    np.testing.assert_array_equal(checked.values(), unchecked.values())
    assert checked.spent.expert_rows == spent.expert_rows == {"b": 3}
    assert spent.rows == 1 + checked.spent.rows == 4
    (of_mixture, _), (of_expert, _) = ask(mixture("exact"), leaves), ask(Expert(200), leaves)
    np.testing.assert_array_equal(of_mixture.legal_logits, of_expert.legal_logits)


# --- queues: routing exact over many leaf batches ---


class Queues:
    """Queues whose calls are made at once."""

    def __init__(self, mixture, capacity, **options):
        self.counts = Counts()
        self._answers = []
        deliver = lambda *answer: self._answers.append(answer)  # noqa: E731
        self._queues = ExpertQueues(mixture, capacity, self.counts, deliver, **options)

    def __len__(self):
        return self._queues.rows

    def push(self, leaves):
        return self._made(self._queues.push(leaves))

    def stalled(self, *least):
        return self._made(self._queues.stalled(*least))

    def clear(self):
        self._queues.clear()

    def _made(self, calls):
        self._answers.clear()
        for call in calls:
            call.deliver(call.ask(call.leaves, self.counts))
        return list(self._answers)


def drain(answers):
    return [(leaves.rows.tolist(), evaluation.values().tolist()) for leaves, evaluation in answers]


def test_queues_flush_when_full_and_when_stalled():
    moe = mixture("exact")
    queues = Queues(moe, 4)
    counts = queues.counts
    assert drain(queues.push(FakeLeaves([0, 0, 1, 0]))) == []
    assert len(queues) == 4
    # Three rows of phase 0 wait; one more fills the queue: one call answers both batches.
    second = FakeLeaves([1, 0, 2], rows=[10, 11, 12])
    flushed = drain(queues.push(second))
    assert [rows for rows, _ in flushed] == [[0, 1, 3], [11]]
    np.testing.assert_allclose(flushed[1][1], [0.111], rtol=1e-5)
    assert moe.experts[0].calls == [[0, 1, 3, 11]]
    # No tree can go on: the queue that has waited longest is next, then the other.
    assert [rows for rows, _ in drain(queues.stalled())] == [[2], [10]]
    assert [rows for rows, _ in drain(queues.stalled())] == [[12]]
    assert drain(queues.stalled()) == []
    assert (counts.rows, counts.calls, counts.off_phase_rows) == (7, 3, 0)


def test_of_queues_that_waited_alike_the_fullest_is_next():
    queues = Queues(mixture("exact"), 100)
    drain(queues.push(FakeLeaves([2, 1, 1])))
    drain(queues.push(FakeLeaves([0] * 9, rows=range(3, 12))))
    order = [len(drain(queues.stalled())[0][0]) for _ in range(3)]
    assert order == [2, 1, 9]


def test_queues_do_not_exceed_their_capacity():
    moe = mixture("exact")
    queues = Queues(moe, 4)
    drain(queues.push(FakeLeaves([0] * 3)))
    assert [rows for rows, _ in drain(queues.push(FakeLeaves([0] * 3, rows=[5, 6, 7])))] == [
        [0, 1, 2]
    ]
    assert len(queues) == 3


def test_impatient_queues_flush_all():
    queues = Queues(mixture("exact"), 100, patient=False)
    drain(queues.push(FakeLeaves([0, 1, 2, 1])))
    assert [rows for rows, _ in drain(queues.stalled())] == [[0], [1, 3], [2]]


def test_a_trees_leaves_come_back_together_and_in_order():
    moe = mixture("exact")
    queues = Queues(moe, 100)
    leaves = FakeLeaves([2, 0, 0, 1, 0], trees=[5, 5, 6, 5, 6], widths=[1, 2, 1, 1, 3])
    assert drain(queues.push(leaves)) == []
    # The expert of phase 0 knows all of tree 6, and some of tree 5.
    assert [rows for rows, _ in drain(queues.stalled())] == [[2, 4]]
    assert drain(queues.stalled()) == []
    ((whole, answer),) = list(queues.stalled())
    assert whole.rows.tolist() == [0, 1, 3]
    np.testing.assert_allclose(answer.values(), [0.3, 0.101, 0.203], rtol=1e-5)
    np.testing.assert_allclose(answer.legal_logits, expected_logits(whole, [300, 100, 200]))


def test_cleared_queues_are_empty():
    queues = Queues(mixture("exact"), 100)
    drain(queues.push(FakeLeaves([0, 1])))
    queues.clear()
    assert len(queues) == 0
    assert drain(queues.stalled()) == []


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=8),
    st.integers(1, 9),
)
def test_queues_answer_every_row_once_by_its_own_expert(batches, capacity):
    queues = Queues(mixture("exact"), capacity)
    answered = {}
    phases = {}
    row = 0
    for batch in batches:
        rows = list(range(row, row + len(batch)))
        phases |= dict(zip(rows, batch, strict=True))
        row += len(batch)
        for got, values in drain(
            queues.push(FakeLeaves(batch, rows=rows, widths=[2] * len(batch)))
        ):
            assert not set(got) & set(answered)
            answered |= dict(zip(got, values, strict=True))
    while len(queues):
        for got, values in drain(queues.stalled()):
            answered |= dict(zip(got, values, strict=True))
    assert sorted(answered) == sorted(phases)
    for number, value in answered.items():
        assert value == pytest.approx((number + 100 + 100 * phases[number]) / 1000, rel=1e-5)


def test_joined_batches_are_one():
    parts = [FakeLeaves([0, 1], rows=[0, 1]), FakeLeaves([2, 0, 1], rows=[2, 3, 4])]
    joined, whole = LeafBatches(parts), FakeLeaves([0, 1, 2, 0, 1])
    assert len(joined) == 5
    assert joined.phases.tolist() == whole.phases.tolist()
    assert joined.states() == whole.states()
    np.testing.assert_array_equal(joined.planes("large"), whole.planes("large"))
    for ours, theirs in zip(joined.legal, whole.legal, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    order = np.array([4, 0, 2, 1])
    np.testing.assert_array_equal(joined.select(order).legal[1], whole.select(order).legal[1])
    assert joined.select(order).phases.tolist() == [1, 0, 2, 1]
