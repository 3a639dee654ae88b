"""Networks of one's own answer as evaluators, are kept in folders and come back the same."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from own_networks import Several, Small, ThreeHeaps, made, states
from torch import nn

from phasezoo import agents, games, gating, inference, networks
from phasezoo.apps.cli import main
from phasezoo.data.batches import own_first
from phasezoo.errors import (
    CheckpointError,
    GateMismatch,
    InvalidConfig,
    InvalidGate,
    InvalidPlaneSpec,
    UnknownGame,
)
from phasezoo.inference import StateBatch, evaluate_leaves
from phasezoo.inference.backends.tensors import by_player
from phasezoo.inference.counts import Counts
from phasezoo.inference.storage.manifest import MANIFEST, MODEL, ONNX_MODEL, Manifest
from phasezoo.networks import precision

GAME = "connect-four"
SHAPE = (3, 6, 7)
FORMS = [
    {"heads": heads, "pair": pair}
    for pair in (False, True)
    for heads in ("wdl", "odds", "scalar", "values")
    if pair or heads != "odds"
]


@pytest.fixture
def registered() -> Iterator[str]:
    networks.register("small-test", Small)
    yield "small-test"
    networks.registry.REGISTRY.own.pop("small-test")


@pytest.fixture
def heaps() -> Iterator[games.Game]:
    yield games.register(
        "three-heaps",
        initial_state=ThreeHeaps,
        num_players=3,
        num_actions=2,
        plane_specs={"default": (1, 1, 2)},
    )
    games.registry.REGISTRY.own.pop("three-heaps")
    games.registry._BY_TYPE.pop(ThreeHeaps)


def wrapped(**options: Any) -> inference.NetworkEvaluator:
    network = made(SHAPE, 7, **options)
    return inference.TorchEvaluator(network, game=GAME, planes="default", device="cpu")


def same(one: Any, other: Any, atol: float = 1e-5) -> None:
    for name in ("policy_logits", "value", "wdl"):
        first, second = getattr(one, name), getattr(other, name)
        assert (first is None) == (second is None)
        if first is not None:
            np.testing.assert_allclose(first, second, atol=atol)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_of_answer_is_understood(form: dict[str, Any]) -> None:
    network = made(SHAPE, 7, **form).eval()
    shown = games.encode(states())
    with torch.no_grad():
        output = network(torch.from_numpy(shown))
    parts = tuple(output) if form["pair"] else tuple(p for p in output if p is not None)
    raw = parts[1].numpy().reshape(len(shown), -1)
    answer = inference.TorchEvaluator(network, game=GAME).evaluate(shown)
    np.testing.assert_allclose(answer.policy_logits, parts[0], atol=1e-6)
    if form["heads"] in ("wdl", "odds"):
        odds = raw if form["heads"] == "odds" else torch.from_numpy(raw).softmax(1).numpy()
        np.testing.assert_allclose(answer.wdl, odds, atol=1e-6)
        np.testing.assert_allclose(answer.value, odds[:, 0] - odds[:, 2], atol=1e-6)
    else:
        assert answer.wdl is None
        np.testing.assert_allclose(answer.value, raw[:, 0], atol=1e-6)
    assert evaluate_leaves(
        inference.TorchEvaluator(network, game=GAME), StateBatch(states()), Counts()
    ).value.shape == (len(shown),)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_without_a_name_it_is_kept_as_onnx(tmp_path: Path, form: dict[str, Any]) -> None:
    evaluator = wrapped(**form)
    inference.save(evaluator, tmp_path / "own")
    assert sorted(path.name for path in (tmp_path / "own").iterdir()) == [MANIFEST, ONNX_MODEL]
    loaded = inference.load(tmp_path / "own")
    assert isinstance(loaded, inference.OnnxEvaluator)
    assert loaded.manifest.value_kind == evaluator.manifest.value_kind
    for rows in (1, 2, 9):  # traced with two
        shown = games.encode(states(rows))
        same(loaded.evaluate(shown), evaluator.evaluate(shown))
    same(pickle.loads(pickle.dumps(loaded)).evaluate(shown), loaded.evaluate(shown))


@pytest.mark.parametrize("backend", ["torch", "onnx", "openvino"])
def test_of_several_values_every_backend_tells_the_one_that_training_teaches(
    tmp_path: Path, backend: str
) -> None:
    if backend == "openvino":
        pytest.importorskip("openvino")
    network = networks.make(Several, SHAPE, 7, seed=5).eval()
    inference.save(network, tmp_path / "own", game=GAME)
    shown = games.encode(states())
    with torch.no_grad():
        output = network(torch.from_numpy(shown))
    assert output.value_field() == "wdl_logits"
    assert (output.value() - output.scalar).abs().max() > 0.05
    evaluator = inference.load(tmp_path / "own", backend, device="cpu")
    assert evaluator.manifest.value_kind == "wdl"
    answer = evaluator.evaluate(shown)
    np.testing.assert_allclose(answer.values(), output.value(), atol=1e-4)
    np.testing.assert_allclose(answer.wdl, output.wdl_logits.softmax(dim=1), atol=1e-4)


@pytest.mark.parametrize("backend", ["torch", "onnx"])
def test_of_three_players_all_values_come_before_win_draw_and_loss(
    tmp_path: Path, backend: str, heaps: games.Game
) -> None:
    network = networks.make(Several, (1, 1, 2), 2, seed=6, num_players=3).eval()
    inference.save(network, tmp_path / "own", game=heaps)
    evaluator = inference.load(tmp_path / "own", backend, device="cpu")
    assert evaluator.manifest.value_kind == "values"
    shown = np.stack([ThreeHeaps(stones).planes("default") for stones in (5, 4, 3)])
    with torch.no_grad():
        output = network(torch.from_numpy(shown))
    assert output.value_field() == "values"
    answer = evaluator.evaluate(shown)
    np.testing.assert_allclose(answer.values(), output.values[:, 0], atol=1e-4)


def test_a_network_that_was_made_by_name_is_kept_by_name(tmp_path: Path, registered: str) -> None:
    network = networks.make(f"{registered}:width=5,heads=scalar", SHAPE, 7, seed=3)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    manifest = inference.save(network, tmp_path / "named", game=GAME, training={"by": "hand"})
    assert network.training  # saving takes nothing over
    record = json.loads((tmp_path / "named" / MANIFEST).read_text())
    assert record["network"] == registered
    assert record["network_options"] == {"width": 5, "heads": "scalar"}
    assert record["network_factory"] == "own_networks:Small"
    assert (record["value_kind"], record["backend"], record["format_version"]) == (
        "value",
        "torch",
        2,
    )
    assert manifest == Manifest.read(tmp_path / "named")
    assert manifest.parameters == networks.parameter_counts(network)
    one, other = (inference.load(tmp_path / "named", b, device="cpu") for b in ("onnx", "torch"))
    shown = games.encode(states())
    same(one.evaluate(shown), other.evaluate(shown))
    assert one.name == f"{registered}:width=5,heads=scalar"
    assert one.manifest.training == {"by": "hand"}
    for name, tensor in other.network.state_dict().items():
        torch.testing.assert_close(tensor, before[name])


def test_batch_norms_are_kept_as_they_were(tmp_path: Path) -> None:
    network = networks.make("rise-8x1", SHAPE, 7, seed=2)
    with torch.no_grad():
        network(torch.rand(16, *SHAPE))
    evaluator = inference.TorchEvaluator(network, game=GAME, device="cpu")  # folds them
    inference.save(evaluator, tmp_path / "a")
    whole = networks.make("rise-8x1", SHAPE, 7, seed=2)
    assert evaluator.manifest.parameters == networks.parameter_counts(whole)
    inference.save(inference.load(tmp_path / "a", "torch", device="cpu"), tmp_path / "b")
    inference.save(
        inference.load(tmp_path / "b", "onnx"), tmp_path / "c", gate="plies:9", phase="over 9"
    )
    assert (tmp_path / "c" / MODEL).read_bytes() == (tmp_path / "a" / MODEL).read_bytes()
    again = inference.load(tmp_path / "c", "torch", device="cpu")
    assert (again.gate, again.phase) == ("plies:9", "over 9")
    shown = games.encode(states())
    same(again.evaluate(shown), evaluator.evaluate(shown))


def test_an_unregistered_name_is_imported_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(__file__).with_name("own_networks.py").read_text()
    (tmp_path / "elsewhere_nets.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    import elsewhere_nets  # type: ignore[import-not-found]

    network = networks.make(elsewhere_nets.Small, SHAPE, 7)
    inference.save(network, tmp_path / "named", game=GAME)
    assert inference.load(tmp_path / "named").evaluate(games.encode(states())) is not None
    import sys

    del sys.modules["elsewhere_nets"]
    (tmp_path / "elsewhere_nets.py").unlink()
    for file in (tmp_path / "named").glob("*.onnx"):
        file.unlink()
    for backend in ("onnx", "torch"):
        with pytest.raises(CheckpointError, match=r"elsewhere_nets.*--plugin MODULE"):
            inference.load(tmp_path / "named", backend)


def test_code_beside_a_manifest_is_never_run(tmp_path: Path, registered: str) -> None:
    inference.save(networks.make(registered, SHAPE, 7), tmp_path / "named", game=GAME)
    record = json.loads((tmp_path / "named" / MANIFEST).read_text())
    (tmp_path / "named" / "trap.py").write_text("raise SystemExit('run')")
    for factory in ("trap:Small", "os.path:join", "named.trap:Small", "os:system"):
        changed = {**record, "network": "unknown", "network_factory": factory}
        (tmp_path / "named" / MANIFEST).write_text(json.dumps(changed))
        with pytest.raises(CheckpointError):
            inference.load(tmp_path / "named", "torch")


def test_options_that_the_network_does_not_have(tmp_path: Path, registered: str) -> None:
    inference.save(networks.make(registered, SHAPE, 7), tmp_path / "named", game=GAME)
    record = json.loads((tmp_path / "named" / MANIFEST).read_text())
    for changes, words in (
        ({"network_options": {"height": 3}}, "height"),
        ({"network_options": {"width": 3}}, "another network"),
        ({"network_options": {"heads": "scalar"}}, "manifest says 7 and wdl|another network"),
        ({"value_kind": "value"}, "manifest says 7 and value"),
        ({"value_kind": "rank"}, "value_kind: 'rank' is not one of 'wdl'"),
        ({"backend": "jax"}, "backend: 'jax' is not one of"),
        ({"backend": "onnx"}, ONNX_MODEL),
        ({"tensors": {"input": 3}}, "tensors"),
        ({"network_factory": 3}, "network_factory"),
    ):
        (tmp_path / "named" / MANIFEST).write_text(json.dumps({**record, **changes}))
        with pytest.raises(CheckpointError, match=words):
            inference.load(tmp_path / "named", "torch")


def test_format_1_is_read_as_before(tmp_path: Path) -> None:
    network = networks.make("rise-8x1", SHAPE, 7)
    inference.save(network, tmp_path / "a", game=GAME)
    shown = games.encode(states())
    expected = inference.load(tmp_path / "a", "torch", device="cpu").evaluate(shown)
    record = json.loads((tmp_path / "a" / MANIFEST).read_text())
    new = ("network_options", "network_factory", "value_kind", "backend", "num_players", "tensors")
    old = {name: value for name, value in record.items() if name not in new}
    (tmp_path / "a" / MANIFEST).write_text(json.dumps({**old, "format_version": 1}))
    same(inference.load(tmp_path / "a", "torch", device="cpu").evaluate(shown), expected)


class Lazy(nn.Module):
    """Knows the sizes of its layers once it has seen planes."""

    def __init__(self) -> None:
        super().__init__()
        self.policy, self.value = nn.LazyLinear(7), nn.LazyLinear(1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.policy(planes.flatten(1)), torch.tanh(self.value(planes.flatten(1)))


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_layers_learn_their_sizes(tmp_path: Path) -> None:
    evaluator = inference.TorchEvaluator(Lazy(), game=GAME, device="cpu")
    inference.save(evaluator, tmp_path / "own")
    shown = games.encode(states())
    same(inference.load(tmp_path / "own").evaluate(shown), evaluator.evaluate(shown))
    inference.save(Lazy(), tmp_path / "other", game=GAME)


def test_what_is_no_network_is_not_saved(tmp_path: Path) -> None:
    mixture = inference.MixtureOfExperts({"all": wrapped()}, "none")
    for given in (mixture, inference.Uniform(), Small, None):
        with pytest.raises(InvalidConfig, match=r"torch.*module|torch\.nn\.Module"):
            inference.save(given, tmp_path / "a")
    assert not (tmp_path / "a").exists()


class Branching(nn.Module):
    """What its forward does depends on the data, which an export loses."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = nn.Linear(126, 7)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = self.policy(planes.flatten(1))
        if planes.sum() > 0:
            logits = 5 * logits + 1
        return logits, torch.tanh(logits[:, 0])


class Fails(nn.Module):
    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        message = "no such layer"
        raise RuntimeError(message)


class Says(nn.Module):
    """Answers what it is given, a row of it for each."""

    def __init__(self, *parts: Any) -> None:
        super().__init__()
        self.parts = parts

    def forward(self, planes: torch.Tensor) -> Any:
        rows = [part.expand(len(planes), *part.shape) for part in self.parts]
        return rows[0] if len(rows) == 1 else tuple(rows)


def test_an_export_that_answers_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"policy differs.*networks\.register"):
        inference.save(Branching(), tmp_path / "a", game=GAME)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (Fails(), r"Fails fails on planes \[2, 3, 6, 7\]: RuntimeError: no such layer"),
        (Says(torch.zeros(7)), r"a tensor \[2, 7\]"),
        (Says(torch.zeros(7), torch.zeros(5)), "give value="),
        (Says(torch.zeros(7), torch.zeros(2, 2)), "NetworkOutput"),
        (Says(torch.zeros(9), torch.zeros(1)), "9 actions, connect-four has 7"),
        (Says(torch.zeros(7), torch.zeros(1), torch.zeros(1)), "NetworkOutput"),
        (Small, "is no torch.nn.Module"),
        (None, "is no torch.nn.Module"),
    ],
    ids=["fails", "one", "five", "matrix", "actions", "three", "class", "none"],
)
def test_networks_that_answer_something_else(network: Any, words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        inference.TorchEvaluator(network, game=GAME)


def test_what_a_network_plays_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="give game="):
        inference.TorchEvaluator(made(SHAPE, 7))
    with pytest.raises(InvalidConfig, match="give game="):
        inference.save(made(SHAPE, 7), tmp_path / "a")
    with pytest.raises(UnknownGame, match="checkers"):
        inference.TorchEvaluator(made(SHAPE, 7), game="checkers")
    with pytest.raises(InvalidPlaneSpec, match="v9"):
        inference.TorchEvaluator(made(SHAPE, 7), game=GAME, planes="v9")
    with pytest.raises(InvalidConfig, match="leave game= and planes= out"):
        inference.save(wrapped(), tmp_path / "a", game=GAME)
    with pytest.raises(InvalidConfig, match="JSON"):
        inference.save(wrapped(), tmp_path / "a", training={"by": object()})


def test_an_expert_says_of_which_gate_and_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gating.registry.REGISTRY, "own", dict(gating.registry.REGISTRY.own))

    @gating.register("even-test", names=("even", "odd"))
    def even(state: Any) -> int:
        return state.ply % 2

    own = gating.make("even-test")
    network = made(SHAPE, 7)
    inference.save(network, tmp_path / "own", game=GAME, gate=own, phase="odd")
    expert = inference.load(tmp_path / "own")
    assert (expert.gate, expert.phase) == ("even-test", "odd")
    assert expert.gate_fingerprint == gating.fingerprint(own, GAME)
    mixed = inference.MixtureOfExperts({"even": inference.Uniform(), "odd": expert}, own)
    assert mixed.game == GAME
    another = gating.CallableGate(lambda state: 1 - state.ply % 2, own.names, "even-test")
    with pytest.raises(GateMismatch, match="even-test"):
        inference.MixtureOfExperts({"even": inference.Uniform(), "odd": expert}, another)
    for options, error in (
        ({"gate": "plies:9", "phase": "late"}, InvalidConfig),
        ({"phase": "late"}, InvalidConfig),
        ({"gate": "no-such-gate"}, InvalidGate),
        ({"gate": "box:9,20"}, InvalidGate),
    ):
        with pytest.raises(error):
            inference.TorchEvaluator(network, game=GAME, **options)
        with pytest.raises(error):
            inference.save(network, tmp_path / "a", game=GAME, **options)
    assert not (tmp_path / "a").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("important")
    for overwrite in (False, True):
        with pytest.raises(CheckpointError, match="something in it"):
            inference.save(wrapped(), tmp_path / "mine", overwrite=overwrite)
    inference.save(wrapped(), tmp_path / "run")
    (tmp_path / "run" / "metrics.csv").write_text("important")
    with pytest.raises(CheckpointError, match=r"metrics\.csv; choose another folder"):
        inference.save(wrapped(), tmp_path / "run", overwrite=True)
    assert (tmp_path / "run" / "metrics.csv").read_text() == "important"
    with pytest.raises(CheckpointError, match="is a file"):
        inference.save(wrapped(), tmp_path / "mine" / "notes.txt")
    inference.save(wrapped(), tmp_path / "own")
    with pytest.raises(CheckpointError, match="overwrite=True"):
        inference.save(wrapped(seed=2), tmp_path / "own")
    inference.save(wrapped(seed=2), tmp_path / "own", overwrite=True)
    shown = games.encode(states())
    same(inference.load(tmp_path / "own").evaluate(shown), wrapped(seed=2).evaluate(shown))
    (tmp_path / "empty").mkdir()
    inference.save(wrapped(), tmp_path / "empty")


def test_what_is_kept_as_onnx_runs_there_alone(tmp_path: Path) -> None:
    inference.save(wrapped(), tmp_path / "own")
    for options in ({"backend": "torch"}, {"device": "cuda"}, {"compiled": True}):
        with pytest.raises(InvalidConfig, match=r"ONNX|onnx"):
            inference.load(tmp_path / "own", **options)
    data = (tmp_path / "own" / ONNX_MODEL).read_bytes()
    (tmp_path / "own" / ONNX_MODEL).write_bytes(data[:-9])
    with pytest.raises(CheckpointError, match="checksum"):
        inference.load(tmp_path / "own")


def test_values_of_every_player_stand_at_their_seats() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], np.float32)
    seats = by_player(values, np.array([0, 1, 2]))
    expected = [[0.1, 0.2, 0.3], [0.5, 0.4, 0.6], [0.8, 0.9, 0.7]]
    np.testing.assert_allclose(seats, expected)
    shown = np.random.default_rng(1).random((9, 4), dtype=np.float32)
    players = np.arange(9) % 4
    learnt = own_first(shown, players.astype(np.int8))  # what networks are taught
    np.testing.assert_array_equal(by_player(learnt, players), shown)


@pytest.mark.parametrize("pair", [False, True])
def test_a_search_of_three_gets_a_value_for_each(
    tmp_path: Path, heaps: games.Game, pair: bool
) -> None:
    network = made((1, 1, 2), 2, heads="values", players=3, pair=pair)
    with pytest.raises(InvalidConfig, match="give value=") if pair else _nothing():
        inference.TorchEvaluator(network, game=heaps)  # three numbers of three could be WDL
    evaluator = inference.TorchEvaluator(network, game=heaps, value="values" if pair else None)
    inference.save(evaluator, tmp_path / "own")
    loaded = inference.load(tmp_path / "own")
    shown = [ThreeHeaps(5, player) for player in range(3)]
    raw = np.asarray(network(torch.full((1, 1, 1, 2), 5.0))[-1].detach())[0]
    for each in (evaluator, loaded):
        value = evaluate_leaves(each, StateBatch(shown), Counts()).value
        np.testing.assert_allclose(value, by_player(np.tile(raw, (3, 1)), np.arange(3)), atol=1e-6)
        agent = agents.MCTSAgent(each, limit=agents.Limit(nodes=20), game=heaps)
        assert agent.search(ThreeHeaps(2)).action == 1  # takes the last stones


def test_a_search_for_one_of_many_takes_their_value(tmp_path: Path) -> None:
    game = games.make("pommerman-1v1")
    ffa = games.make("pommerman-ffa")
    state = ffa.initial_state(seed=1)
    network = made(ffa.plane_shape(), 6, heads="values", players=4)
    evaluator = inference.TorchEvaluator(network, game=ffa)
    with torch.no_grad():
        own = [
            float(network(torch.from_numpy(state.planes("standard", player))[None]).values[0, 0])
            for player in range(4)
        ]
    for player in range(4):
        agent = agents.MCTSAgent(evaluator, others="random", limit=agents.Limit(nodes=1), seed=1)
        assert agent.search(state, player).value == pytest.approx(own[player], abs=1e-5)
    assert game.num_players == 2


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_compiled_and_rough_networks_answer_alike(dtype: Any) -> None:
    if dtype == "bfloat16" and precision.probe(dtype, "cpu") is not None:
        pytest.skip("bfloat16 does not work here")
    shown = games.encode(states())
    exact = wrapped().evaluate(shown)
    other = inference.TorchEvaluator(made(SHAPE, 7), game=GAME, device="cpu", dtype=dtype)
    same(other.evaluate(shown), exact, atol=1e-6 if dtype == "float32" else 5e-2)


@pytest.mark.slow
def test_a_compiled_network_answers_as_before(tmp_path: Path) -> None:
    network = networks.make("rise-8x1", SHAPE, 7)
    inference.save(network, tmp_path / "a", game=GAME)
    compiled = inference.load(tmp_path / "a", "torch", device="cpu", compiled=True)
    plain = inference.load(tmp_path / "a", "torch", device="cpu")
    for rows in (1, 5, 9):
        shown = games.encode(states(rows))
        same(compiled.evaluate(shown), plain.evaluate(shown))


def _nothing() -> Any:
    import contextlib

    return contextlib.nullcontext()


def test_networks_are_checked_on_their_own_game(tmp_path: Path, heaps: games.Game) -> None:
    inference.save(wrapped(), tmp_path / "own")
    loaded = inference.load(tmp_path / "own")
    report = inference.check(loaded)
    assert report.ok, str(report)
    assert "'connect-four'" in str(report)
    broken = inference.check(loaded, "chess").breaches
    assert [each.contract for each in broken] == ["a network is asked about its own game"]
    three = inference.TorchEvaluator(made((1, 1, 2), 2, heads="values", players=3), game=heaps)
    assert inference.check(three).ok
    module = inference.check(made(SHAPE, 7), GAME).breaches
    assert "inference.TorchEvaluator(network, game=…)" in str(module[0])


def test_the_command_checks_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inference.save(wrapped(), tmp_path / "own")
    assert main(["check", str(tmp_path / "own")]) == 0
    assert "evaluator Small: every contract held" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "own"), "--game", "chess"]) == 1
    assert main(["check", str(tmp_path)]) == 1
    assert "manifest.json" in capsys.readouterr().err


def test_the_default_planes_are_those_that_encode_makes(tmp_path: Path) -> None:
    for game in ("connect-four", "chess", "pommerman-1v1"):
        played = games.make(game)
        network = made(played.plane_shape(), played.num_actions)
        inference.save(inference.TorchEvaluator(network, game=game), tmp_path / game)
        state = played.initial_state(seed=1)
        players = [0] if played.search_others else None
        shown = games.encode([state], players=players)
        assert inference.load(tmp_path / game).evaluate(shown).value.shape == (1,)
