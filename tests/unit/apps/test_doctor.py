import builtins
import sys

import pytest

from phasezoo.apps import doctor


def test_a_working_installation_is_in_order(capsys):
    assert doctor.DoctorOptions().run() == 0
    shown = capsys.readouterr().out
    for part in ("native core", "threads", "PyTorch", "ONNX Runtime"):
        assert part in shown


@pytest.mark.parametrize(
    ("module", "extra"), [("torch", "train"), ("onnxruntime", "onnx"), ("matplotlib", "plot")]
)
def test_a_missing_package_names_its_extra_and_is_no_failure(module, extra, monkeypatch, capsys):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] == module:
            message = f"No module named {module!r}"
            raise ModuleNotFoundError(message)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "phasezoo._onnxruntime", raising=False)  # which has it already
    monkeypatch.setattr(doctor.importlib, "import_module", lambda name: without(name) or real(name))
    assert doctor.DoctorOptions().run() == 0
    assert f"uv pip install '.[{extra}]'" in " ".join(capsys.readouterr().out.split())


def test_a_broken_core_fails(monkeypatch, capsys):
    from phasezoo import _core

    monkeypatch.setattr(_core, "perft", lambda *_: 8901)
    assert doctor.DoctorOptions().run() == 1
    captured = capsys.readouterr()
    assert "8901" in captured.out
    assert "native core" in captured.err
