"""The files of a run without times, which equal runs have in common."""

import csv
import json
from pathlib import Path
from typing import Any


def metrics_of(out: Path) -> list[list[str]]:
    """Return the header and rows of a training's metrics."""
    with (out / "metrics.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    kept = [i for i, name in enumerate(rows[0]) if "second" not in name and "time/" not in name]
    return [[row[i] for i in kept] for row in rows]


def updates_of(out: Path) -> list[dict[str, Any]]:
    """Return the rounds of a run of self-play."""
    rows = [json.loads(line) for line in (out / "updates.jsonl").read_text().splitlines()]
    for row in rows:
        numbers = row["numbers"].items()
        row["numbers"] = {k: v for k, v in numbers if not k.startswith(("time/", "inference/"))}
    return rows
