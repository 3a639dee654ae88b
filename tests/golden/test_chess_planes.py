"""Planes equal those of the published engine's encoders, which lie outside the repository."""

import json
from pathlib import Path

import numpy as np
import pytest

from phasezoo import games

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def golden(shared_dir):
    folder = Path(shared_dir) / "golden"
    path = folder / "chess_planes_gates_public.npz"
    if not path.exists():
        pytest.skip(f"the golden arrays are not at {path}")
    lines = (folder / "chess_planes_gates_public.jsonl").read_text().splitlines()
    with np.load(path) as arrays:
        return dict(arrays), [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def states(golden):
    arrays, played = golden
    chess = games.make("chess")
    start = chess.initial_state().fen
    return [
        chess.from_fen(played[game]["start_fen"] or start, played[game]["moves"][:ply])
        for game, ply, *_ in arrays["index"]
    ]


def test_every_position_is_reached(golden, states):
    assert len(states) == len(golden[0]["index"]) == 1120


@pytest.mark.parametrize("spec", ["v1", "v2"])
def test_planes_equal_the_published_ones(golden, states, spec):
    planes = games.encode(states, spec)
    difference = np.abs(planes - golden[0][f"planes_{spec}"])
    rows, channels = np.nonzero(difference.max(axis=(2, 3)) > TOLERANCE)
    assert not len(rows), f"rows {rows[:5]} differ in channels {sorted(set(channels))}"


def test_minimal_planes_are_the_first_twelve(golden, states):
    minimal = games.encode(states, "minimal")
    assert np.array_equal(minimal, golden[0]["planes_v2"][:, :12])


def test_occurrences_equal_the_published_ones(golden, states):
    assert [state.occurrences for state in states] == golden[0]["index"][:, 2].tolist()
