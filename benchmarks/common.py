"""Parts that benchmarks share: a row of the table, and the median of interleaved runs."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent

SMALL = "PHASEZOO_BENCH_SMALL"
"""The environment variable that ``--small`` sets for the processes that measure."""

T = TypeVar("T")

Work = Callable[[], float]
"""Does a piece of work and returns how many units it was."""


@dataclass(frozen=True)
class Row:
    """One line of the speed table."""

    name: str
    """Measured work, and its number of threads."""
    ours: float | None
    """Our figure: the median of several runs; None if it was not measured."""
    unit: str
    """Of both figures, such as ``"steps/s"``."""
    aim: str
    """The figure we set out to reach, in words."""
    peer: str = ""
    """Peer with its version; or why there is none, or why nothing was measured."""
    theirs: float | None = None
    """The peer's figure, from the same run."""
    spread: tuple[float, float] | None = None
    """Our lowest and highest run."""


def sized(usual: T, small: T) -> T:
    """Return an amount of work: the usual one, or with ``--small`` enough to see that it runs."""
    return small if os.environ.get(SMALL) == "1" else usual


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
    for _ in range(sized(repeats, 1)):
        for work, results in zip(works, rates, strict=True):
            results.append(rate(work))
    return [sorted(results) for results in rates]


def compared(
    name: str, unit: str, aim: str, ours: Work, peer: str, theirs: Work, repeats: int = 5
) -> Row:
    """A row of ours beside a peer, both measured in turn; ours alone if the peer is not there."""
    try:
        theirs()
    except ImportError as error:
        row = alone(name, unit, aim, ours, repeats)
        return replace(row, peer=f"{peer}: {absent(error)}")
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


def named(peer: str, package: str) -> str:
    """Return a peer with its version, if it is installed."""
    try:
        return f"{peer} {version(package)}"
    except PackageNotFoundError:
        return peer


def absent(error: ImportError) -> str:
    """Return why a peer could not be measured.

    Raises:
        ImportError: The module is one of this repository, so that the error is ours.
    """
    package = (error.name or "").partition(".")[0]
    if package in ("benchmarks", "phasezoo"):
        raise error
    if isinstance(error, ModuleNotFoundError):
        return f"{package} is not installed (make bench installs the peers)"
    return str(error)


def native(bench: str, repeats: int = 5) -> list[list[str]]:
    """Return the output of a benchmark of the core, ``crates/phasezoo-core/benches/{bench}.rs``.

    Returns:
        The words of each line: what was measured, then a figure for each of ``repeats`` runs.
    """
    command = [sys.executable, "scripts/tasks.py", "with-cargo", "cargo", "bench", "--locked"]
    command += ["--quiet", "--package", "phasezoo-core", "--bench", bench]
    # The profile that the tests have built already.
    command += sized([], ["--profile", "dev"])
    command += ["--", *sized([str(repeats)], ["1", "small"])]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines() if line]


def counted(name: str, unit: str, aim: str, rates: Sequence[str], **peer: Any) -> Row:
    """Return a row of figures that :func:`native` gave."""
    runs = sorted(map(float, rates))
    return Row(name, statistics.median(runs), unit, aim, spread=(runs[0], runs[-1]), **peer)


def alone(name: str, unit: str, aim: str, ours: Work, repeats: int = 5) -> Row:
    """Return a row without a peer."""
    (mine,) = interleaved(ours, repeats=repeats)
    return Row(name, statistics.median(mine), unit, aim, spread=(mine[0], mine[-1]))
