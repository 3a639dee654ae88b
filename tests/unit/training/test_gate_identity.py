"""An expert is known by what its gate answers, not by the name of the function."""

from pathlib import Path
from typing import Any

import pytest
from training_runs import train

from phasezoo import gating, inference
from phasezoo.errors import GateMismatch, InvalidGate
from phasezoo.inference import MixtureOfExperts

NAMES = ("early", "late")


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gating.registry.REGISTRY, "own", {})


def by_ply(limit: int, late: int = 1) -> Any:
    return lambda state: late if state.ply >= limit else 1 - late


def experts(tmp_path: Path, gate: Any) -> dict[str, Any]:
    short: dict[str, Any] = {"positions": 16, "validation_positions": 16}
    for name in NAMES:
        train(tmp_path / name, gate=gate, phase=name, **short)
    return {name: inference.load(tmp_path / name) for name in NAMES}


def test_a_function_that_was_never_registered_can_be_trained_and_used(tmp_path: Path) -> None:
    gate = gating.make(by_ply(30), names=NAMES)
    loaded = experts(tmp_path, gate)
    assert MixtureOfExperts(loaded, gate).names == NAMES
    # Another process has another object, which answers the same.
    assert MixtureOfExperts(loaded, gating.make(by_ply(30), names=NAMES)).names == NAMES
    # All lambdas of a module have one name; this one is of another opinion.
    with pytest.raises(
        GateMismatch, match=r"called 'callable:.*' too: .*answers on a fixed sample"
    ):
        MixtureOfExperts(loaded, gating.make(by_ply(50), names=NAMES))
    gating.register("other", names=NAMES)(by_ply(50))
    with pytest.raises(GateMismatch, match=r"under the gate 'callable:.* the mixture has 'other'"):
        MixtureOfExperts(loaded, "other")


def test_a_registered_gate_with_the_opposite_meaning_is_noticed(tmp_path: Path) -> None:
    gating.register("ply", names=NAMES)(by_ply(30))
    loaded = experts(tmp_path, "ply")
    assert MixtureOfExperts(loaded, "ply").gate.names == NAMES
    gating.register("ply", names=NAMES)(by_ply(30, late=0))
    with pytest.raises(GateMismatch, match="another gate that was called 'ply' too"):
        MixtureOfExperts(loaded, "ply")


def test_a_gate_that_is_not_registered_here_is_named(tmp_path: Path) -> None:
    gating.register("ply", names=NAMES)(by_ply(30))
    loaded = experts(tmp_path, "ply")
    gating.registry.REGISTRY.own.clear()
    with pytest.raises(InvalidGate, match="import the module that registers it"):
        MixtureOfExperts(loaded, "ply")
    same = gating.make(by_ply(30), names=NAMES)
    assert MixtureOfExperts(loaded, same).gate is same
    gating.register("other", names=NAMES)(by_ply(50))
    with pytest.raises(GateMismatch, match="under the gate 'ply', the mixture has 'other'"):
        MixtureOfExperts(loaded, "other")


def test_networks_of_built_in_gates_carry_no_fingerprint(tmp_path: Path) -> None:
    short: dict[str, Any] = {"positions": 16, "validation_positions": 16}
    train(tmp_path / "a", gate="lichess", phase="opening", **short)
    assert inference.load(tmp_path / "a").gate_fingerprint is None
    gate = gating.make(by_ply(30), names=NAMES)
    train(tmp_path / "b", gate=gate, **short)  # of all phases: no expert, and of no gate
    assert inference.load(tmp_path / "b").gate_fingerprint is None
