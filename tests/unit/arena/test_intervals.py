"""How often intervals of mean scores hold the true one, and what they say if they cannot."""

import json
import math
import statistics

import compare_intervals as compare
import numpy as np
import pytest

from phasezoo.arena.statistics.elo import elo_of_score, pentanomial_elo, trinomial_elo
from phasezoo.arena.statistics.intervals import Interval, score_ends, score_error, t95

# Any printed table of Student's t, two-sided 95 %.
T_TABLE = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980}


def least_coverage(cells, matches):
    rng = np.random.default_rng(20)
    found = []
    for pairs, score, kind, chances in cells:
        assert chances.sum() == pytest.approx(1)
        assert chances @ compare.SCORES == pytest.approx(score)
        counts = rng.multinomial(pairs, chances, size=matches).astype(float)
        low, high = compare.ours(counts)
        assert (low < high).all()
        found.append((compare.held(low, high, score), pairs, score, kind))
    return min(found)


@pytest.mark.parametrize("pairs", [4, 7, 12, 40, 250, 1000])
def test_intervals_hold_the_true_score(pairs):
    cells = compare.cells((pairs,), (0.5, 0.62, 0.75, 0.9, 0.98))
    least = least_coverage(cells, 1500)
    # 93 %, less three errors of so many draws.
    assert least[0] > 0.93 - 3 * math.sqrt(0.93 * 0.07 / 1500), least


@pytest.mark.slow
def test_intervals_hold_the_true_score_on_the_whole_grid():
    least = least_coverage(compare.cells(), 10_000)
    assert least[0] > 0.93, least


def test_the_grid_finds_intervals_that_do_not_hold():
    counts = np.random.default_rng(1).multinomial(10, [0.05, 0, 0, 0, 0.95], 1000).astype(float)
    assert compare.held(*compare.normal(counts), 0.95) < 0.7
    assert compare.held(*compare.ours(counts), 0.95) > 0.93


def test_many_pairs_near_equality_are_as_narrow_as_the_normal_interval():
    rng = np.random.default_rng(3)
    for _, score, kind, chances in compare.cells((400,), (0.5, 0.55)):
        if not kind.startswith(("independent", "half alike", "alike", "openings", "engines")):
            continue
        counts = rng.multinomial(400, chances, size=200).astype(float)
        ours = np.mean(np.subtract(*compare.ours(counts)[::-1]))
        usual = np.mean(np.subtract(*compare.normal(counts)[::-1]))
        assert ours < 1.1 * usual, (score, kind)


def test_single_games_hold_the_true_score():
    rng = np.random.default_rng(4)
    for games, win, draw in ((4, 0.9, 0.06), (10, 0.5, 0.4), (60, 0.96, 0.03), (400, 0.3, 0.4)):
        true = elo_of_score(win + draw / 2)
        found = [
            trinomial_elo(*counts)
            for counts in rng.multinomial(games, [win, draw, 1 - win - draw], 500).tolist()
        ]
        assert np.mean([i.low <= true <= i.high for i in found]) > 0.93 - 0.035


@pytest.mark.parametrize(("freedom", "t"), T_TABLE.items())
def test_quantiles_match_the_printed_table(freedom, t):
    assert float(t95(freedom)) == pytest.approx(t, abs=6e-4)


def test_quantiles_of_many_and_of_infinite_degrees_of_freedom_are_the_normal_ones():
    assert float(t95(math.inf)) == pytest.approx(1.959964, abs=1e-6)
    assert t95(np.array([10, math.inf])) == pytest.approx([2.228139, 1.959964])


def test_many_matches_at_once_are_each_its_own():
    rng = np.random.default_rng(6)
    scores = [rng.integers(0, 5, size=pairs) / 4 for pairs in (2, 4, 9, 60)]
    means, variances = (np.array([f(s) for s in scores]) for f in (np.mean, np.var))
    low, high = score_ends(means, variances, np.array([2, 4, 9, 60]))
    for number, one in enumerate(scores):
        interval = pentanomial_elo(one.tolist())
        assert interval.low == pytest.approx(elo_of_score(low[number]))
        assert interval.high == pytest.approx(elo_of_score(high[number]))


def test_errors_know_of_scores_that_were_not_seen():
    scores = [0.5, 1.0, 1.0, 0.75]
    doubled = [*scores, *scores, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]  # 1.5 of each end, twice
    expected = statistics.pstdev(doubled) / math.sqrt(7)
    found = score_error(statistics.fmean(scores), statistics.pvariance(scores), 4)
    assert float(found) == pytest.approx(expected)
    assert float(score_error(1.0, 0.0, 1000)) > 0


def test_shares_end_at_0_and_1():
    assert Interval(0.9, 0.7, 1.1).of_share() == Interval(0.9, 0.7, 1.0)
    assert Interval(0.1, -0.1, 0.3).of_share() == Interval(0.1, 0.0, 0.3)
    assert Interval(-0.9, -1.1, 1.2).of_share(least=-1.0) == Interval(-0.9, -1.0, 1.0)
    unknown = Interval(0.5, -math.inf, math.inf)
    assert unknown.of_share() == unknown


def test_three_equal_pairs_have_no_interval_and_four_have_a_wide_one():
    few, four = pentanomial_elo([0.75] * 3), pentanomial_elo([0.75] * 4)
    assert str(few) == "+190.8 (too few games for an interval)"
    assert not few.is_known
    assert four.is_known
    assert four.low < 0
    assert str(four) == f"+190.8 [{four.low:.1f}, +∞]"
    assert not trinomial_elo(3, 0, 0).is_known


def test_infinite_numbers_are_null_for_other_programs():
    won = pentanomial_elo([1.0] * 10).to_dict()
    assert json.loads(json.dumps(won, allow_nan=False)) == won
    assert (won["value"], won["high"]) == (None, None)
    assert 100 < won["low"] < 200
    assert Interval(1.5, -2.0, 5.0).to_dict() == {"value": 1.5, "low": -2.0, "high": 5.0}


def test_the_other_side_sees_the_same_difference():
    assert -Interval(17.0, -3.0, math.inf) == Interval(-17.0, -math.inf, 3.0)
    assert str((-Interval(0.0, -1.0, 1.0)).value) == "0.0"
