"""What rounds of self-play cost: times, and the rows that experts answered.

No number of a run depends on them: they have a file of their own, as every session's are others.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo.data.store import GameStore
from phasezoo.training.selfplay.recording import PARTS

__all__ = ["COSTS", "CostRow", "Stopwatch", "cost_row", "phases_of"]

COSTS = "costs.jsonl"
"""What a run's directory holds of them."""


@dataclass(frozen=True)
class CostRow:
    """What a round cost, as far as this session did it."""

    update: int
    """Which round."""
    games: int = 0
    """Games that were played; fewer than the round has if it was begun before a kill."""
    plies: float = 0.0
    """Plies of them."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time: playing and, in it, inference; learning, promoting, watching."""
    cpu: float = 0.0
    """Processor time of all threads."""
    rows: int = 0
    """Positions that the networks answered while games were played."""
    calls: int = 0
    """Calls of them."""
    expert_rows: dict[str, int] = field(default_factory=dict)
    """Positions by expert."""
    expert_calls: dict[str, int] = field(default_factory=dict)
    """Calls by expert."""
    samples: dict[str, int] = field(default_factory=dict)
    """The round's decisions by phase."""
    visits: dict[str, float] = field(default_factory=dict)
    """Mean visits of a decision's search, by phase."""

    @property
    def wall(self) -> float:
        """Seconds of the round in all."""
        return sum(value for name, value in self.seconds.items() if name != "inference")

    @property
    def parts(self) -> dict[str, float]:
        """Seconds by what they went to; inference and the rest of playing apart."""
        inference = min(self.seconds.get("inference", 0.0), self.seconds.get("playing", 0.0))
        rest = {k: v for k, v in self.seconds.items() if k not in ("inference", "playing")}
        search = self.seconds.get("playing", 0.0) - inference
        return {"inference": inference, "search and planes": search, **rest}


class Stopwatch:
    """Wall and processor time since it was made, or last read."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Wall and processor time in seconds; then it begins anew."""
        wall, cpu = time.perf_counter(), time.process_time()
        spent = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu
        return spent


def cost_row(
    update: int, spent: Mapping[str, Any], cpu: float, phases: Mapping[str, tuple[int, float]]
) -> CostRow:
    """The row of a round.

    Args:
        update: Which one.
        spent: What :attr:`Rounds.spent` tells, and ``seconds`` of what else was done.
        cpu: Processor time.
        phases: What :func:`phases_of` told.
    """
    return CostRow(
        update=update,
        games=int(spent.get("games", 0)),
        plies=float(spent.get("plies", 0.0)),
        seconds={name: round(float(value), 3) for name, value in spent["seconds"].items()},
        cpu=round(cpu, 3),
        rows=int(spent.get("rows", 0)),
        calls=int(spent.get("calls", 0)),
        expert_rows=dict(spent.get("expert_rows", {})),
        expert_calls=dict(spent.get("expert_calls", {})),
        samples={name: count for name, (count, _) in phases.items()},
        visits={name: visits for name, (_, visits) in phases.items()},
    )


def phases_of(files: Sequence[Path], gate: Any) -> dict[str, tuple[int, float]]:
    """Decisions of stored games by phase: how many were searched, and visits in the mean.

    Raises:
        StoreError: A file cannot be read.
    """
    counts, told, visits = np.zeros((3, len(gate.names)))
    for file in files:
        store = GameStore.open(file)
        rows = store.positions(gate)
        searches = store.columns.visits
        if searches is None:
            continue
        sums = np.concatenate([[0], np.cumsum(searches.counts, dtype=np.float64)])
        given = np.diff(sums[searches.offsets])
        place = store.offsets[rows.game] + rows.ply
        own = given[place] if len(given) == store.offsets[-1] else np.zeros(len(place))
        searched = own > 0
        counts += np.bincount(rows.phase[searched], minlength=len(counts))
        counted = searched & (own < PARTS / 2)  # the others are policies, not visits
        told += np.bincount(rows.phase[counted], minlength=len(counts))
        visits += np.bincount(rows.phase[counted], own[counted], minlength=len(counts))
    means = np.divide(visits, told, out=np.zeros_like(visits), where=told > 0)
    return {
        str(name): (int(count), float(mean))
        for name, count, mean in zip(gate.names, counts, means, strict=True)
    }
