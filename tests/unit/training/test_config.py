"""Options out of range or misspelt are typed errors that help."""

from typing import Any

import pytest

from phasezoo.errors import InvalidConfig
from phasezoo.training import SupervisedConfig
from phasezoo.training.config import make_config

WRONG = [
    ("batch_size", 0), ("batch_size", 65_537), ("max_lr", 0.0), ("max_lr", float("inf")),
    ("max_lr", float("nan")), ("min_lr", 1.0), ("min_lr", -1.0), ("max_momentum", 1.0),
    ("min_momentum", 0.99), ("weight_decay", -1e-4), ("policy_weight", -1.0),
    ("value_weight", float("inf")), ("gradient_clip", 0.0), ("history_dropout", 1.5),
    ("evaluate_every", 0), ("validation_positions", 0), ("spike_factor", 1.0), ("spike_limit", -1),
    ("watched_positions", -1), ("threads", 0), ("batch_size", 2.5), ("batch_size", True),
    ("max_lr", "fast"), ("batch_size", None), ("symmetries", "no"), ("tensorboard", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_values_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidConfig, match=name):
        SupervisedConfig(**{name: value})


def test_a_misspelt_option_names_its_neighbours() -> None:
    with pytest.raises(InvalidConfig, match="did you mean batch_size"):
        make_config(None, {"batchsize": 4})
    with pytest.raises(InvalidConfig, match="there are"):
        make_config(None, {"zzz": 4})


def test_overrides_replace_fields_of_the_given_config() -> None:
    config = make_config(SupervisedConfig(max_lr=0.3, batch_size=7), {"batch_size": 9})
    assert (config.max_lr, config.batch_size) == (0.3, 9)


def test_the_interval_of_validations() -> None:
    assert SupervisedConfig().evaluation_interval(1) == 1
    assert SupervisedConfig().evaluation_interval(95) == 10
    assert SupervisedConfig().evaluation_interval(10**6) == 500  # the paper's
    assert SupervisedConfig(evaluate_every=3).evaluation_interval(10**6) == 3
