"""C and T in positions of Connect Four: what is searched, how it is judged, what is refused."""

import dataclasses

import numpy as np
import pytest
from krk_fakes import fake_play, played_by
from page_checker import check_page

from phasezoo import games
from phasezoo.errors import InvalidConfig, MissingDependency, RunDirectoryError
from phasezoo.experiments.krk import claims, config as settings, estimates
from phasezoo.experiments.krk.config import KRK, KrkConfig
from phasezoo.experiments.krk.measurements import (
    MOST_MOVES,
    OTHER_GAME,
    PositionRow,
    settings_of,
    starts,
)
from phasezoo.experiments.krk.report import report
from phasezoo.experiments.krk.study import judge_positions
from phasezoo.report.console import silent

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

LITTLE = KrkConfig(
    variants=("uct",), constants=(0.25, 1.0, 50.0), thresholds=(5, 30), budgets=(20,),
    other_budgets=(20,), games=4, first_simulations=50, resamples=200, threads=2, positions=8,
    position_budgets=(20, 60),
)  # fmt: skip


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    pytest.importorskip("bitbully", reason="the solver needs the extra 'solve'")
    path = tmp_path_factory.mktemp("positions") / "positions.jsonl"
    return path, judge_positions(LITTLE, path, silent(), 2)


def test_every_setting_is_judged_in_the_same_positions(judged):
    _, rows = judged
    assert [row.setting for row in rows] == list(settings_of(LITTLE))
    assert len(rows) == 3 * 2 * 2
    assert {len(row.lost) for row in rows} == {8}
    assert {lost for row in rows for lost in row.lost} <= {0.0, 0.5, 1.0}
    states = starts(LITTLE).states
    assert len({state.key for state in states}) == 8
    assert max(len(state.legal_actions) for state in states) <= MOST_MOVES
    assert len(games.make(OTHER_GAME).initial_state().legal_actions) == MOST_MOVES


def test_a_log_goes_on_where_it_ended_and_threads_change_nothing(judged, tmp_path):
    path, rows = judged
    lines = path.read_text().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_text("".join(lines[:5]) + lines[5][:40])
    again = judge_positions(LITTLE, part, silent(), 1)
    assert [(r.setting, r.lost) for r in again] == [(r.setting, r.lost) for r in rows]
    for other in ({"seed": 2}, {"positions": 7}, {"constants": (1.0,)}):
        with pytest.raises(RunDirectoryError, match="of another run"):
            judge_positions(dataclasses.replace(LITTLE, **other), path, silent(), 1)
    path.write_text("".join([*lines, lines[0]]))
    with pytest.raises(RunDirectoryError, match="twice"):
        judge_positions(LITTLE, path, silent(), 1)
    path.write_text("".join(lines))


def test_curves_find_the_settings_that_lose_least():
    config = dataclasses.replace(
        LITTLE, constants=(1.0, 5.0, 50.0), thresholds=(5, 10, 30, 300), positions=400,
        position_budgets=(300, 3000),
    )  # fmt: skip
    rng = np.random.default_rng(2)

    def row(setting):
        best = 1.0 if setting.budget == 300 else 50.0
        chance = 0.1 + 0.3 * (setting.constant != best) + 0.2 * (setting.threshold != 10)
        lost = rng.choice([0.5, 1.0], 400) * (rng.random(400) < chance)
        return PositionRow(setting, 1, lost.tolist(), 0.1)

    rows = [row(setting) for setting in settings_of(config)]
    found = estimates.elsewhere(rows, config)
    figure = claims.elsewhere(found, config)
    assert [claim.judgement for claim in figure.claims] == ["agrees", "agrees"]
    assert not any(claim.counted for claim in figure.claims)
    told = {one.name: one.contenders for one in figure.choices}
    assert told["300 simulations"] == [1.0]
    assert told["3,000 simulations"] == [50.0]
    assert all(told[f"C = {c:g}"] == [10.0] for c in config.constants)
    by_constant = figure.panels[0].curves[0].found
    own = [r for r in rows if r.setting.budget == 300 and r.setting.constant == 5.0]
    assert by_constant.each[1].value == pytest.approx(np.mean([r.lost for r in own]))
    # Positions are drawn for all settings together: a constant more for each leaves where it is.
    shifted = [dataclasses.replace(r, lost=[x + 1 for x in r.lost]) for r in rows]
    moved = estimates.elsewhere(shifted, config)
    assert [one.shares for one in (*moved.by_constant, *moved.by_threshold)] == [
        pytest.approx(one.shares) for one in (*found.by_constant, *found.by_threshold)
    ]


@played_by(fake_play)
def test_the_report_tells_of_them(judged, tmp_path):
    results = KRK.reproduce(LITTLE, tmp_path / "run")
    assert results.elsewhere.positions == 8
    words, _ = check_page((tmp_path / "run" / "report.html").read_text())
    assert "C and T in Connect Four" in words
    assert "each of 8 positions of Connect Four" in words
    alone = dataclasses.replace(LITTLE, positions=0, position_budgets=KrkConfig.position_budgets)
    without = KRK.reproduce(alone, tmp_path / "alone")
    assert (without.elsewhere, without.curves) == (None, results.curves)
    # The study's claims alone are counted.
    assert report(results).judgements == report(without).judgements
    assert len(report(results).claims) == len(report(without).claims) + 2


@played_by(fake_play)
def test_without_the_solver_nothing_begins(monkeypatch, tmp_path):
    monkeypatch.setattr(settings.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"--positions 8 .*solver .*\[solve\]"):
        KRK.reproduce(LITTLE, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"positions": -1},
        {"positions": 10**12},
        {"position_budgets": (0,)},
        {"position_budgets": (60, 20)},
    ],
)
def test_sizes_are_checked(wrong):
    with pytest.raises(InvalidConfig, match="position"):
        dataclasses.replace(LITTLE, **wrong).validate()
