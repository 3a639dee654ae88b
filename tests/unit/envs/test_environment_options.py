"""One set of options: the same names and defaults in every kind of environment."""

import inspect
from typing import get_type_hints

import pytest

from phasezoo.envs import AECGameEnv, GameVectorEnv, GymEnv, ParallelGameEnv
from phasezoo.envs.options import (
    DEFAULTS,
    ParallelOptions,
    PettingZooOptions,
    SingleOptions,
    VectorOptions,
)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (AECGameEnv, PettingZooOptions),
        (ParallelGameEnv, ParallelOptions),
        (GymEnv, SingleOptions),
        (GameVectorEnv, VectorOptions),
    ],
)
def test_names_types_and_defaults_are_those_of_the_table(kind, options):
    parameters = inspect.signature(kind.__init__).parameters
    named = {name: each for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}
    assert named.keys() == options.__annotations__.keys() | get_type_hints(options).keys()
    assert {name: each.default for name, each in named.items()} == {
        name: DEFAULTS[name] for name in named
    }
    hints = get_type_hints(kind.__init__)
    assert {name: hints[name] for name in named} == get_type_hints(options)


def test_every_default_is_of_an_option():
    known = get_type_hints(VectorOptions) | get_type_hints(ParallelOptions)
    assert DEFAULTS.keys() == known.keys()
