"""A training that is killed, by whatever and wherever, goes on to the same numbers, bit for bit."""

from pathlib import Path
from typing import Any

import pytest
from training_runs import ARGUMENTS, numbers, train, train_and_die

from phasezoo import inference
from phasezoo.errors import CheckpointError
from phasezoo.training.metrics import read_metrics


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("uninterrupted") / "run"
    train(out)
    return out


# File 1 is config.json, 2 metrics.csv; then the three files of each checkpoint; then the result.
@pytest.mark.parametrize(
    ("how", "when"),
    [("update", 17), ("file", 4), ("file", 11), ("file", 18)],
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


def test_killed_twice_and_after_a_spike(tmp_path: Path) -> None:
    # A learning rate this high makes the loss jump, so recovery and its counters are resumed too.
    wild: dict[str, Any] = {"max_lr": 30.0, "spike_factor": 1.01, "evaluate_every": 3}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = train(whole, **wild)
    assert result.spikes > 0
    train_and_die(parts, "update", 11, **wild)
    train_and_die(parts, "update", 20, **wild)
    train(parts, **wild)
    assert numbers(parts) == numbers(whole)


def test_an_interrupted_training_keeps_its_checkpoints(tmp_path: Path) -> None:
    def interrupt(event: Any) -> None:
        if event.update == 13:
            raise KeyboardInterrupt

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


def test_where_it_runs_may_change(tmp_path: Path, uninterrupted: Path) -> None:
    out = tmp_path / "run"
    train_and_die(out, "update", 8)
    train(out, threads=None, tensorboard=True)
    assert numbers(out)[0] == numbers(uninterrupted)[0]


def test_batches_made_ahead_do_not_matter(tmp_path: Path, uninterrupted: Path) -> None:
    import time

    out = tmp_path / "run"
    train(out, progress=lambda event: time.sleep(0.02) if event.update % 5 == 0 else None)
    assert numbers(out) == numbers(uninterrupted)
