"""The metrics file: resumed without gaps or doubles, read back, and never a reason to lose work."""

import io
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasezoo.errors import CheckpointError
from phasezoo.training import Progress, progress_bar
from phasezoo.training.loggers import LoggedRun, TensorBoardLogger
from phasezoo.training.metrics import METRICS, MetricsLog, read_metrics

COLUMNS = ["update", "positions", "train/loss", "validation/loss"]


def row(update: int, validation: float | None = None) -> dict[str, float | None]:
    loss = 1 / (update + 1)
    return {
        "update": update,
        "positions": 8 * update,
        "train/loss": loss,
        "validation/loss": validation,
    }


def written(out: Path, done: int | None, updates: range, *loggers: Any) -> None:
    with MetricsLog(LoggedRun(out, {}), COLUMNS, done, loggers) as log:
        for update in updates:
            log.add(row(update, 0.5 if update % 2 else None))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    written(tmp_path, None, range(1, 6))
    rows = read_metrics(tmp_path)
    assert rows == [row(update, 0.5 if update % 2 else None) for update in range(1, 6)]


def test_a_resumed_training_has_every_row_once(tmp_path: Path) -> None:
    written(tmp_path, None, range(1, 8))
    with (tmp_path / METRICS).open("a") as file:
        file.write("8,64,0.1")  # cut off in the middle of a row
    written(tmp_path, 4, range(5, 10))
    assert [r["update"] for r in read_metrics(tmp_path)] == list(range(1, 10))


def test_one_that_starts_anew_forgets_the_rows(tmp_path: Path) -> None:
    written(tmp_path, None, range(1, 8))
    written(tmp_path, None, range(3))
    assert [r["update"] for r in read_metrics(tmp_path)] == [0, 1, 2]


def test_no_file_has_no_rows(tmp_path: Path) -> None:
    assert read_metrics(tmp_path) == []


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "update,positions\nx,y\n", "\0\n\0"])
def test_another_file_is_a_typed_error(tmp_path: Path, text: str) -> None:
    (tmp_path / METRICS).write_text(text)
    with pytest.raises(CheckpointError, match=METRICS):
        written(tmp_path, 1, range(2))


def test_metrics_that_cannot_be_written_are_a_typed_error(tmp_path: Path) -> None:
    with MetricsLog(LoggedRun(tmp_path, {}), COLUMNS, None) as log:
        (tmp_path / METRICS).unlink()
        (tmp_path / METRICS).mkdir()
        with pytest.raises(CheckpointError, match="run the same command again"):
            log.add(row(1))


def test_tensorboard_that_cannot_be_written_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    board = TensorBoardLogger()
    with MetricsLog(LoggedRun(tmp_path, {}), COLUMNS, None, [board]) as log:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        board._board.add_scalar = full
        with caplog.at_level(logging.WARNING):
            log.add(row(1))
            log.add(row(2))
    assert caplog.text.count("going on without") == 1
    assert len(read_metrics(tmp_path)) == 2


FULL = """
import resource, sys
from pathlib import Path
from phasezoo.training.loggers import LoggedRun, TensorBoardLogger

_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
for room in (0, 1, 30, 5000):
    sys.stderr.write(f"with room for {room}\\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))  # beyond it the disk is full
    board = TensorBoardLogger()
    board.start(LoggedRun(Path(sys.argv[1]) / str(room), {}))
    for update in range(500):
        board.add({"update": update, "positions": 8 * update, "train/loss": 0.5})
    board.close()
print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of a file's size")
def test_a_full_disk_under_tensorboard_is_one_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr
    said = ended.stderr.splitlines()
    assert said[::2] == [f"with room for {room}" for room in (0, 1, 30, 5000)]
    assert len(said) == 8
    assert all("going on without" in line for line in said[1::2])


def test_a_folder_that_is_a_file_ends_no_training(tmp_path: Path) -> None:
    (tmp_path / "tensorboard").write_text("mine")
    with MetricsLog(LoggedRun(tmp_path, {}), COLUMNS, None, [TensorBoardLogger()]) as log:
        log.add(row(1))
    assert len(read_metrics(tmp_path)) == 1
    assert (tmp_path / "tensorboard").read_text() == "mine"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_shows_where_the_training_is_on_terminals_alone() -> None:
    terminal, file = Terminal(), io.StringIO()
    with progress_bar("endgame expert", file) as show:
        show(Progress(1, 2, 8, 16, None, None))
    assert file.getvalue() == ""
    with progress_bar("endgame expert", terminal) as show:
        show(Progress(1, 2, 8, 16, None, None))
        show(Progress(2, 2, 16, 16, 3.25, 2.5))
    shown = terminal.getvalue()
    for words in ("endgame expert", "16/16", "train 3.250", "validation 2.500"):
        assert words in shown


def test_points_that_are_made_again_are_seen_once(tmp_path: Path) -> None:
    """Also if the first session ended before anything was kept."""
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
    )
    for updates, kept in ((range(1, 4), ()), (range(1, 4), ()), (range(3, 6), (row(1), row(2)))):
        logger = TensorBoardLogger()
        logger.start(LoggedRun(tmp_path, {}, kept=kept))
        for update in updates:
            logger.add(row(update))
        logger.close()
    events = accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [event.step for event in events.Scalars("train/loss")] == [8, 16, 24, 32, 40]
