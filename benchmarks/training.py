"""Supervised training beside the plainest loop of torch that learns the same."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.common import Row, sized
from phasezoo import networks
from phasezoo.training import Callback, GameStore, Progress, Sampler, train_supervised

NETWORK = "rise-32x4"
BATCHES = sized((128, 512), (16,))
GAMES = sized(None, 100)
"""Of the sample games; None: all."""
POSITIONS = sized(20_480, 128)
"""Positions of a run; a validation falls into each, as in a training of ten times as many."""
REPEATS = sized(3, 1)
PREMADE = sized(16, 2)
"""Batches that the plain loop has in memory, so that it never waits for planes."""


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


def ours(store: GameStore, batch: int, threads: int, seen: list[float]) -> tuple[float, float]:
    """Positions and seconds of a training."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        train_supervised(
            store,
            network=NETWORK,
            positions=POSITIONS + batch,
            batch_size=batch,
            evaluate_every=POSITIONS // batch,
            threads=threads,
            device="cpu",
            tensorboard=False,
            out=Path(folder) / "run",
            callbacks=[clock],
        )
    seen.append(clock.waiting)
    return clock.positions - clock.before, clock.last - clock.first


def premade(store: GameStore, batch: int) -> list[tuple[torch.Tensor, ...]]:
    """Batches as tensors."""
    sampler = Sampler(store, store.positions(), batch_size=batch)
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


def theirs(batches: list[tuple[torch.Tensor, ...]], threads: int) -> tuple[float, float]:
    """Positions and seconds of the plain loop."""
    torch.set_num_threads(threads)
    network = networks.make(NETWORK)
    network.train()
    optimizer = torch.optim.SGD(
        network.parameters(), 0.01, momentum=0.9, weight_decay=1e-4, nesterov=True
    )
    size = len(batches[0][0])
    started = time.perf_counter()
    for update in range(POSITIONS // size):
        planes, action, value, wdl, plies = batches[update % len(batches)]
        output = network(planes)
        loss = (
            0.988 * functional.cross_entropy(output.policy_logits, action)
            + 0.01 * functional.mse_loss(output.value(), value)
            + 0.01 * functional.cross_entropy(output.wdl_logits, wdl)
            + 0.002 * functional.mse_loss(output.plies, plies)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return POSITIONS // size * size, time.perf_counter() - started


def rows() -> list[Row]:
    """One row for each size of batch and number of threads, and the share of waiting."""
    store = GameStore.sample("chess")
    store = store.subset(np.arange(len(store))[:GAMES])
    found = []
    for batch in BATCHES:
        batches = premade(store, batch)
        for threads in (1, 2):
            waiting: list[float] = []
            mine, other = [], []
            for _ in range(REPEATS + 1):
                for rates, (positions, seconds) in (
                    (mine, ours(store, batch, threads, waiting)),
                    (other, theirs(batches, threads)),
                ):
                    rates.append(positions / seconds)
            mine, other = sorted(mine[1:]), sorted(other[1:])  # the first round warms up
            words = f"{threads} thread{'s' * (threads > 1)}"
            found.append(
                Row(
                    f"train_supervised, {NETWORK}, batch {batch}, {words}",
                    statistics.median(mine),
                    "positions/s",
                    f"≥ 90 % (waited {max(waiting[1:]):.1%} for batches)",
                    "a plain torch loop on batches in memory",
                    statistics.median(other),
                    (mine[0], mine[-1]),
                )
            )
    return found
