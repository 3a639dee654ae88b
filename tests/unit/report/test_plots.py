"""What drawings do with intervals that have no end."""

import math

import pytest

from phasezoo.arena.intervals import Interval
from phasezoo.report import plots

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")


def limits(found):
    _, plot = plots.axes(4, 3)
    plots.with_intervals(plot, range(len(found)), found, "some", plots.INK)
    return plot.get_ylim()


def test_an_infinite_side_leaves_the_others_readable():
    losses = [Interval(0.05, 0.02, 0.08), Interval(0.01, -math.inf, math.inf)]
    low, high = limits(losses)
    assert -0.2 < low < -0.05
    assert 0.07 < high < 0.3
    low, high = limits([Interval(-300, -400, -250), Interval(-500, -math.inf, -200)])
    assert -900 < low < -600
    assert -250 < high < -150


def test_a_long_side_is_cut_and_one_point_alone_is_drawn():
    low, high = limits([Interval(0, -1e9, 20)])
    assert low == pytest.approx(-plots.LONGEST, rel=0.2)
    assert high < 100
    for value in (0.0, 0.05):
        low, high = limits([Interval(value, -math.inf, math.inf)])
        assert low < value < high
        assert high - low < 5
