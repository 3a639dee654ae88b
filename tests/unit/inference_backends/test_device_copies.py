"""Copies to a device and back, and logits gathered there: the same numbers."""

import numpy as np
import pytest
import torch
from saved_networks import save_network

from phasezoo import agents, games, inference, networks
from phasezoo.inference import Counts, StateBatch, TorchEvaluator, evaluate_leaves
from phasezoo.inference.backends import torch as backend
from phasezoo.inference.storage.weights import build_network

CHESS = games.make("chess")
GPU = pytest.param("cuda", marks=pytest.mark.gpu)
DEVICES = pytest.mark.parametrize("device", ["cpu", GPU])


class Gathering(TorchEvaluator):
    """Gathers on the CPU too."""

    gathers = True


def played(count):
    rng, states = np.random.default_rng(2), [CHESS.initial_state()]
    while len(states) < count:
        state = states[-1].play(int(rng.choice(states[-1].legal_actions)))
        states.append(CHESS.initial_state() if state.is_terminal else state)
    return states


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_network(tmp_path_factory.mktemp("network") / "small", "rise-8x1")


def made(kind, saved, device):
    loaded = inference.load(saved, "torch", device="cpu")
    network = build_network(loaded.manifest, loaded.manifest.read_bytes(saved), "test")
    return kind(network, manifest=loaded.manifest, device=device)


def needs(device):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no CUDA device here")
    return torch.device(device)


@DEVICES
@pytest.mark.parametrize("most", [4096, 7])
def test_gathered_logits_are_those_of_the_legal_actions(saved, device, most, monkeypatch):
    needs(device)
    monkeypatch.setattr(backend, "MAX_ROWS", most)
    plain, gathering = made(TorchEvaluator, saved, "cpu"), made(Gathering, saved, device)
    for rows in (1, 20, 33):
        batch = StateBatch(played(rows))
        counts = Counts()
        expected = evaluate_leaves(plain, batch, Counts())
        answer = evaluate_leaves(gathering, batch, counts)
        assert answer.legal_logits.shape == expected.legal_logits.shape
        exact = {"rtol": 0, "atol": 1e-6 if device == "cpu" else 1e-3}
        for name in ("legal_logits", "value", "wdl"):
            np.testing.assert_allclose(getattr(answer, name), getattr(expected, name), **exact)
        np.testing.assert_allclose(answer.plies_left, expected.plies_left, atol=1e-2)
        assert (counts.rows, counts.calls) == (rows, 1)
        assert counts.seconds > 0
        own = gathering.evaluate(games.encode(played(rows), "v2"))
        assert own.policy_logits.shape == (rows, CHESS.num_actions)


def test_a_search_finds_the_same_with_gathered_logits(saved):
    found = [
        agents.MCTSAgent(
            made(kind, saved, "cpu"), limit=agents.Limit(nodes=100), batch_size=8
        ).search(CHESS.initial_state())
        for kind in (TorchEvaluator, Gathering)
    ]
    np.testing.assert_array_equal(found[0].visits, found[1].visits)
    np.testing.assert_array_equal(found[0].q, found[1].q)


@DEVICES
def test_arrays_arrive_as_they_are(device):
    where = needs(device)
    rng = np.random.default_rng(1)
    for array in (
        rng.random((5, 3, 8, 8), dtype=np.float32),
        rng.integers(0, 99, 40),
        rng.integers(0, 255, (4, 16)).astype(np.uint8),
        np.empty((0, 7), np.float32),
    ):
        kept = array.copy()
        array.setflags(write=False)
        there = networks.to_device(array, where)
        assert there.device.type == device
        (back,) = networks.to_host([there])
        np.testing.assert_array_equal(back.numpy(), kept.astype(np.float32))
    planes = rng.random((5, 3, 8, 8), dtype=np.float32)
    there = networks.to_device(planes, where, torch.float64, torch.channels_last)
    assert there.dtype == torch.float64
    assert there.is_contiguous(memory_format=torch.channels_last)
    np.testing.assert_array_equal(there.cpu().numpy(), planes.astype(np.float64))
    assert networks.to_device(there, where).data_ptr() == there.data_ptr()
    assert networks.to_host([]) == []


@pytest.mark.gpu
def test_an_array_may_be_written_to_while_its_copy_is_under_way():
    where = needs("cuda")
    source = np.ones((64, 1024, 1024), np.float32)
    there = networks.to_device(source, where)
    source[:] = 0
    assert float(there.min()) == 1
