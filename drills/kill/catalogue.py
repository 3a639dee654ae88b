"""The work that is killed."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path

from drills.kill.remains import metrics_of, updates_of
from drills.kill.victim import Finished, Victim


def _files(out: Path, *patterns: str) -> dict[str, bytes]:
    found = sorted({file for pattern in patterns for file in out.glob(pattern) if file.is_file()})
    return {str(file.relative_to(out)): file.read_bytes() for file in found}


def _lines(file: Path) -> int:
    """Whole lines of a log."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def _training() -> Victim:
    """Train a small network on the package's chess games."""
    from phasezoo import training

    def run(out: Path, _: Finished) -> None:
        training.train_supervised(
            training.GameStore.sample("chess").subset(range(60)),
            network="rise-8x1",
            planes="minimal",
            positions=4_000,
            batch_size=16,
            evaluate_every=20,
            validation_positions=64,
            seed=3,
            threads=1,
            device="cpu",
            tensorboard=False,
            out=out,
        )

    def left(out: Path) -> dict[str, bytes]:
        metrics = json.dumps(metrics_of(out)).encode()
        return {**_files(out, "model.safetensors"), "metrics": metrics}

    return Victim(run, left, warm=_warm)


def _self_play() -> Victim:
    """Train a network by self-play of Connect Four, one game at a time so that answers repeat."""
    from phasezoo import training
    from phasezoo.training.selfplay.config import self_play_settings

    def run(out: Path, finished: Finished) -> None:
        training.SelfPlay(
            "connect-four",
            "mlp-16x1",
            backend="torch",
            concurrency=1,
            updates=4,
            games_per_update=8,
            shard_games=3,
            nodes=6,
            samples_per_new=1.0,
            max_plies=20,
            learning=self_play_settings(threads=1, batch_size=16),
            watching=training.Watching.nothing(),
            seed=5,
            on_update=lambda _: finished(),
            out=out,
        ).run()

    def left(out: Path) -> dict[str, bytes]:
        files = _files(out, "games/*.parquet", "versions/**/model.safetensors")
        return {**files, "updates": json.dumps(updates_of(out)).encode()}

    return Victim(run, left, lambda out: _lines(out / "updates.jsonl"), _warm)


def _tournament() -> Victim:
    """Two searches and random play meet each other in Connect Four."""
    from phasezoo import arena

    def run(out: Path, finished: Finished) -> None:
        out.mkdir(exist_ok=True)
        arena.tournament(
            ["mcts:nodes=60", "uct:simulations=60", "random"],
            "connect-four",
            games=60,
            seed=2,
            concurrency=6,
            threads=1,
            log=out / "games.jsonl",
            on_game=lambda _: finished(),
        )

    def left(out: Path) -> dict[str, bytes]:
        # Games end in another order, and what batches cost differs too.
        lines = [json.loads(line) for line in (out / "games.jsonl").read_bytes().splitlines()]
        games = [row["game"] for row in lines if "game" in row]
        games.sort(key=lambda game: int(game["number"]))
        return {"games": json.dumps(games).encode()}

    return Victim(run, left, lambda out: max(_lines(out / "games.jsonl") - 1, 0))


def _import() -> Victim:
    """Import a PGN file into a store of games."""
    from phasezoo.training import GameStore, import_pgn

    def run(out: Path, _: Finished) -> None:
        out.mkdir(exist_ok=True)
        text = out.parent / "games.pgn"
        if not text.exists():
            part = out / "part.pgn"
            GameStore.sample("chess").subset(range(3_000)).to_pgn(part)
            part.rename(text)
        target = out / "store.parquet"
        if not target.exists():
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "removed .*, left by an import that was killed")
                import_pgn(text, target, threads=1)

    def left(out: Path) -> dict[str, bytes]:
        return _files(out, "store.parquet", ".*", "*.tmp")

    return Victim(run, left)


def _warm() -> None:
    import torch

    import phasezoo.inference.backends.torch
    import phasezoo.training.selfplay.loop
    import phasezoo.training.trainer  # noqa: F401

    torch.optim.AdamW([torch.zeros(1)])  # imports what compiles optimisers


VICTIMS: dict[str, Callable[[], Victim]] = {
    "training": _training,
    "selfplay": _self_play,
    "tournament": _tournament,
    "import": _import,
}
