"""What importing the package loads, and what it registers."""

import subprocess
import sys
from pathlib import Path

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


def test_light_modules_load_nothing_heavy() -> None:
    light = ["games", "gating", "envs", "envs.chess_v0", "inference", "agents", "arena"]
    code = (
        "import importlib, sys, phasezoo\n"
        f"print([m for m in {HEAVY} if m in sys.modules])\n"
        f"for name in {light}:\n"
        "    importlib.import_module('phasezoo.' + name)\n"
        f"    print(name, [m for m in {HEAVY[:-3]} if m in sys.modules])"
    )
    assert run(code).splitlines() == ["[]", *(f"{name} []" for name in light)]


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
    assert "[train]" in run(code)


def test_public_names_change_on_purpose_alone():
    """One that is taken away breaks somebody's program: say so in the changelog."""
    found = subprocess.run(
        [sys.executable, ROOT / "scripts" / "public_names.py"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    kept = PUBLIC_NAMES.read_text("utf-8").split()
    changes = [f"- {name}" for name in kept if name not in found]
    changes += [f"+ {name}" for name in found if name not in kept]
    assert not changes, "if that is meant: python scripts/public_names.py --write"


def test_every_public_name_can_be_imported() -> None:
    """Subpackages are also read as attributes."""
    names = PUBLIC_NAMES.read_text("utf-8").split()
    public = sorted({name.split(".")[1] for name in names if "__" not in name})
    code = (
        "import importlib, sys, phasezoo; assert 'phasezoo.agents' not in sys.modules; "
        f"print(all(getattr(phasezoo, name).__name__ == 'phasezoo.' + name for name in {public}), "
        f"set({public}) <= set(dir(phasezoo)), hasattr(phasezoo, 'nothing'))\n"
        f"for name in {names}:\n"
        "    module, _, attribute = name.rpartition('.')\n"
        "    getattr(importlib.import_module(module), attribute)\n"
        "print('all')"
    )
    assert run(code) == "True True False\nall"
