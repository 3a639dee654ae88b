"""Recorded games of the original Pommerman, replayed through the package without a difference.

The core's own tests replay every file; here the script that checks recordings goes through
those with one kind of record each, and notices recordings that were tampered with.
"""

import gzip
import json
import subprocess
import sys

import pytest

FILES = [
    "ovo_random",
    "ovo_simple",
    "radio_random_obs",
    "ffa_random",
    "team_random",
    "ffa_collapse",
    "micro_collapse",
    "micro_rare",
]


def replay(repository, *paths):
    command = [sys.executable, repository / "scripts" / "replay_pommerman.py", *paths]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.parametrize("name", FILES)
def test_a_recording_replays(repository, shared_dir, name):
    done = replay(repository, shared_dir / "pommerman" / f"{name}.jsonl.gz")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("0 differences") == 1


@pytest.mark.slow
def test_every_recording_replays(repository, shared_dir):
    paths = sorted((shared_dir / "pommerman").glob("*.jsonl.gz"))
    done = replay(repository, *paths)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 differences") == len(paths)


def test_a_difference_is_shown(repository, shared_dir, tmp_path):
    with gzip.open(shared_dir / "pommerman" / "ovo_random.jsonl.gz", "rt") as file:
        records = [json.loads(line) for line in file][:20]
    step = next(record for record in records if record["t"] == "step" and record["i"] == 3)
    step["ag"][0][2] += 1
    path = tmp_path / "tampered.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    done = replay(repository, path)
    assert done.returncode == 1
    assert "step 3, ag" in done.stdout


def test_a_file_that_is_no_recording_is_an_error(repository, tmp_path):
    path = tmp_path / "text.jsonl"
    path.write_text("no json")
    assert replay(repository, path).returncode == 2
    assert replay(repository, tmp_path / "missing").returncode == 2
    assert replay(repository).returncode == 2
