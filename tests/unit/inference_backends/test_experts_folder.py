"""Experts in a folder, and networks that come with the package."""

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_networks import made, states
from saved_networks import save_network

from phasezoo import agents, games, gating, inference
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference import Experts, StateBatch, evaluate_leaves
from phasezoo.inference.counts import Counts
from phasezoo.inference.storage import packaged
from phasezoo.inference.storage.manifest import MANIFEST
from phasezoo.inference.storage.packaged import EXPERTS

PHASES = ("up to 10", "over 10")


def experts_in(folder: Path, **changes: Any) -> Experts:
    game = games.make("connect-four")
    for index, (name, phase) in enumerate([("baseline", None), ("a", PHASES[0]), ("b", PHASES[1])]):
        save_network(
            folder / name, "rise-8x1", "default", index + 1, variant=game.name,
            gate="none" if phase is None else "plies:10", phase=phase,
        )  # fmt: skip
    given: dict[str, Any] = {
        "game": game.name,
        "gate": "plies:10",
        "experts": dict(zip(PHASES, "ab", strict=True)),
        "baseline_folder": "baseline",
        "strategy": "staged",
        "training": {"positions": 100},
    }
    return Experts(folder, **{**given, **changes})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    experts_in(tmp_path / "experts").save()
    return tmp_path / "experts"


def test_the_folder_of_a_run_means_its_newest_version(tmp_path: Path) -> None:
    for number in ("00002", "00010"):
        save_network(tmp_path / "versions" / number, "rise-8x1", "v1", 1)
    (tmp_path / "versions" / "00011").mkdir()  # is still being written
    assert packaged.resolved(tmp_path) == tmp_path / "versions" / "00010"
    assert agents.make(f"mcts:net={tmp_path},nodes=2")
    assert packaged.resolved(tmp_path / "versions" / "00002").name == "00002"


def test_a_folder_of_experts_comes_back(folder: Path) -> None:
    found = inference.load_experts(folder)
    assert found == experts_in(folder)
    assert found.phases == PHASES
    assert found.expert(PHASES[1]).phase == PHASES[1]
    assert found.baseline(backend="torch", device="cpu").phase is None
    mixed = found.mixture("soft", threads=1)
    assert (mixed.routing, mixed.game, mixed.names) == ("soft", "connect-four", PHASES)


def test_loading_the_folder_is_loading_its_mixture(folder: Path) -> None:
    mixed = inference.load(folder, threads=1)
    assert isinstance(mixed, inference.MixtureOfExperts)
    shown = states(20, seed=4)
    phases = gating.make("plies:10", "connect-four").batch(shown)
    answer = evaluate_leaves(mixed, StateBatch(shown, phases), Counts())
    for index, name in enumerate("ab"):
        rows = np.flatnonzero(phases == index)
        own = inference.load(folder / name).evaluate(games.encode([shown[row] for row in rows]))
        assert len(rows) > 5
        np.testing.assert_allclose(answer.value[rows], own.value, atol=1e-5)
    copy = pickle.loads(pickle.dumps(mixed))
    again = evaluate_leaves(copy, StateBatch(shown, phases), Counts())
    np.testing.assert_allclose(again.value, answer.value, atol=1e-6)
    agent = agents.MCTSAgent(mixed, limit=agents.Limit(nodes=20))
    assert agent.search(shown[0]).nodes == 20


def test_experts_that_are_not_there(folder: Path, tmp_path: Path) -> None:
    found = inference.load_experts(folder)
    with pytest.raises(InvalidConfig, match="no expert for 'late'"):
        found.expert("late")
    with pytest.raises(CheckpointError, match="have no baseline"):
        experts_in(folder, baseline_folder=None).baseline()
    with pytest.raises(CheckpointError, match=EXPERTS):
        inference.load_experts(tmp_path)
    (folder / "b" / MANIFEST).unlink()
    with pytest.raises(CheckpointError, match="b: no manifest"):
        inference.load(folder)
    with pytest.raises(CheckpointError, match="no network there yet"):
        experts_in(tmp_path / "other", baseline_folder="c").save()
    assert not (tmp_path / "other" / EXPERTS).exists()


def test_a_gate_of_ones_own_may_be_given(folder: Path) -> None:
    rewrite(folder, gate="a gate of mine")
    with pytest.raises(CheckpointError, match=r"a gate of mine.*--plugin MODULE"):
        inference.load(folder)
    gate = gating.make("plies:10", "connect-four")
    assert inference.load_experts(folder).mixture(gate=gate).names == PHASES


def rewrite(folder: Path, **changes: Any) -> None:
    record = json.loads((folder / EXPERTS).read_text())
    (folder / EXPERTS).write_text(json.dumps({**record, **changes}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format_version": 3}, "format version 3, this version of phasezoo reads 1 to 2"),
        ({"routing": "exact"}, "the fields routing are unknown"),
        ({"value": "ours"}, "value: 'ours' is not one of 'own', 'shared'"),
        ({"format_version": True}, "format version True"),
        ({"kind": "network"}, "not the record of experts"),
        ({"experts": {}}, "experts: no phase has an expert"),
        ({"experts": ["a"]}, r"experts: \['a'\] is not a dict"),
        ({"experts": {"up to 10": 3}}, "up to 10: 3 is not of type str"),
        ({"experts": {"up to 10": "../elsewhere"}}, "is no folder inside"),
        ({"experts": {"up to 10": "/etc"}}, "is no folder inside"),
        ({"baseline_folder": ".."}, "is no folder inside"),
        ({"game": "checkers"}, "checkers.*--plugin MODULE"),
        ({"gate": None}, "gate: None is not of type str"),
        ({"training": "long"}, "training: 'long' is not a dict"),
    ],
)
def test_files_of_something_else_are_typed_errors(
    folder: Path, changes: dict[str, Any], words: str
) -> None:
    rewrite(folder, **changes)
    with pytest.raises(CheckpointError, match=words):
        inference.load(folder)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"kind": "experts", "format_version": 1}', "\xff"]
)
def test_no_text_breaks_the_reader(folder: Path, text: str) -> None:
    (folder / EXPERTS).write_bytes(text.encode("latin-1"))
    with pytest.raises(CheckpointError, match=r"experts\.json"):
        inference.load_experts(folder)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models in the place of the package's, and a cache of the user's."""
    (tmp_path / "models").mkdir()
    monkeypatch.setattr(packaged, "models", lambda: tmp_path / "models")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "models"


def test_networks_of_the_package_are_found_by_name(models: Path, tmp_path: Path) -> None:
    experts_in(models / "four-small").save()
    network = inference.TorchEvaluator(made((3, 6, 7), 7), game="connect-four")
    inference.save(network, models / "four-one")
    (models / "unfinished").mkdir()
    (models / "README.md").write_text("")
    before = sorted(path for path in models.rglob("*"))
    assert inference.packaged_networks() == ("phasezoo/four-one", "phasezoo/four-small")
    mixed = inference.load("phasezoo/four-small", threads=1)
    assert isinstance(mixed, inference.MixtureOfExperts)
    assert inference.load_experts("phasezoo/four-small").baseline().phase is None
    one = inference.load("phasezoo/four-one")
    assert one.name == "Small"
    assert sorted(path for path in models.rglob("*")) == before  # nothing is written there
    assert len(list((tmp_path / "cache").rglob("*.onnx"))) == 3
    with pytest.raises(CheckpointError, match=r"there are phasezoo/four-one, phasezoo/four-small"):
        inference.load("phasezoo/chess-huge")


def test_folders_of_ones_own_are_told_apart(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_network(tmp_path / "phasezoo" / "mine", "rise-8x1", "minimal")
    with pytest.raises(CheckpointError, match=r"this version has no networks.*\./"):
        inference.load("phasezoo/mine")
    assert inference.load("./phasezoo/mine").game == inference.load(Path("phasezoo/mine")).game


def test_the_names_of_the_package_are_those_of_its_folders() -> None:
    for name in inference.packaged_networks():
        assert inference.load(name).game is not None
    files = [path for path in packaged.models().rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 8 * 2**20
    program = """
import sys
from phasezoo import inference
inference.packaged_networks()
sys.exit("torch" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=120, check=False).returncode == 0
