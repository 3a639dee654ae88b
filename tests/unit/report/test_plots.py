"""What drawings do with intervals that have no end."""

import math

import pytest

from phasezoo.arena.statistics.intervals import Interval
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


def test_an_infinite_value_is_drawn_at_its_finite_end():
    """A side that won all games has no finite Elo, and no end if there were few games."""
    won = Interval(math.inf, 100.0, math.inf)
    _, plot = plots.axes(4, 3)
    unknown = Interval(math.inf, -math.inf, math.inf)
    for found in ([won, Interval(0.0, -40.0, 40.0)], [unknown], [-won, won]):
        plots.with_intervals(plot, range(len(found)), found, "some", plots.INK)
    drawn = [line.get_ydata().tolist() for line in plot.lines if line.get_marker() == "o"]
    assert drawn == [[100, 0], [0], [-100, 100]]


def test_outer_fences_leave_out_what_is_far_outside():
    """Quartiles of 0, 1, …, 8 are 2 and 6; three times their range beyond them is -10 and 18."""
    assert plots.outer_fences(range(9)) == (-10, 18)
    assert plots.outer_fences([5.0]) == (5, 5)


@pytest.mark.parametrize("near", [False, True])
def test_estimates_far_outside_leave_a_forest_with_an_arrow(near):
    usual = [
        plots.Estimate(str(n), Interval(n / 10, n / 10 - 1, n / 10 + 1), "k") for n in range(8)
    ]
    far = [
        plots.Estimate("far", Interval(900, 800, 1000), "k"),
        plots.Estimate("partly", Interval(0.5, -1e6, 1), "k"),
        plots.Estimate("endless", Interval(0.5, -math.inf, math.inf), "k"),
    ]
    figure = plots.comparison("c", [("all", [*usual, *far])], "some", 1, "", near=near).draw()
    (plot,) = figure.axes
    low, high = plot.get_xlim()
    assert (high < 5) == near
    assert (low > -5) == near
    arrows = [line.get_marker() for line in plot.lines if line.get_marker() in "<>"]
    assert sorted(arrows) == (["<", "<", ">", ">"] if near else ["<", ">"])
    points = sum(line.get_marker() == "o" for line in plot.lines)
    assert points == (10 if near else 11)
    assert "+900.0  [+800.0 to +1000.0]" in {text.get_text() for text in plot.texts}
