"""The script that makes the networks in the package, where it is used too early."""

import shutil
from pathlib import Path

import make_models as script
import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGED = ROOT / "src" / "phasezoo" / "models"


@pytest.fixture
def work(tmp_path):
    """A folder of finished trainings: what the package has."""
    shutil.copytree(PACKAGED / "chess-small", tmp_path / "work" / "chess-small")
    return tmp_path / "work"


def files(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_packed_that_was_not_measured(work, tmp_path, capsys):
    arguments = ["pack", "chess-small", "--work", str(work), "--models", str(tmp_path / "models")]
    assert script.main(arguments) == 0
    packed = files(tmp_path / "models")
    assert packed == files(work)
    (work / "chess-small" / "strength.json").unlink()
    assert script.main(arguments) == 1
    assert "run train and measure first" in capsys.readouterr().err
    assert files(tmp_path / "models") == packed


def test_measuring_without_the_engine_is_one_sentence(work, capsys):
    arguments = ["measure", "chess-small", "--work", str(work), "--engine", str(work / "none")]
    assert script.main(arguments) == 1
    assert "install it or pass --engine" in capsys.readouterr().err
