"""Planes and phases of positions of our own, three times: kept, by plain Python, by the core.

``positions.json`` holds games of this project and of random players; for some plies of each, the
phases by all gates and a digest of the planes. ``scripts/make_golden_positions.py`` writes it, from
the plain Python alone.
"""

import json

import make_golden_positions as script
import numpy as np
import pytest

from phasezoo import games, gating

GAMES = ("chess", "chess960", "atomic", "crazyhouse", "krk")
EXACT = 1e-6


@pytest.fixture(scope="module")
def golden(repository):
    path = repository / "tests" / "golden" / "positions.json"
    return json.loads(path.read_text())


def rows_of(golden, name):
    """(entry of a game, row of one of its positions) of all positions of a game."""
    return [(each, row) for each in golden["games"] if each["game"] == name for row in each["rows"]]


def state_of(entry, row):
    game = games.make(entry["game"])
    moves = entry["moves"][: row["ply"]]
    if entry["start"] is None:
        return game.from_fen(game.initial_state().fen, moves)
    return game.from_fen(entry["start"], moves)


def test_there_are_hundreds_of_positions(golden):
    counts = {name: len(rows_of(golden, name)) for name in GAMES}
    assert sum(counts.values()) >= 400
    assert min(counts.values()) >= 20


@pytest.mark.parametrize("name", GAMES)
def test_planes_are_those_of_the_plain_encoder(golden, name):
    shown = np.zeros(52, dtype=bool)
    for entry, row in rows_of(golden, name):
        state = state_of(entry, row)
        turn = script.turn_of(entry, row["ply"])
        # Those of lc0 have an encoder of their own: tests/differential/test_lc0_planes.py.
        own = {spec for spec in games.make(name).plane_specs if not spec.startswith("lc0")}
        assert set(row["planes"]) == own
        for spec, digest in row["planes"].items():
            ours, theirs = state.planes(spec), script.planes(turn, spec)
            wrong = np.nonzero(np.abs(ours - theirs).max(axis=(1, 2)) > EXACT)[0]
            assert not len(wrong), (state.fen, spec, wrong)
            assert script.digest(theirs) == script.digest(ours) == digest, (state.fen, spec)
            if spec == "v2":
                shown |= theirs[:52].any(axis=(1, 2))
    if name == "chess":
        assert np.flatnonzero(~shown).tolist() == [36], "all planes but that of chess960 are seen"


@pytest.mark.parametrize("name", GAMES)
def test_phases_are_those_of_the_plain_gates(golden, name):
    specs = golden["gates"]
    gates = {spec: gating.make(spec, game=name) for spec in specs}
    seen = {spec: set() for spec in specs}
    for entry, row in rows_of(golden, name):
        state, board = state_of(entry, row), script.board_of(entry, row["ply"])
        for spec, kept in zip(specs, row["phases"], strict=True):
            assert gates[spec](state) == script.phase(spec, board) == kept, (state.fen, spec)
            seen[spec].add(kept)
    if name == "chess":
        assert all(phases == set(range(len(gates[spec].names))) for spec, phases in seen.items())
