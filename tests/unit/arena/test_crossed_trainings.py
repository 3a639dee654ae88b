import math

import compare_training_intervals as compare
import numpy as np
import pytest

from phasezoo.arena.statistics.crossed_trainings import (
    SKEW_FACTOR,
    crossed,
    crossed_pairs,
    off_diagonal,
    planned_width,
)
from phasezoo.arena.statistics.elo import elo_of_score, elo_slope, pentanomial_elo
from phasezoo.arena.statistics.intervals import t95
from phasezoo.errors import InvalidConfig


def test_one_pairing_has_the_games_interval_only():
    result = crossed([[0.55]], [[0.02]])
    assert result.elo == result.elo_games_only
    assert result.elo.low == pytest.approx(elo_of_score(0.55 - 1.96 * 0.02))
    assert result.first_sd is None
    assert result.second_sd is None


def test_worked_example_of_the_mean_squares():
    # Row effects ±0.02, column effects ±0.01, interaction ±0.005 around 0.5, by hand:
    # M_a = 2 * (0.02² + 0.02²) / 1, M_b = 2 * (0.01² + 0.01²), M_e = 4 * 0.005².
    table = [[0.5 + 0.02 + 0.01 + 0.005, 0.5 + 0.02 - 0.01 - 0.005], [0.485, 0.475]]
    m_a, m_b, m_e = 4 * 0.02**2, 4 * 0.01**2, 4 * 0.005**2
    result = crossed(table, [[0.001] * 2] * 2)
    slope = elo_slope(0.5)
    assert result.first_sd == pytest.approx(math.sqrt((m_a - m_e) / 2) * slope)
    assert result.second_sd == pytest.approx(math.sqrt((m_b - m_e) / 2) * slope)
    assert result.residual_sd == pytest.approx(math.sqrt(m_e) * slope)
    assert result.games_sd == pytest.approx(0.001 * slope)
    half = SKEW_FACTOR * t95(1) * math.sqrt((m_a + m_b - m_e) / 4)
    assert half < 0.5
    assert result.degrees_of_freedom == 1
    assert result.elo.low == pytest.approx(elo_of_score(0.5 - half))


def test_each_side_stands_with_its_own_degrees_of_freedom():
    # Two rows ±0.01 around 0.6, three columns at -0.03, 0, 0.03, and an interaction of 0.002.
    rows, columns = np.array([[0.01], [-0.01]]), np.array([[-0.03, 0.0, 0.03]])
    rest = 0.002 * np.array([[1, -2, 1], [-1, 2, -1]])
    m_a, m_b = 3 * (2 * 0.01**2), 2 * (2 * 0.03**2) / 2
    m_e = (rest**2).sum() / 2
    result = crossed(0.6 + rows + columns + rest, np.full((2, 3), 0.001))
    squares = t95(1) ** 2 * m_a + t95(2) ** 2 * m_b - t95(2) ** 2 * m_e
    half = SKEW_FACTOR * math.sqrt(squares / 6)
    assert result.elo.high == pytest.approx(elo_of_score(0.6 + half))
    # Sides swapped, the same interval.
    turned = crossed(0.6 + (rows + columns + rest).T, np.full((3, 2), 0.001))
    assert turned.elo.high == pytest.approx(result.elo.high)
    # Rows and columns that differ by less than pairings do: the residual alone.
    alike = crossed(0.6 + rest, np.full((2, 3), 0.001))
    half = SKEW_FACTOR * float(t95(2)) * math.sqrt(m_e / 6)
    assert alike.elo.high == pytest.approx(elo_of_score(0.6 + half))


def test_the_diagonal_is_left_out_by_hand():
    # Deleting a training leaves two cells of six: their means are 0.55, 0.5, 0.6.
    table = [[9.0, 0.7, 0.4], [0.5, 9.0, 0.5], [0.6, 0.6, 9.0]]
    mean, half = off_diagonal(table)
    assert mean == pytest.approx(0.55)
    without = np.array([0.55, 0.5, 0.6])
    error = math.sqrt(2 / 3 * ((without - without.mean()) ** 2).sum())
    assert half == pytest.approx(SKEW_FACTOR * t95(2) * error)
    assert off_diagonal(np.full((4, 4), 0.25)) == (0.25, 0.0)


@pytest.mark.parametrize("trainings", [3, 4, 6])
@pytest.mark.parametrize("shared", [-0.9, 0.0, 0.9])
def test_intervals_without_the_diagonal_hold_where_both_sides_share_a_training(trainings, shared):
    rng = np.random.default_rng(trainings)
    held, tables = 0, 2000
    for _ in range(tables):
        first, own = rng.standard_normal((2, trainings))
        second = shared * first + math.sqrt(1 - shared**2) * own
        table = first[:, None] + second + 0.5 * rng.standard_normal((trainings, trainings))
        table += 3 * np.eye(trainings)  # a training meets itself
        mean, half = off_diagonal(table)
        held += abs(mean) <= half
    assert held / tables >= 0.94


@pytest.mark.parametrize("table", [[[0.5, 0.5], [0.5, 0.5]], [[0.5] * 3] * 2, [[math.nan] * 3] * 3])
def test_a_table_without_a_diagonal_needs_three_trainings(table):
    with pytest.raises(InvalidConfig, match="3 or more"):
        off_diagonal(table)


@pytest.mark.parametrize("trainings", [3, 4, 6, 12])
@pytest.mark.parametrize(
    ("games", "draws", "spread"), [(12, 0.0, 0.0), (100, 0.4, 0.0), (40, 0.3, 40.0)]
)
def test_the_planned_width_is_that_of_simulated_runs(trainings, games, draws, spread):
    """Games won, drawn and lost, between trainings whose strengths differ on both sides."""
    rng = np.random.default_rng(trainings)
    own, other = rng.normal(0, spread / math.sqrt(2) / 695, (2, 3000, trainings))
    score = 0.5 + own[:, :, None] - other[:, None, :]
    chances = np.stack([score - draws / 2, np.full_like(score, draws), 1 - draws / 2 - score], -1)
    won, drawn, _ = np.moveaxis(rng.multinomial(games, chances), -1, 0)
    halves = [off_diagonal(table)[1] for table in (won + drawn / 2) / games]
    usual = math.sqrt(np.mean(np.square(halves)))
    planned = planned_width(trainings, games, draws, spread)
    assert planned == pytest.approx(elo_of_score(0.5 + usual), rel=0.05)
    if trainings >= 5:
        assert np.mean([usual / 2 < half < 2 * usual for half in halves]) >= 0.9


def test_games_that_say_too_little_have_an_infinite_planned_width():
    assert planned_width(3, 2) == math.inf
    assert planned_width(3, 2, draws=1.0) == 0


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"trainings": 2}, "trainings"),
        ({"games": 0}, "games"),
        ({"draws": 1.1}, "draws"),
        ({"spread": -1.0}, "spread"),
        ({"spread": math.nan}, "spread"),
    ],
)
def test_planned_widths_of_impossible_runs_are_refused(given, text):
    with pytest.raises(InvalidConfig, match=text):
        planned_width(**{"trainings": 4, "games": 12} | given)


def test_one_baseline_against_many_mixtures():
    means = [[0.50], [0.54], [0.58]]
    result = crossed(means, [[0.01]] * 3)
    error = np.std([0.50, 0.54, 0.58], ddof=1) / math.sqrt(3)
    assert result.elo.low == pytest.approx(elo_of_score(0.54 - SKEW_FACTOR * t95(2) * error))
    assert result.second_sd is None
    between = math.sqrt(0.04**2 - 0.01**2)
    assert result.first_sd == pytest.approx(between * elo_slope(0.54))


def test_equal_results_give_no_training_variance_and_the_games_floor():
    result = crossed([[0.6] * 4] * 4, [[0.02] * 4] * 4)
    assert (result.first_sd, result.second_sd) == (0.0, 0.0)
    assert result.elo.half_width >= result.elo_games_only.half_width > 0


def test_clean_sweeps_are_infinite_not_nan():
    result = crossed([[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]])
    figures = [result.elo.value, result.elo.low, result.first_sd, result.second_sd, result.games_sd]
    assert result.elo.value == math.inf
    assert not any(math.isnan(figure) for figure in figures)


def simulated(rng, trainings, sd_first, sd_second, games_error):
    first = rng.normal(0, sd_first, (trainings, 1))
    second = rng.normal(0, sd_second, (1, trainings))
    games = rng.normal(0, games_error, (trainings, trainings))
    return np.clip(0.55 + first + second + games, 0, 1)


@pytest.mark.parametrize("trainings", [3, 8])
def test_the_interval_covers_other_trainings(trainings):
    rng = np.random.default_rng(11)
    true_elo = elo_of_score(0.55)
    covered = games_only = 0
    for _ in range(400):
        table = simulated(rng, trainings, 0.04, 0.03, 0.02)
        result = crossed(table, np.full(table.shape, 0.02))
        covered += result.elo.low <= true_elo <= result.elo.high
        games_only += result.elo_games_only.low <= true_elo <= result.elo_games_only.high
    assert 0.92 <= covered / 400 <= 1.0
    assert games_only / 400 < 0.6  # what counting games alone would have claimed


@pytest.mark.parametrize("trainings", [3, 4, 8])
def test_the_interval_covers_where_pairings_differ_and_trainings_do_not(trainings):
    rng = np.random.default_rng(13)
    true_elo = elo_of_score(0.55)
    covered = 0
    for _ in range(400):
        result = crossed(
            simulated(rng, trainings, 0.0, 0.0, 0.05), np.full((trainings, trainings), 0.01)
        )
        covered += result.elo.low <= true_elo <= result.elo.high
    assert covered / 400 >= 0.94


def least_held(cells, count):
    rng = np.random.default_rng(31)
    return min((compare.simulate(cell, rng, count)["package"].held, cell) for cell in cells)


def is_promised(cell):
    """Whether the page of statistics promises 94 % of a case."""
    return not cell.effects.startswith("skewness 2") or cell.spreads[0] == cell.spreads[1]


def test_unequal_sides_hold_the_true_mean():
    cells = [cell for cell in compare.cells() if cell.sides in ((2, 3), (2, 8), (3, 5), (4, 8))]
    least = least_held(filter(is_promised, cells), 2000)
    # 94 %, less three errors of so many draws.
    assert least[0] > 0.94 - 3 * math.sqrt(0.94 * 0.06 / 2000), least


@pytest.mark.slow
def test_all_sides_hold_the_true_mean():
    least = least_held(filter(is_promised, compare.cells()), 8000)
    assert least[0] > 0.94 - 3 * math.sqrt(0.94 * 0.06 / 8000), least


def test_the_grid_finds_intervals_that_do_not_hold():
    cell = compare.Cell((2, 8), "normal", (1.0, 1.0), 0.0)
    found = compare.simulate(cell, np.random.default_rng(2), 4000)
    assert found["Satterthwaite"].held < 0.93
    assert found["package"].held > 0.95


def test_many_trainings_are_told_as_narrow_as_may_be():
    rng = np.random.default_rng(3)
    cells = [c for c in compare.cells() if c.sides == (8, 8) and c.effects == "normal"]
    widths = [compare.simulate(cell, rng, 2000)["package"].width for cell in cells]
    # Student's t for seven degrees of freedom is 1.21 normal errors; effects may be skewed.
    assert max(widths) < 1.21 * SKEW_FACTOR * 1.02


def test_simulated_tables_are_told_as_crossed_tells_them():
    drawn, _ = compare.Cell((3, 5), "normal", (1.0, 3.0), 1.0).draw(np.random.default_rng(4), 5)
    tables = 0.5 + drawn / 100
    halves = compare.crossed_half_width(*compare.mean_squares(tables), (3, 5))
    for table, half in zip(tables, halves, strict=True):
        high = crossed(table, np.zeros((3, 5))).elo.high
        assert high == pytest.approx(elo_of_score(min(float(table.mean() + half), 1.0)))


def test_the_variances_are_recovered_on_average():
    rng = np.random.default_rng(5)
    results = [
        crossed(simulated(rng, 8, 0.04, 0.0, 0.01), np.full((8, 8), 0.01)) for _ in range(200)
    ]
    slope = elo_slope(0.55)
    mean_square = np.mean([(result.first_sd / slope) ** 2 for result in results])
    assert math.sqrt(mean_square) == pytest.approx(0.04, rel=0.1)
    assert np.mean([result.second_sd / slope for result in results]) < 0.01


@pytest.mark.parametrize(
    ("means", "errors"),
    [
        ([], []),
        ([[]], [[]]),
        ([[0.5, 0.5], [0.5]], [[0.1, 0.1], [0.1]]),
        ([[0.5]], [[0.1], [0.1]]),
        ([[1.2]], [[0.1]]),
        ([[0.5]], [[-0.1]]),
        ([[math.nan]], [[0.1]]),
        (None, None),
        ("ab", "cd"),
        ([0.5], [0.1]),
        ([["a"]], [[0.1]]),
        ([[[0.5]]], [[[0.1]]]),
    ],
)
def test_impossible_tables_are_refused(means, errors):
    with pytest.raises(InvalidConfig):
        crossed(means, errors)


def test_pairs_of_one_pairing_have_their_own_interval():
    scores = [0.5, 0.75, 1.0, 0.25, 0.75]
    result = crossed_pairs([[scores]])
    assert result.elo == result.elo_games_only == pentanomial_elo(scores)


def test_pairings_of_equal_pairs_are_not_certain():
    result = crossed_pairs([[[1.0] * 10] * 2] * 2)
    assert (result.elo.value, result.elo.high) == (math.inf, math.inf)
    assert -100 < result.elo.low < result.elo_games_only.low < 400
    drawn = crossed_pairs([[[0.5] * 3] * 3] * 3)
    assert drawn.elo.half_width >= drawn.elo_games_only.half_width > 10
    few = crossed_pairs([[[0.5]], [[1.0]]])
    assert not few.elo_games_only.is_known


def test_pairs_of_pairings_hold_the_true_difference_for_new_trainings():
    rng = np.random.default_rng(12)
    true_elo = elo_of_score(0.6)
    held = nested = 0
    for _ in range(300):
        strength = 0.6 + rng.normal(0, 0.05, (3, 1)) + rng.normal(0, 0.05, (1, 3))
        games = rng.random((3, 3, 20, 2)) < strength[..., None, None]
        result = crossed_pairs(games.mean(axis=3).tolist())
        held += result.elo.low <= true_elo <= result.elo.high
        nested += (
            result.elo.low <= result.elo_games_only.low
            and result.elo_games_only.high <= result.elo.high
        )
    assert held / 300 > 0.93 - 3 * math.sqrt(0.93 * 0.07 / 300)
    assert nested == 300


def test_pairs_in_an_array_are_pairs_in_lists():
    scores = np.random.default_rng(4).integers(5, size=(2, 3, 8)) / 4
    assert crossed_pairs(scores) == crossed_pairs(scores.tolist())


@pytest.mark.parametrize(
    "scores", [None, [0.5], [], [[]], [[[]]], [[[0.5]], [[0.5], [0.5]]], [[[1.5]]]]
)
def test_impossible_pairings_are_refused(scores):
    with pytest.raises(InvalidConfig):
        crossed_pairs(scores)
