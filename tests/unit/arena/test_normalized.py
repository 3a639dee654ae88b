"""Normalised Elo and its intervals."""

import math
import statistics

import compare_intervals as compare
import numpy as np
import pytest

from phasezoo.arena.statistics.elo import elo_of_score, pentanomial_elo
from phasezoo.arena.statistics.normalized import normalized_elo, t_ends
from phasezoo.errors import InvalidConfig


def test_it_is_the_mean_by_the_deviation_of_a_game():
    scores = [0.0] * 2 + [0.25] * 20 + [0.5] * 50 + [0.75] * 31 + [1.0] * 5
    t = (statistics.fmean(scores) - 0.5) / (math.sqrt(2) * statistics.pstdev(scores))
    found = normalized_elo(scores)
    assert found.value == pytest.approx(t * 800 / math.log(10))
    assert found.low < found.value < found.high
    mirrored = normalized_elo([1 - score for score in scores])
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


def test_independent_games_without_draws_of_players_nearly_alike_have_logistic_elo():
    # A game's deviation is 1/2 there: 800 / ln 10 (m - 1/2) / (1/2) = 4 * 400 / ln 10 (m - 1/2).
    games = np.array([0.0, 0.5, 1.0])
    scores = np.repeat(games, [2450, 5000, 2550]).tolist()
    mean = statistics.fmean(scores)
    assert normalized_elo(scores).value == pytest.approx(elo_of_score(mean), rel=0.01)
    assert normalized_elo(scores).half_width == pytest.approx(
        pentanomial_elo(scores).half_width, rel=0.01
    )


def test_edges():
    won = normalized_elo([1.0] * 10)
    assert (won.value, won.high) == (math.inf, math.inf)
    assert 50 < won.low < pentanomial_elo([1.0] * 10).low
    drawn = normalized_elo([0.5] * 10)
    assert drawn.value == 0
    assert drawn.low < 0 < drawn.high < math.inf
    assert not normalized_elo([1.0, 0.5, 0.5]).is_known
    with pytest.raises(InvalidConfig):
        normalized_elo([])


@pytest.mark.parametrize("pairs", [4, 7, 20, 250])
def test_intervals_hold_the_true_one(pairs):
    rng = np.random.default_rng(21)
    found = []
    for _, score, kind, chances in compare.cells((pairs,), (0.5, 0.62, 0.75, 0.85, 0.98)):
        true = (score - 0.5) / math.sqrt(chances @ compare.SCORES**2 - score**2)
        counts = rng.multinomial(pairs, chances, size=1500).astype(float)
        found.append((compare.held(*t_ends(compare.SCORES, counts), true), score, kind))
    # 93 %, less three errors of so many draws.
    assert min(found)[0] > 0.93 - 3 * math.sqrt(0.93 * 0.07 / 1500), min(found)
