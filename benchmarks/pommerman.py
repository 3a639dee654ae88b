"""Pommerman on one thread, beside the figures of the original.

The original is on no registry, so that it cannot run beside us: its figures were taken on another
machine of two cores (an AMD EPYC), with observations for all players in every step.
"""

import statistics
import subprocess
from pathlib import Path

from benchmarks.common import Row

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 5

ROWS = {
    ("random", "between-resets"): ("Pommerman, random agents, resets left out", "≥ 2 M", None),
    ("random", "with-resets"): ("Pommerman, random agents, new boards", "≥ 1 M", 6_008.0),
    ("random", "with-planes"): ("the same with planes for all four", "≥ 250 k", 6_008.0),
    ("simple", "with-resets"): ("Pommerman, four SimpleAgents", "≥ 100 k", 313.0),
}


def rows() -> list[Row]:
    """What ``crates/phasezoo-core/benches/pommerman.rs`` measures."""
    command = ["scripts/with_cargo.sh", "cargo", "bench", "--locked", "--quiet"]
    command += ["--package", "phasezoo-core", "--bench", "pommerman", "--", str(REPEATS)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        agents, what, *rates = line.split()
        name, aim, original = ROWS[agents, what]
        runs = sorted(map(float, rates))
        peer = "" if original is None else "the original, another machine"
        middle = statistics.median(runs)
        found.append(Row(name, middle, "steps/s", aim, peer, original, (runs[0], runs[-1])))
    return found
