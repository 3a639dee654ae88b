"""Networks that are given their planes packed answer as they do of floats, in every backend."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from phasezoo import agents, games, inference, networks, training
from phasezoo.errors import CheckpointError, InvalidArray, InvalidConfig
from phasezoo.games import PackedPlanes, PlaneLayout

CHOICES = [
    ("chess", "v2"),
    ("chess", "minimal"),
    ("atomic", "lichess"),
    ("crazyhouse", "v2:history=3"),
    ("connect-four", "default"),
    ("pommerman-1v1", "standard"),
]


def some_states(name: str, count: int) -> tuple[list[Any], list[int]]:
    """States of a random game, and who sees each."""
    rng = np.random.default_rng(5)
    states, players = [], []
    state = games.make(name).initial_state(seed=3)
    while len(states) < count:
        acting = games.acting_players(state)
        if not acting:
            state = games.make(name).initial_state(seed=4)
            continue
        states.append(state)
        players.append(acting[-1])
        joint = [int(rng.choice(games.legal_actions_of(state, player))) for player in acting]
        state = state.play(joint[0] if state.to_play >= 0 else joint)
    return states, players


def saved(folder: Path, name: str, spec: str, **options: Any) -> Any:
    torch.manual_seed(1)
    game = games.make(name)
    shape = game.plane_shape(spec)
    network = networks.make("resnet-16x1", input_shape=shape, num_actions=game.policy_size(spec))
    return inference.save(network, folder, game=name, planes=spec, **options)


def assert_same(found: inference.Evaluation, expected: inference.Evaluation) -> None:
    np.testing.assert_array_equal(found.policy_logits, expected.policy_logits)
    np.testing.assert_array_equal(found.value, expected.value)
    np.testing.assert_array_equal(found.wdl, expected.wdl)


@pytest.mark.parametrize(("name", "spec"), CHOICES)
def test_the_first_layer_unpacks_bit_for_bit(name: str, spec: str) -> None:
    states, players = some_states(name, 20)
    packed = games.encode(states, spec, players=players, packed=True)
    made = networks.Unpack(packed.layout)(*map(torch.from_numpy, packed.arrays)).numpy()
    floats = games.encode(states, spec, players=players)
    np.testing.assert_array_equal(made.view(np.uint32), floats.view(np.uint32))


@pytest.mark.parametrize("backend", ["torch", "onnx"])
@pytest.mark.parametrize(("name", "spec"), CHOICES)
def test_answers_are_those_of_floats(tmp_path: Path, name: str, spec: str, backend: Any) -> None:
    manifest = saved(tmp_path / "net", name, spec, packed=True)
    assert manifest.packed
    by_floats = inference.load(tmp_path / "net", backend, packed=False)
    by_bits = inference.load(tmp_path / "net", backend)
    assert (by_floats.packed, by_bits.packed) == (False, True)
    states, players = some_states(name, 40)
    floats = games.encode(states, spec, players=players)
    packed = games.encode(states, spec, players=players, packed=True)
    expected = by_floats.evaluate(floats.copy())
    # Each takes either form.
    for evaluator in (by_floats, by_bits):
        for planes in (floats.copy(), packed):
            assert_same(evaluator.evaluate(planes), expected)
    batch = inference.StateBatch(states, players=players)
    counts = inference.Counts()
    answer = inference.evaluate_leaves(by_bits, batch, counts)
    other = inference.evaluate_leaves(by_floats, batch, counts)
    np.testing.assert_array_equal(answer.legal_logits, other.legal_logits)
    np.testing.assert_array_equal(answer.value, other.value)
    assert by_bits.evaluate(packed[:0]).value.shape == (0,)


class Watched:
    """An evaluator that notes in which form its planes come."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.plane_spec, self.packed = inner, inner.plane_spec, inner.packed
        self.shown: set[type] = set()

    def evaluate(self, planes: Any) -> inference.Evaluation:
        self.shown.add(type(planes))
        return self.inner.evaluate(planes)


def test_a_search_asks_for_what_the_network_takes(tmp_path: Path) -> None:
    saved(tmp_path / "net", "chess", "v2")
    state = games.make("chess").initial_state()
    found = []
    for packed in (False, True):
        evaluator = Watched(inference.load(tmp_path / "net", "onnx", packed=packed))
        agent = agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=60), batch_size=8, seed=1)
        found.append(agent.search(state))
        assert evaluator.shown == {PackedPlanes if packed else np.ndarray}
    np.testing.assert_array_equal(found[0].visits, found[1].visits)
    assert found[0].value == found[1].value


def test_a_mixture_may_have_experts_of_both_forms(tmp_path: Path) -> None:
    saved(tmp_path / "net", "chess", "v2")
    forms = [inference.load(tmp_path / "net", packed=packed) for packed in (False, True)]
    names = ("opening", "middlegame", "endgame")
    batch = inference.StateBatch(some_states("chess", 9)[0], phases=[0, 1, 2] * 3)
    answers = []
    for experts in ([forms[0]] * 3, [forms[0], forms[1], forms[1]]):
        chosen = dict(zip(names, experts, strict=True))
        mixture = inference.MixtureOfExperts(chosen, gate="lichess", routing="exact")
        answers.append(inference.evaluate_leaves(mixture, batch, inference.Counts()))
    # Other rows in a call may round otherwise.
    np.testing.assert_allclose(answers[0].value, answers[1].value, atol=1e-6)


class Plain(nn.Module):
    """A network that nobody can make by its name: it is kept as ONNX."""

    def __init__(self, cells: int, actions: int) -> None:
        super().__init__()
        self.policy, self.value = nn.Linear(cells, actions), nn.Linear(cells, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat = planes.flatten(1)
        return self.policy(flat), torch.tanh(self.value(flat))[:, 0]


def test_what_is_kept_as_onnx_takes_one_form(tmp_path: Path) -> None:
    network = Plain(3 * 6 * 7, 7)
    packed = inference.save(network, tmp_path / "packed", game="connect-four", packed=True)
    floats = inference.save(network, tmp_path / "floats", game="connect-four")
    assert (packed.backend, packed.packed, floats.packed) == ("onnx", True, False)
    states = some_states("connect-four", 12)[0]
    answers = [
        inference.load(tmp_path / form).evaluate(games.encode(states, packed=form == "packed"))
        for form in ("packed", "floats")
    ]
    np.testing.assert_array_equal(answers[0].policy_logits, answers[1].policy_logits)
    with pytest.raises(InvalidConfig, match="takes packed planes: leave packed= out"):
        inference.load(tmp_path / "packed", packed=False)
    with pytest.raises(InvalidConfig, match="planes as floats"):
        inference.load(tmp_path / "floats", packed=True)
    with pytest.raises(InvalidConfig, match="in the other form"):
        inference.save(inference.load(tmp_path / "floats"), tmp_path / "other", packed=True)
    again = inference.save(inference.load(tmp_path / "packed"), tmp_path / "again")
    assert again.packed
    # A manifest that says the wrong form.
    path = tmp_path / "again" / "manifest.json"
    path.write_text(path.read_text().replace('"packed": true', '"packed": false'))
    with pytest.raises(CheckpointError, match="input"):
        inference.load(tmp_path / "again")


def test_an_evaluator_of_ones_own_may_ask_for_them() -> None:
    class Bits:
        plane_spec, packed = "v2", True

        def evaluate(self, planes: PackedPlanes) -> inference.Evaluation:
            assert planes.bits.shape[1] == 33
            return inference.Evaluation(value=np.zeros(len(planes), np.float32))

    agent = agents.MCTSAgent(Bits(), limit=agents.Limit(nodes=20), seed=1)  # type: ignore[arg-type]
    assert agent.search(games.make("chess").initial_state()).nodes >= 20


def test_what_cannot_be_packed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path / "net", "connect-four", "default")
    evaluator = inference.load(tmp_path / "net", packed=True)
    planes = np.full((2, 3, 6, 7), 0.5, dtype=np.float32)
    with pytest.raises(InvalidArray, match="not of the kinds 'bbc'"):
        evaluator.evaluate(planes)
    layout = PlaneLayout("ggg", 6, 7)
    monkeypatch.setattr(games.Game, "plane_layout", lambda game, spec=None: layout)
    with pytest.raises(InvalidConfig, match="any numbers on all cells"):
        inference.load(tmp_path / "net", packed=True)
    with pytest.raises(InvalidConfig, match="any numbers on all cells"):
        inference.save(inference.load(tmp_path / "net"), tmp_path / "packed", packed=True)


def test_on_devices_behind_a_bus_they_come_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "net", "connect-four", "default")
    assert not inference.load(tmp_path / "net", "torch", device="cpu").packed
    monkeypatch.setattr("phasezoo.inference.backends.torch.crosses_bus", lambda device: True)
    there = inference.load(tmp_path / "net", "torch", device="cpu")
    assert (there.packed, there.manifest.packed) == (True, False)
    assert not inference.load(tmp_path / "net", "torch", device="cpu", packed=False).packed
    # Floats are answered as they are, even those that could not be packed.
    planes = np.random.default_rng(1).random((5, 3, 6, 7), dtype=np.float32)
    here = inference.load(tmp_path / "net", "torch", device="cpu", packed=False)
    assert_same(there.evaluate(planes.copy()), here.evaluate(planes))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_they_are_unpacked_bit_for_bit(tmp_path: Path) -> None:
    saved(tmp_path / "net", "chess", "v2")
    states = some_states("chess", 30)[0]
    packed = games.encode(states, packed=True)
    arrays = [torch.from_numpy(array).cuda() for array in packed.arrays]
    made = networks.Unpack(packed.layout).cuda()(*arrays).cpu().numpy()
    np.testing.assert_array_equal(made, packed.unpack())
    there = inference.load(tmp_path / "net", "torch", device="cuda")
    assert there.packed
    floats = inference.load(tmp_path / "net", "torch", device="cuda", packed=False)
    assert_same(there.evaluate(packed), floats.evaluate(packed.unpack()))


def test_losses_are_measured_on_the_form_that_all_take(tmp_path: Path) -> None:
    saved(tmp_path / "net", "connect-four", "default")
    forms = [inference.load(tmp_path / "net", "onnx", packed=form) for form in (False, True)]
    store = training.GameStore.sample("connect-four").subset(range(3))
    rows = store.positions()
    measured = [training.evaluate_network(chosen, store, rows) for chosen in (forms[0], forms[1])]
    np.testing.assert_array_equal(measured[0].policy, measured[1].policy)


def test_they_are_told_in_a_line() -> None:
    packed = games.encode([games.make("chess").initial_state()] * 4, packed=True)
    assert repr(packed) == "<PackedPlanes of [4, 52, 8, 8], 1,360 bytes>"
