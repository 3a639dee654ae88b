import numpy as np
import pytest
from leaf_fakes import FakeLeaves

from phasezoo import games
from phasezoo.errors import InvalidArray, InvalidEvaluation
from phasezoo.inference import Counts, Evaluation, StateBatch, Uniform, evaluate_leaves
from phasezoo.inference.evaluator import answer_at

LEAVES = FakeLeaves([0, 1, 2], widths=[2, 1, 3], num_actions=10)


class Answers:
    plane_spec = "small"

    def __init__(self, **answer):
        self.answer = answer

    def evaluate(self, planes):
        return Evaluation(**self.answer)


def ask(evaluator, leaves=LEAVES):
    counts = Counts()
    return evaluate_leaves(evaluator, leaves, counts), counts


def test_value_alone_means_all_actions_alike():
    evaluation, counts = ask(Answers(value=[0.1, -0.2, 0.3]))
    assert evaluation.legal_logits is None
    assert evaluation.value.dtype == np.float32
    np.testing.assert_allclose(evaluation.value, [0.1, -0.2, 0.3])
    assert (counts.rows, counts.calls, counts.padded_rows) == (3, 1, 0)
    assert counts.seconds > 0


def test_wdl_gives_win_minus_loss():
    wdl = np.array([[0.7, 0.2, 0.1], [0, 1, 0], [0.1, 0.1, 0.8]])
    evaluation, _ = ask(Answers(wdl=wdl))
    np.testing.assert_allclose(evaluation.value, [0.6, 0.0, -0.7], atol=1e-6)
    np.testing.assert_allclose(evaluation.wdl, wdl, atol=1e-6)


def test_policy_logits_are_gathered_row_by_row():
    # Rows 0, 1, 2 have the actions 0 1 | 1 | 2 3 4.
    policy = np.arange(30).reshape(3, 10)
    evaluation, _ = ask(Answers(value=np.zeros(3), policy_logits=policy))
    assert evaluation.legal_logits.tolist() == [0, 1, 11, 22, 23, 24]


def test_nan_for_an_illegal_action_does_no_harm():
    policy = np.full((3, 10), np.nan)
    policy[[0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 3, 4]] = 1.0
    evaluation, _ = ask(Answers(value=np.zeros(3), policy_logits=policy))
    assert evaluation.legal_logits.tolist() == [1.0] * 6


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"value": np.zeros(2)}, r"Answers: value is float64\[2\], expected float32\[3\]"),
        ({"value": np.zeros((2, 3))}, r"float64\[2, 3\], expected float32\[3, 3\]"),
        ({"value": np.zeros((3, 1, 1))}, r"float64\[3, 1, 1\], expected float32\[3\]"),
        ({"value": [[0, 0], [0, np.nan], [0, 0]]}, r"value has nan at index \[1, 1\]"),
        ({"value": [0, np.nan, 0]}, "value has nan at index 1"),
        ({"value": [0, 0, np.inf]}, "value has inf at index 2"),
        ({"value": [0, -7.5, 0]}, r"-7.5 is outside \[-1, 1\]"),
        ({"value": ["a", "b", "c"]}, "expected float32"),
        ({}, "neither value"),
        ({"wdl": np.ones((3, 3))}, "wdl row 0 .* sum to 1"),
        ({"wdl": [[0, 1, 0], [1.2, 0, -0.2], [0, 1, 0]]}, "wdl row 1"),
        ({"wdl": np.zeros((3, 2))}, r"expected float32\[3, 3\]"),
        ({"value": np.zeros(3), "policy_logits": np.zeros((3, 4))}, r"float64\[3, 4\]"),
        ({"value": np.zeros(3), "policy_logits": np.zeros((2, 10))}, r"float32\[3, 10\]"),
        ({"value": np.zeros(3), "policy_logits": np.zeros((3, 11))}, r"float32\[3, 10\]"),
        ({"value": np.zeros(3), "policy_logits": np.zeros(30)}, r"float32\[3, 10\]"),
        (
            {"value": np.zeros(3), "policy_logits": np.full((3, 10), np.nan)},
            "policy_logits has nan",
        ),
        ({"value": np.zeros(3), "legal_logits": np.zeros(5)}, r"expected float32\[6\]"),
        ({"value": np.zeros(3), "legal_logits": [0, 0, 0, 0, -np.inf, 0]}, "-inf at index 4"),
        (
            {"value": np.zeros(3), "legal_logits": np.zeros(6), "policy_logits": np.zeros((3, 10))},
            "give one of them",
        ),
    ],
)
def test_wrong_answers_name_evaluator_expected_and_given(answer, words):
    with pytest.raises(InvalidEvaluation, match=words) as caught:
        ask(Answers(**answer))
    assert "Answers" in str(caught.value)


def test_an_answer_whose_array_raises_without_a_word():
    class Silent:
        def __array__(self, *args, **kwargs):
            raise ValueError

    with pytest.raises(InvalidEvaluation, match=r"value is a Silent .* no array \(ValueError\)"):
        ask(Answers(value=Silent()))


def test_an_answer_that_is_no_evaluation():
    class Tuple:
        plane_spec = "small"

        def evaluate(self, planes):
            return np.zeros(3), np.zeros(3)

    with pytest.raises(InvalidEvaluation, match=r"Tuple returned a tuple, expected .*Evaluation"):
        ask(Tuple())


def test_without_plane_spec_no_planes_are_made():
    class Counting:
        plane_spec = None
        name = "the counter"

        def evaluate(self, planes):
            assert planes.shape == (3, 0, 0, 0)
            return Evaluation(value=np.full(len(planes), np.nan))

    leaves = FakeLeaves([0, 0, 0])
    with pytest.raises(InvalidEvaluation, match="the counter: value has nan"):
        ask(Counting(), leaves)
    assert leaves.asked_specs == []


def test_errors_of_the_evaluator_come_as_they_are():
    class Broken:
        plane_spec = None

        def evaluate(self, planes):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ask(Broken())


def test_an_evaluator_may_say_what_it_spent():
    class Padding:
        def evaluate_batch(self, leaves):
            return Evaluation(value=np.zeros(3), spent=Counts(rows=3, padded_rows=5, calls=1))

    _, counts = ask(Padding())
    assert (counts.rows, counts.padded_rows, counts.calls, counts.seconds) == (3, 5, 1, 0.0)


def test_counts_add_and_subtract():
    first, second = Counts(rows=6, calls=2, seconds=1.5), Counts(rows=4, calls=1, off_phase_rows=3)
    total = first + second
    assert (total.rows, total.calls, total.off_phase_rows) == (10, 3, 3)
    assert total.mean_rows == pytest.approx(10 / 3)
    assert total - second == first
    assert (first.rows, second.rows) == (6, 4)
    assert Counts().mean_rows == 0.0
    assert total.as_dict()["mean_rows"] == total.mean_rows


def test_uniform_knows_nothing():
    evaluation, counts = ask(Uniform())
    assert evaluation.value.tolist() == [0, 0, 0]
    assert evaluation.legal_logits is None
    assert counts.rows == 3
    assert Uniform().evaluate(np.empty((2, 0, 0, 0), np.float32)).value.shape == (2,)


def chess_states():
    chess = games.make("chess")
    start = chess.initial_state()
    return [
        start,
        start.play(start.parse_uci("e2e4")),
        chess.from_fen("6k1/8/8/8/8/8/8/R5K1 w - - 0 1"),
    ]


def test_states_have_the_face_of_leaves():
    states = chess_states()
    batch = StateBatch(states, phases=[0, 0, 2])
    offsets, actions = batch.legal
    for row, state in enumerate(states):
        assert actions[offsets[row] : offsets[row + 1]].tolist() == state.legal_actions.tolist()
        np.testing.assert_array_equal(batch.planes("v2")[row], state.planes("v2"))
    assert batch.planes("v1") is batch.planes("v1")
    part = batch.select(np.array([2, 0]))
    assert part.states() == [states[2], states[0]]
    assert (part.phases.tolist(), part.trees.tolist()) == ([2, 0], [2, 0])


def test_a_batch_of_states_refuses_what_cannot_be_evaluated():
    mate = games.make("chess").from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    with pytest.raises(InvalidArray, match="at least one"):
        StateBatch([])
    with pytest.raises(InvalidArray, match="state 1 of the batch is over"):
        StateBatch([chess_states()[0], mate])
    with pytest.raises(InvalidArray, match="phases has shape"):
        StateBatch(chess_states(), phases=[0])


def test_tensors_are_taken_off_their_graph():
    torch = pytest.importorskip("torch")
    value = torch.tensor([0.1, -0.2, 0.3], requires_grad=True)
    logits = torch.ones((3, 10), dtype=torch.bfloat16, requires_grad=True)
    evaluation, _ = ask(Answers(value=value, policy_logits=logits))
    np.testing.assert_allclose(evaluation.value, [0.1, -0.2, 0.3])
    assert evaluation.legal_logits.tolist() == [1] * 6


@pytest.mark.parametrize("value", [[[1.0], [1.0, 2.0], 3.0], {"a"}, "no numbers", object()])
def test_what_is_no_array_is_a_typed_error(value):
    with pytest.raises(InvalidEvaluation, match="value"):
        ask(Answers(value=value))


def test_an_answer_is_taken_in_parts_with_what_it_has():
    odds = np.float32([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    whole = Evaluation(wdl=odds, legal_logits=np.arange(6, dtype=np.float32))
    for rows, entries in ((slice(1, 3), slice(2, 6)), (np.array([1, 2]), np.arange(2, 6))):
        part = answer_at(whole, rows, entries)
        assert part.value.tolist() == [0, -1]
        assert part.wdl.tolist() == odds[1:].tolist()
        assert part.legal_logits.tolist() == [2, 3, 4, 5]
        assert part.plies_left is None
    alike = answer_at(Evaluation(value=np.float32([0.5, 1])), slice(0, 1), slice(0, 3))
    assert (alike.value.tolist(), alike.wdl, alike.legal_logits) == ([0.5], None, None)
