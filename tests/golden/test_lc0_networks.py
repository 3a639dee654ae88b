"""Published networks of lc0's format, against an implementation that is independent of ours."""

import json

import numpy as np
import pytest

from phasezoo import games, inference

STRENGTHS = ("1100", "1500", "1900")


@pytest.fixture(scope="module")
def positions(shared_dir):
    found = json.loads((shared_dir / "golden" / "lc0_networks.json").read_text())["positions"]
    chess = games.make("chess")
    states = []
    for position in found:
        start = position["start"]
        state = chess.initial_state() if start is None else chess.from_fen(start)
        for move in position["moves"]:
            state = state.play(state.parse_uci(move))
        states.append(state)
    return found, states


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("backend", ["torch", "onnx"])
def test_answers_are_those_of_the_published_networks(
    shared_dir, positions, strength, backend, tmp_path, monkeypatch
):
    if backend == "onnx":
        pytest.importorskip("onnxruntime")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = shared_dir / "networks" / f"maia-{strength}.pb.gz"
    network = inference.load(path, backend=backend, threads=1)
    recorded, states = positions
    answer = network.evaluate(games.encode(states, "lc0"))
    for row, (position, state) in enumerate(zip(recorded, states, strict=True)):
        expected = position["networks"][strength]
        np.testing.assert_allclose(answer.wdl[row], expected["wdl"], atol=1e-4)
        legal = state.legal_actions
        odds = np.exp(answer.policy_logits[row][legal].astype(float))
        odds /= odds.sum()
        found = {state.uci(int(a)): p for a, p in zip(legal, odds, strict=True)}
        for move, probability in expected["policy"].items():
            assert found[move] == pytest.approx(probability, abs=1e-4), (state.fen, move)


def test_planes_sum_to_what_they_should(positions):
    recorded, states = positions
    sums = games.encode(states, "lc0").sum(axis=(1, 2, 3))
    np.testing.assert_allclose(sums, [position["planes_sum"] for position in recorded])
