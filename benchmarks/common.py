"""What the benchmarks share: a row of the table, and the median of interleaved runs."""

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Row", "alone", "compared", "counted", "interleaved", "native", "rate"]

ROOT = Path(__file__).resolve().parent.parent

Work = Callable[[], float]
"""Does a piece of work and returns how many units it was."""


@dataclass(frozen=True)
class Row:
    """One line of the speed table."""

    name: str
    """What is measured, and on how many threads."""
    ours: float
    """Our figure: the median of several runs."""
    unit: str
    """Of both figures, such as ``"steps/s"``."""
    aim: str
    """The figure we set out to reach, in words."""
    peer: str = ""
    """What stands beside us, with its version; empty if nothing does."""
    theirs: float | None = None
    """The peer's figure, from the same run."""
    spread: tuple[float, float] | None = None
    """Our lowest and highest run."""


def rate(work: Work) -> float:
    """Units per second of one piece of work."""
    start = time.perf_counter()
    units = work()
    return units / (time.perf_counter() - start)


def interleaved(*works: Work, repeats: int = 5) -> list[list[float]]:
    """Rates of several pieces of work, run in turn so that a noisy machine hits all alike.

    The first round warms caches up and is thrown away.

    Returns:
        One sorted list of ``repeats`` rates per piece of work.
    """
    for work in works:
        work()
    rates: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, results in zip(works, rates, strict=True):
            results.append(rate(work))
    return [sorted(results) for results in rates]


def compared(
    name: str, unit: str, aim: str, ours: Work, peer: str, theirs: Work, repeats: int = 5
) -> Row:
    """A row of ours beside a peer, both measured in turn."""
    mine, other = interleaved(ours, theirs, repeats=repeats)
    return Row(
        name,
        statistics.median(mine),
        unit,
        aim,
        peer,
        statistics.median(other),
        (mine[0], mine[-1]),
    )


def native(bench: str, repeats: int = 5) -> list[list[str]]:
    """What a benchmark of the core prints, ``crates/phasezoo-core/benches/{bench}.rs``.

    Returns:
        The words of each line: what was measured, then a figure for each of ``repeats`` runs.
    """
    command = ["scripts/with_cargo.sh", "cargo", "bench", "--locked", "--quiet"]
    command += ["--package", "phasezoo-core", "--bench", bench, "--", str(repeats)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines() if line]


def counted(name: str, unit: str, aim: str, rates: Sequence[str], **peer: Any) -> Row:
    """A row of figures that :func:`native` gave."""
    runs = sorted(map(float, rates))
    return Row(name, statistics.median(runs), unit, aim, spread=(runs[0], runs[-1]), **peer)


def alone(name: str, unit: str, aim: str, ours: Work, repeats: int = 5) -> Row:
    """A row without a peer."""
    (mine,) = interleaved(ours, repeats=repeats)
    return Row(name, statistics.median(mine), unit, aim, spread=(mine[0], mine[-1]))
