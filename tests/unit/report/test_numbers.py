"""How reports write numbers."""

import math

import pytest

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.report import numbers


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(-8.0, -43.4, 27.4), "-8 ± 35"),
        (Interval(-8.0, -45.0, 27.4), "-8 ± 36"),  # ends 37 and 35.4 away
        (Interval(-148.0, -259.0, -61.0), "-148 (-259 to -61)"),  # 111 and 87
        (Interval(424.0, 281.0, 545.0), "+424 ± 132"),  # 143 and 121
        (Interval(60.0, -59.0, 190.0), "+60 ± 124"),  # 119 and 130
        (Interval(190.8, 70.0, math.inf), "+191 (+70 to +∞)"),
        (
            Interval(0.0, -math.inf, math.inf),
            "0 (no interval: too few games or trainings, or all alike)",
        ),
    ],
)
def test_elo_has_both_ends_where_one_half_width_would_mislead(interval, text):
    assert numbers.elo_interval(interval) == text.replace("-", "\N{MINUS SIGN}")
