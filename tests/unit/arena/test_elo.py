import itertools
import math
import statistics

import pytest
import scipy.stats
from hypothesis import given, strategies as st

from phasezoo.arena.statistics.elo import (
    elo_of_score,
    elo_slope,
    los,
    los_unsaid,
    pair_score_statistics,
    pentanomial_elo,
    trinomial_elo,
)
from phasezoo.arena.statistics.intervals import MIN_PAIRS, Interval
from phasezoo.arena.statistics.normalized import normalized_elo
from phasezoo.errors import InvalidConfig

PAIR_SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60)
COUNTS = st.integers(0, 500)


def is_ordered(interval):
    numbers = (interval.low, interval.value, interval.high)
    return not any(map(math.isnan, numbers)) and interval.low <= interval.value <= interval.high


@given(PAIR_SCORES)
def test_pair_interval_is_ordered_and_never_nan(scores):
    assert is_ordered(pentanomial_elo(scores))
    assert 0 <= los(scores) <= 1


@given(COUNTS, COUNTS, COUNTS)
def test_game_interval_is_ordered_and_never_nan(wins, draws, losses):
    if wins + draws + losses:
        assert is_ordered(trinomial_elo(wins, draws, losses))


@given(PAIR_SCORES)
def test_swapping_the_sides_mirrors_everything(scores):
    mirrored = [1 - score for score in scores]
    there, back = pentanomial_elo(scores), pentanomial_elo(mirrored)
    assert back.value == pytest.approx(-there.value, abs=1e-9)
    assert back.low == pytest.approx(-there.high, abs=1e-9)
    assert los(mirrored) == pytest.approx(1 - los(scores), abs=1e-12)


def test_published_differences():
    # FIDE's table: an expected score of 0.76 is a difference of 200, 0.64 one of 100.
    assert elo_of_score(0.76) == pytest.approx(200, abs=1)
    assert elo_of_score(0.64) == pytest.approx(100, abs=0.1)
    assert elo_of_score(0.5) == 0


def test_pair_scores_against_the_standard_library():
    scores = [0.0] * 4 + [0.25] * 20 + [0.5] * 50 + [0.75] * 21 + [1.0] * 5
    mean, error = pair_score_statistics(scores)
    assert mean == pytest.approx(statistics.fmean(scores))
    assert error == pytest.approx(math.sqrt(statistics.pvariance(scores) / 100))
    interval = pentanomial_elo(scores)
    assert interval.value == pytest.approx(-400 * math.log10(1 / mean - 1))
    assert [interval.low, interval.high] == pytest.approx(ends_of(scores))


def test_a_worked_example():
    # Two pairs of 1 and 1/2 points in 2: mean 3/4, population variance 1/16, error sqrt(1/32).
    mean, error = pair_score_statistics([1.0, 0.5])
    assert (mean, error) == (0.75, pytest.approx(math.sqrt(1 / 32)))
    interval = pentanomial_elo([1.0, 0.5])
    assert interval.value == pytest.approx(400 * math.log10(3))
    assert (interval.low, interval.high) == (-math.inf, math.inf)
    # Three times these: (4.5 + 1.5) / 9 = 2/3; squares 3 + 1.5 won, 3/4 of pairs with 1/2, less
    # 9 (2/3)^2; t of 5 degrees of freedom.
    interval = pentanomial_elo([1.0, 0.5] * 3)
    half = 2.570582 * math.sqrt(3 + 1.5 + 0.75 - 4) / 9
    assert interval.low == pytest.approx(-400 * math.log10(1 / (2 / 3 - half) - 1))
    assert interval.high == pytest.approx(-400 * math.log10(1 / (2 / 3 + half) - 1), rel=1e-5)


def test_every_score_of_a_few_pairs_has_a_width():
    for pairs in range(1, 7):
        for scores in itertools.combinations_with_replacement([0, 0.25, 0.5, 0.75, 1], pairs):
            interval = pentanomial_elo(scores)
            assert interval.low < interval.high
            if pairs < MIN_PAIRS:
                assert (interval.low, interval.high) == (-math.inf, math.inf)


def test_equal_pairs_narrow_with_their_number():
    widths = [pentanomial_elo([0.5] * pairs).half_width for pairs in (4, 40, 400, 4000)]
    assert all(10 > after / before * 10 > 0.5 for before, after in itertools.pairwise(widths))
    assert widths[2] < 5


def test_los_is_the_normal_tail():
    scores = [0.5] * 60 + [0.75] * 25 + [0.25] * 15
    mean, error = pair_score_statistics(scores)
    expected = statistics.NormalDist().cdf((mean - 0.5) / error)
    assert los(scores) == pytest.approx(expected)


def test_los_without_variance():
    assert [los([s] * 10) for s in (0.25, 0.5, 0.75)] == [0.0, 0.5, 1.0]


@given(st.lists(st.integers(0, 12), min_size=5, max_size=5).filter(lambda pairs: sum(pairs) > 9))
def test_los_that_is_told_does_not_contradict_the_interval(pairs):
    scores = [score / 4 for score, count in enumerate(pairs) for _ in range(count)]
    elo = pentanomial_elo(scores)
    holds_zero, said = elo.low <= 0 <= elo.high, los_unsaid(pairs)
    if said is None and holds_zero:
        assert 0.025 <= los(scores) <= 0.975
    if said == "the interval holds 0":
        assert holds_zero


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((0, 0, 0, 0, 3), "fewer than 10 pairs"),
        ((1, 0, 2, 2, 4), "fewer than 10 pairs"),
        ((0, 0, 0, 0, 10), "all pairs scored alike"),
        ((0, 0, 10, 0, 0), "all pairs scored alike"),
        ((0, 1, 3, 5, 1), "the interval holds 0"),
        ((0, 0, 9, 1, 0), None),
    ],
)
def test_los_is_not_told_where_nothing_is_known_of_the_spread(pairs, said):
    assert los_unsaid(pairs) == said
    scores = [score / 4 for score, count in enumerate(pairs) for _ in range(count)]
    assert (said is not None) >= math.isinf(pentanomial_elo(scores).half_width)


def test_trinomial_takes_games_for_pairs():
    results = [1.0] * 61 + [0.5] * 88 + [0.0] * 51
    interval = trinomial_elo(61, 88, 51)
    for end, other in zip((interval.low, interval.high), ends_of(results), strict=True):
        assert end == pytest.approx(other)
    # Of many games it is cutechess's: mean and 1.96 deviations by the square root of games.
    mu, deviation = 0.525, math.sqrt(statistics.pvariance(results))
    published = [mu + sign * 1.96 * deviation / math.sqrt(20_000) for sign in (-1, 1)]
    interval = trinomial_elo(6100, 8800, 5100)
    for end, other in zip((interval.low, interval.high), published, strict=True):
        assert end == pytest.approx(elo_of_score(other), abs=0.02)
    # Opening pairs that split 1-1 make games dependent: pairs know better than games.
    assert pentanomial_elo([0.5] * 100).half_width < trinomial_elo(100, 0, 100).half_width


def ends_of(scores):
    """The interval by another way: three half scores of 1 and of 0 more, and half weights."""
    more = [*scores, *scores, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    centre, error = statistics.fmean(more), statistics.pstdev(more) / math.sqrt(len(scores) + 3)
    t = scipy.stats.t.ppf(0.975, len(scores) - 1)
    return [-400 * math.log10(1 / (centre + sign * t * error) - 1) for sign in (-1, 1)]


def test_edges_are_infinite():
    won = pentanomial_elo([1.0] * 10)
    assert (won.value, won.high) == (math.inf, math.inf)
    assert 100 < won.low < 200
    lost = trinomial_elo(0, 0, 3)
    assert (lost.value, lost.low, lost.high) == (-math.inf, -math.inf, math.inf)
    assert str(won) == f"+∞ [+{won.low:.1f}, +∞]"


def test_text_has_both_ends_where_one_is_infinite():
    assert str(Interval(17.4, -20.8, 55.6)) == "+17.4 ± 38.2"
    assert str(pentanomial_elo([0.5] * 3)) == "0.0 (too few games for an interval)"
    assert str(Interval(190.8, 70.0, math.inf)) == "+190.8 [+70.0, +∞]"


def test_slope_is_the_derivative():
    for score in (0.1, 0.5, 0.73):
        step = 1e-6
        numeric = (elo_of_score(score + step) - elo_of_score(score - step)) / (2 * step)
        assert elo_slope(score) == pytest.approx(numeric, rel=1e-6)


@pytest.mark.parametrize("scores", [[], [1.5], [-0.1, 0.5], [10**400], [-(10**400)]])
def test_impossible_scores_are_refused(scores):
    with pytest.raises(InvalidConfig):
        pentanomial_elo(scores)


@pytest.mark.parametrize(
    "counts",
    [
        (0, 0, 0),
        (-1, 2, 3),
        ("7", 1, 2),
        (math.nan, 0, 0),
        (math.inf, 0, 1),
        (1.5, 2, 3),
        (True, 0, 1),
        (10**400, 0, 1),
    ],
)
def test_impossible_counts_are_refused(counts):
    with pytest.raises(InvalidConfig, match="at least one game"):
        trinomial_elo(*counts)


@pytest.mark.parametrize("scores", [None, "0.5", 3, ["0.5", 1.0], [None], [math.nan]])
@pytest.mark.parametrize("function", [los, pentanomial_elo, normalized_elo])
def test_scores_that_are_no_numbers_are_refused(function, scores):
    with pytest.raises(InvalidConfig, match="scores"):
        function(scores)
