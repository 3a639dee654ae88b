"""Measures a network by one backend, in a process of its own.

``python -m phasezoo.apps.inference_bench.measuring`` reads an :class:`Order` as JSON and writes a
:class:`Figures`; a backend that ends the process ends no more than that.
"""

import json
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import games, inference
from phasezoo.errors import PhasezooError
from phasezoo.games.queries import acting_players
from phasezoo.games.random_play import random_states
from phasezoo.inference.evaluator import ask
from phasezoo.inference.storage import packaged

LEAST_CALLS = 5
"""Calls of a measurement, however long they take."""

DIFFERENT = 1024
"""Different positions in a batch; larger ones repeat them."""

SAMPLES_A_SECOND = 10
"""How often a GPU is asked how busy it is."""


@dataclass(frozen=True)
class Order:
    """A measurement to make."""

    network: str
    """Its folder, or its name."""
    options: dict[str, Any]
    """As :func:`phasezoo.inference.load_network` takes them."""
    batches: tuple[int, ...]
    """Rows of a call."""
    positions: int
    """Positions whose answers are compared."""
    seconds: float
    """Time of each measurement."""
    answers: str
    """File that gets the answers to those positions."""


@dataclass(frozen=True)
class Speed:
    """Speed of calls of one size."""

    rows: int
    """Of a call."""
    rows_per_second: float
    """Over all calls."""
    milliseconds: float
    """Of a call, the median."""
    gpu_percent: float | None
    """Share of the time in which the GPU worked, by its driver; None without one."""


@dataclass(frozen=True)
class Figures:
    """Results of a measurement."""

    speeds: list[Speed] = field(default_factory=list)
    """By batch."""
    missing: str | None = None
    """Why the backend cannot run here."""


def main() -> None:
    """Read, measure, write."""
    given = json.load(sys.stdin)
    order = Order(**{**given, "batches": tuple(given["batches"])})
    try:
        figures = measured(order)
    except PhasezooError as error:
        figures = Figures(missing=" ".join(str(error).split()))
    sys.stdout.write(f"\n{json.dumps(asdict(figures))}\n")


def measured(order: Order) -> Figures:
    """Measure, and keep the answers."""
    evaluator = loaded(order.network, order.options)
    game = games.make(evaluator.game)
    states = random_states(game, max(order.positions, DIFFERENT), seed=0)
    compared = batch_of(states, order.positions)
    answer = inference.evaluate_leaves(evaluator, compared, inference.Counts())
    np.savez(
        order.answers,
        value=answer.values(),
        logits=np.empty(0, np.float32) if answer.legal_logits is None else answer.legal_logits,
        offsets=compared.legal[0],
    )
    return Figures([speed_of(evaluator, states, rows, order) for rows in order.batches])


def loaded(network: str, options: dict[str, Any]) -> Any:
    """The network in a folder, or of a folder of experts the one of all phases."""
    if packaged.holds_experts(network):
        return inference.load_experts(network).baseline(**options)
    return inference.load_network(network, **options)


def batch_of(states: list[Any], rows: int) -> inference.StateBatch:
    """So many rows of states, repeated if there are fewer."""
    chosen = [states[row % len(states)] for row in range(rows)]
    return inference.StateBatch(chosen, players=[acting_players(state)[0] for state in chosen])


def speed_of(evaluator: Any, states: list[Any], rows: int, order: Order) -> Speed:
    """Ask about a batch for a while; its planes are made before."""
    batch, counts = batch_of(states, rows), inference.Counts()
    times: list[float] = []
    for _ in range(2):
        ask(evaluator, batch, counts)
    with GpuWatch(order.options["device"]) as watch:
        start = time.perf_counter()
        while len(times) < LEAST_CALLS or time.perf_counter() - start < order.seconds:
            before = time.perf_counter()
            ask(evaluator, batch, counts)
            times.append(time.perf_counter() - before)
    total, median = float(np.sum(times)), float(np.median(times))
    return Speed(rows, rows * len(times) / total, 1e3 * median, watch.percent)


class GpuWatch:
    """Asks NVIDIA's driver how busy a GPU is, for as long as it is open.

    Args:
        device: Whose; nobody is asked about a CPU.
    """

    def __init__(self, device: str) -> None:
        self._number = device.partition(":")[2] or "0"
        self._program = shutil.which("nvidia-smi") if device.startswith("cuda") else None
        self._seen: list[float] = []
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def percent(self) -> float | None:
        """The mean; None if it is not known."""
        return float(np.mean(self._seen)) if self._seen else None

    def __enter__(self) -> "GpuWatch":
        if self._program is not None:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        words = [str(self._program), "--query-gpu=utilization.gpu", f"--id={self._number}",
                 "--format=csv,noheader,nounits"]  # fmt: skip
        while not self._done.wait(1 / SAMPLES_A_SECOND):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            try:
                self._seen.append(float(done.stdout))
            except ValueError:
                return


def answers_in(file: Path) -> dict[str, Any]:
    """Read the answers of :func:`measured`: ``value``, ``logits`` of legal actions, ``offsets``."""
    with np.load(file) as kept:
        return dict(kept)


if __name__ == "__main__":
    main()
