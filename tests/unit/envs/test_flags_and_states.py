"""Flags that are not True or False; the states of PettingZoo; what the vector tells on demand."""

import numpy as np
import pytest

from phasezoo.envs import (
    ChessVectorEnv,
    KRKEnv,
    KRKVectorEnv,
    PommermanEnv,
    PommermanVectorEnv,
    chess_v0,
    krk_v0,
    pommerman_v0,
)
from phasezoo.errors import InvalidConfig


@pytest.mark.parametrize("value", ["no", "False", 0, 1, None])
@pytest.mark.parametrize(
    ("make", "option"),
    [
        (lambda **options: ChessVectorEnv(2, **options), "chess960"),
        (lambda **options: ChessVectorEnv(2, **options), "copy"),
        (lambda **options: ChessVectorEnv(2, **options), "monotone"),
        (chess_v0.env, "chess960"),
        (krk_v0.env, "monotone"),
        (PommermanEnv, "fog"),
        (PommermanEnv, "collapse"),
        (pommerman_v0.parallel_env, "collapse"),
        (lambda **options: PommermanVectorEnv(2, **options), "collapse"),
    ],
)
def test_what_is_no_flag_is_refused(make, option, value):
    if option in ("fog", "collapse") and value is None:
        make(**{option: None})  # as the mode has it
        return
    with pytest.raises(InvalidConfig, match=f"{option}={value!r}"):
        make(**{option: value})


@pytest.mark.parametrize(
    "env",
    [
        lambda: chess_v0.env(planes="v1"),
        lambda: pommerman_v0.env(mode="radio"),
        lambda: pommerman_v0.parallel_env(mode="ffa", observation="dict"),
    ],
)
def test_the_state_is_what_all_players_see(env):
    env = env()
    env.reset(seed=4)
    state, game = env.unwrapped.state(), env.unwrapped
    if hasattr(game, "env"):
        game = game.env  # a parallel environment inside
    assert game.state_space.contains(state)
    players = range(len(env.possible_agents))
    spec = "v1" if "chess" in str(env) else "standard"
    np.testing.assert_array_equal(state, [game.game_state.planes(spec, p) for p in players])
    assert any(not np.array_equal(state[0], state[player]) for player in players)


def test_vectors_of_the_endgame_tell_the_distance_to_mate_on_demand():
    envs = KRKVectorEnv(3, start="dtm", dtm=(3, 5))
    envs.reset(seed=2)
    singles = [KRKEnv(start="dtm", dtm=(3, 5)) for _ in range(3)]
    told = [env.reset(seed=2 + row)[1]["dtm"] for row, env in enumerate(singles)]
    assert envs.dtm().dtype == np.float64
    np.testing.assert_array_equal(envs.dtm(), told)
    # Black takes the rook: drawn.
    envs = KRKVectorEnv(2, agent_color="black")
    envs.reset(options={"fen": "8/8/8/8/8/5k2/6R1/K7 b - - 0 1"})
    assert [state.dtm for state in envs.states] == [None, None]
    assert np.isnan(envs.dtm()).all()
