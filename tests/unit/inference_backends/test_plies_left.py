"""The moves-left head: kept by both backends, in plies, through mixtures and queues."""

import json

import numpy as np
import pytest
import torch
from saved_networks import save_network

from phasezoo import games, gating, inference, networks
from phasezoo.errors import CheckpointError, InvalidEvaluation
from phasezoo.inference import Counts, Evaluation, MixtureOfExperts, StateBatch, evaluate_leaves
from phasezoo.inference.backends.onnx import OnnxEvaluator
from phasezoo.inference.leaf_batches import LeafBatches
from phasezoo.inference.storage.manifest import MANIFEST
from phasezoo.inference.storage.weights import build_network

CHESS = games.make("chess")


def played(count):
    rng, states = np.random.default_rng(2), [CHESS.initial_state()]
    while len(states) < count:
        states.append(states[-1].play(int(rng.choice(states[-1].legal_actions))))
    return states


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_network(tmp_path_factory.mktemp("network") / "wdlp", "rise-8x1")


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    return save_network(tmp_path_factory.mktemp("network") / "wdl", "rise-8x1:value=wdl")


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_both_backends_say_how_many_plies_are_left(saved, backend):
    evaluator = inference.load(saved, backend)
    shown = games.encode(played(70), "v2")
    network = build_network(evaluator.manifest, evaluator.manifest.read_bytes(saved), "test").eval()
    with torch.no_grad():
        expected = 100 * network(torch.from_numpy(shown)).plies.numpy()
    answer = evaluator.evaluate(shown)
    assert answer.plies_left.dtype == np.float32
    np.testing.assert_allclose(answer.plies_left, expected, atol=1e-3)
    assert expected.std() > 0.01
    assert evaluator.manifest.plies_left is True
    assert evaluator.evaluate(shown[:0]).plies_left.shape == (0,)


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_a_network_without_the_head_says_nothing(without, backend):
    evaluator = inference.load(without, backend)
    assert evaluator.evaluate(games.encode(played(2), "v2")).plies_left is None
    assert evaluator.evaluate(games.encode(played(2), "v2")[:0]).plies_left is None
    assert evaluator.manifest.plies_left is False


def test_manifests_that_do_not_say_it_load(saved, tmp_path):
    record = json.loads((saved / MANIFEST).read_text())
    assert record.pop("plies_left", None) is None
    folder = tmp_path / "old"
    folder.mkdir()
    for file in saved.glob("*.safetensors"):
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / MANIFEST).write_text(json.dumps(record))
    assert inference.load(folder, "torch").manifest.plies_left is True
    assert inference.load(folder, "onnx").evaluate(games.encode(played(1), "v2")).plies_left.shape
    (folder / MANIFEST).write_text(json.dumps(record | {"plies_left": "yes"}))
    with pytest.raises(CheckpointError, match="plies_left: 'yes' is not of type bool"):
        inference.load(folder)
    (folder / MANIFEST).write_text(json.dumps(record | {"plies_left": False}))
    with pytest.raises(CheckpointError, match="plies"):
        inference.load(folder, "torch")


def test_what_is_saved_says_it(saved, without, tmp_path):
    for source, expected in ((saved, True), (without, False)):
        manifest = inference.save(inference.load(source, "torch"), tmp_path / str(expected))
        assert manifest.plies_left is expected


class Own(torch.nn.Module):
    """A network of a user's own, that no name builds."""

    def __init__(self):
        super().__init__()
        self.read = torch.nn.Linear(52 * 64, 4672 + 4)

    def forward(self, planes):
        found = self.read(planes.flatten(1))
        return networks.NetworkOutput(
            found[:, :4672], wdl_logits=found[:, 4672:4675], plies=found[:, 4675].sigmoid()
        )


def test_a_network_of_ones_own_keeps_it_as_onnx(tmp_path):
    evaluator = inference.TorchEvaluator(Own(), game="chess", planes="v2", device="cpu")
    shown = games.encode(played(5), "v2")
    before = evaluator.evaluate(shown).plies_left
    assert inference.save(evaluator, tmp_path / "own").backend == "onnx"
    loaded = inference.load(tmp_path / "own")
    np.testing.assert_allclose(loaded.evaluate(shown).plies_left, before, atol=1e-3)
    named = {"policy": "policy_logits", "wdl": "wdl", "plies_left": "plies_left"}
    foreign = OnnxEvaluator.from_file(tmp_path / "own" / "model.onnx", game="chess", **named)
    np.testing.assert_allclose(foreign.evaluate(shown).plies_left, before, atol=1e-3)


# --- in mixtures and queues ---


class Says:
    """Answers with its number; with None it does not say how many plies are left."""

    plane_spec = None

    def __init__(self, plies):
        self.plies = plies

    def evaluate(self, planes):
        rows = len(planes)
        left = None if self.plies is None else np.full((rows, *np.shape(self.plies)), self.plies)
        return Evaluation(value=np.zeros(rows), plies_left=left)


def mixed(routing, first=10, second=30):
    experts = {"part 0": Says(first), "part 1": Says(second)}
    return MixtureOfExperts(experts, "hash:2", routing, game="chess")


def leaves(count=12):
    states = played(count)
    return StateBatch(states, gating.make("hash:2").batch(states).astype(np.int8))


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_mixtures_pass_it_on(routing):
    shown = leaves()
    answer = evaluate_leaves(mixed(routing), shown, Counts())
    assert set(answer.plies_left.tolist()) == {10.0, 30.0}
    np.testing.assert_array_equal(answer.plies_left, np.where(shown.phases == 0, 10, 30))
    assert evaluate_leaves(mixed(routing, second=None), shown, Counts()).plies_left is None


def test_joined_batches_pass_it_on():
    joined = LeafBatches([leaves(3), leaves(5)])
    answer = evaluate_leaves(Says(4), joined, Counts())
    assert [part.plies_left.tolist() for _, part in joined.split(answer)] == [[4] * 3, [4] * 5]


@pytest.mark.parametrize("wrong", [np.nan, -1.0])
def test_what_is_no_number_of_plies_is_refused(wrong):
    with pytest.raises(InvalidEvaluation, match="Says: plies_left"):
        evaluate_leaves(Says(wrong), leaves(), Counts())
    with pytest.raises(InvalidEvaluation, match=r"plies_left is float64\[12, 2\], expected"):
        evaluate_leaves(Says([1.0, 2.0]), leaves(), Counts())
