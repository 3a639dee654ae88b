"""Move generators of the variants give the published counts."""

import pytest

from phasezoo import _core

MOST = 1_000_000
"""Larger counts are left out: what is left, half a billion leaves, takes seconds."""


def rows(folder, variant):
    """Position and (depth, count) of every line of a suite."""
    path = folder / "data" / "suites" / f"perft_{variant}.epd"
    if not path.exists():
        pytest.skip(f"the perft suite is not at {path}")
    for line in path.read_text().splitlines():
        fen, *counts = (part.strip() for part in line.split(";"))
        if fen:
            yield fen, [tuple(map(int, each[1:].split())) for each in counts if each[:1] == "D"]


@pytest.mark.parametrize(
    ("variant", "positions"), [("atomic", 118), ("chess960", 641), ("crazyhouse", 6)]
)
def test_counts_are_the_published_ones(shared_dir, variant, positions):
    suite = list(rows(shared_dir, variant))
    assert len(suite) == positions
    for fen, counts in suite:
        for depth, count in counts:
            if count <= MOST:
                assert _core.perft(variant, fen, depth) == count, (fen, depth)
