"""The sweep with a player that takes no time: whole, interrupted, damaged, refused; once real."""

import dataclasses
import json

import pytest
from krk_fakes import SMALL, fake_play, played_by
from page_checker import check_page, check_run

from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.krk.config import KRK, PRESETS, KrkConfig
from phasezoo.experiments.krk.measurements import (
    cells_of,
    play_game,
    seed_of,
    tasks_of,
)
from phasezoo.experiments.krk.study import GAMES_FILE, play_sweep
from phasezoo.report.console import silent
from phasezoo.zoo.krk import readings

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

reproduce, resume, command_line = KRK.reproduce, KRK.resume, KRK.command_line


def numbers_of(out):
    found = json.loads((out / "results.json").read_text())
    return {k: v for k, v in found.items() if k not in ("command", "seconds", "provenance", "date")}


@pytest.fixture(scope="module")
@played_by(fake_play)
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, reproduce(SMALL, out)


def test_a_run_leaves_everything_it_promises(whole):
    out, results = whole

    def never(task, config):
        raise AssertionError

    with played_by(never):
        document, _ = check_run(KRK, out, results, journals=True)
    assert sum(one.games for one in results.variants.values()) == sum(cells_of(SMALL).values())
    # Seven figures, the share of games won, and the arg-mins of figure 4.7.
    assert len(document.figures) == 9
    figures = [number for number, _ in document.tables["claims"].rows]
    assert list(dict.fromkeys(figures)) == [f"4.{i}" for i in range(2, 9)]
    assert len(figures) == len(document.claims) == 15
    assert "Of the study’s 15 claims" in document.headline
    assert [row[1] for row in document.tables["games"].texts()] == ["96", "24", "24"]
    assert len(document.tables["settings of the search"].rows) == len(cells_of(SMALL))


def test_a_run_that_was_killed_equals_an_uninterrupted_one(whole, tmp_path):
    class KilledError(Exception):
        pass

    played = []

    def until_killed(task, config):
        played.append(task)
        if len(played) > 30:
            raise KilledError
        return fake_play(task, config)

    with pytest.raises(KilledError), played_by(until_killed):
        reproduce(SMALL, tmp_path / "run")
    log = tmp_path / "run" / GAMES_FILE
    kept = log.read_bytes()
    assert kept.count(b"\n") >= 28
    log.write_bytes(kept + b'{"cell":{"variant":"uct","con')  # killed while writing
    again = []

    def count(task, config):
        again.append(task)
        return fake_play(task, config)

    with played_by(count):
        resume(tmp_path / "run")
    assert log.read_bytes().startswith(kept)
    assert len(again) == sum(cells_of(SMALL).values()) - kept.count(b"\n")
    assert numbers_of(tmp_path / "run") == numbers_of(whole[0])


@played_by(fake_play)
def test_settings_that_were_changed_are_refused(tmp_path):
    out = tmp_path / "run"
    reproduce(SMALL, out)
    record = json.loads((out / "config.json").read_text())
    record["config"]["games"] += 1
    (out / "config.json").write_text(json.dumps(record))
    with pytest.raises(RunDirectoryError, match=r"settings were changed.*put them back"):
        resume(out)
    record["config"]["games"] -= 1
    (out / "config.json").write_text(json.dumps(record))
    resume(out)
    del record["config_sha256"]  # as runs of earlier versions
    (out / "config.json").write_text(json.dumps(record))
    resume(out)


@pytest.mark.parametrize("line", [b"{}\n", b"[]\n", b"nonsense\n"])
@played_by(fake_play)
def test_a_damaged_line_is_named(line, tmp_path):
    (tmp_path / "games.jsonl").write_bytes(line)
    with pytest.raises(RunDirectoryError, match="line 1 is damaged"):
        play_sweep(SMALL, tmp_path / "games.jsonl", silent())


@played_by(fake_play)
def test_games_of_another_run_are_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    play_sweep(SMALL, path, silent())
    with pytest.raises(RunDirectoryError, match=r"is of another run than config\.json"):
        play_sweep(dataclasses.replace(SMALL, seed=2), path, silent())
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[0]]))
    with pytest.raises(RunDirectoryError, match=rf"line {len(lines) + 1} .* remove that line"):
        play_sweep(SMALL, path, silent())


def test_games_interleave_cells_and_seeds_depend_on_cell_and_number_alone():
    tasks = list(tasks_of(SMALL))
    cells = list(cells_of(SMALL))
    assert [t.cell for t in tasks[: len(cells)]] == cells
    assert {t.number for t in tasks[: len(cells)]} == {0}
    assert len({t.seed for t in tasks}) == len(tasks)
    more = dataclasses.replace(SMALL, games=9, thresholds=(5, 10, 30, 100))
    seeds = {(t.cell, t.number): t.seed for t in tasks_of(more)}
    assert all(seeds[t.cell, t.number] == t.seed for t in tasks)
    assert seed_of(1, cells[0], 0) != seed_of(2, cells[0], 0)


def test_the_papers_size_is_the_studys():
    cells = cells_of(PRESETS["paper"])
    own = [games for cell, games in cells.items() if cell.variant == "uct"]
    assert len(own) == 13 * 10 * 2
    assert sum(own) == 26_000
    assert PRESETS["standard"].constants == readings.CONSTANTS


def test_a_real_sweep_of_a_few_games(tmp_path):
    config = KrkConfig(
        constants=(0.25, 5.0),
        thresholds=(5, 30),
        budgets=(40, 80),
        other_budgets=(40,),
        games=4,
        other_games=2,
        first_simulations=200,
        resamples=100,
        threads=2,
    )
    results = reproduce(config, tmp_path / "run")
    check_page((tmp_path / "run" / "report.html").read_text())
    own = results.variants["uct"]
    assert own.games == 32
    assert own.won > 0
    assert own.identities == own.won
    task = next(tasks_of(config))
    first, second = (dataclasses.replace(play_game(task, config), seconds=0) for _ in range(2))
    assert first == second
    assert sum(first.first.visits) > 150
