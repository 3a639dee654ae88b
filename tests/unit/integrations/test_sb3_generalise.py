"""A model of Stable-Baselines3 as the learner of a generalisation."""

from pathlib import Path

import pytest

from phasezoo import experiments, games
from phasezoo.experiments.generalisation.measures import Regret
from phasezoo.training.solved import Starts

sb3 = pytest.importorskip("phasezoo.integrations.sb3", reason="needs the extra 'sb3'")
pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")


def starts(low, high):
    game = games.make("krk", start="heldout", dtm=(low, high))
    return Starts(games.make("krk"), tuple(game.initial_state(seed=seed) for seed in range(12)))


def test_a_model_learns_in_one_environment_and_is_measured_in_others(tmp_path):
    from sb3_contrib import MaskablePPO

    splits = [
        experiments.Split("near", ("KRK-v0", {"start": "dtm", "dtm": (1, 2)}), starts(1, 2)),
        experiments.Split("far", test=starts(14, 15)),
    ]
    small = {"n_steps": 16, "batch_size": 32, "n_epochs": 1, "policy_kwargs": {"net_arch": [8]}}
    learner = sb3.SB3Learner(MaskablePPO, 64, n_envs=4, options=small)
    axis = experiments.Axis("krk/own", splits, learner, Regret())
    matrix = experiments.generalise(axis, out=tmp_path / "run", threads=1).matrix()
    assert [cell.groups for cell in matrix.cells] == [12, 12]
    assert all(0 <= cell.score.value <= 1 for cell in matrix.cells)
    path = tmp_path / "run" / "krk-own" / "1-near-1" / "model.zip"
    before = path.stat().st_mtime_ns
    # A model that is there is not trained again.
    agent = learner(("KRK-v0", {}), 1, path.with_suffix(""))
    assert agent is not None
    assert path.stat().st_mtime_ns == before


def test_a_model_whose_saving_was_cut_is_trained_again(tmp_path, monkeypatch):
    from sb3_contrib import MaskablePPO

    small = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "policy_kwargs": {"net_arch": [8]}}
    learner = sb3.SB3Learner(MaskablePPO, 16, n_envs=2, options=small)

    def cut(_, file):
        with file if hasattr(file, "write") else Path(file).open("wb") as there:
            there.write(b"PK")
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(MaskablePPO, "save", cut)
        with pytest.raises(KeyboardInterrupt):
            learner(("KRK-v0", {}), 1, tmp_path / "model")
    assert not list(tmp_path.iterdir())
    assert learner(("KRK-v0", {}), 1, tmp_path / "model") is not None
