"""Plans of separated learning: exact sums, fair shares, typed errors."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.training import GameStore, PositionTable, plan_baseline, plan_experts
from phasezoo.training.experts.plans import share_positions


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=20),
    st.integers(1, 10**8),
)
def test_shares_add_up_and_are_fair(counts: list[int], positions: int) -> None:
    try:
        shares = share_positions(positions, counts)
    except InvalidConfig:
        assert positions * min(counts) < 2 * sum(counts)
        return
    assert sum(shares) == positions
    for share, count in zip(shares, counts, strict=True):
        assert abs(share - positions * count / sum(counts)) <= 1


def test_experts_see_together_what_the_baseline_sees(some_games: GameStore) -> None:
    train = some_games.split(1).train.positions("lichess")
    plan = plan_experts(train, 10_001)
    assert [item.name for item in plan] == [
        "expert-opening",
        "expert-middlegame",
        "expert-endgame",
    ]
    assert sum(item.positions for item in plan) == 10_001 == plan_baseline(10_001).positions
    assert {item.gate for item in plan} == {train.gate}
    epochs = [i.positions / n for i, n in zip(plan, train.positions_per_phase(), strict=True)]
    assert max(epochs) - min(epochs) < 0.01


def test_the_placebo_has_names_that_can_be_directories(some_games: GameStore) -> None:
    plan = plan_experts(some_games.positions("hash:3"), 999, role="placebo")
    assert [item.name for item in plan] == ["placebo-part-0", "placebo-part-1", "placebo-part-2"]
    assert [item.phase for item in plan] == ["part 0", "part 1", "part 2"]


def test_a_phase_without_positions_can_have_no_expert() -> None:
    zeros = np.zeros(5)
    table = PositionTable(
        zeros.astype(np.int32),
        zeros.astype(np.int32),
        zeros.astype(np.int8),
        zeros.astype(np.int8),
        zeros.astype(np.uint64),
        ("early", "late"),
        "mine",
    )
    with pytest.raises(StoreError, match="'late'"):
        plan_experts(table, 100)


def test_too_few_positions_are_refused() -> None:
    with pytest.raises(InvalidConfig, match="at least one"):
        share_positions(2, [1, 1, 1])


def test_names_stay_apart_whatever_phases_are_called() -> None:
    zeros = np.arange(3)
    names = ("../late game", "late/game", "残局")
    table = PositionTable(
        zeros.astype(np.int32),
        zeros.astype(np.int32),
        zeros.astype(np.int8),
        zeros.astype(np.int8),
        zeros.astype(np.uint64),
        names,
        "mine",
    )
    planned = [item.name for item in plan_experts(table, 100)]
    assert planned == ["expert-0", "expert-1", "expert-phase"]
