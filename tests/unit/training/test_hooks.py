"""Callbacks and loggers: told in order, allowed to stop a training, never a reason to lose it."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest
from training_runs import numbers, train

from phasezoo.errors import MissingDependency
from phasezoo.training import Callback, TrainingStart
from phasezoo.training.loggers import LoggedRun, WandbLogger


class Listener(Callback):
    """Remembers what it is told; may stop at an update."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.told: list[tuple[str, Any]] = []
        self.stop_at = stop_at

    def start(self, training: TrainingStart) -> None:
        self.told.append(("start", training))

    def update(self, progress: Any) -> None:
        self.told.append(("update", progress))
        if progress.update == self.stop_at:
            message = "enough for today"
            raise RuntimeError(message)

    def evaluation(self, row: Any) -> None:
        self.told.append(("evaluation", row))

    def end(self, result: Any) -> None:
        self.told.append(("end", result))

    def names(self) -> list[str]:
        return [name for name, _ in self.told]


class Rows:
    """A logger that keeps the rows."""

    def __init__(self) -> None:
        self.run: LoggedRun | None = None
        self.rows: list[Any] = []
        self.closed = 0

    def start(self, run: LoggedRun) -> None:
        self.run = run

    def add(self, row: Any) -> None:
        self.rows.append(row)

    def close(self) -> None:
        self.closed += 1


def test_callbacks_are_told_in_order(tmp_path: Path) -> None:
    listener, second = Listener(), Listener()
    result = train(tmp_path / "run", callbacks=[listener, second])
    assert listener.names() == second.names()
    assert listener.names()[:3] == ["start", "evaluation", "update"]
    assert listener.names()[-3:] == ["evaluation", "update", "end"]
    assert listener.names().count("update") == 24
    rows = [what for name, what in listener.told if name == "evaluation"]
    losses = [row["validation/loss"] for row in rows]
    assert losses == [r["validation/loss"] for r in result.history if r["validation/loss"]]
    start, end = listener.told[0][1], listener.told[-1][1]
    assert (start.update, start.updates, start.out) == (0, 24, tmp_path / "run")
    assert sum(p.numel() for p in start.network.parameters()) == result.parameters
    assert start.identity["network"] == "rise-8x1"
    assert end == result


def test_a_callback_may_end_a_training_that_goes_on_later(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(whole)
    first, second, third = Listener(stop_at=15), Listener(), Listener()
    with pytest.raises(RuntimeError, match="enough for today"):
        train(parts, callbacks=[first])
    train(parts, callbacks=[second])
    assert second.told[0][1].update == 12
    assert second.names().count("update") == 12
    assert numbers(parts) == numbers(whole)
    train(parts, callbacks=[third])
    assert third.told == []


def test_loggers_take_every_row(tmp_path: Path) -> None:
    rows = Rows()
    result = train(tmp_path / "run", loggers=[rows])
    assert rows.run is not None
    assert rows.run.out == tmp_path / "run"
    assert len(rows.rows) == len(result.history)
    assert [row["update"] for row in rows.rows] == [row["update"] for row in result.history]
    assert rows.closed == 1


def test_loggers_are_closed_whatever_happens_and_see_what_was_before(tmp_path: Path) -> None:
    first, second = Rows(), Rows()
    with pytest.raises(RuntimeError):
        train(tmp_path / "run", loggers=[first], callbacks=[Listener(stop_at=15)])
    assert first.closed == 1
    train(tmp_path / "run", loggers=[second])
    assert second.run is not None
    assert [row["update"] for row in second.run.kept][-1] == 12
    assert second.rows[0]["update"] == 13


class FakeWandb(types.ModuleType):
    """What wandb's module looks like to us."""

    def __init__(self) -> None:
        super().__init__("wandb")
        self.__spec__ = types.SimpleNamespace(name="wandb")  # type: ignore[assignment]
        self.options: list[dict[str, Any]] = []
        self.logged: list[tuple[dict[str, float], int]] = []
        self.finished = 0

    def init(self, **options: Any) -> "FakeWandb":
        self.options.append(options)
        return self

    def log(self, values: dict[str, float], step: int) -> None:
        self.logged.append((values, step))

    def finish(self) -> None:
        self.finished += 1


def test_weights_and_biases_get_the_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", fake)
    with pytest.raises(RuntimeError):
        train(tmp_path / "run", wandb="phases", callbacks=[Listener(stop_at=15)])
    result = train(tmp_path / "run", wandb="phases")
    assert fake.finished == len(fake.options) == 2
    first, second = fake.options
    assert first["project"] == "phases"
    assert first["config"]["max_lr"] == 0.2
    assert first["id"] == second["id"]
    assert second["resume"] == "allow"
    shown = {step: values for values, step in fake.logged}
    for row in result.history:
        values = shown[int(row["positions"] or 0)]
        assert values.get("validation/loss") == row["validation/loss"]
        assert "update" not in values


def test_without_wandb_the_extra_is_named_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(MissingDependency, match=r"\[wandb\]"):
        WandbLogger("phases")
    with pytest.raises(MissingDependency, match=r"\[wandb\]"):
        train(tmp_path / "run", wandb="phases")
    assert not (tmp_path / "run").exists()
