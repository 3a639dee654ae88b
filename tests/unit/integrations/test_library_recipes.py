"""The recipes for libraries that the package does not bring along run if they are installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

PAGE = Path(__file__).resolve().parents[3] / "docs" / "howto" / "libraries.md"
RECIPE = re.compile(r"^## (?P<name>\w+)\n.*?^```py\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
RECIPES = {found["name"].lower(): found["code"] for found in RECIPE.finditer(PAGE.read_text())}


def test_the_page_has_its_recipes():
    assert RECIPES.keys() == {"torchrl", "tianshou"}


@pytest.mark.parametrize("library", RECIPES)
def test_a_recipe_runs(library, tmp_path):
    # Not importorskip: importing these here would bring their warnings into this process.
    if subprocess.run([sys.executable, "-c", f"import {library}"], capture_output=True).returncode:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, "-c", RECIPES[library]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "games" in done.stdout
