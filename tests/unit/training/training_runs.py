"""Small trainings, in this process or in one that is killed."""

import functools
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

from phasezoo.training import GameStore, TrainingResult, train_supervised

ARGUMENTS: dict[str, Any] = {
    "network": "rise-8x1",
    "planes": "minimal",
    "positions": 24 * 16 + 5,
    "seed": 3,
    "batch_size": 16,
    "max_lr": 0.2,
    "evaluate_every": 6,
    "validation_positions": 64,
    "threads": 1,
    "device": "cpu",
    "tensorboard": False,
}

GAMES = 30


@functools.cache
def games() -> GameStore:
    return GameStore.sample("chess").subset(range(GAMES))


def train(out: Path, **changes: Any) -> TrainingResult:
    return train_supervised(games(), out=out, **{**ARGUMENTS, **changes})


def train_and_die(out: Path, how: str, when: int, **changes: Any) -> None:
    """Train in a process of its own, which ends itself by SIGKILL.

    Args:
        out: The training's directory.
        how: ``"update"``: after so many updates; ``"file"``: in the middle of writing a file of the
            so many-th checkpoint file, counted over the whole training.
        when: Which one.
        **changes: Arguments of the training.
    """
    done = subprocess.run(
        [sys.executable, __file__, str(out), how, str(when), json.dumps(changes)],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def numbers(out: Path) -> tuple[bytes, list[list[str]]]:
    """Weights and metrics without times: what two trainings that are the same have in common."""
    from drills.kill.remains import metrics_of  # children, which run this file, do not find it

    return (out / "model.safetensors").read_bytes(), metrics_of(out)


def main() -> None:
    import os

    from phasezoo.runs import whole

    out, how, when, changes = sys.argv[1:]
    write_through, written = whole.write_through, 0

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def cut(file: BinaryIO) -> None:
        nonlocal written
        written += 1
        if written == int(when):
            file.truncate(file.tell() // 2)
            die()
        write_through(file)

    if how == "file":
        whole.write_through = cut

    def progress(event: Any) -> None:
        if how == "update" and event.update == int(when):
            die()

    train(Path(out), progress=progress, **json.loads(changes))


if __name__ == "__main__":
    main()
