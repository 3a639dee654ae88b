"""The mean of several runs, of ``scripts/mean_of_runs.py``."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from mean_of_runs import estimates_of, mean_of
from scipy import stats

from phasezoo.arena import Interval
from phasezoo.arena.statistics.crossed_trainings import off_diagonal
from phasezoo.report import numbers

LAW = Path(__file__).parents[3] / "docs" / "results" / "law"


def test_equal_runs_weigh_alike():
    runs = [Interval(mean, mean - 30, mean + 30) for mean in (10, -20, 40, 2)]
    error = 30 / (1.12 * stats.t.ppf(0.975, 11))
    plain, meier = (mean_of(runs, [12] * 4, meier=meier) for meier in (False, True))
    assert (plain.value, meier.value) == pytest.approx((8, 8))
    assert plain.half_width == pytest.approx(1.12 * stats.t.ppf(0.975, 44) * error / 2)
    assert meier.half_width / plain.half_width == pytest.approx(math.sqrt(1 + 4 * 0.75 / 11))


def test_the_narrower_run_weighs_more():
    runs = [Interval(0, -10, 10), Interval(100, 80, 120)]
    assert mean_of(runs, [9, 9]).value == pytest.approx(20)


@pytest.mark.parametrize("spread", [0.0, 0.05])
def test_intervals_hold_the_mean(spread):
    random, sizes, held = np.random.default_rng(7), (8, 12, 12, 12), np.zeros(2)
    for _ in range(400):
        runs = []
        for size in sizes:
            effects = spread * random.normal(size=(2, size))
            games = random.normal(size=(size, size)) * 0.08
            mean, half = off_diagonal(effects[0][:, None] - effects[1] + games)
            runs.append(Interval(mean, mean - half, mean + half))
        for meier in (False, True):
            found = mean_of(runs, sizes, meier=meier)
            held[int(meier)] += found.low <= 0 <= found.high
    assert (held >= 0.9 * 400).all()


def test_the_page_has_what_the_script_says():
    kept = json.loads((LAW.parent / "law.json").read_text(encoding="utf-8"))["runs"]["more-mean"]
    runs = [LAW.parents[2] / folder for folder in kept["command"].split()[2:]]
    said = [[*map(numbers.elo_interval, each)] for each in estimates_of(runs).values()]
    assert all(row[1:] in said for row in kept["tables"]["mean"]["rows"])


def test_the_page_of_pommerman_has_the_mean_of_its_runs():
    pages = LAW.parents[1] / "studies"
    kept = json.loads((pages / "pommerman.json").read_text(encoding="utf-8"))["runs"]
    tables = kept["million-mean"]["tables"]
    runs = [
        json.loads((pages / "pommerman" / f"million-{seed}" / "results.json").read_text("utf-8"))
        for seed in (1, 2, 3)
    ]

    def of_runs(field, tell):
        return np.array([[tell(row) for row in run[field]] for run in runs])

    won = of_runs("records", lambda row: 100 * row["won"] / row["games"])
    total = of_runs("losses", lambda row: 0.99 * row["policy"] + 0.01 * row["value"])
    for table, values, slack in (("games", won, 0.051), ("losses", total, 0.00051)):
        for number, row in enumerate(tables[table]["rows"]):
            for shown, other in ((row[-2], 0), (row[-1], 4)):
                if shown is None:
                    continue
                shown = shown["bold"] if isinstance(shown, dict) else shown
                gaps = values[:, number] - values[:, other]
                half = stats.t.ppf(0.975, 2) * gaps.std(ddof=1) / math.sqrt(3)
                expected = (gaps.mean(), gaps.mean() - half, gaps.mean() + half)
                assert shown == pytest.approx(expected, abs=slack), (table, row[0])
