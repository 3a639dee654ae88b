"""Pommerman on one thread, beside the figures of the original.

The original is on no registry, so that it cannot run beside us: its figures were taken on another
machine of two cores (an AMD EPYC), with observations for all players in every step.
"""

from benchmarks.common import Row, counted, native

ROWS = {
    ("random", "between-resets"): ("Pommerman, random agents, resets left out", "≥ 2 M", None),
    ("random", "with-resets"): ("Pommerman, random agents, new boards", "≥ 1 M", 6_008.0),
    ("random", "with-planes"): ("the same with planes for all four", "≥ 250 k", 6_008.0),
    ("simple", "with-resets"): ("Pommerman, four SimpleAgents", "≥ 100 k", 313.0),
}


def rows() -> list[Row]:
    """What ``crates/phasezoo-core/benches/pommerman.rs`` measures."""
    found = []
    for agents, what, *rates in native("pommerman"):
        name, aim, original = ROWS[agents, what]
        peer = "" if original is None else "the original, another machine"
        found.append(counted(name, "steps/s", aim, rates, peer=peer, theirs=original))
    return found
