"""The curve over sizes: where it crosses, and a run of seconds from end to end."""

import dataclasses
import json
import math
import types

import numpy as np
import pytest
from page_checker import check_run
from test_m2cts_games import TINY, few

from phasezoo.apps import cli
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.catalogue import CURVES, GAMES
from phasezoo.experiments.study import Study
from phasezoo.experiments.two_player import curve as report
from phasezoo.experiments.two_player.config import CurveConfig
from phasezoo.experiments.two_player.curve import Curve, CurveRun, Point, crossing, place
from phasezoo.report.console import silent
from phasezoo.training.resampling import between_trainings

SIZES = (100, 1000, 10_000)
STUDY = CURVES["connect-four"]


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ((1.0, 1.0, -1.0), math.sqrt(1e3 * 1e4)),
        ((1.0, -1.0, -2.0), math.sqrt(1e2 * 1e3)),
        ((3.0, -1.0, -2.0), 100 * 10**0.75),
        ((2.0, 1.0, 0.0), 10_000.0),
        ((2.0, 0.0, -1.0), 1000.0),
        ((-1.0, 1.0, -1.0), math.sqrt(1e3 * 1e4)),  # only the last crossing is for good
        ((1.0, -1.0, 1.0), math.inf),
        ((2.0, 1.5, 0.1), math.inf),
        ((0.0, -1.0, -2.0), -math.inf),
        ((-1.0, -1.0, -2.0), -math.inf),
        ((math.inf, math.inf, -1.0), 10_000.0),
        ((1.0, -math.inf, -1.0), 100.0),
    ],
)
def test_a_curve_crosses_where_it_stays_below_zero(heights, expected) -> None:
    assert place(SIZES, heights) == pytest.approx(expected)


def test_it_is_where_the_straight_line_over_the_logarithm_is_zero() -> None:
    sizes = (10, 20, 50, 80, 300)
    for row in np.random.default_rng(0).normal(size=(100, 5)):
        found = place(sizes, row.tolist())
        if not math.isfinite(found):
            assert (row[-1] > 0) if found > 0 else (row <= 0).all()
            continue
        assert np.interp(math.log(found), np.log(sizes), row) == pytest.approx(0, abs=1e-12)
        # Nowhere after it is the curve above zero.
        after = np.linspace(math.log(found), math.log(sizes[-1]), 50)[1:]
        assert (np.interp(after, np.log(sizes), row) <= 1e-12).all()


def test_the_band_holds_zero_between_the_ends_and_covers() -> None:
    rng = np.random.default_rng(1)
    truth, covered, runs = math.sqrt(1e3 * 1e4), 0, 400
    for _ in range(runs):
        drawn = np.array([2.0, 1.0, -1.0])[:, None] + rng.normal(scale=0.5, size=(3, 4))
        mean, half = drawn.mean(axis=1), np.array([between_trainings(row) for row in drawn])
        found = crossing(
            SIZES, [Interval(m, m - h, m + h) for m, h in zip(mean, half, strict=True)]
        )
        assert found.low <= found.value <= found.high
        covered += found.low <= truth <= found.high
    assert covered / runs > 0.9


def test_two_trainings_that_agree_by_chance_settle_nothing() -> None:
    # Above zero in both, and in no draw of them below; yet their intervals hold zero.
    wide = [Interval(0.01, -0.02, 0.04), Interval(0.5, -0.7, 1.8), Interval(0.6, -0.8, 2.0)]
    found = crossing(SIZES, wide)
    assert (found.value, found.low, found.high) == (math.inf, -math.inf, math.inf)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curve")
    preset = STUDY.default
    config = dataclasses.replace(
        preset,
        games=few("connect-four", folder),
        gate="plies:14",
        **TINY
        | {"exact_positions": 20, "searched_positions": 0, "trainings": 2, "sizes": (1000, 1500)},
    )
    return folder / "run", STUDY.reproduce(config, folder / "run"), config


@pytest.mark.slow
def test_a_run_puts_the_comparisons_at_all_sizes_together(whole) -> None:
    out, results, config = whole
    document, _ = check_run(STUDY, out, results)
    assert [curve.name for curve in results.curves] == [
        "phase mixture",
        "placebo mixture",
    ]
    for size in (1000, 1500):
        one = json.loads((out / f"sizes/{size}/results.json").read_text())
        assert one["config"]["positions"] == size
        for curve in results.curves:
            point = next(p for p in curve.points if p.positions == size)
            row = next(r for r in one["variants"] if r["name"] == curve.name)
            entry = next(e for e in one["losses"]["entries"] if e["name"] == curve.name)
            assert point.loss.value == pytest.approx(row["loss"]["value"])
            assert point.loss.value == pytest.approx(entry["differences"]["all"]["total"]["value"])
            assert (point.elo is None) == (row["matches"] is None)
            judged = next(r for r in one["exact"]["rows"] if r["name"] == curve.name)
            assert point.exact.keys() == judged["differences"].keys()
    assert list(document.tables)[:3] == ["level", "curves", "exact"]
    frame = document.tables["curves"].to_frame()
    losses = [point.loss.value for curve in results.curves for point in curve.points]
    assert list(frame["loss − one network"]) == losses
    # The same command again finds everything done.
    before = (out / "sizes/1000/journal.jsonl").read_text()
    assert STUDY.reproduce(config, out) == results
    assert (out / "sizes/1000/journal.jsonl").read_text() == before


@pytest.mark.parametrize("elos", [(-math.inf, -math.inf), (-math.inf, -100.0)])
def test_a_size_at_which_all_games_were_lost_has_no_point(elos) -> None:
    points = [
        Point(size, Interval(1.0, 0.5, 1.5), Interval(elo, -math.inf, 0.0), {})
        for size, elo in zip((1000, 2000), elos, strict=True)
    ]
    curve = Curve("phase mixture", "plies:14", "separated", points, None, None)
    found = {
        figure.name: figure
        for figure in report.figures_of(types.SimpleNamespace(config=STUDY.default, curves=[curve]))
    }
    assert "curve-loss" in found
    assert ("curve-elo" not in found) == (elos[1] == -math.inf)
    if "curve-elo" in found:
        assert "at 2,000 −100" in found["curve-elo"].words
        assert "at 1,000" not in found["curve-elo"].words


def test_sizes_know_the_modules_of_the_whole(tmp_path, monkeypatch) -> None:
    asked = []

    def reproduce(study, config, out, console, prepared):
        asked.append((study.plugins, config.positions, prepared.config))

    monkeypatch.setattr(Study, "reproduce", reproduce)
    run = object.__new__(CurveRun)
    run.study = dataclasses.replace(STUDY, plugins=("my_gate.py",))
    run.config, run.path, run.console = STUDY.default, tmp_path, silent()

    @dataclasses.dataclass
    class Games:
        config: object = None

    run.prepared = Games()
    run._compare(10_000)
    ((plugins, positions, config),) = asked
    assert plugins == ("my_gate.py",)
    assert positions == config.positions == 10_000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "pommerman"], "--game pommerman: --curve is for chess"),
        (["--game", "no-such-game"], "no-such-game"),
        (
            ["--game", "krk", "--preset", "gpu"],
            "--preset gpu: expected quick or standard or law or paper here",
        ),
        (["--games", "no-such-file.parquet"], "no-such-file"),
        (["--game", "krk", "--network", "mixer-8x1", "--arms", "heads"], "phase_heads is for"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_written(
    words, said, tmp_path, capsys
) -> None:
    out = tmp_path / "run"
    assert cli.main(["reproduce", "m2cts", "--curve", *words, "--out", str(out)]) != 0
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
    assert not out.exists()


def test_every_game_of_stored_games_has_the_curve() -> None:
    assert "pommerman" not in CURVES
    for name, study in CURVES.items():
        comparison = GAMES[name]
        for config in study.presets.values():
            assert isinstance(config, CurveConfig)
            config.validate()
            for size in config.sizes:
                comparison._check(config.at(size, comparison.presets))
