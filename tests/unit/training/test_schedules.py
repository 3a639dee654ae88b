"""The published one-cycle schedule, and how positions become updates."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phasezoo.training.schedules import OneCycle, batch_sizes

PEAK, LEAST = 0.14, 1e-5


@pytest.mark.parametrize("updates", [1, 2, 7, 600, 10_000])
def test_the_learning_rate_is_the_table_of_the_facts(updates: int) -> None:
    # docs/definitions/losses.md#schedule, written down as points and joined by NumPy
    at = np.array([0, 1 / 30, 0.1833, 0.3333, 0.9333, 1]) * updates
    rate = [LEAST, PEAK / 8, PEAK, PEAK / 8, LEAST, LEAST]
    schedule = OneCycle(updates, PEAK, LEAST)
    given_rates = [schedule.lr(update) for update in range(updates)]
    np.testing.assert_allclose(given_rates, np.interp(range(updates), at, rate), rtol=1e-9)


def test_momentum_mirrors_the_learning_rate() -> None:
    schedule = OneCycle(10_000, PEAK, LEAST)
    for update in range(0, 10_000, 97):
        expected = 0.95 - 0.15 * (schedule.lr(update) - LEAST) / (PEAK - LEAST)
        assert schedule.momentum(update) == pytest.approx(expected)
    momenta = [schedule.momentum(update) for update in range(10_000)]
    assert momenta[0] == pytest.approx(0.95)
    assert min(momenta) == pytest.approx(0.8, abs=1e-4)


def test_equal_learning_rates_give_a_constant_schedule() -> None:
    schedule = OneCycle(100, 0.01, 0.01)
    assert {schedule.lr(u) for u in range(100)} == {0.01}
    assert {schedule.momentum(u) for u in range(100)} == {0.95}


@given(
    st.integers(1, 10_000),
    st.floats(1e-4, 10),
    st.floats(0, 1).map(lambda share: share),
)
def test_rates_stay_between_their_bounds(updates: int, peak: float, share: float) -> None:
    least = share * peak
    schedule = OneCycle(updates, peak, least)
    for update in {0, updates // 3, updates // 2, updates - 1}:
        assert least * (1 - 1e-9) <= schedule.lr(update) <= peak * (1 + 1e-9)
        assert 0.8 - 1e-9 <= schedule.momentum(update) <= 0.95 + 1e-9


@given(st.integers(1, 10**7), st.integers(1, 65_536))
def test_updates_show_exactly_the_positions(positions: int, batch_size: int) -> None:
    updates, last = batch_sizes(positions, batch_size)
    assert (updates - 1) * batch_size + last == positions
    if updates > 1:
        assert batch_size / 2 <= last <= 1.5 * batch_size
    else:
        assert last == positions < 1.5 * batch_size
