"""One set of options: each is declared once, and every kind of environment reads it from there."""

import pytest

from phasezoo.envs import AECGameEnv, GameVectorEnv, GymEnv, ParallelGameEnv
from phasezoo.envs.options import (
    ParallelOptions,
    PettingZooOptions,
    SingleOptions,
    VectorOptions,
)
from phasezoo.errors import InvalidConfig
from phasezoo.specs import options_in, options_of

KINDS = [
    (AECGameEnv, PettingZooOptions),
    (ParallelGameEnv, ParallelOptions),
    (GymEnv, SingleOptions),
    (GameVectorEnv, VectorOptions),
]


@pytest.mark.parametrize(("kind", "table"), KINDS)
def test_the_options_of_a_class_are_those_of_its_table(kind, table):
    named = options_of(kind).by_name
    assert {name: named[name] for name in options_in(table)} == options_in(table)
    assert named.keys() - options_in(table).keys() <= {"game", "num_envs"}


@pytest.mark.parametrize(("kind", "table"), KINDS)
def test_every_default_is_allowed_and_every_option_is_checked(kind, table):
    for option in options_in(table).values():
        assert option.check(option.default) == option.default
        if option.values.words() == "True or False":
            with pytest.raises(InvalidConfig, match=f"{option.name}='no': expected True or False"):
                kind(game="connect-four", **{option.name: "no"})
