"""Run the benchmarks and print the speed table: `python -m benchmarks [NAME …] [--json FILE]`.

Each script runs in a process of its own, so that none sees another's threads or caches. A row whose
peer is not installed says so; a script that fails leaves a row that says so, the others are
measured all the same, and the exit code is 1.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.common import SMALL, Row, absent

NAMES = (
    "vector_env",
    "state_api",
    "gym_env",
    "tree",
    "uct",
    "connect_four",
    "pommerman",
    "encode",
    "packed_planes",
    "perft",
    "moves",
    "pgn_import",
    "sampler",
    "store",
    "training",
    "inference_share",
    "evaluation_cache",
    "uci",
    "sb3",
    "selfplay",
    "ray_actors",
)


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(NAMES)}; default all")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument(
        "--small",
        action="store_true",
        help="work of no size, to see that everything runs; the figures mean nothing",
    )
    parser.add_argument("--rows-of", choices=NAMES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}; known are {', '.join(NAMES)}")
    if options.json and (options.json.is_dir() or not options.json.absolute().parent.is_dir()):
        parser.error(f"--json {options.json}: must be a file in a folder that exists")
    if options.rows_of:
        sys.stdout.write(f"\n{json.dumps([asdict(row) for row in rows_of(options.rows_of)])}\n")
        return
    if options.small:
        os.environ[SMALL] = "1"
    rows: list[Row] = []
    failed = []
    for name in options.names or NAMES:
        try:
            rows += measure(name)
        except subprocess.CalledProcessError:
            rows.append(Row(name, None, "", "", "failed; its message stands above"))
            failed.append(name)
    Console().print(table(rows))
    if options.json:
        options.json.write_text(
            json.dumps({"machine": machine(), "rows": [asdict(r) for r in rows]}, indent=2)
        )
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def rows_of(name: str) -> list[Row]:
    """The rows of one script, measured here; one that says why if a package is missing for all."""
    try:
        rows: list[Row] = import_module(f"benchmarks.{name}").rows()
    except ImportError as error:
        return [Row(name, None, "", "", absent(error))]
    return rows


def measure(name: str) -> list[Row]:
    """Return the rows of one script, run in a process of its own.

    Raises:
        CalledProcessError: It failed.
    """
    command = [sys.executable, "-m", "benchmarks", "--rows-of", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [Row(**row) for row in json.loads(done.stdout.splitlines()[-1])]


def table(rows: list[Row]) -> Table:
    """Return the speed table."""
    result = Table(title=f"{machine()}; medians, in brackets lowest and highest run")
    for heading, justify in (
        ("row", "left"),
        ("phasezoo", "right"),
        ("peer", "right"),
        ("ratio", "right"),
        ("aim", "left"),
    ):
        result.add_column(heading, justify=justify)
    for row in rows:
        ours = "not measured" if row.ours is None else f"{figure(row.ours)} {row.unit}"
        if row.spread:
            ours += f" [dim][{figure(row.spread[0])}–{figure(row.spread[1])}][/dim]"
        peer = f"{row.peer} {figure(row.theirs)}" if row.theirs is not None else row.peer
        ratio = f"{row.ours / row.theirs:.1f}x" if row.ours and row.theirs else ""
        result.add_row(row.name, ours, peer, ratio, row.aim)
    return result


def figure(value: float) -> str:
    """Return a number with three significant digits."""
    for size, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"


def machine() -> str:
    """Return the processor and the number of cores this process may use."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.split(":", 1)[1].strip()
            for line in cpuinfo.read_text().splitlines()
            if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {len(os.sched_getaffinity(0))} cores"


if __name__ == "__main__":
    main()
