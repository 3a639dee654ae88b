"""`phasezoo bench inference`: one network by every backend."""

import json

import numpy as np
import pytest

from phasezoo._trial import ending
from phasezoo.apps.cli import main
from phasezoo.apps.inference_bench import command
from phasezoo.apps.inference_bench.command import VARIANTS, difference
from phasezoo.apps.inference_bench.measuring import Figures


@pytest.mark.slow
def test_backends_are_measured_and_compared(tmp_path, capsys):
    file = tmp_path / "figures.json"
    words = ["bench", "inference", "phasezoo/connect-four-small", "--backends", "onnx", "tensorrt",
             "--batches", "1", "5", "--positions", "40", "--seconds", "0.01", "--threads", "1",
             "--json", str(file)]  # fmt: skip
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "tensorrt: " in shown
    record = json.loads(file.read_text())
    rows = {row["name"]: row for row in record["rows"]}
    assert list(rows) == ["torch", "onnx", "tensorrt"]
    assert rows["torch"]["difference"] == {"value": 0, "policy": 0, "equal_top": 1}
    onnx = rows["onnx"]
    assert 0 < onnx["difference"]["value"] < 1e-4
    assert 0 < onnx["difference"]["policy"] < 1e-4
    assert [speed["rows"] for speed in onnx["figures"]["speeds"]] == [1, 5]
    for speed in onnx["figures"]["speeds"]:
        assert speed["rows_per_second"] > 0
        assert speed["milliseconds"] > 0
    if rows["tensorrt"]["figures"]["missing"] is not None:
        assert rows["tensorrt"]["difference"] is None


def test_differences_are_over_legal_actions_alone():
    one = {"value": np.array([0.5, -1.0]), "logits": np.log([1, 3, 1, 1, 2]), "offsets": [0, 2, 5]}
    other = {**one, "value": np.array([0.25, -1.0]), "logits": np.log([1, 1, 2, 1, 1])}
    for each in (one, other):
        each["offsets"] = np.array(each["offsets"])
    found = difference(one, other)
    assert found.value == 0.25
    assert found.policy == pytest.approx(0.25)
    assert found.equal_top == 0


def test_those_that_cannot_run_share_a_line_for_each_reason():
    rows = [
        command.Row("a", Figures(missing="no GPU"), None),
        command.Row("b", Figures(missing="no GPU"), None),
        command.Row("c", Figures(missing="not installed"), None),
    ]
    assert command.missing_lines(rows) == ["a, b: no GPU", "c: not installed"]


def test_a_backend_that_ends_its_process_is_a_line():
    assert ending(-4, b"") == "was ended by SIGILL"
    assert ending(-99, b"") == "was ended by signal 99"
    assert ending(1, b"Traceback\nMemoryError\n") == "failed (MemoryError)"
    assert ending(2, b"") == "failed (with code 2, without a message)"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--backends", "jax"], "'jax': expected some of torch, torch-bf16"),
        (
            ["--batches", "0"],
            "--batches 0: expected 1 or more, each a whole number from 1 to 65,536",
        ),
        (["--json", "no-such-folder/figures.json"], "expected a file in a folder that exists"),
        (["--json", "."], "expected a file in a folder that exists"),
        (["--positions", "70000"], "positions 70000"),
        (["--seconds", "0"], "seconds 0"),
        (["--threads", "0"], "threads 0"),
    ],
)
def test_options_out_of_range_are_refused(words, told, capsys):
    assert main(["bench", "inference", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_network_that_is_not_there_is_named(capsys):
    assert main(["bench", "inference", "phasezoo/none"]) == 1
    assert "no such network in the package" in capsys.readouterr().err
    assert main(["bench", "inference", "./nowhere"]) == 1
    assert "./nowhere: no such folder" in capsys.readouterr().err


def test_every_way_to_run_is_one_that_loading_takes():
    from phasezoo.inference.backends.choice import check_running

    for variant in VARIANTS.values():
        check_running(variant)
