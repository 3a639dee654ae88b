"""The sequential test, beside the published formulas solved by other means."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize, minimize_scalar

from phasezoo import arena
from phasezoo.arena.statistics.sprt import Sprt, _of_deviations as likeliest_by_deviations, sprt
from phasezoo.errors import InvalidConfig

RESULTS = [
    (80, 200, 120),
    (31, 40, 12),
    (500, 3000, 540),
    (0, 40, 12),
    (3, 0, 9),
    (4, 60, 120, 71, 5),
    (10, 180, 600, 190, 11),
    (0, 3, 20, 9, 1),
    (900, 4100, 9800, 4300, 950),
    (20, 1, 9, 0, 40),
]
HYPOTHESES = [(0.0, 10.0), (-3.0, 1.0), (0.0, 2.0), (20.0, 60.0)]


def seen_chances(counts):
    counts = np.where(np.array(counts) == 0, 1e-3, counts)
    return counts / counts.sum(), counts.sum(), np.linspace(0, 1, len(counts))


def likeliest_of_mean(seen, scores, mean):
    """Lagrange's condition for the mean alone, solved by Brent's method."""
    away = scores - mean
    edges = -1 / away.max(), -1 / away.min()
    margin = 1e-13 * (edges[1] - edges[0])
    theta = brentq(
        lambda x: (seen * away / (1 + x * away)).sum(),
        edges[0] + margin,
        edges[1] - margin,
        xtol=1e-16,
        rtol=1e-15,
        maxiter=1000,
    )
    return seen / (1 + theta * away)


def best_log_likelihood(seen, scores, t):
    """The greatest sum of seen * log(p) if the mean is t deviations from 1/2.

    Given mean mu, the deviation is (mu - 1/2) / t: two linear conditions, solved by Newton's method
    on Lagrange's dual, which is convex; then the best mu is looked for.
    """
    if t == 0:
        return (seen * np.log(likeliest_of_mean(seen, scores, 0.5))).sum()

    def given(mean):
        spread = ((mean - 0.5) / t) ** 2
        conditions = np.stack([scores - mean, (scores - mean) ** 2 - spread])

        def dual(x):
            below = 1 + x @ conditions
            if (below <= 1e-12).any():
                return np.inf, np.zeros(2), np.eye(2)
            return (
                -(seen * np.log(below)).sum(),
                -(conditions * seen / below).sum(axis=1),
                (conditions * seen / below**2) @ conditions.T,
            )

        x = np.zeros(2)
        for _ in range(200):
            value, slope, bend = dual(x)
            step = np.linalg.lstsq(bend, slope, rcond=None)[0]
            size = 1.0
            while dual(x - size * step)[0] > value and size > 1e-12:
                size /= 2
            x = x - size * step
            if np.abs(size * step).max() < 1e-13 * (1 + np.abs(x).max()):
                break
        if np.abs(dual(x)[1]).max() > 1e-7:  # no such distribution
            return -np.inf
        return (seen * np.log(seen / (1 + x @ conditions))).sum()

    # The mean lies on t's side of 1/2.
    means = 0.5 + math.copysign(1, t) * np.geomspace(1e-3, 0.3, 40)
    values = [given(mean) for mean in means]
    place = int(np.argmax(values))
    around = sorted((means[max(place - 1, 0)], means[min(place + 1, len(means) - 1)]))
    found = minimize_scalar(
        lambda m: -given(m), bounds=around, method="bounded", options={"xatol": 1e-12}
    )
    return max(-found.fun, values[place])


@pytest.mark.parametrize("counts", RESULTS)
@pytest.mark.parametrize(("elo0", "elo1"), HYPOTHESES)
def test_logistic_ratio_is_that_of_another_implementation(counts, elo0, elo1):
    seen, number, scores = seen_chances(counts)
    null, other = (
        likeliest_of_mean(seen, scores, 1 / (1 + 10 ** (-elo / 400))) for elo in (elo0, elo1)
    )
    expected = number * (seen * np.log(other / null)).sum()
    found = Sprt(elo0, elo1, model="logistic").verdict(counts).llr
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("counts", RESULTS)
def test_normalized_ratio_is_that_of_another_implementation(counts):
    elo0, elo1 = (0.0, 10.0) if sum(counts) % 2 else (20.0, 60.0)
    seen, number, scores = seen_chances(counts)
    per_game = math.log(10) / 800 * (math.sqrt(2) if len(counts) == 5 else 1)
    null, other = (best_log_likelihood(seen, scores, elo * per_game) for elo in (elo0, elo1))
    found = Sprt(elo0, elo1, model="normalized").verdict(counts).llr
    assert found == pytest.approx(number * (other - null), rel=1e-4, abs=1e-5)


def test_a_direct_search_over_chances_agrees():
    seen, number, scores = seen_chances((4, 60, 120, 71, 5))

    def constrained(t):
        def away(logits):
            p = np.exp(logits - logits.max())
            p /= p.sum()
            mean = p @ scores
            return mean - 0.5 - t * math.sqrt(p @ (scores - mean) ** 2)

        def loss(logits):
            return np.log(np.exp(logits).sum()) - seen @ logits

        best = minimize(
            loss,
            np.log(seen),
            constraints={"type": "eq", "fun": away},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert abs(away(best.x)) < 1e-9
        return -best.fun

    per_pair = math.sqrt(2) * math.log(10) / 800
    expected = number * (constrained(8 * per_pair) - constrained(-2 * per_pair))
    assert sprt(pentanomial=(4, 60, 120, 71, 5), elo0=-2, elo1=8).llr == pytest.approx(
        expected, rel=1e-4
    )


def test_bounds_and_decisions():
    clear = arena.sprt(wins=120, draws=200, losses=80, elo0=0, elo1=10)
    assert clear.llr > 0
    assert clear.lower == pytest.approx(math.log(0.05 / 0.95))
    assert clear.upper == -clear.lower
    assert clear.decision == "continue"
    assert str(clear) == f"LLR {clear.llr:.2f} [-2.94, 2.94], continue"
    assert sprt(wins=1200, draws=2000, losses=800, elo0=0, elo1=10).decision == "H1"
    assert sprt(wins=8000, draws=20000, losses=12000, elo0=0, elo1=10).decision == "H0"
    strict = sprt(wins=1, draws=1, losses=1, elo0=0, elo1=5, alpha=0.01, beta=0.1)
    assert (strict.lower, strict.upper) == (math.log(0.1 / 0.99), math.log(0.9 / 0.01))
    assert sprt(wins=0, draws=0, losses=0, elo0=0, elo1=10).llr == 0


def test_swapping_the_sides_turns_the_test_around():
    for model in ("normalized", "logistic"):
        one = sprt(pentanomial=(3, 20, 50, 28, 9), elo0=-4, elo1=12, model=model)
        other = sprt(pentanomial=(9, 28, 50, 20, 3), elo0=-12, elo1=4, model=model)
        assert other.llr == pytest.approx(-one.llr, rel=1e-6)


@pytest.mark.parametrize(("true", "wanted"), [(0.0, "H0"), (25.0, "H1")])
def test_errors_are_as_rare_as_promised(true, wanted):
    rng = np.random.default_rng(3)
    t = true * math.sqrt(2) * math.log(10) / 800
    chances = np.array([0.05, 0.2, 0.5, 0.2, 0.05])
    scores = np.linspace(0, 1, 5)
    for _ in range(50):  # tilt to the wanted normalised difference
        mean = chances @ scores
        away = mean - 0.5 - t * math.sqrt(chances @ (scores - mean) ** 2)
        chances = chances * np.exp(-8 * away * scores)
        chances /= chances.sum()
    right = 0
    test = Sprt(0.0, 25.0)
    for _ in range(60):
        counts = np.zeros(5, dtype=int)
        decision = "continue"
        while decision == "continue":
            counts += rng.multinomial(40, chances)
            decision = test.verdict(counts.tolist()).decision
        right += decision == wanted
    assert right / 60 > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 60)


def test_one_sided_and_extreme_results_have_a_finite_ratio():
    rng = np.random.default_rng(2)
    for _ in range(30):
        counts = rng.integers(0, 30, 5) * (rng.random(5) < 0.4)
        for model in ("normalized", "logistic"):
            for hypotheses in ((0, 5), (-200, 200), (100, 150)):
                assert math.isfinite(Sprt(*hypotheses, model=model).verdict(counts.tolist()).llr)


@pytest.mark.parametrize("elo", [-200.0, -30.0, 5.0, 200.0])
def test_the_likeliest_chances_have_the_difference_that_was_asked_for(elo):
    rng = np.random.default_rng(3)
    for size in (3, 5) * 8:
        seen, _, scores = seen_chances(rng.integers(0, 300, size) * (rng.random(size) < 0.5) + 0)
        games = math.sqrt((size - 1) / 2)
        chances = likeliest_by_deviations(elo, scores, seen, games)
        mean = chances @ scores
        t = (mean - 0.5) / math.sqrt(chances @ (scores - mean) ** 2)
        assert t / games * 800 / math.log(10) == pytest.approx(elo, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"elo0": 5, "elo1": 5}, "must be below"),
        ({"elo0": 0, "elo1": math.inf}, "finite"),
        ({"elo0": 0, "elo1": 250}, "up to 200"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.5}, "expected a number above 0, to below 0.5"),
        ({"elo0": 0, "elo1": 5, "model": "bayes"}, "expected 'normalized' or 'logistic'"),
        ({"elo0": 0, "elo1": 5, "losses": None}, "either wins, draws and losses"),
        ({"elo0": 0, "elo1": 5, "pentanomial": (1, 2, 3, 2, 1)}, "either wins, draws and losses"),
        ({"elo0": "0", "elo1": 5}, "elo0='0': expected a finite number"),
        ({"elo0": 0, "elo1": 5, "beta": math.nan}, "beta=nan"),
        ({"elo0": 0, "elo1": 5, "wins": -1}, "none of them negative"),
        ({"elo0": 0, "elo1": 5, "wins": 1.5}, "whole numbers"),
        ({"elo0": 0, "elo1": 5, "wins": "many"}, "whole numbers"),
        ({"elo0": 0, "elo1": 5, "wins": 10**400}, "whole numbers"),
        ({"elo0": 0, "elo1": 5, "wins": 10**13}, "up to 1,000,000,000 together"),
        ({"elo0": -1e9, "elo1": 1e9, "model": "logistic"}, "up to 4000"),
    ],
)
def test_impossible_tests_are_refused(arguments, said):
    with pytest.raises(InvalidConfig, match=said):
        sprt(**{"wins": 1, "draws": 1, "losses": 1, **arguments})


@pytest.mark.parametrize("counts", [(1, 2, 3), 3])
def test_pairs_need_five_counts(counts):
    with pytest.raises(InvalidConfig, match="five counts"):
        sprt(pentanomial=counts, elo0=0, elo1=5)
