"""Compares networks for CPUs at equal CPU time of training, on the package's chess games.

    python scripts/compare_networks.py run rise-32x4 resnet-64x2 --settings.minutes 3
    python scripts/compare_networks.py table

One thread. ``run`` first measures what an update and what inference cost, all networks in turn, in
CPU seconds, so that a shared machine does little harm. A training then sees as many positions as
its budget buys at that cost, and is measured on test positions. Every result is a line of a file:
what is in it is not done again, and a training that was interrupted goes on. ``table`` prints the
file in Markdown.
"""

import json
import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro

from phasezoo import inference, training
from phasezoo.data.sampler import Sampler
from phasezoo.inference import CostModel
from phasezoo.training import evaluate_network, train_supervised
from phasezoo.training.callbacks import Progress

PLANES = "v2"
SPLIT_SEED = 1
ROUNDS = 3
"""How often each network's cost is measured; the median counts."""
UPDATES = 60
"""Updates of one measurement; the first tenth warms up."""
BATCHES = (1, 8, 16, 32, 64)
"""Sizes of the calls that inference is timed at."""
CALLS = 12
"""Timed calls of each size in a round."""


@dataclass(frozen=True)
class Settings:
    """How networks are trained and measured."""

    minutes: float = 1.0
    """CPU minutes of every training (above 0)."""
    optimizer: Literal["sgd", "adamw"] = "adamw"
    """Optimizer."""
    rates: tuple[float, ...] = (0.003,)
    """Peak learning rates, each a training of its own."""
    batch: int = 64
    """Training positions an update."""
    seeds: tuple[int, ...] = (1,)
    """Seeds of initial weights and of the order of positions, each a training of its own."""
    test_positions: int = 20_000
    """Test positions that losses are measured on, the same ones for all."""
    out: Path = Path("runs/networks.jsonl")
    """The results."""


class Bench:
    """The games, split once, and the file of results."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.splits = training.GameStore.sample("chess").split(SPLIT_SEED)
        rows = self.splits.test.positions("none", threads=1)
        chosen = np.random.default_rng(SPLIT_SEED).permutation(len(rows))
        self.test = rows.select(np.sort(chosen[: settings.test_positions]))
        some = Sampler(self.splits.test, self.test, PLANES, max(BATCHES), threads=1)
        self.planes = next(iter(some.in_order())).planes
        self.work = settings.out.with_suffix("")
        settings.out.parent.mkdir(parents=True, exist_ok=True)

    def measure(self, networks: Sequence[str]) -> None:
        """Write the cost of every network that the file does not know at this batch size."""
        known = {(row["network"], row["batch"]) for row in self.results("cost")}
        todo = [name for name in networks if (name, self.settings.batch) not in known]
        measured = [[self._cost(name) for name in todo] for _ in range(ROUNDS)]
        for name, costs in zip(todo, zip(*measured, strict=True), strict=True):
            median = {key: statistics.median(cost[key] for cost in costs) for key in costs[0]}
            self._write({"kind": "cost", "network": name, "batch": self.settings.batch, **median})

    def train(self, network: str, rate: float, seed: int) -> None:
        """Train and measure one network, unless the file has it."""
        settings = self.settings
        job = {
            "network": network,
            "minutes": settings.minutes,
            "optimizer": settings.optimizer,
            "rate": rate,
            "batch": settings.batch,
            "seed": seed,
        }
        if any(job.items() <= row.items() for row in self.results("training")):
            return
        [cost] = [
            row["update_seconds"]
            for row in self.results("cost")
            if (row["network"], row["batch"]) == (network, settings.batch)
        ]
        updates = max(1, round(60 * settings.minutes / cost))
        folder = self.work / "-".join(str(value) for value in job.values()).replace(":", "+")
        start = time.process_time()
        result = self._fit(network, updates, folder, rate=rate, seed=seed)
        seconds = time.process_time() - start
        evaluator = inference.load(folder, backend="onnx", threads=1)
        losses = evaluate_network(evaluator, self.splits.test, self.test, threads=1).mean()
        measured = {key: value for key, value in asdict(losses).items() if key != "positions"}
        found = {
            "positions": result.positions,
            "updates": updates,
            "parameters": result.parameters,
            "cpu_seconds": seconds,
            "test_positions": losses.positions,
        }
        self._write({"kind": "training", **job, **found, **measured})
        shutil.rmtree(folder)

    def results(self, kind: str) -> list[dict[str, Any]]:
        """Return the lines of the file that are of one kind."""
        return [row for row in read(self.settings.out) if row["kind"] == kind]

    def _cost(self, network: str) -> dict[str, float]:
        """CPU seconds of an update, of a call and of a row of inference."""
        folder = self.work / "cost"
        shutil.rmtree(folder, ignore_errors=True)
        clock: list[float] = []

        def tick(_: Progress) -> None:
            clock.append(time.process_time())

        self._fit(network, UPDATES, folder, progress=tick)
        update = statistics.median(np.diff(clock)[UPDATES // 10 :])
        evaluator = inference.load(folder, backend="onnx", threads=1)
        took = []
        for size in BATCHES:
            evaluator.evaluate(self.planes[:size])
            took.append(statistics.median(self._calls(evaluator, size)))
        model = CostModel.fit(np.ones(len(BATCHES)), BATCHES, took)
        return {
            "update_seconds": float(update),
            "call_seconds": model.call_seconds,
            "row_seconds": model.row_seconds,
        }

    def _calls(self, evaluator: Any, size: int) -> Iterator[float]:
        for _ in range(CALLS):
            start = time.process_time()
            evaluator.evaluate(self.planes[:size])
            yield time.process_time() - start

    def _fit(
        self,
        network: str,
        updates: int,
        folder: Path,
        *,
        rate: float = 1e-3,
        seed: int = 1,
        progress: Any = None,
    ) -> training.TrainingResult:
        return train_supervised(
            self.splits.train,
            splits=self.splits,
            network=network,
            planes=PLANES,
            positions=updates * self.settings.batch,
            seed=seed,
            out=folder,
            progress=progress,
            optimizer=self.settings.optimizer,
            max_lr=rate,
            batch_size=self.settings.batch,
            validation_positions=1024,
            threads=1,
            device="cpu",
            tensorboard=False,
        )

    def _write(self, row: dict[str, Any]) -> None:
        line = json.dumps(row)
        print(line, flush=True)
        with self.settings.out.open("a") as file:
            file.write(line + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """Return all lines of a file of results; none if there is no file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(networks: tyro.conf.Positional[tuple[str, ...]], settings: Settings) -> None:
    """Measure and train networks.

    Args:
        networks: What `networks.make` makes, such as rise-32x4.
        settings: How.
    """
    bench = Bench(settings)
    bench.measure(networks)
    for seed in settings.seeds:
        for network in networks:
            for rate in settings.rates:
                bench.train(network, rate, seed)


def table(results: tyro.conf.Positional[Path] = Settings.out) -> None:
    """Print the results, for each budget the best learning rate of each network first.

    Args:
        results: The file.
    """
    rows = read(results)
    costs = {(row["network"], row["batch"]): row for row in rows if row["kind"] == "cost"}
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["kind"] == "training":
            keys = ("minutes", "network", "optimizer", "rate", "batch")
            groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    print(
        "| CPU minutes | network | optimiser, rate, batch | parameters | positions "
        "| a, µs a call | b, µs a row | rows/s in 64 | test loss | policy top-1 | seeds |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for key in sorted(groups, key=lambda key: (key[0], mean(groups[key], "total"))):
        minutes, network, optimizer, rate, batch = key
        group, cost = groups[key], costs[network, batch]
        call, row_cost = cost["call_seconds"], cost["row_seconds"]
        print(
            f"| {minutes:g} | `{network}` | {optimizer} {rate:g}, {batch} "
            f"| {group[0]['parameters']:,} | {group[0]['positions']:,} "
            f"| {call * 1e6:.0f} | {row_cost * 1e6:.0f} | {64 / (call + 64 * row_cost):,.0f} "
            f"| {mean(group, 'total'):.3f} | {mean(group, 'accuracy'):.1%} | {len(group)} |"
        )


def mean(rows: Sequence[dict[str, Any]], what: str) -> float:
    """Return the mean of a column."""
    return statistics.fmean(row[what] for row in rows)


if __name__ == "__main__":
    tyro.extras.subcommand_cli_from_dict({"run": run, "table": table})
