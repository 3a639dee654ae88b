"""Small runs of self-play, in this process or in one that is killed again and again.

As a script: ``selfplay_runs.py OUT SEED KILLS`` runs each kind, in OUT/KIND, in children that are
killed at random turns, and once more to the end.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import selfplay_games

from phasezoo import inference, training
from phasezoo.training.selfplay.config import Watching, self_play_settings
from phasezoo.training.selfplay.replay import ReplayRules


class OneByOne:
    """A network that is asked about one row at a time, which it answers alike in any company."""

    def __init__(self, network: Any) -> None:
        self.plane_spec = network.plane_spec
        self._network = network

    def evaluate(self, planes: Any) -> inference.Evaluation:
        answers = [self._network.evaluate(planes[row : row + 1]) for row in range(len(planes))]
        return inference.Evaluation(
            policy_logits=np.concatenate([answer.policy_logits for answer in answers]),
            value=np.concatenate([answer.values() for answer in answers]).astype(np.float32),
        )


def one_by_one(folder: Path, **options: Any) -> OneByOne:
    return OneByOne(inference.load(folder, backend="torch", threads=1))


RUNS: dict[str, dict[str, Any]] = {
    "promoted": {
        "game": "own-crosses",
        "promote_games": 4,
        "promote_score": 0.6,
        "starts": ("0.5*initial", "0.5*random:1-2"),
        "resign_value": 0.3,
        "resign_moves": 1,
        "resign_check": 0.4,
        "schedule": "0:0.01,5:0.002",
        "watching": Watching(report=False),
    },
    "beams": {
        "game": "connect-four",
        "agent": "beam:schedule='3,2',plies=2,keep=value",
        "starts": ("0.5*random:1-1", "0.5*random:2-2"),
        "max_plies": 20,
        "watching": Watching.nothing(),
    },
    "experts": {
        "game": "connect-four",
        "gate": "plies:8",
        "strategy": "staged",
        "max_plies": 16,
        "watching": Watching.nothing(),
        "replay": ReplayRules(capacity=150, half_life=60.0),
    },
}


def run(out: Path, kind: str, **changes: Any) -> training.SelfPlayOutcome:
    selfplay_games.register()
    options = {
        "network": "mlp-16x1",
        "updates": 3,
        "games_per_update": 7,
        "shard_games": 3,
        "nodes": 6,
        "concurrency": 4,
        "samples_per_new": 1.0,
        "learning": self_play_settings(threads=1, batch_size=16, max_lr=0.01),
        "seed": 5,
        **RUNS[kind],
        **changes,
    }
    if kind == "promoted":
        options.setdefault("load", one_by_one)
    else:
        options["backend"] = "torch"
        options["concurrency"] = changes.get("concurrency", 1)  # rows alike: alone in their batch
    return training.SelfPlay(options.pop("game"), out=out, **options).run()


def left_behind(out: Path) -> dict[str, Any]:
    """What two runs that are the same have in common."""
    from drills.kill.remains import updates_of  # children, which run this file, do not find it

    files = [*out.glob("games/*.parquet"), *out.glob("versions/**/model.safetensors")]
    found: dict[str, Any] = {str(file.relative_to(out)): file.read_bytes() for file in files}
    return {**found, "updates": updates_of(out)}


def main() -> None:
    out, seed, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    # What children need not import, which takes longest; torch's threads would not survive a fork.
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.special  # noqa: F401
    import torch

    import phasezoo.inference.backends.torch
    import phasezoo.training.selfplay.loop  # noqa: F401

    torch.optim.AdamW([torch.zeros(1)])  # imports what compiles optimisers

    drawn = random.Random(seed)
    for kind in RUNS:
        killed(out / kind, kind, drawn, kills)


def killed(out: Path, kind: str, drawn: random.Random, kills: int) -> None:
    """A run that comes to its end after so many kills."""
    while True:
        child = os.fork()
        if child == 0:
            run(out, kind)
            os._exit(0)
        if kills == 0:
            _, status = os.waitpid(child, 0)
            assert status == 0
            return
        kills -= 1
        wanted = written(out) + drawn.randint(1, 9)
        while written(out) < wanted and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(0.002)
        time.sleep(drawn.uniform(0, 0.1))  # anything may be in the middle of being done
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(kind, written(out), flush=True)


def written(out: Path) -> int:
    """How much a run has on the disk: games, files, versions, checkpoints, rounds."""
    patterns = ("games/*.parquet", "versions/*/manifest.json", "learners/*/*", "matches/*")
    files = sum(len(list(out.glob(pattern))) for pattern in patterns)
    logs = [out / name for name in ("unfinished.jsonl", "updates.jsonl")]
    lines = sum(log.read_bytes().count(b"\n") for log in logs if log.exists())
    return files * 4 + lines


if __name__ == "__main__":
    main()
