"""`python -m drills leak [WORK …]`: works for long, and looks whether the memory stays flat."""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from drills.leak.catalogue import WORKS
from drills.leak.trend import BLOCKS, FLAT, UNCLEAR, WARM, trend_of
from drills.leak.watching import Work, watch
from drills.names import add_names, parsed

STATM = Path("/proc/self/statm")
"""Where Linux says how much memory a process holds."""

RULE = f"""\
Resident memory behind the first {WARM:.0%} of the time is cut into {BLOCKS} blocks; a line is laid
through their medians. Flat: the whole 95 % interval of its slope is at most the tolerance. Grows:
all of it is above. Unclear: neither; more minutes make the interval narrower. Exit code 1 unless
all are flat."""


def main(words: Sequence[str], works: Mapping[str, Work] = WORKS) -> int:
    """Work, print a line for each kind of it, and return 1 unless all memory is flat."""
    parser = argparse.ArgumentParser(
        prog="python -m drills leak",
        description=f"{__doc__}\n\n{RULE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_names(parser, works)
    parser.add_argument("--minutes", type=float, default=10.0, help="of each (default 10)")
    parser.add_argument(
        "--tolerance", type=float, default=16.0, help="MiB an hour that are flat (default 16)"
    )
    parser.add_argument("--json", type=Path, help="write the figures and samples here too")
    options = parsed(parser, words, works, "work")
    if not 0.01 <= options.minutes <= 10_000:
        parser.error(f"--minutes {options.minutes:g}: must be from 0.01 to 10000")
    if not 0 < options.tolerance < float("inf"):
        parser.error(f"--tolerance {options.tolerance:g}: must be above 0")
    if not STATM.exists():
        parser.error("reads /proc, which this system does not have: run it on Linux")
    print(f"{'work':<9} {'pieces':>8} {'MiB':>15} {'MiB/hour [95 %]':>24}")
    rows = []
    for name in options.names:
        rows.append(_row(name, works[name], options.minutes, options.tolerance))
        print(_line(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows) + "\n", encoding="utf-8")
    if any(row["verdict"] == UNCLEAR for row in rows):
        print("unclear: give it more --minutes")
    return 0 if all(row["verdict"] == FLAT for row in rows) else 1


def _row(name: str, work: Work, minutes: float, tolerance: float) -> dict[str, object]:
    """Return the row of one kind of work."""
    with tempfile.TemporaryDirectory() as folder:
        seen = watch(work, Path(folder) / name, 60 * minutes)
    row: dict[str, object] = {"work": name, "minutes": minutes, **asdict(seen)}
    if seen.ended:
        return {**row, "verdict": seen.ended}
    trend = trend_of(seen.seconds, seen.mebibytes)
    return {**row, **asdict(trend), "verdict": trend.verdict(tolerance)}


def _line(row: Mapping[str, object]) -> str:
    """Return a row as text."""
    if "slope" not in row:
        return f"{row['work']:<9} {row['pieces']:>8} failed: {row['verdict']}"
    memory = f"{row['first']:.1f} → {row['last']:.1f}"
    slope = f"{row['slope']:+.1f} [{row['low']:+.1f}, {row['high']:+.1f}]"
    return f"{row['work']:<9} {row['pieces']:>8} {memory:>15} {slope:>24} {row['verdict']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
