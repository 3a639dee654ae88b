"""Lines of progress, which files get in place of bars."""

import io
import logging
from itertools import count
from pathlib import Path

import pytest

from phasezoo import _progress, gating, training
from phasezoo.report.console import TerminalConsole
from phasezoo.training import Progress, progress_bar


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(_progress, "_now", made)
    return made


def test_a_file_gets_a_line_a_minute_with_the_time_that_is_left(clock: Clock) -> None:
    file = io.StringIO()
    with TerminalConsole(file).task("Games", 1000) as task:
        for second in range(200):
            clock.now = second
            task.update(second, f"{second} won")
    assert file.getvalue().splitlines() == [
        "Games: 1 %, 10 won, about 16 min left",
        "Games: 7 %, 70 won, about 16 min left",
        "Games: 13 %, 130 won, about 14 min left",
        "Games: 19 %, 190 won, about 14 min left",
        "Games: 199 won",
    ]


def test_a_bar_in_a_file_is_lines_too(clock: Clock) -> None:
    file = io.StringIO()
    with progress_bar("training", file) as show:
        show(Progress(0, 9, 0, 900, None, None, "endgame"))
        clock.now = 30.0
        show(Progress(1, 9, 100, 900, 3.25, None, "endgame"))
        clock.now = 60.0  # no minute later
        show(Progress(2, 9, 200, 900, 3.25, None, "endgame"))
        show(Progress(1, 9, 0, 900, None, None, "opening"))
        clock.now = 100.0
        show(Progress(2, 9, 450, 900, None, 2.5, "opening"))
    assert file.getvalue().splitlines() == [
        "training endgame: 11 %, train 3.250, about 4 min left",
        "training opening: 50 %, validation 2.500, about 40 s left",
    ]


def test_nothing_is_written_if_warnings_are_not_wanted(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "phasezoo")
    file = io.StringIO()
    with TerminalConsole(file).task("Games", 10) as task, progress_bar("x", file) as show:
        for clock.now in (0.0, 100.0, 200.0):
            task.update(3)
            show(Progress(1, 9, 100, 900, None, None))
    assert file.getvalue() == ""


def test_experts_say_which_network_learns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ticks = count(step=70)
    monkeypatch.setattr(_progress, "_now", lambda: float(next(ticks)))
    store = training.GameStore.sample("connect-four")
    training.train_experts(
        store, "plies:14", network="mlp-8x1", positions=512, batch_size=64, seed=1,
        out=tmp_path / "x", test_games=2,
    )  # fmt: skip
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert shown.out == ""
    names = ("baseline (1 of 3)", "(2 of 3)", "(3 of 3)")
    assert all(any(name in line for line in lines) for name in names), lines
    assert all(line.startswith("Training ") for line in lines)


def test_a_gate_in_python_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticks = count(step=70)
    monkeypatch.setattr(_progress, "_now", lambda: float(next(ticks)))
    store = training.GameStore.sample("connect-four").subset(range(200))
    table = store.positions(
        gating.make(lambda state: int(state.ply >= 9), names=("early", "later"))
    )
    assert table.phase.any()
    assert capsys.readouterr().err.splitlines() == [
        "Replaying games in Python: 32 %, about 2 min left",
        "Replaying games in Python: 64 %, about 79 s left",
        "Replaying games in Python: 96 %, about 9 s left",
    ]
    store.positions("plies:14")  # answered by the core
    assert capsys.readouterr().err == ""
