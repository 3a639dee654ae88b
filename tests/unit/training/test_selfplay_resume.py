"""A run of self-play that is killed comes to the same as one that is not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import selfplay_runs
from selfplay_runs import RUNS, left_behind, run

from phasezoo import games, training
from phasezoo.errors import CheckpointError, RunDirectoryError
from phasezoo.training.selfplay.config import Watching
from phasezoo.training.selfplay.shards import Shards


@pytest.mark.slow
def test_killed_at_random_turns(tmp_path: Path) -> None:
    command = [sys.executable, selfplay_runs.__file__, str(tmp_path), "3", "4"]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # threads of OpenMP hang in forked processes
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=280, env=alone
    )
    assert done.returncode == 0, done.stderr
    kills = [line.split() for line in done.stdout.splitlines()]
    assert len(kills) == 4 * len(RUNS)
    for kind in RUNS:
        run(tmp_path / "whole" / kind, kind)
        assert left_behind(tmp_path / kind) == left_behind(tmp_path / "whole" / kind)
        assert (tmp_path / kind / "unfinished.jsonl").read_bytes() == b""
        rows = (tmp_path / kind / "metrics.csv").read_text().splitlines()
        assert [row.split(",")[0] for row in rows] == ["update", "1", "2", "3"]
        assert sum(int(n) > 0 for name, n in kills if name == kind) > 2  # in the middle


@pytest.mark.slow
def test_an_ended_run_is_opened_and_a_longer_one_goes_on(tmp_path: Path) -> None:
    first = run(tmp_path / "run", "promoted", updates=2)
    again = run(tmp_path / "run", "promoted", updates=2, concurrency=9)
    assert again.updates == first.updates
    longer = run(tmp_path / "run", "promoted", updates=3)
    assert len(longer.updates) == 3
    run(tmp_path / "whole", "promoted")
    assert left_behind(tmp_path / "run") == left_behind(tmp_path / "whole")


@pytest.mark.slow
def test_what_a_killed_process_had_begun_to_write_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(out, "promoted", updates=1)
    for name in (".00002.999999999.partial", "00001/networks/.expert.999999999.partial"):
        (out / "versions" / name).mkdir(parents=True)
        (out / "versions" / name / "model.safetensors").write_bytes(b"half")
    run(out, "promoted", updates=2)
    run(tmp_path / "whole", "promoted", updates=2)
    assert left_behind(out) == left_behind(tmp_path / "whole")


def test_games_that_had_ended_are_not_played_again(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(event: Any) -> None:
        if event.done == 5:
            raise Stop

    with pytest.raises(Stop):
        run(tmp_path / "run", "promoted", progress=stop)
    seen: list[Any] = []
    run(tmp_path / "run", "promoted", updates=1, progress=seen.append)
    assert [event.done for event in seen if event.doing == "playing"] == [5, 6, 7]


def test_a_damaged_file_is_named_skipped_and_counted(tmp_path: Path) -> None:
    run(tmp_path / "run", "promoted", updates=2)
    broken = sorted((tmp_path / "run" / "games").glob("*.parquet"))[1]
    broken.write_bytes(broken.read_bytes()[:100])
    with pytest.warns(UserWarning, match=broken.name):
        outcome = run(tmp_path / "run", "promoted", updates=3)
    assert outcome.updates[-1].numbers["replay/skipped_files"] == 1
    assert not list((tmp_path / "run" / "games").glob("*.partial"))


@pytest.mark.slow
def test_files_of_games_that_are_gone_are_named_and_counted(tmp_path: Path) -> None:
    run(tmp_path / "run", "promoted", updates=2)
    gone = tmp_path / "run" / "games" / "games-000000006-000000006.parquet"
    gone.unlink()
    for updates in (3, 4):  # whenever it goes on
        with pytest.warns(UserWarning, match=rf"1 files of games .*gone: {gone.name}\."):
            outcome = run(tmp_path / "run", "promoted", updates=updates)
        assert outcome.updates[-1].numbers["replay/skipped_files"] == 1
    shutil.rmtree(gone.parent)
    with pytest.warns(UserWarning, match="12 files of games .* and 7 more"):
        run(tmp_path / "run", "promoted", updates=4)


def test_every_file_of_ended_rounds_is_looked_for(tmp_path: Path) -> None:
    game = games.make("connect-four")
    for size, per_round in ((3, 7), (7, 7), (5, 3), (1, 2)):
        shards = Shards(tmp_path / f"{size}" / "games", game, size, per_round)
        names = shards.lost(3 * per_round)
        spans = [tuple(map(int, Path(name).stem.split("-")[1:])) for name in names]
        told = [number for low, high in spans for number in range(low, high + 1)]
        assert told == list(range(3 * per_round))
        assert max(high - low for low, high in spans) < size


def test_versions_that_are_gone_are_named_or_end_the_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    ladder = {"watching": Watching(probe_every=0, ladder_every=1, ladder_games=2, report=False)}
    best = run(out, "promoted", updates=2, **ladder).best
    spare = next(version for version in (0, 1, 2) if version != best)
    shutil.rmtree(out / "versions" / f"{spare:05}")
    with pytest.warns(UserWarning, match=rf"of 3 versions 1 are gone: {spare:05}\."):
        outcome = run(out, "promoted", updates=3, **ladder)
    assert len(outcome.updates) == 3
    shutil.rmtree(outcome.version())
    with pytest.raises(CheckpointError, match=rf"{outcome.version().name}: the version that plays"):
        run(out, "promoted", updates=4, **ladder)


def test_other_runs_and_changed_files_are_refused(tmp_path: Path) -> None:
    run(tmp_path / "run", "promoted", updates=1)
    for changes in ({"nodes": 7}, {"seed": 6}, {"starts": ("initial",)}, {"network": "mlp-24x1"}):
        with pytest.raises(RunDirectoryError, match="another training"):
            run(tmp_path / "run", "promoted", **changes)
    checkpoint = next((tmp_path / "run" / "learners" / "all").iterdir())
    for file in checkpoint.iterdir():
        file.unlink()
    checkpoint.rmdir()
    with pytest.raises(CheckpointError, match="after 0 rounds"):
        run(tmp_path / "run", "promoted", updates=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    with pytest.raises(RunDirectoryError, match=r"mine\.txt"):
        run(tmp_path / "other", "promoted")


def test_outcomes_open_their_versions(tmp_path: Path) -> None:
    outcome = run(tmp_path / "run", "experts", updates=1)
    assert isinstance(outcome, training.SelfPlayOutcome)
    assert outcome.version().name == "00001"
    mixture = outcome.evaluator(backend="torch")
    assert [expert.manifest.phase for expert in mixture.experts] == ["up to 8", "over 8"]
    assert len(outcome.store()) == 7
    assert "1 updates, 7 games" in outcome.describe()
