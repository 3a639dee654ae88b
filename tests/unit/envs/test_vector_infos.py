"""What infos of native vectors tell on demand is what scalar environments tell."""

import copy

import gymnasium as gym
import numpy as np
import pytest
from vector_pairs import MODES, Pair, play

from phasezoo.errors import InvalidConfig

CASES = {
    "krk": ("KRK-v0", {"start": "dtm", "dtm": (1, 4)}, ("fen", "reason", "dtm", "dtm_difference")),
    "krk both": (
        "KRK-v0",
        {"start": "dtm", "dtm": (2, 5), "opponent": "random", "agent_color": "alternate"},
        ("dtm_difference", "reason"),
    ),
    "krk self": (
        "KRK-v0",
        {"start": "dtm", "dtm": (1, 3), "opponent": None, "illegal": "random_legal"},
        ("dtm", "dtm_difference"),
    ),
    "krk outside": (
        "KRK-v0",
        {"start": "uniform", "opponent": lambda seen, info: int(info["action_mask"].argmax())},
        ("dtm_difference", "fen"),
    ),
    "connect-four": ("ConnectFour-v0", {"opponent": "random"}, ("reason",)),
    "pommerman": ("PommermanFFA-v0", {"opponents": "random"}, ("reason",)),
}


class TellingPair(Pair):
    """Compares what was asked for besides."""

    def __init__(self, num_envs, mode, names, **options):
        super().__init__(num_envs, mode, **options)
        # The scalar environment tells everything unasked.
        self.native.close()
        self.native = gym.make_vec(
            options.pop("env_id"), num_envs, autoreset_mode=mode, infos=names, **options
        )
        self.names = names
        self.reasons = set()

    def compare_infos(self, ours, theirs):
        super().compare_infos(ours, theirs)
        self.compare_told(ours, theirs)
        if "final_info" in ours:
            self.compare_told(ours["final_info"], theirs["final_info"])

    def compare_told(self, ours, theirs):
        for name in self.names:
            present = ours[f"_{name}"]
            np.testing.assert_array_equal(present, theirs[f"_{name}"])
            if name.startswith("dtm"):
                assert ours[name].dtype == np.float64
                other = [np.nan if each is None else each for each in theirs[name]]
                np.testing.assert_array_equal(ours[name][present], np.array(other)[present])
                continue
            assert ours[name][present].tolist() == [theirs[name][i] for i in present.nonzero()[0]]
            if name == "reason":
                self.reasons |= set(ours[name][present].tolist())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_infos_are_those_of_scalar_environments(case, mode):
    env_id, options, names = CASES[case]
    planes = {"planes": "minimal"} if env_id == "KRK-v0" else {}
    pair = TellingPair(4, mode, names, env_id=env_id, max_plies=24, **planes, **options)
    assert play(pair, 70, seed=4) > 4
    if "reason" in names and mode != "Disabled":
        assert None in pair.reasons
        assert len(pair.reasons) > 1


def test_nothing_is_told_unasked():
    envs = gym.make_vec("KRK-v0", 2, planes="minimal")
    _, infos = envs.reset(seed=1)
    assert not {"fen", "reason", "dtm", "dtm_difference"} & infos.keys()
    assert envs.unwrapped.reasons() == [None, None]
    assert envs.unwrapped.dtm().tolist() == [15.0, 15.0]


def test_reasons_stay_until_the_next_game():
    envs = gym.make_vec("ConnectFour-v0", 2, opponent=None, autoreset_mode="Disabled").unwrapped
    envs.reset(seed=1, options={"columns": "121212"})
    envs.step(np.array([0, 4]))
    assert envs.reasons() == ["connect_four", None]


def test_copies_remember_the_last_move():
    options = {"opponent": None, "start": "uniform", "infos": ("dtm_difference",)}
    envs = gym.make_vec("KRK-v0", 4, planes="minimal", **options).unwrapped
    envs.reset(seed=2)
    rng = np.random.default_rng(0)
    told = envs.step(envs.sample_actions(rng))[4]["dtm_difference"]
    other = copy.deepcopy(envs)
    assert np.isfinite(told).any()
    np.testing.assert_array_equal(other._vector.numbers()[:, 1], told)


@pytest.mark.parametrize(
    ("env_id", "infos"),
    [
        ("Chess-v0", ("dtm",)),
        ("ConnectFour-v0", ("fen",)),
        ("KRK-v0", ("state",)),
        ("KRK-v0", "fen"),
    ],
)
def test_what_a_game_does_not_tell_is_refused(env_id, infos):
    with pytest.raises(InvalidConfig, match=r"expected a (tuple of names|list, each a text)"):
        gym.make_vec(env_id, 2, infos=infos)
