import numpy as np
import pytest

from phasezoo import agents, games
from phasezoo.arena import SideStats, equal_cost_limits
from phasezoo.errors import InvalidConfig
from phasezoo.inference import CostModel, Counts, Uniform


def test_an_exact_line_is_found():
    calls, rows = [1, 1, 2, 5], [1, 64, 64, 500]
    seconds = [0.002 * c + 0.0001 * r for c, r in zip(calls, rows, strict=True)]
    cost = CostModel.fit(calls, rows, seconds)
    assert cost.call_seconds == pytest.approx(0.002)
    assert cost.row_seconds == pytest.approx(0.0001)
    assert cost.seconds(Counts(rows=60, padded_rows=4, calls=3)) == pytest.approx(0.0124)


def test_noise_is_averaged_out():
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 65, 400)
    seconds = 0.001 + 0.0002 * rows + rng.normal(0, 0.001, 400)
    cost = CostModel.fit(np.ones(400), rows, seconds)
    assert cost.row_seconds == pytest.approx(0.0002, rel=0.1)


def test_costs_are_never_negative():
    # A free call and a superlinear row: plain least squares would pay for calls.
    cost = CostModel.fit([1, 1, 1], [1, 10, 100], [0.001, 0.01, 0.2])
    assert cost.call_seconds == 0.0
    assert cost.row_seconds > 0
    cost = CostModel.fit([1, 1], [1, 10], [0.2, 0.1])
    assert (cost.row_seconds, cost.call_seconds) == (0.0, pytest.approx(0.15))


@pytest.mark.parametrize(
    ("calls", "rows", "seconds"),
    [([], [], []), ([1], [8], [0.1]), ([1, 1], [8, 8], [0.1, 0.1]), ([1, 1], [1, 8], [0.1])],
)
def test_measurements_must_tell_calls_from_rows(calls, rows, seconds):
    with pytest.raises(InvalidConfig, match="at least two batch sizes"):
        CostModel.fit(calls, rows, seconds)


def test_measuring_an_evaluator():
    chess = games.make("chess")
    cost = CostModel.measure(Uniform(), [chess.initial_state()], batch_sizes=(1, 4), repeats=2)
    assert cost.call_seconds + cost.row_seconds > 0


@pytest.mark.parametrize("costs", [(-1.0, 1.0), (0.0, 0.0), (float("nan"), 1.0)])
def test_impossible_costs(costs):
    with pytest.raises(InvalidConfig):
        CostModel(*costs)


def side(nodes, rows, calls, moves=10):
    return SideStats("side", moves=moves, nodes=nodes, counts=Counts(rows=rows, calls=calls))


def test_equal_cost_by_hand():
    cost = CostModel(call_seconds=0.01, row_seconds=0.001)
    # A mixture that needs three calls where one network needs one, for the same nodes.
    mixture, network = side(1000, 1000, 300), side(1000, 1000, 100)
    limits = equal_cost_limits((mixture, network), (cost, cost), agents.Limit(nodes=100))
    assert limits == (agents.Limit(nodes=50), agents.Limit(nodes=100))
    same = equal_cost_limits((network, network), (cost, cost), agents.Limit(nodes=100))
    assert same[0] == same[1]


def test_equal_cost_needs_nodes():
    cost = CostModel(0.01, 0.001)
    with pytest.raises(InvalidConfig, match="Limit\\(nodes=…\\)"):
        equal_cost_limits((side(1, 1, 1),) * 2, (cost, cost), agents.Limit(movetime_ms=10))
    with pytest.raises(InvalidConfig, match="must both have searched"):
        equal_cost_limits((side(0, 0, 0), side(1, 1, 1)), (cost, cost), agents.Limit(nodes=5))
