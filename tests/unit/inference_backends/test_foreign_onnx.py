"""ONNX files that were made elsewhere: named tensors, fixed batches, other layouts, bad files."""

import io
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from own_networks import made, states
from torch import nn

from phasezoo import agents, games, inference
from phasezoo.errors import CheckpointError, InvalidConfig, InvalidEvaluation, InvalidPlaneSpec
from phasezoo.inference import OnnxEvaluator, StateBatch, evaluate_leaves
from phasezoo.inference.counts import Counts
from phasezoo.inference.storage.manifest import MANIFEST, ONNX_MODEL

GAME = "connect-four"
SHAPE = (3, 6, 7)


class Outputs(nn.Module):
    """A network elsewhere: its outputs in an order and a form of its own."""

    def __init__(self, form: str = "value", softmax: bool = False, planes: bool = False) -> None:
        super().__init__()
        heads = {"value": "scalar", "wdl": "odds", "wdl_logits": "wdl", "values": "values"}
        self.network = made(SHAPE, 42 if planes else 7, heads=heads[form], pair=True)
        self.softmax, self.planes = softmax, planes

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        policy, value = self.network(planes)
        if self.softmax:
            policy = torch.softmax(policy, dim=1)
        if self.planes:
            policy = policy.view(-1, 1, 6, 7)
        return value, 2 * planes.mean(dim=(1, 2, 3)), policy


def exported(
    path: Path, network: nn.Module, rows: int | None = None, shape: tuple[int, ...] = SHAPE
) -> Path:
    """Write ``network``; ``rows``: for so many alone."""
    names = ["board", "game_end", "moves_left", "move_logits"]
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.eval(),
            (torch.zeros(rows or 2, *shape),),
            file,
            dynamo=False,
            input_names=names[:1],
            output_names=names[1:],
            dynamic_axes=None if rows else {name: {0: "n"} for name in names},
        )
    path.write_bytes(file.getvalue())
    return path


def opened(path: Path, form: str = "value", **options: Any) -> OnnxEvaluator:
    given = {"game": GAME, "policy": "move_logits", "threads": 1, form: "game_end", **options}
    return OnnxEvaluator.from_file(path, **given)


@pytest.mark.parametrize("rows", [None, 1, 4])
@pytest.mark.parametrize("form", ["value", "wdl", "wdl_logits", "values"])
def test_it_answers_as_the_network(tmp_path: Path, form: str, rows: int | None) -> None:
    network = Outputs(form).eval()
    path = exported(tmp_path / "x.onnx", network, rows)
    expected = inference.TorchEvaluator(network.network, game=GAME, device="cpu")
    evaluator = opened(path, form)
    inference.save(evaluator, tmp_path / "kept")
    loaded = inference.load(tmp_path / "kept", threads=2)
    shown = games.encode(states(9))
    for each in (evaluator, loaded, pickle.loads(pickle.dumps(evaluator))):
        for count in (1, 2, 9):
            given, right = each.evaluate(shown[:count]), expected.evaluate(shown[:count])
            for name in ("policy_logits", "wdl", "value"):
                one, other = getattr(given, name), getattr(right, name)
                assert (one is None) == (other is None)
                if one is not None:
                    np.testing.assert_allclose(one, other, atol=1e-5)
    counts = Counts()
    evaluate_leaves(loaded, StateBatch(states(9)), counts)
    assert (counts.rows, counts.calls) == (9, 1)
    assert counts.padded_rows == (-9 % rows if rows else 0)


def test_probabilities_are_told_from_logits(tmp_path: Path) -> None:
    network = Outputs(softmax=True).eval()
    path = exported(tmp_path / "x.onnx", network)
    with pytest.raises(CheckpointError, match=r"policy_probabilities="):
        opened(path)
    evaluator = opened(path, policy=None, policy_probabilities="move_logits")
    shown = games.encode(states(5))
    logits = evaluator.evaluate(shown).policy_logits
    with torch.no_grad():
        odds = network(torch.from_numpy(shown))[2]
    np.testing.assert_allclose(torch.from_numpy(logits).softmax(1), odds, atol=1e-6)


def test_a_policy_of_planes_is_flattened(tmp_path: Path) -> None:
    board = games.make("chess")
    network = _Board().eval()
    path = exported(tmp_path / "x.onnx", network, shape=board.plane_shape("minimal"))
    evaluator = opened(path, game="chess", planes="minimal")
    state = board.initial_state()
    with torch.no_grad():
        moves = network(torch.from_numpy(state.planes("minimal"))[None])[2].numpy()
    action = state.parse_uci("g1f3")
    logits = evaluator.evaluate(state.planes("minimal")[None]).policy_logits
    assert logits is not None
    assert logits[0, action] == pytest.approx(moves[0, action // 64].flat[action % 64])


class _Board(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.moves = nn.Conv2d(12, 73, 3, padding=1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        moves = self.moves(planes)
        return torch.tanh(moves.mean(dim=(1, 2, 3))), planes.mean(dim=(1, 2, 3)), moves


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"policy": "policy"}, CheckpointError, r"no output 'policy'; the model has.*move_logits"),
        ({"policy": "moves_left"}, CheckpointError, r"'moves_left' has shape.*expected 7 numbers"),
        ({"policy": "game_end"}, CheckpointError, "expected 7 numbers"),
        ({"value": "move_logits"}, CheckpointError, "expected 1 numbers"),
        ({"wdl": "game_end", "value": None}, CheckpointError, "expected 3 numbers"),
        ({"input": "planes"}, CheckpointError, r"input 'planes': the model has \['board'\]"),
        ({"policy": None}, InvalidConfig, "0 outputs are named for the policy: name one"),
        ({"value": None}, InvalidConfig, "0 outputs are named for the value"),
        ({"wdl": "game_end"}, InvalidConfig, "2 outputs are named for the value"),
        ({"game": "chess"}, CheckpointError, r"'board' is tensor\(float\).*expected"),
        ({"planes": "v2"}, InvalidPlaneSpec, "v2"),
        ({"threads": 0}, InvalidConfig, "threads=0"),
    ],
)
def test_other_tensors_are_typed_errors(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    path = exported(tmp_path / "x.onnx", Outputs())
    with pytest.raises(error, match=words):
        opened(path, **options)


def test_files_that_are_cut_off_or_none(tmp_path: Path) -> None:
    whole = exported(tmp_path / "x.onnx", Outputs()).read_bytes()
    for data in (b"", b"nothing of the kind", whole[: len(whole) // 2], b"\x80\x04K\x01."):
        (tmp_path / "y.onnx").write_bytes(data)
        with pytest.raises(CheckpointError, match=r"y\.onnx"):
            opened(tmp_path / "y.onnx")
    with pytest.raises(CheckpointError, match=r"gone\.onnx"):
        opened(tmp_path / "gone.onnx")


def test_a_kept_model_with_other_names_is_a_typed_error(tmp_path: Path) -> None:
    model = exported(tmp_path / "x.onnx", Outputs())
    inference.save(opened(model, input="board"), tmp_path / "kept")
    text = (tmp_path / "kept" / MANIFEST).read_text()
    for old, new in (("move_logits", "moves"), ('"policy"', '"rule"'), ('"board"', '"b"')):
        (tmp_path / "kept" / MANIFEST).write_text(text.replace(old, new))
        with pytest.raises(CheckpointError, match="kept"):
            inference.load(tmp_path / "kept")
    (tmp_path / "kept" / MANIFEST).write_text(text)
    (tmp_path / "kept" / ONNX_MODEL).write_bytes(b"x")
    with pytest.raises(CheckpointError, match="checksum"):
        inference.load(tmp_path / "kept")


class NotANumber(nn.Module):
    """Answers NaN once there is a stone."""

    def __init__(self, policy: bool) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        stones = planes[:, :2].sum(dim=(1, 2, 3))
        bad = torch.log(-stones)  # -inf of none, NaN of one
        bad = bad - bad
        zeros = torch.zeros_like(stones)
        policy = torch.ones_like(planes[:, 0, 0]) * (bad if self.policy else zeros)[:, None]
        return zeros if self.policy else torch.tanh(bad), zeros, policy


@pytest.mark.parametrize("policy", [True, False])
def test_numbers_that_are_none_name_the_evaluator(tmp_path: Path, policy: bool) -> None:
    path = exported(tmp_path / "odd.onnx", NotANumber(policy))
    inference.save(opened(path), tmp_path / "kept")
    state = games.make(GAME).initial_state().play(3)
    for evaluator in (opened(path), inference.load(tmp_path / "kept")):
        agent = agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=9))
        with pytest.raises(InvalidEvaluation, match=r"odd: .*nan|odd: .*NaN"):
            agent.search(state)
        mixed = inference.MixtureOfExperts({"all": evaluator}, "none")
        with pytest.raises(InvalidEvaluation, match="odd"):
            agents.MCTSAgent(mixed, limit=agents.Limit(nodes=9)).search(state)


def test_wdl_that_are_logits_name_the_evaluator(tmp_path: Path) -> None:
    path = exported(tmp_path / "x.onnx", Outputs("wdl_logits"))
    evaluator = opened(path, "wdl", name="elsewhere")
    with pytest.raises(InvalidEvaluation, match="elsewhere"):
        evaluate_leaves(evaluator, StateBatch(states(3)), Counts())


@pytest.mark.parametrize("chosen", [None, "0"])
def test_onnx_runtime_keeps_to_itself_unless_told_otherwise(chosen):
    environment = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    if chosen is not None:
        environment["ORT_DISABLE_TELEMETRY"] = chosen
    code = """if True:
        import os, sys
        class Watch:
            def find_spec(self, name, path=None, target=None):
                if name == "onnxruntime":
                    print(os.environ.get("ORT_DISABLE_TELEMETRY"))
        sys.meta_path.insert(0, Watch())
        from phasezoo.inference import OnnxEvaluator
        """
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == (chosen or "1")  # whether it is there is asked before
