"""Networks of Pommerman's six actions on boards of 11x11 and 8x8, with either backend."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from saved_networks import save_network

from phasezoo import inference
from phasezoo.errors import CheckpointError, InvalidArray
from phasezoo.games.queries import action_spec
from phasezoo.inference.backends.onnx import MAX_ROWS
from phasezoo.inference.storage.manifest import MANIFEST
from phasezoo.training import EpisodeStore, Sampler

TOLERANCE = 1e-4
"""What the two backends may differ by."""

BACKENDS = ["onnx", "torch"]


def saved(directory: Path, name: str = "risex4-1x2", variant: str = "pommerman-ffa") -> Path:
    return save_network(
        directory, name, "standard", variant=variant, gate="proximity:6,3", phase="near"
    )


def positions(rows: int, variant: str = "pommerman-ffa") -> npt.NDArray[np.float32]:
    """Planes along an episode."""
    store = EpisodeStore(variant, rows, seed=1, threads=1)
    batch = Sampler(store, store.positions(), batch_size=rows, threads=1).batch(0)
    return np.asarray(batch.planes)


@pytest.mark.parametrize("name", ["risex4-1x2", "risex4-16x3", "rise-8x1", "resnet-8x1"])
@pytest.mark.parametrize(
    ("variant", "actions", "size"),
    [
        ("pommerman-ffa", 6, 11),
        ("pommerman-team-radio", 384, 11),
        ("pommerman-1v1", 6, 8),
    ],
)
def test_backends_agree(tmp_path: Path, name: str, variant: str, actions: int, size: int) -> None:
    path = saved(tmp_path / "network", name, variant)
    shown = positions(50, variant)
    assert shown.shape == (50, 23, size, size)
    one, other = (inference.load(path, backend, device="cpu") for backend in BACKENDS)
    first, second = one.evaluate(shown), other.evaluate(shown)
    assert first.policy_logits.shape == (50, actions)
    assert np.ptp(second.policy_logits) > 0.1
    for field in ("policy_logits", "wdl", "value"):
        np.testing.assert_allclose(
            getattr(first, field), getattr(second, field), atol=TOLERANCE, rtol=TOLERANCE
        )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_do_not_depend_on_their_batch(tmp_path: Path, backend: Any, threads: int) -> None:
    evaluator = inference.load(saved(tmp_path / "network"), backend, threads=threads)
    shown = positions(2 * MAX_ROWS + 5)
    whole = evaluator.evaluate(shown)
    for rows in (1, 2, 9, MAX_ROWS, MAX_ROWS + 1):
        part = evaluator.evaluate(shown[-rows:])
        np.testing.assert_allclose(part.policy_logits, whole.policy_logits[-rows:], atol=1e-5)
        np.testing.assert_allclose(part.value, whole.value[-rows:], atol=1e-5)


def test_the_layout_of_the_policy_has_a_name() -> None:
    assert action_spec(4672, (52, 8, 8)) == "planes-73"
    assert action_spec(6, (23, 11, 11)) == "flat-6"
    assert action_spec(384, (23, 11, 11)) == "flat-384"


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_does_not_fit_is_a_typed_error(tmp_path: Path, backend: Any) -> None:
    path = saved(tmp_path / "network")
    evaluator = inference.load(path, backend)
    assert evaluator.name == "risex4-1x2 (near)"
    with pytest.raises(InvalidArray, match="23, 11, 11"):
        evaluator.evaluate(np.zeros((1, 23, 8, 8), np.float32))
    record = json.loads((path / MANIFEST).read_text())
    for changes, words in (
        ({"actions": "planes-0"}, "flat-6"),
        ({"num_actions": 384}, "384 actions"),
        ({"game": "pommerman-1v1"}, "23, 8, 8"),
    ):
        (path / MANIFEST).write_text(json.dumps({**record, **changes}))
        with pytest.raises(CheckpointError, match=words):
            inference.load(path, backend)
