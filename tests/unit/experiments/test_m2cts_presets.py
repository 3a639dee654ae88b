"""The sizes of the main job: what each of them trains."""

import pytest

from phasezoo import networks
from phasezoo.experiments.m2cts.duel.config import PRESETS
from phasezoo.training import SupervisedConfig


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_trains_a_network_that_there_is_with_options_that_are_allowed(preset):
    config = PRESETS[preset]
    config.validate()
    assert networks.describe(config.network).factory is not None
    SupervisedConfig(
        batch_size=config.training_batch,
        optimizer=config.optimizer,
        max_lr=config.learning_rate,
    )


def test_larger_sizes_learn_as_published():
    for config in (PRESETS["standard"], PRESETS["paper"]):
        assert (config.optimizer, config.learning_rate) == ("sgd", 0.14)
        assert config.network.startswith("rise-")
