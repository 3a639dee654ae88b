"""What importing the package loads, and what it registers."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC_NAMES = Path(__file__).with_name("public_names.txt")

HEAVY = (
    "scipy",
    "torch",
    "onnxruntime",
    "chess",
    "pygame",
    "matplotlib",
    "pyarrow",
    "ray",
    "openvino",
    "tensorrt",
    "starlette",
    "markupsafe",
    "asyncio",
    "argparse",
    "rich",
)


def run(code: str) -> str:
    """Run ``code`` in a fresh interpreter and give back what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, phasezoo; print([m for m in {HEAVY} if m in sys.modules])"
    assert run(code) == "[]"


@pytest.mark.parametrize(
    "module", ["games", "gating", "envs", "envs.chess_v0", "inference", "agents", "arena"]
)
def test_light_modules_load_nothing_heavy(module: str) -> None:
    code = f"import sys, phasezoo.{module}; print([m for m in {HEAVY[:-3]} if m in sys.modules])"
    assert run(code) == "[]"


@pytest.mark.parametrize("name", ["Chess-v0", "phasezoo/Chess-v0"])
def test_the_prefix_registers_without_an_import(name: str) -> None:
    code = f"import gymnasium; print(gymnasium.make('phasezoo:{name}').reset(seed=1)[0].shape)"
    assert run(code) == "(52, 8, 8)"


def test_importing_twice_is_harmless() -> None:
    code = (
        "import warnings; warnings.simplefilter('error'); import importlib, phasezoo; "
        "importlib.reload(phasezoo); import gymnasium; gymnasium.register_envs(phasezoo); "
        "print('fine')"
    )
    assert run(code) == "fine"


def test_missing_torch_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from phasezoo import errors, training\n"
        "try:\n"
        "    training.train_supervised(None, positions=1, out='x')\n"
        "except errors.MissingDependency as error:\n"
        "    print(error)\n"
    )
    assert "phasezoo[train]" in run(code)


def test_public_names_change_on_purpose_alone():
    """One that is taken away breaks somebody's program: say so in the changelog."""
    found = subprocess.run(
        [sys.executable, ROOT / "scripts" / "public_names.py"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    kept = (ROOT / "tests" / "packaging" / "public_names.txt").read_text().split()
    changes = [f"- {name}" for name in kept if name not in found]
    changes += [f"+ {name}" for name in found if name not in kept]
    assert not changes, "if that is meant: python scripts/public_names.py --write"


def test_every_public_name_can_be_imported():
    names = (ROOT / "tests" / "packaging" / "public_names.txt").read_text().split()
    code = (
        "import importlib\n"
        f"for name in {names}:\n"
        "    module, _, attribute = name.rpartition('.')\n"
        "    getattr(importlib.import_module(module), attribute)\n"
        "print('all')"
    )
    assert run(code) == "all"


def test_subpackages_are_read_as_attributes() -> None:
    public = sorted(
        {line.split(".")[1] for line in PUBLIC_NAMES.read_text("utf-8").split() if "__" not in line}
    )
    code = (
        "import sys, phasezoo; assert 'phasezoo.agents' not in sys.modules; "
        f"print(all(getattr(phasezoo, name).__name__ == 'phasezoo.' + name for name in {public}), "
        f"set({public}) <= set(dir(phasezoo)), hasattr(phasezoo, 'nothing'))"
    )
    assert run(code) == "True True False"
