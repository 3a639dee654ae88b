"""The sizes of the main job: what each of them trains."""

import math

import pytest

from phasezoo import experiments, games, gating, networks
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.catalogue import CURVES, GAMES
from phasezoo.experiments.two_player.config import PRESETS, M2ctsConfig
from phasezoo.training import SupervisedConfig

SIZES = [
    pytest.param(name, config, id=f"{study.name}-{config.preset}")
    for studies in (GAMES, CURVES)
    for name, study in studies.items()
    for config in study.presets.values()
    if isinstance(config, M2ctsConfig)
]


@pytest.mark.parametrize(("name", "config"), SIZES)
def test_a_preset_trains_a_network_that_there_is_with_options_that_are_allowed(name, config):
    config.validate()
    assert config.game == name
    game = games.make(name)
    assert game.plane_shape(config.planes or game.default_planes)
    assert gating.make(config.gate, name).num_phases > 1
    assert networks.spec_of(config.network)
    SupervisedConfig(
        batch_size=config.training_batch,
        optimizer=config.optimizer,
        max_lr=config.learning_rate,
    )


def test_larger_sizes_learn_as_published():
    for config in (PRESETS["gpu"], PRESETS["paper"]):
        assert (config.optimizer, config.learning_rate) == ("sgd", 0.14)
        assert config.network.startswith("rise-")


@pytest.mark.parametrize("settings", [{"movetime": math.nan}, {"timed_batches": [1, math.nan]}])
def test_nan_is_refused_also_where_a_setting_may_be_none(settings, tmp_path):
    with pytest.raises(InvalidConfig, match="nan is no number to work with"):
        experiments.reproduce("m2cts", out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_what_is_no_path_has_no_report():
    with pytest.raises(InvalidConfig, match="run=3: expected the path of a directory"):
        experiments.open(3)
