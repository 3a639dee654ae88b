"""Rows of measurements in a run's directory: probes, a ladder of matches, and costs.

No number of a run depends on them. Costs have a file of their own because every session's differ.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo.arena.statistics.ratings import Rating, Result, ratings
from phasezoo.data.batches import decisions_of
from phasezoo.data.store import GameStore
from phasezoo.training.selfplay.recording import PARTS

PROBES, LADDER = "probes.jsonl", "ladder.jsonl"
"""Files of probes and of the ladder in a run's directory."""


@dataclass(frozen=True)
class ProbeRow:
    """Result of a probe for a version."""

    version: int
    """Number of the version, 0 for the first weights."""
    settings: str
    """Positions and nodes of the probe: rows of other settings belong to another curve."""
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    """Numbers by score, then by player: the network alone, or with search."""

    def describe(self) -> str:
        """Return the first score in a few words."""
        name, numbers = next(iter(self.numbers.items()))
        listed = ", ".join(f"{who} {number:.3g}".strip() for who, number in numbers.items())
        return f"{name}: {listed}"


@dataclass(frozen=True)
class RungRow:
    """A finished match between two versions."""

    first: int
    """Later version."""
    second: int
    """Earlier version."""
    nodes: int
    """Nodes of its searches."""
    scores: list[float] = field(default_factory=list)
    """Score of the later version in each game."""
    openings: list[int] = field(default_factory=list)
    """Opening of each game."""
    phase: str | None = None
    """Phase of which the later version's expert played among the earlier version's others; None:
    the later version played."""


def elo_of(rows: Sequence[RungRow]) -> dict[int, Rating]:
    """Rate versions by all matches between them, version 0 at 0; empty without matches.

    The search with the most games counts, if there were several.
    """
    whole = _of_one_search([row for row in rows if row.phase is None])
    if not whole:
        return {}
    versions = sorted({version for row in whole for version in (row.first, row.second)})
    found = ratings(_results(whole), players=[str(version) for version in versions])
    return {int(rating.name): rating for rating in found}


def gains_of(rows: Sequence[RungRow]) -> dict[str, dict[int, Rating]]:
    """Rate the gain of each phase's expert over the rung before, by phase and version.

    The matches are those in which it plays among that rung's experts; that rung is at 0.
    """
    found: dict[str, dict[int, Rating]] = {}
    for row in _of_one_search([row for row in rows if row.phase is not None]):
        _, rating = ratings(_results([row]), players=[str(row.second), str(row.first)])
        found.setdefault(str(row.phase), {})[row.first] = rating
    return found


def _of_one_search(rows: Sequence[RungRow]) -> list[RungRow]:
    """Return the rows with the commonest number of nodes."""
    counts = [row.nodes for row in rows]
    most = max(set(counts), key=counts.count, default=0)
    return [row for row in rows if row.nodes == most]


def _results(rows: Sequence[RungRow]) -> list[Result]:
    return [
        Result(str(row.first), str(row.second), (row.first, row.second, opening), score)
        for row in rows
        for opening, score in zip(row.openings, row.scores, strict=True)
    ]


COSTS = "costs.jsonl"
"""File of the costs in a run's directory."""


@dataclass(frozen=True)
class CostRow:
    """Cost of a round, as far as this session played it."""

    update: int
    """Number of the round."""
    games: int = 0
    """Number of games; fewer than the round has if it was begun before a kill."""
    plies: float = 0.0
    """Number of their plies."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time: playing and, in it, inference; learning, promoting, watching."""
    cpu: float = 0.0
    """Processor time of all threads."""
    rows: int = 0
    """Number of positions that networks evaluated while games were played."""
    calls: int = 0
    """Number of their calls."""
    expert_rows: dict[str, int] = field(default_factory=dict)
    """Number of positions by expert."""
    expert_calls: dict[str, int] = field(default_factory=dict)
    """Number of calls by expert."""
    samples: dict[str, int] = field(default_factory=dict)
    """Number of the round's decisions by phase."""
    visits: dict[str, float] = field(default_factory=dict)
    """Mean visits of a decision's search, by phase."""

    @property
    def wall(self) -> float:
        """Total seconds of the round."""
        return sum(value for name, value in self.seconds.items() if name != "inference")

    @property
    def parts(self) -> dict[str, float]:
        """Seconds by part; playing is divided into inference and the rest."""
        inference = min(self.seconds.get("inference", 0.0), self.seconds.get("playing", 0.0))
        rest = {k: v for k, v in self.seconds.items() if k not in ("inference", "playing")}
        search = self.seconds.get("playing", 0.0) - inference
        return {"inference": inference, "search and planes": search, **rest}


class Stopwatch:
    """Measures wall and processor time from reading to reading."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Return wall and processor time in seconds since the last reading, and start again."""
        wall, cpu = time.perf_counter(), time.process_time()
        spent = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu
        return spent


def cost_row(
    update: int, spent: Mapping[str, Any], cpu: float, phases: Mapping[str, tuple[int, float]]
) -> CostRow:
    """Make the row of a round.

    Args:
        update: Number of the round.
        spent: :attr:`Rounds.spent`, with the ``seconds`` of other work.
        cpu: Processor time.
        phases: Result of :func:`phases_of`.
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
    """Count searched decisions of stored games by phase, with their mean visits."""
    counts, with_visits, visits = np.zeros((3, len(gate.names)))
    for file in files:
        store = GameStore.open(file)
        rows = store.positions(gate)
        searches = store.columns.visits
        if searches is None:
            continue
        sums = np.concatenate([[0], np.cumsum(searches.counts, dtype=np.float64)])
        given = np.diff(sums[searches.offsets])
        own = given[decisions_of(store.columns, rows.game, rows.ply, rows.player)]
        searched = own > 0
        counts += np.bincount(rows.phase[searched], minlength=len(counts))
        counted = searched & (own < PARTS / 2)  # the others are policies, not visits
        with_visits += np.bincount(rows.phase[counted], minlength=len(counts))
        visits += np.bincount(rows.phase[counted], own[counted], minlength=len(counts))
    means = np.divide(visits, with_visits, out=np.zeros_like(visits), where=with_visits > 0)
    return {
        str(name): (int(count), float(mean))
        for name, count, mean in zip(gate.names, counts, means, strict=True)
    }
