"""Curves, arg-mins, correlations and verdicts on data with a known answer."""

import dataclasses

import numpy as np
import pytest
from krk_fakes import SMALL, reproduced, rows

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import by_contenders, by_range, by_sign, throughout
from phasezoo.experiments.curves import Curve
from phasezoo.experiments.krk.claims import moves_up
from phasezoo.experiments.krk.estimates import by_constant, by_threshold, means_of
from phasezoo.experiments.krk.report import headline
from phasezoo.experiments.statistics import (
    Estimates,
    argmin_shares,
    cell_means,
    contenders,
    correlation,
    intervals,
    rise,
    simultaneous,
    wilson,
)
from phasezoo.report.document import Claim
from phasezoo.training.resampling import ResampledMeans


def sample(means, spread=0.0, draws=400):
    means = np.array(means, dtype=float)
    noise = np.random.default_rng(1).normal(size=(draws, len(means)))
    return ResampledMeans(means, means + spread * noise)


def judged(figures, number):
    return [claim.judgement for claim in figures[number].claims]


def test_a_clear_lowest_point_is_certain_and_a_tie_is_split():
    assert argmin_shares(sample([3, 1, 2], 0.01)) == [0.0, 1.0, 0.0]
    split = argmin_shares(sample([3, 1, 1], 0.1))
    assert split[0] == 0
    assert split[1] == pytest.approx(0.5, abs=0.1)
    assert sum(split) == pytest.approx(1)
    assert argmin_shares(sample([2, 1, 1])) == [0.0, 0.5, 0.5]


def test_points_that_were_not_measured_are_never_lowest():
    curve = sample([3, 1, 2])
    curve.means[1], curve.resampled[:, 1] = np.nan, np.nan
    assert argmin_shares(curve) == [0.0, 0.0, 1.0]
    curve.resampled[:] = np.nan
    assert argmin_shares(curve) == [0.0, 0.0, 0.0]


def test_rise_is_kendalls_tau():
    def tau(means):
        return float(rise(sample(means, draws=3)).means)

    assert tau([1, 2, 3]) == tau([1, 2]) == 1
    assert tau([3, 2, 1]) == tau([2, 1]) == -1
    assert tau([1, 3, 2]) == pytest.approx(1 / 3)
    for unknown in ([1], [2, 2], [1, np.nan], [3, 3, 3]):
        assert np.isnan(tau(unknown))
    assert rise(sample([1, 2, 4], 0.5, draws=50)).resampled.mean() > 0.5


def test_correlation_knows_neither_scale_nor_offset():
    first = sample([1, 2, 4])
    moved = ResampledMeans(5 - 2 * first.means, 5 - 2 * first.resampled)
    assert float(correlation(first, first).means) == pytest.approx(1)
    assert float(correlation(first, moved).means) == pytest.approx(-1)
    assert np.isnan(correlation(first, sample([1, 1, 1])).means)


@pytest.mark.parametrize(
    ("interval", "judgement"),
    [
        (Interval(-2, -3, -1), "agrees"),
        (Interval(2, 1, 3), "disagrees"),
        (Interval(-1, -3, 1), "not settled"),
        (None, "not settled"),
    ],
)
def test_a_sign_is_judged_by_the_whole_interval(interval, judgement):
    assert by_sign(interval, "lower") == judgement


def test_only_points_that_are_lower_beyond_chance_leave_a_single_contender():
    assert contenders(sample([3, 1, 2], 0.01)) == [1]
    assert contenders(sample([3, 1, 1.05], 0.1)) == [1, 2]
    assert contenders(sample([3, 2, 1], 5)) == [0, 1, 2]
    assert contenders(sample([np.nan, 2, 1], 0.01)) == [2]


def test_a_flat_curve_rarely_excludes_anything():
    rng = np.random.default_rng(3)
    kept = []
    for _ in range(100):
        noise = rng.normal(size=13)
        kept.append(6 in contenders(sample(noise, 1.0)))
    assert np.mean(kept) >= 0.9


@pytest.mark.parametrize(
    ("possible", "judgement"),
    [([30], "agrees"), ([30, 50], "agrees"), ([30, 100], "not settled"), ([100], "disagrees"),
     ([], "not settled")],
)  # fmt: skip
def test_a_place_is_judged_by_what_may_be_lowest(possible, judgement):
    assert by_contenders(possible, [10, 30, 50], [5, 30, 50, 100]) == judgement
    assert by_contenders(possible, [7], [5, 30, 50, 100]) == "not settled"
    # Nothing else was measured.
    assert by_contenders([30], [10, 30, 50], [30]) == "not settled"


def test_throughout_needs_every_value_and_one_refutes_it():
    low, unclear, high = Interval(-2, -3, -1), Interval(0, -1, 1), Interval(2, 1, 3)
    assert throughout([low, low], [low, low], "lower") == "agrees"
    assert throughout([low, unclear], [low, unclear], "lower") == "not settled"
    assert throughout([low, high], [low, high], "lower") == "disagrees"
    # Beyond zero by itself, but not among so many.
    assert throughout([low, high], [low, unclear], "lower") == "not settled"
    assert throughout([], [], "lower") == "not settled"


def test_a_range_is_judged_by_estimates_and_wide_intervals():
    inside, across, outside = Interval(30, 25, 35), Interval(27, 25, 29), Interval(20, 19, 21)
    assert by_range([inside, inside], 28, 36) == "agrees"
    assert by_range([inside, across], 28, 36) == "not settled"
    assert by_range([inside, outside], 28, 36) == "disagrees"
    assert by_range([None], 28, 36) == "not settled"


@pytest.mark.parametrize("games", [4, 12])
def test_intervals_of_few_games_hold_for_all_cells_together(games):
    """In 200 sets of 13 cells; of so few games a normal tail held in 46 and in 81 % of them."""
    rng = np.random.default_rng(5)
    held = 0
    for trial in range(200):
        parts = {
            cell: np.stack([rng.normal(size=(games, 1)), np.ones((games, 1))], axis=2)
            for cell in range(13)
        }
        means = cell_means(parts, ["x"], lambda cell: np.random.default_rng((trial, cell)), 400)  # noqa: B023
        found = simultaneous(means.each("x", range(13)))
        held += all(one.low <= 0 <= one.high for one in found)
    assert held >= 170


def test_a_cell_of_one_game_has_no_interval():
    parts = {"one": np.ones((1, 1, 2)), "two": np.array([[[1.0, 1.0]], [[2.0, 1.0]]])}
    means = cell_means(parts, ["x"], lambda _: np.random.default_rng(1), 100)
    one, two = intervals(means.each("x", parts))
    assert one is None
    assert two.low < 1.5 < two.high


@pytest.mark.parametrize(("games", "chance"), [(6, 0.4), (12, 0.2), (12, 1.0)])
def test_an_interval_over_won_games_holds_however_few_are_won(games, chance):
    """Counted by all games of a cell, it held in 62 and in 58 % of cells in which few are won."""
    rng = np.random.default_rng(3)
    held = []
    for trial in range(400):
        won = rng.random(games) < chance
        parts = {0: np.stack([won * rng.normal(30, 8, games), won], axis=1)[:, None]}
        means = cell_means(parts, ["length"], lambda _: np.random.default_rng(trial), 300)  # noqa: B023
        (found,) = intervals(means.each("length", [0]))
        assert (found is None) == (won.sum() < 2)
        held += [] if found is None else [found.low <= 30 <= found.high]
    assert np.mean(held) > 0.89


def test_intervals_for_all_values_together_are_wider():
    curve = sample([1, 2, 3], 0.5)
    for one, all_of_them in zip(intervals(curve), simultaneous(curve), strict=True):
        assert all_of_them.low < one.low < one.high < all_of_them.high


def test_a_mean_is_over_moves_and_a_curve_over_cells():
    games = rows(SMALL, lambda cell: 3 if cell.threshold == 5 else 9, noise=0)
    means = means_of(games, seed=1, resamples=100)
    curve = by_constant(means, SMALL, SMALL.budgets)
    # 3 errors in 18 moves, and twice 9 in 24.
    assert curve.means == pytest.approx([(3 / 18 + 2 * 9 / 24) / 3] * 4)
    assert np.ptp(curve.resampled) == pytest.approx(0)


def test_the_draws_of_a_cell_do_not_depend_on_the_others():
    games = rows(SMALL, lambda cell: cell.constant)
    whole = means_of(games, seed=1, resamples=50)
    one = means_of([g for g in games if g.cell == whole.cells[3]], seed=1, resamples=50)
    assert (whole.resampled[:, 3] == one.resampled[:, 0]).all()


def test_what_the_study_says_is_found_where_it_is_so():
    def errors(cell):
        best = 5.0 if cell.budget == 3000 else 10.0
        by_constant = 0 if cell.constant == best else 5
        if cell.constant <= 2.5:
            by_threshold = {5: 16, 30: 8, 100: 0}[cell.threshold]
        else:
            by_threshold = {5: 16, 30: 0, 100: 16}[cell.threshold]
        return 14 + by_constant + by_threshold - (12 if cell.budget == 6000 else 0)

    config = dataclasses.replace(SMALL, games=8)
    figures = reproduced(rows(config, errors), config)
    assert judged(figures, "4.2")[0] == "agrees"
    assert judged(figures, "4.3") == ["agrees"]
    assert judged(figures, "4.6")[0] == "agrees"
    assert judged(figures, "4.7") == ["agrees"] * 5
    assert judged(figures, "4.8") == ["agrees"] * 3


def test_the_opposite_of_the_study_is_found_where_it_is_so():
    def errors(cell):
        by_threshold = {5: 0, 30: 8, 100: 16}[cell.threshold]
        best = 50.0 if cell.budget == 3000 else 0.25
        return 10 + by_threshold + 6 * (cell.constant != best) + 4 * (cell.budget == 6000)

    figures = reproduced(rows(SMALL, errors), SMALL)
    assert judged(figures, "4.7") == ["disagrees"] * 5
    assert judged(figures, "4.8")[0] == "disagrees"
    assert judged(figures, "4.8")[2] == "disagrees"


@pytest.mark.parametrize(
    ("few", "many", "judgement"),
    [
        ([1.0, 5.0], [10.0], "agrees"),
        ([10.0], [1.0, 5.0], "disagrees"),
        ([5.0], [5.0], "not settled"),  # it may have moved between the values that were tried
        ([10.0], [10.0, 5.0], "not settled"),
        ([1.0, 10.0], [5.0], "not settled"),
        ([], [5.0], "not settled"),
    ],
)
def test_the_best_constant_grows_only_if_all_that_may_be_best_does(few, many, judgement):
    def found(contenders):
        values = [1.0, 5.0, 10.0]
        places = [values.index(value) for value in contenders]
        return Curve("some", "C", values, Estimates([], [], None, [0.0] * 3, places))

    assert moves_up(found(few), found(many)).judgement == judgement


def test_a_trend_of_a_single_value_is_not_known():
    alone = dataclasses.replace(SMALL, constants=(5.0,), thresholds=(30,))
    figures = reproduced(rows(alone, lambda cell: 20), alone)
    told = [claim.ours for figure in figures.values() for claim in figure.claims]
    assert sum("not known, for too few values" in text for text in told) >= 4
    assert not any(" –" in text for text in told)


def test_figure_48_shows_averages_over_low_and_over_high_constants():
    config = dataclasses.replace(SMALL, constants=(0.25, 1.0, 5.0, 50.0))
    games = rows(config, lambda cell: cell.constant + cell.threshold)
    panels = reproduced(games, config)["4.8"].panels
    (averaged,) = (panel for panel in panels if "averaged" in panel.title)
    table = means_of(games, seed=config.seed, resamples=config.resamples)
    for line, constants in zip(averaged.curves, ((0.25, 1.0), (5.0, 50.0)), strict=True):
        each = [by_threshold(table, config, c, (3000, 6000)) for c in constants]
        resampled = np.mean([curve.resampled for curve in each], axis=0)
        low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
        means = np.mean([curve.means for curve in each], axis=0)
        assert [[y.low, y.value, y.high] for y in line.found.each] == [
            pytest.approx(point) for point in zip(low, means, high, strict=True)
        ]


def test_figure_48_averages_nothing_over_one_constant():
    config = dataclasses.replace(SMALL, constants=(1.0, 5.0))
    games = rows(config, lambda cell: cell.threshold)
    panels = reproduced(games, config)["4.8"].panels
    assert not [panel for panel in panels if "averaged" in panel.title]


def test_pure_noise_settles_nothing_about_places():
    figures = reproduced(rows(SMALL, lambda cell: 20, noise=4), SMALL)
    assert judged(figures, "4.7")[:3] == ["not settled"] * 3
    assert judged(figures, "4.8")[1] != "agrees"


def test_wilsons_interval_keeps_its_width_at_the_ends():
    # Wilson's interval of 0 and of 10 in 10 trials, and of 8 in 10, by hand from the formula.
    assert wilson(10, 10).high == 1
    assert wilson(10, 10).low == pytest.approx(0.7225, abs=1e-4)
    assert wilson(0, 10).high == pytest.approx(0.2775, abs=1e-4)
    assert wilson(8, 10).low == pytest.approx(0.4902, abs=1e-4)
    assert wilson(8, 10).high == pytest.approx(0.9433, abs=1e-4)


def test_the_headline_says_none_where_no_claim_is():
    claims = [Claim("", "", "", judgement) for judgement in ["agrees", *["not settled"] * 8]]
    assert headline(claims) == (
        "Of the study’s 9 claims, one agrees with our games, none disagree, eight are not settled"
    )
