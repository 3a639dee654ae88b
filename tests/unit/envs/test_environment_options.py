"""One set of options: each is declared once, and every kind of environment reads it from there."""

import pytest
from vector_pairs import Pair, play

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


TRIED = {
    "planes": ("Chess-v0", "minimal"),
    "history": ("Chess-v0", 1),
    "gate": ("Chess-v0", "plies:2,4"),
    "monotone": ("Chess-v0", True),
    "illegal": ("ConnectFour-v0", "random_legal"),
    "max_plies": ("ConnectFour-v0", 5),
    "render_mode": ("ConnectFour-v0", "ansi"),
    "observation": ("ConnectFour-v0", "masked"),
    "rewards": ("PommermanFFA-v0", "original"),
    "opponent": ("ConnectFour-v0", None),
    "agent_color": ("ConnectFour-v0", "alternate"),
    "compact_actions": ("KRK-v0", True),
}


@pytest.mark.parametrize("name", options_in(SingleOptions))
def test_many_games_at_once_are_played_by_every_option_as_one_is(name):
    env_id, value = TRIED[name]
    beside = {"gate": "lichess"} if name == "monotone" else {}
    pair = Pair(2, "NextStep", env_id=env_id, **beside, **{name: value})
    play(pair, 20, seed=1)
    if name == "render_mode":
        assert list(pair.native.render()) == list(pair.sync.render())
