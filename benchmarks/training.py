"""Supervised training beside the plainest loop of torch that learns the same."""

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch.nn import functional

from benchmarks.common import Row, sized
from phasezoo import games, networks
from phasezoo.training import Callback, GameStore, Progress, Sampler, train_supervised

GAMES = sized(None, 100)
"""Of the sample games; None: all."""
REPEATS = sized(3, 1)
PREMADE = sized(16, 2)
"""Batches that the plain loop has in memory, so that it never waits for planes."""


@dataclass(frozen=True)
class Case:
    """A training that is timed."""

    network: str
    """Architecture."""
    batch: int
    """Positions of an update."""
    threads: int
    """CPU threads of torch."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    optimizer: Literal["sgd", "adamw"] = "sgd"
    """Optimiser of both loops, the plain one's as torch has it."""
    positions: int = sized(20_480, 128)
    """Positions of a run; a validation of a tenth as many falls into it."""


CASES = (
    *(
        Case("rise-32x4", batch, threads)
        for batch in sized((128, 512), (16,))
        for threads in (1, 2)
    ),
    Case("resnet-8x1", sized(64, 16), 1, optimizer="adamw"),
    Case(sized("lc0-64x6", "lc0-8x1"), sized(128, 16), 1, "lc0", "adamw", sized(3840, 128)),
)


class Clock(Callback):
    """Times the updates of a training, validations included, but neither its set-up nor its end."""

    def __init__(self) -> None:
        self.first = self.last = 0.0
        self.positions = 0
        self.before = 0
        self.waiting = 0.0

    def update(self, progress: Progress) -> None:
        """Note the time after every update."""
        self.last = time.perf_counter()
        if not self.first:
            self.first, self.before = self.last, progress.positions
        self.positions = progress.positions

    def evaluation(self, row: Any) -> None:
        """Note the share of the time in which no batch was ready."""
        self.waiting = row.get("time/waiting") or 0.0


def ours(store: GameStore, case: Case, seen: list[float]) -> float:
    """Positions a second of a training."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        train_supervised(
            store,
            network=case.network,
            planes=case.planes,
            positions=case.positions + case.batch,
            batch_size=case.batch,
            optimizer=case.optimizer,
            max_lr=0.01,
            evaluate_every=case.positions // case.batch,
            validation_positions=case.positions // 10,
            threads=case.threads,
            device="cpu",
            tensorboard=False,
            out=Path(folder) / "run",
            callbacks=[clock],
        )
    seen.append(clock.waiting)
    return (clock.positions - clock.before) / (clock.last - clock.first)


def premade(store: GameStore, case: Case) -> list[tuple[torch.Tensor, ...]]:
    """Batches as tensors."""
    sampler = Sampler(store, store.positions(), case.planes, case.batch)
    made = [sampler.batch(index) for index in range(PREMADE)]
    return [
        (
            torch.from_numpy(b.planes).contiguous(memory_format=torch.channels_last),
            torch.from_numpy(b.action),
            torch.from_numpy(b.value),
            torch.from_numpy(b.wdl),
            torch.from_numpy(np.minimum(b.plies_left, 100) / 100),
        )
        for b in made
    ]


def theirs(batches: list[tuple[torch.Tensor, ...]], case: Case) -> float:
    """Positions a second of the plain loop."""
    torch.set_num_threads(case.threads)
    shape = games.make("chess").plane_shape(case.planes)
    network = networks.make(case.network, shape)
    network.train()
    optimizer: torch.optim.Optimizer
    if case.optimizer == "adamw":
        optimizer = torch.optim.AdamW(network.parameters(), 0.001, weight_decay=1e-4)
    else:
        optimizer = torch.optim.SGD(
            network.parameters(), 0.01, momentum=0.9, weight_decay=1e-4, nesterov=True
        )
    updates = case.positions // case.batch
    started = time.perf_counter()
    for update in range(updates):
        planes, action, value, wdl, plies = batches[update % len(batches)]
        output = network(planes)
        loss = (
            0.988 * functional.cross_entropy(output.policy_logits, action)
            + 0.01 * functional.mse_loss(output.value(), value)
            + 0.01 * functional.cross_entropy(output.wdl_logits, wdl)
        )
        if output.plies is not None:
            loss = loss + 0.002 * functional.mse_loss(output.plies, plies)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return updates * case.batch / (time.perf_counter() - started)


def rows() -> list[Row]:
    """One row for each case, with the share of waiting."""
    store = GameStore.sample("chess")
    store = store.subset(np.arange(len(store))[:GAMES])
    return [_row(store, case) for case in CASES]


def _row(store: GameStore, case: Case) -> Row:
    batches = premade(store, case)
    waiting: list[float] = []
    mine, other = [], []
    for _ in range(REPEATS + 1):
        mine.append(ours(store, case, waiting))
        other.append(theirs(batches, case))
    mine, other = sorted(mine[1:]), sorted(other[1:])  # the first round warms up
    words = f"{case.threads} thread{'s' * (case.threads > 1)}"
    return Row(
        f"train_supervised, {case.network}, batch {case.batch}, {words}",
        statistics.median(mine),
        "positions/s",
        f"≥ 90 % (waited {max(waiting[1:]):.1%} for batches)",
        "a plain torch loop on batches in memory",
        statistics.median(other),
        (mine[0], mine[-1]),
    )
