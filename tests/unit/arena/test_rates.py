"""Shares with their intervals, where Elo has no meaning."""

import numpy as np
import pytest

from phasezoo import agents, arena
from phasezoo.arena.statistics.elo import elo_of_score
from phasezoo.arena.statistics.intervals import t95
from phasezoo.arena.statistics.rates import percent, rate_of
from phasezoo.errors import InvalidConfig


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize(("groups", "size"), [(4, 2), (8, 4), (20, 4), (60, 2), (250, 4)])
@pytest.mark.parametrize("share", [0.02, 0.25, 0.5, 0.9])
def test_intervals_hold_the_true_share(share, groups, size, alike):
    rng = np.random.default_rng([groups, size, alike, int(100 * share)])
    held = 0
    for _ in range(1000):
        games = rng.random((groups, 1 if alike else size)) < share
        rate = rate_of(games.mean(axis=1).tolist(), size)
        assert rate.low < rate.high
        held += rate.low <= share <= rate.high
    # 93 %, less three errors of a thousand draws.
    assert held / 1000 > 0.93 - 3 * np.sqrt(0.93 * 0.07 / 1000)


def test_intervals_narrow_with_games_and_stay_within_shares():
    rng = np.random.default_rng(1)
    draws = (rng.random((400, 4)) < 0.3).mean(axis=1).tolist()
    widths = [rate_of(draws[:n], 4).half_width for n in (4, 40, 400)]
    assert widths[0] > widths[1] > widths[2]
    for groups in ([0.0] * 10, [1.0] * 10, [0.5] * 10, [0.5]):
        rate = rate_of(groups, 4)
        assert 0 <= rate.low <= rate.value <= rate.high <= 1
        assert rate.high - rate.low > 0.2
    assert percent(rate_of([0.25] * 400, 4)).startswith("25.0 % [21.")
    for wrong in ([], [1.5], [float("nan")]):
        with pytest.raises(InvalidConfig, match="at least one share"):
            rate_of(wrong, 4)


@pytest.mark.parametrize("count", [4, 7, 25, 49])
@pytest.mark.parametrize("points", [1, 2, 3, 5])
def test_equal_groups_count_as_one_game_each_whatever_rounding_makes_of_their_mean(count, points):
    # Wilson's interval of `count` games, with Student's t in place of the normal quantile.
    share, t = points / 6, float(t95(count - 1))
    trials = count * (1.96 / t) ** 2
    low, high = binomtest_ends(share, trials)
    rate = rate_of([share] * count, 6)
    assert (rate.low, rate.high) == pytest.approx((low, high))
    # Shares of the same points, added up in another order.
    shares = [sum([points / 60] * 10) if n % 2 else share for n in range(count)]
    assert max(shares) - min(shares) < 1e-12
    unlike = rate_of(shares, 6)
    assert (unlike.low, unlike.high) == pytest.approx((low, high))


def binomtest_ends(share, trials, z=1.96):
    """Wilson's score interval by its defining equation, (p - share)^2 = z^2 p (1 - p) / trials."""
    roots = np.roots([1 + z * z / trials, -(2 * share + z * z / trials), share * share])
    return tuple(sorted(roots.real))


def test_groups_that_differ_by_one_game_are_not_alike():
    alike, unlike = rate_of([1 / 3] * 25, 3), rate_of([1 / 3] * 24 + [2 / 3], 3)
    assert unlike.high - unlike.low < 0.8 * (alike.high - alike.low)


def test_equal_agents_of_a_game_of_four_win_a_quarter_and_have_no_elo():
    simple = agents.SimpleAgent()
    match = arena.play_match(simple, simple, game="pommerman-ffa", games=40, seed=3)
    assert match.win_rate.low < 0.25 < match.win_rate.high
    assert match.score_rate.low < 0.5 < match.score_rate.high
    assert sum(record.won for record in match.games) == round(match.win_rate.value * 40)
    for text in (match.summary(), repr(match)):
        assert "Elo" not in text
        assert percent(match.win_rate) in text
        assert percent(match.score_rate) in text
    for figure in ("elo", "elo_trinomial", "los", "pentanomial"):
        with pytest.raises(InvalidConfig, match="there are 4: use win_rate and score_rate"):
            getattr(match, figure)


def test_games_of_two_have_both():
    one = agents.RandomAgent(seed=1)
    match = arena.play_match(one, one, game="atomic", games=4, max_plies=20, seed=1)
    assert match.score_rate.value == match.score
    ends = (elo_of_score(match.score_rate.low), elo_of_score(match.score_rate.high))
    assert ends == (match.elo.low, match.elo.high)
    assert "Elo" in match.summary()
    assert f"Elo {match.elo}" in repr(match)
    assert len(repr(match)) < 200


@pytest.mark.parametrize("groups", [None, [], [0.5, None], ["a"], [1.5], [float("nan")]])
def test_what_is_no_share_is_refused(groups):
    with pytest.raises(InvalidConfig, match="each in"):
        rate_of(groups, 2)


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_groups_have_games(size):
    with pytest.raises(InvalidConfig, match="group_size"):
        rate_of([0.5, 1.0], size)


def test_arrays_are_read_as_lists_are():
    shares = [0.5, 0.75, 0.25, 1.0]
    assert rate_of(np.array(shares), 2) == rate_of(shares, 2)


def test_twenty_five_groups_of_a_third_count_as_twenty_five_games():
    found = rate_of([1 / 3] * 25, 3)
    assert (found.low, found.high) == (
        pytest.approx(0.176, abs=1e-3),
        pytest.approx(0.539, abs=1e-3),
    )
