"""Who has won in games of more than two players."""

import numpy as np
import pytest
from vector_pairs import Pair

from phasezoo.envs import GameVectorEnv

STOP = 0
SEATS = {
    "PommermanFFA-v0": range(4),
    "PommermanTeam-v0": range(4),
    "PommermanTeamRadio-v0": range(4),
    "PommermanOneVsOne-v0": range(2),
}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_learner_in_another_seat_than_the_first_wins_with_plus_one(mode):
    env = GameVectorEnv(
        64, "pommerman-ffa", opponent="random", agent_color=1, max_plies=400, autoreset_mode=mode
    )
    env.reset(seed=5)
    seen = {-1: 0, 0: 0, 1: 0}
    for _ in range(400):
        *_, infos = env.step(np.full(64, STOP))
        told = infos["final_info"] if mode == "SameStep" and "final_info" in infos else infos
        assert told["winners"].shape == (64, 4)
        np.testing.assert_array_equal(told["_winners"], told["_result"])
        for row in np.flatnonzero(told["_result"]):
            winners, result = told["winners"][row], int(told["result"][row])
            assert result == (1 if winners[1] else -1 if winners.any() else 0)
            seen[result] += 1
        assert not told["winners"][~told["_result"]].any()
    assert seen[1] >= 5


def test_two_players_are_told_apart_by_the_first_one():
    env = GameVectorEnv(1, "chess", opponent=None)
    _, infos = env.reset(seed=1)
    assert "winners" not in infos


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("env_id", "seat"), [(env_id, seat) for env_id, seats in SEATS.items() for seat in seats]
)
def test_every_seat_is_told_what_single_environments_tell(env_id, seat, mode):
    pair = Pair(10, mode, env_id=env_id, opponents="random", player=seat)
    pair.reset(seed=100 + seat)
    rng, seen = np.random.default_rng(1), set()
    for _ in range(130):
        # Whoever stands still among random players mostly wins, the others mostly do not.
        actions = pair.native.unwrapped.sample_actions(rng)
        actions[:5] = STOP
        *_, infos = pair.step(actions)
        told = infos["final_info"] if mode == "SameStep" and "final_info" in infos else infos
        for row in np.flatnonzero(told["_result"]):
            winners = told["winners"][row]
            first = seat if len(winners) > 2 else 0
            assert told["result"][row] == (1 if winners[first] else -1 if winners.any() else 0)
            seen.add(bool(winners[seat]))
    assert seen == {True, False}
