"""MaskablePPO learns from native vectors, in at most 50,000 steps (``scripts/sb3_curves.py``)."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra sb3")

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sb3_curves.py"


@pytest.fixture(scope="module")
def curves():
    spec = importlib.util.spec_from_file_location("sb3_curves", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_thousand_steps_give_points(curves):
    told = []
    points = curves.train(curves.TASKS["connect-four"], seed=1, steps=2_000, told=told.append)
    assert points == told
    assert [point["steps"] for point in points] == [1024, 2048]
    assert all(0 <= point["wins"] <= 1 for point in points)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wins"), [("connect-four", 0.8), ("pommerman", 0.9)])
def test_it_learns_to_beat_random_play(curves, name, wins):
    points = curves.train(curves.TASKS[name], seed=1)
    assert points[-1]["steps"] <= 51_200
    assert points[-1]["wins"] >= wins
    assert points[-1]["wins"] > points[0]["wins"] + 0.1
