from pathlib import Path

import pytest

from phasezoo import errors


def test_the_hint_fits_a_clone_and_a_wheel(monkeypatch, tmp_path):
    with pytest.raises(ImportError, match=r"boards need x: uv pip install '\.\[web\]'"):
        raise errors.MissingDependency.of_extra(need="boards need x", extra="web")
    monkeypatch.setattr(errors, "__file__", str(tmp_path / "lib" / "phasezoo" / "errors.py"))
    assert errors.install_hint("web").startswith("pip install 'phasezoo-")
    assert errors.install_hint("web").endswith(".whl[web]'")


def test_hints_are_written_in_one_place():
    source = Path(errors.__file__).parent
    places = [
        file.name for file in source.rglob("*.py") if "pip install 'phasezoo" in file.read_text()
    ]
    assert places == ["errors.py"]
