"""The recipes for libraries that the package does not bring along run if they are installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

PAGE = Path(__file__).resolve().parents[3] / "docs" / "howto" / "libraries.md"
RECIPE = re.compile(r"^## (?P<name>[^\n]+)\n.*?^```py\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
RECIPES = {found["name"]: found["code"] for found in RECIPE.finditer(PAGE.read_text())}
LIBRARIES = {
    "TorchRL": "torchrl",
    "Tianshou": "tianshou",
    "RLlib": "ray.rllib",
    "SuperSuit": "supersuit",
    "Many agents in TorchRL": "torchrl",
}
EVERY_MODULE = """
from torchrl.envs import PettingZooWrapper, check_env_specs
from phasezoo import envs

parallel = envs.pommerman_v0.parallel_env
made = [getattr(envs, name).env for name in envs.__all__ if name.endswith("_v0")]
kinds = [(make, {}) for make in made]
kinds += [
    (make, {"mode": mode, "observation": observation})
    for mode in ("ffa", "team", "radio", "1v1")
    for observation in ("planes", "masked")
    for make in (parallel, envs.pommerman_v0.env)
]
kinds.append((envs.krk_v0.env, {"start": "uniform", "planes": "minimal", "max_plies": 7}))
for make, options in kinds:
    for categorical in (True, False):
        env = PettingZooWrapper(make(**options), use_mask=True, categorical_actions=categorical)
        check_env_specs(env)
        if make is not envs.pommerman_v0.env:  # where TorchRL would act for the dead
            env.rollout(60, break_when_any_done=False)
print(len(kinds), "kinds of games")
"""


def ran(code, library, folder):
    # Not importorskip: importing these here would bring their warnings into this process.
    if subprocess.run([sys.executable, "-c", f"import {library}"], capture_output=True).returncode:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "games" in done.stdout


def test_the_page_has_its_recipes():
    assert RECIPES.keys() == LIBRARIES.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_runs(name, tmp_path):
    ran(RECIPES[name], LIBRARIES[name], tmp_path)


def test_torchrl_takes_every_module(tmp_path):
    ran(EVERY_MODULE, "torchrl", tmp_path)
