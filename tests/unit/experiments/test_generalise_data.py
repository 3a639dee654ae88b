"""Generalisation over ratings of games of one's own, and over sizes of board."""

import dataclasses
import json

import numpy as np
import pytest

from phasezoo import errors, games
from phasezoo.apps import cli
from phasezoo.experiments.generalisation.catalogue import AXES, axes_named
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.experiments.generalisation.learners import rating_bands
from phasezoo.training import GameStore

pytest.importorskip("torch", reason="networks need the extra 'train'")
pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

TINY = GeneraliseConfig(
    network="resnet-8x1", positions=1_000, games=40, test_games=10, resamples=100, threads=1
)
WORDS = ["--network", "resnet-8x1", "--positions", "1000", "--games", "40", "--test-games", "10"]
WORDS += ["--threads", "1", "--resamples", "100"]


def rated(count=240, game="chess"):
    """Sample games with ratings of 1000 to 2000, but for some."""
    store = GameStore.sample(game).subset(np.arange(count))
    ratings = np.linspace(1000, 2000, count).astype(np.int16)[:, None] + [[0, 20]]
    ratings[::40, 1] = 0
    columns = dataclasses.replace(store.columns, ratings=ratings.astype(np.int16))
    return GameStore.of(store.game, columns)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "rated"
    rated().save(path)
    return path


def part(axis, split, which):
    given = getattr(next(one for one in axis.splits if one.name == split), which)
    return given(7) if callable(given) else given


def test_bands_are_those_of_the_mean_rating():
    store = rated()
    means = store.columns.ratings.mean(axis=1)
    bands = rating_bands(store, (1200, 1500))
    assert list(bands) == ["below 1200", "1200–1499", "from 1500"]
    assert (means[bands["1200–1499"]] >= 1200).all()
    assert (means[bands["1200–1499"]] < 1500).all()
    known = np.flatnonzero((store.columns.ratings > 0).all(axis=1))
    assert sorted(np.concatenate(list(bands.values()))) == known.tolist()
    thirds = [len(games) for games in rating_bands(store, ()).values()]
    assert max(thirds) - min(thirds) <= 1


def test_each_band_is_tested_on_games_and_positions_that_nobody_learnt(folder):
    axis = AXES["chess/ratings"](dataclasses.replace(TINY, store=folder, bands=(1500,)))
    assert [split.name for split in axis.rows] == ["below 1500", "from 1500", "all ratings"]
    assert [split.name for split in axis.columns] == ["below 1500", "from 1500"]
    everything = part(axis, "all ratings", "train").splits.train
    low = part(axis, "below 1500", "train").splits.train
    assert (low.columns.ratings.mean(axis=1) < 1500).all()
    assert len(everything) == len(low) + len(part(axis, "from 1500", "train").splits.train)
    exam = part(axis, "below 1500", "test")
    assert (exam.store.columns.ratings.mean(axis=1) < 1500).all()
    assert len(exam.rows)
    assert not np.isin(exam.rows.key, everything.positions().key).any()


def test_the_command_takes_a_store(folder, tmp_path, capsys):
    out = tmp_path / "run"
    words = ["generalise", "chess/ratings", *WORDS, "--store", str(folder), "--out", str(out)]
    assert cli.main([*words, "--bands", "1300", "1700"]) == 0
    assert "1300–1699" in capsys.readouterr().out
    found = json.loads((out / "results.json").read_text())
    assert len(found["matrices"][0]["cells"]) == 12
    assert f"--store {folder} --bands 1300 1700" in found["command"]
    assert cli.main(["generalise", "--resume", str(out)]) == 0


@pytest.mark.parametrize(
    ("bands", "says"),
    [
        ((1500, 1200), "must ascend"),
        ((1990,), "from 1990: 5; each needs 30 or more"),
        ((9999,), "from 9999: 0"),
    ],
)
def test_bands_that_hold_nothing_are_refused(folder, bands, says):
    with pytest.raises(errors.InvalidConfig, match=says):
        AXES["chess/ratings"](dataclasses.replace(TINY, store=folder, bands=bands))


def test_stores_that_do_not_fit_are_refused(tmp_path, capsys):
    with pytest.raises(errors.InvalidConfig, match="phasezoo data import"):
        AXES["chess/ratings"](TINY)
    GameStore.sample("chess").subset(np.arange(50)).save(tmp_path / "unrated")
    with pytest.raises(errors.InvalidConfig, match=r"no game of .* has the ratings"):
        AXES["chess/ratings"](dataclasses.replace(TINY, store=tmp_path / "unrated"))
    rated(100, "connect-four").save(tmp_path / "other")
    with pytest.raises(errors.InvalidConfig, match="holds games of 'connect-four'"):
        AXES["chess/ratings"](dataclasses.replace(TINY, store=tmp_path / "other"))
    words = ["generalise", "chess/ratings", "--store", str(tmp_path / "none")]
    assert cli.main([*words, "--out", str(tmp_path / "run")]) == 1
    assert "no such file" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_boards_of_two_sizes_are_learnt_and_met(tmp_path):
    config = dataclasses.replace(TINY, network="resnet-8x1:value=wdl")
    axis = AXES["pommerman/sizes"](config)
    assert axis.learner.network == "resnet-8x1:value=wdl,pool=global"
    for name, size in (("8×8", 8), ("11×11", 11)):
        store = part(axis, name, "train").splits.train
        assert store.game.plane_shape() == (23, size, size)
        exam, meeting = part(axis, name, "test")
        assert exam.store.game == meeting.game == store.game
        assert store.game.num_players == 2
        starts = set(store.starts.values())
        assert not starts & set(exam.store.starts.values())
    model = axis.learner(part(axis, "8×8", "train"), 1, tmp_path / "model")
    large = part(axis, "11×11", "test")
    found = axis.measure(model, large, 1)
    assert list(found) == [score.name for score in axis.measure.scores]
    assert sum(found["policy loss"].counts) == len(large[0].rows)
    assert found["score"].groups == 10  # pairs of games
    assert games.make("pommerman-1v1").plane_shape() == model.manifest.input_shape


def test_networks_that_cannot_be_pooled_are_refused_by_name_and_left_out_else():
    for network, says in (
        ("vit-32x1", "fit boards of one size"),
        ("resnet-8x1:board=4", "one size"),
        ("mlp-32x1", "pool=: network .* has no such option"),
    ):
        config = dataclasses.replace(TINY, network=network)
        with pytest.raises(errors.InvalidConfig, match=says):
            AXES["pommerman/sizes"](config)
        found = axes_named(["pommerman"], config)
        assert found["pommerman/opponents"].name == "pommerman/opponents"
        assert isinstance(found["pommerman/sizes"], errors.InvalidConfig)
