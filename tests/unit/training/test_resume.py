"""A training that is killed, by whatever and wherever, goes on to the same numbers, bit for bit."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch
from training_runs import ARGUMENTS, numbers, train, train_and_die

from phasezoo import _core, inference
from phasezoo.errors import CheckpointError, RunDirectoryError
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.training.checkpoint import Checkpoints
from phasezoo.training.metrics import read_metrics
from phasezoo.training.trainer import torch_threads


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("uninterrupted") / "run"
    train(out)
    return out


# File 1 is config.json, 2 metrics.csv; then the three files of each checkpoint; then the result.
@pytest.mark.parametrize(
    ("how", "when"),
    [
        ("update", 17),
        pytest.param("file", 4, marks=pytest.mark.slow),
        pytest.param("file", 11, marks=pytest.mark.slow),
        pytest.param("file", 18, marks=pytest.mark.slow),
    ],
)
def test_killed_and_resumed_is_uninterrupted(
    uninterrupted: Path, tmp_path: Path, how: str, when: int
) -> None:
    out = tmp_path / "run"
    train_and_die(out, how, when)
    assert not (out / "manifest.json").exists()
    train(out)
    assert numbers(out) == numbers(uninterrupted)
    assert not list(out.rglob("*.partial"))


@pytest.mark.slow
def test_killed_twice_and_after_a_spike(tmp_path: Path) -> None:
    # A learning rate this high makes the loss jump, so recovery and its counters are resumed too:
    # 6 or 7 spikes in each of seven seeds, the least to a thousand billion times the loss.
    wild: dict[str, Any] = {"max_lr": 30.0, "spike_factor": 1.01, "evaluate_every": 3}
    wild |= {"gate": "lichess", "watched_positions": 16}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = train(whole, **wild)
    assert result.spikes > 0
    train_and_die(parts, "update", 11, **wild)
    train_and_die(parts, "update", 20, **wild)
    train(parts, **wild)
    assert numbers(parts) == numbers(whole)


def interrupt(event: Any) -> None:
    if event.update == 13:
        raise KeyboardInterrupt


def test_an_interrupted_training_keeps_its_checkpoints(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(out, progress=interrupt)
    kept = sorted(path.name for path in (out / "checkpoints").iterdir())
    assert kept[-1] == "update-000000012"
    assert len(kept) <= 2
    with pytest.raises(CheckpointError, match="has not finished"):
        inference.load(out)


def test_a_finished_training_is_not_done_again(uninterrupted: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in uninterrupted.rglob("*")}
    result = train(uninterrupted, progress=lambda _: pytest.fail("it trained"))
    assert result.updates == 24
    assert result.positions == ARGUMENTS["positions"]
    assert result.history == tuple(read_metrics(uninterrupted))
    assert {path: path.stat().st_mtime_ns for path in uninterrupted.rglob("*")} == before


@pytest.mark.slow
def test_where_it_runs_may_change(tmp_path: Path, uninterrupted: Path) -> None:
    out = tmp_path / "run"
    train_and_die(out, "update", 8)
    train(out, tensorboard=True)
    assert numbers(out)[0] == numbers(uninterrupted)[0]


@pytest.mark.slow
def test_so_may_the_threads_though_the_last_bits_depend_on_them(
    tmp_path: Path, uninterrupted: Path
) -> None:
    out = tmp_path / "run"
    train_and_die(out, "update", 8)
    losses = train(out, threads=2).metrics, train(uninterrupted).metrics
    assert losses[0]["loss"] == pytest.approx(losses[1]["loss"], rel=0.05)


@pytest.mark.parametrize("name", ["model.safetensors", "manifest.json"])
def test_a_finished_training_with_a_truncated_file_is_not_passed_over(
    tmp_path: Path, name: str
) -> None:
    out = tmp_path / "run"
    train(out, positions=16)
    whole = (out / name).read_bytes()
    (out / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckpointError, match=rf"{name}: .*cut off"):
        train(out, positions=16)
    (out / name).write_bytes(whole)
    assert train(out, positions=16).updates == 1


def test_files_of_another_training_are_refused(tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("first", "second"))
    train(first, positions=16)
    train(second, positions=16, seed=4)
    for name in ("manifest.json", "model.safetensors"):
        shutil.copy(second / name, first / name)
    with pytest.raises(RunDirectoryError, match=r"manifest.json: holds .* seed 3 \(there 4\)"):
        train(first, positions=16)


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("first", "second"))
    for out, seed in ((first, 3), (second, 4)):
        with pytest.raises(KeyboardInterrupt):
            train(out, seed=seed, progress=interrupt)
    shutil.rmtree(first / "checkpoints")
    shutil.copytree(second / "checkpoints", first / "checkpoints")
    with pytest.raises(RunDirectoryError, match=r"update-000000012: holds .* seed 3 \(there 4\)"):
        train(first)


@pytest.mark.parametrize(
    "change",
    [
        {"metrics": {}},
        {"metrics": {"loss": "x"}},
        {"positions": None},
        {"seconds": "x"},
        {"best_update": {}},
        {"stopped_early": 3},
    ],
)
def test_a_result_that_was_changed_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    out = tmp_path / "run"
    train(out, positions=16)
    record = json.loads((out / "manifest.json").read_text())
    record["training"] |= change
    (out / "manifest.json").write_text(json.dumps(record))
    with pytest.raises(CheckpointError, match=r"manifest.json: says nothing of a training"):
        train(out, positions=16)


@pytest.mark.slow
def test_two_processes_at_one_directory_are_kept_apart(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from training_runs import train\n"
        "def wait(event):\n"
        "    print('training', flush=True); sys.stdin.readline()\n"
        "train(Path(sys.argv[1]), positions=16, progress=wait)"
    )
    out = tmp_path / "run"
    command = [sys.executable, "-c", code, str(out)]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, env=paths) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "training\n"
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        with pytest.raises(RunDirectoryError, match="another process is working"):
            train(out, positions=16)
        assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
        other.communicate("go on\n")
    assert other.returncode == 0
    assert train(out, positions=16, progress=lambda _: pytest.fail("it trained")).updates == 1


def test_the_record_says_what_the_training_was_made_with(uninterrupted: Path) -> None:
    record = json.loads((uninterrupted / "config.json").read_text())
    assert record["kind"] == "supervised training"
    assert record["config"]["max_lr"] == ARGUMENTS["max_lr"]
    assert record["config"]["threads"] == record["provenance"]["threads"] == 1
    assert record["seeds"]["training"] == ARGUMENTS["seed"]
    assert set(record["seeds"]) == {"training", "weights", "batches"}
    assert record["provenance"]["packages"]["torch"] == version("torch")
    assert "Chess-v0" in record["provenance"]["environments"]
    assert record["provenance"]["processor"]


def test_by_default_torch_takes_the_threads_that_the_core_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_core, "default_threads", lambda: 3)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    before = torch.get_num_threads()
    with torch_threads(None):
        assert torch.get_num_threads() == 3
    with torch_threads(2):
        assert torch.get_num_threads() == 2
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("asked", "expected"), [("1", 1), ("2,4", 2), ("8", 3), ("0", 3), ("", 3), ("many", 3)]
)
def test_by_default_torch_takes_no_more_threads_than_openmp_is_told(
    monkeypatch: pytest.MonkeyPatch, asked: str, expected: int
) -> None:
    monkeypatch.setattr(_core, "default_threads", lambda: 3)
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    monkeypatch.delenv("PHASEZOO_THREADS", raising=False)
    with torch_threads(None):
        assert torch.get_num_threads() == expected
    with torch_threads(2):
        assert torch.get_num_threads() == 2
    monkeypatch.setenv("PHASEZOO_THREADS", "3")  # says it of this package alone, and so decides
    with torch_threads(None):
        assert torch.get_num_threads() == 3


def test_batches_made_ahead_do_not_matter(tmp_path: Path, uninterrupted: Path) -> None:
    import time

    out = tmp_path / "run"
    train(out, progress=lambda event: time.sleep(0.02) if event.update % 5 == 0 else None)
    assert numbers(out) == numbers(uninterrupted)


def test_a_checkpoint_put_aside_by_a_killed_process_is_found(
    uninterrupted: Path, tmp_path: Path
) -> None:
    """A process of that number cannot run: it is greater than any system's."""
    shutil.copytree(uninterrupted, tmp_path / ".update-000000005.999999999.old")
    found = Checkpoints(tmp_path, Manifest.read(uninterrupted)).latest()
    assert found == tmp_path / "update-000000005"
    assert list(tmp_path.iterdir()) == [found]
