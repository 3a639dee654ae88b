"""Runs that write to the disk for long, and go on when there is room again."""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drills.disk.commands import command
from drills.kill.catalogue import VICTIMS
from drills.kill.victim import Finished, Victim


def _match() -> Victim:
    """Return a match with its directory: log, PGN, tables, page."""

    def run(out: Path, _: Finished) -> None:
        words = ["match", "mcts:nodes=8", "random", "--games", "20", "--max-plies", "30"]
        command(*words, "--seed", "3", "--out", str(out))

    def left(out: Path) -> dict[str, bytes]:
        whole = dict.fromkeys(("results.json", "players.csv", "report.html"), b"")
        here = {name: content for name, content in whole.items() if (out / name).is_file()}
        return {**here, "games.pgn": (out / "games.pgn").read_bytes()}

    return Victim(run, left, lambda out: _games_in(out / "games.jsonl"))


def _games_in(log: Path) -> int:
    return max(log.read_bytes().count(b"\n") - 1, 0) if log.exists() else 0


def _play_games() -> Victim:
    """Games of a search against itself, as many as are missing."""
    from phasezoo import training

    def stored(out: Path) -> int:
        files = [*out.glob("*.parquet")]
        return len(training.GameStore.open(out)) if files else 0

    def kept(out: Path) -> int:
        from phasezoo import games
        from phasezoo.training.selfplay.game_log import LOG, GameLog

        if not out.is_dir():
            return 0
        with tempfile.TemporaryDirectory() as folder:  # reading a log writes it anew
            copy = shutil.copytree(out, Path(folder) / "copy")
            waiting = GameLog(copy / LOG, copy, games.make("connect-four")).waiting
            return stored(copy) + len(waiting)

    def run(out: Path, finished: Finished) -> None:
        while (missing := 24 - stored(out)) > 0:
            training.play_games(
                "mcts:nodes=8",
                game="connect-four",
                games=missing,
                seed=missing,
                out=out,
                concurrency=4,
                shard_games=5,
                append=out.exists(),
                on_game=lambda _: finished(),
            )

    def left(out: Path) -> dict[str, bytes]:
        return {"enough": str(stored(out) >= 24).encode()}

    return Victim(run, left, kept)


def _experts() -> Victim:
    """Return a baseline and two experts, their losses and the list of them."""
    from phasezoo import training

    def run(out: Path, _: Finished) -> None:
        training.train_experts(
            training.GameStore.sample("connect-four").subset(range(200)),
            gate="plies:10",
            strategy="staged",
            network="mlp-8x1",
            positions=600,
            batch_size=32,
            evaluate_every=5,
            validation_positions=32,
            test_games=8,
            seed=2,
            threads=1,
            device="cpu",
            tensorboard=False,
            out=out,
        )

    def left(out: Path) -> dict[str, bytes]:
        files = sorted([*out.rglob("model.safetensors"), *out.glob("losses*")])
        return {str(file.relative_to(out)): file.read_bytes() for file in files}

    return Victim(run, left, warm=_warm_torch)


def _warm_torch() -> None:
    VICTIMS["training"]().warm()


def _study() -> Victim:
    """Return a matrix of generalisation, with its table, pictures and page."""
    import numpy as np

    from phasezoo import experiments
    from phasezoo.experiments import Axis, Measure, Score, Split

    spread = np.linspace(-0.5, 0.5, 21)
    splits = tuple(
        Split(name, [place], lambda seed, place=place: place + spread)
        for name, place in {"low": 0.0, "middle": 2.0, "high": 5.0}.items()
    )

    def distance(model: Any, data: Any, _: int) -> dict[str, Any]:
        return {"error": np.abs(data - model)}

    axis = Axis(
        name="toy/means",
        splits=splits,
        about="Three places on a line.",
        learner=lambda data, seed, out: float(np.mean(data)),
        measure=Measure(distance, Score("error", "lower")),
    )

    def run(out: Path, _: Finished) -> None:
        experiments.generalise(axis, out=out, threads=1)

    def left(out: Path) -> dict[str, bytes]:
        matrices = json.loads((out / "results.json").read_text())["matrices"]
        pictures = {path.name: path.read_bytes() for path in out.glob("*.png")}
        return {**pictures, "matrices": json.dumps(matrices).encode()}

    return Victim(run, left)


RUNS: dict[str, Callable[[], Victim]] = {
    **VICTIMS,
    "games": _play_games,
    "match": _match,
    "experts": _experts,
    "study": _study,
}
"""By the names that the command takes."""
