"""A native vector environment beside Gymnasium's SyncVectorEnv over the scalar one."""

import gymnasium as gym
import numpy as np

from phasezoo.observation.action_parts import flat_mask

MODES = ("NextStep", "SameStep", "Disabled")
RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1, None: 0}
KEYS = ("action_mask", "to_play", "ply", "phase", "illegal_action")


def covering(first, second, third):
    """Every pair of two choices with one of a third, so that each of both meets all of the third.

    Both have at least as many entries as the third.
    """
    return [
        (one, other, third[(place + number) % len(third)])
        for place, one in enumerate(first)
        for number, other in enumerate(second)
    ]


def result_of(infos, row, watched):
    """The result of a game as the native environment tells it, from what the scalar one told.

    ``watched`` is the player for whom a win is +1.
    """
    told = infos["result"][row] if infos["result"].dtype == object else None
    if told in RESULTS:
        return RESULTS[told]
    winners = infos["winners"][row]
    assert (told, bool(winners)) in (("win", True), ("tie", False))
    return 0 if told == "tie" else 1 if watched in winners else -1


def assert_masks_equal(ours, theirs):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(flat_mask(mine), flat_mask(other))


def assert_observations_equal(ours, theirs):
    """Of all games or of one: arrays, or dictionaries of them."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key, array in theirs.items():
            assert ours[key].dtype == array.dtype
            np.testing.assert_array_equal(ours[key], array)
        return
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


class Pair:
    """Both kinds, made with the same options and compared after every call."""

    def __init__(self, num_envs, autoreset, *, env_id="Chess-v0", **options):
        self.native = gym.make_vec(env_id, num_envs, autoreset_mode=autoreset, **options)
        self.sync = gym.make_vec(
            env_id,
            num_envs,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": autoreset},
            **options,
        )
        self.num_envs = num_envs

    def reset(self, seed=None, options=None):
        ours = self.native.reset(seed=seed, options=options)
        # SyncVectorEnv takes reset_mask out of the caller's dictionary.
        theirs = self.sync.reset(seed=seed, options=None if options is None else dict(options))
        assert_observations_equal(ours[0], theirs[0])
        self.compare_infos(ours[1], theirs[1])
        return ours[1]

    def step(self, actions):
        ours, theirs = self.native.step(actions), self.sync.step(actions)
        assert_observations_equal(ours[0], theirs[0])
        for mine, other in zip(ours[1:4], theirs[1:4], strict=True):
            assert mine.dtype == other.dtype
            np.testing.assert_array_equal(mine, other)
        self.compare_infos(ours[4], theirs[4])
        return ours

    def compare_infos(self, ours, theirs):
        for key in KEYS:
            present = ours[f"_{key}"]
            np.testing.assert_array_equal(present, theirs[f"_{key}"])
            if key == "action_mask":
                assert_masks_equal(ours[key][present], theirs[key][present])
            else:
                np.testing.assert_array_equal(ours[key][present], theirs[key][present])
        self.compare_results(ours, theirs)
        assert ("final_obs" in ours) == ("final_obs" in theirs)
        if "final_obs" in ours:
            self.compare_finals(ours, theirs)

    def compare_results(self, ours, theirs):
        given = theirs["result"] if theirs["result"].dtype == object else [None] * self.num_envs
        np.testing.assert_array_equal(ours["_result"], [each is not None for each in given])
        self.compare_winners(ours, theirs)
        states = self.native.unwrapped.states
        for row in np.flatnonzero(ours["_ply"]):
            assert states[row] == self.sync.envs[row].unwrapped.game_state
        if "state" not in theirs:
            return
        for row in np.flatnonzero(ours["_ply"]):
            assert states[row] == theirs["state"][row]
        if "fen" not in theirs:
            return
        fens = self.native.unwrapped.fens()
        assert [fens[row] for row in np.flatnonzero(ours["_ply"])] == [
            fen for fen in theirs["fen"] if fen is not None
        ]

    def compare_winners(self, ours, theirs):
        vector = self.native.unwrapped
        players = vector.game.num_players
        rows = range(self.num_envs)
        learners = [0 if players == 2 else vector._vector.ended_learner(row) for row in rows]
        results = [result_of(theirs, row, learner) for row, learner in enumerate(learners)]
        np.testing.assert_array_equal(ours["result"], results)
        if not vector.game.tells_winners:
            assert "winners" not in ours
            return
        np.testing.assert_array_equal(ours["_winners"], ours["_result"])
        for row in rows:
            told = theirs["winners"][row] if ours["_result"][row] else ()
            assert np.flatnonzero(ours["winners"][row]).tolist() == sorted(told)

    def compare_finals(self, ours, theirs):
        ended = ours["_final_obs"]
        np.testing.assert_array_equal(ended, theirs["_final_obs"])
        np.testing.assert_array_equal(ours["_final_info"], theirs["_final_info"])
        for row in range(self.num_envs):
            if ended[row]:
                assert_observations_equal(ours["final_obs"][row], theirs["final_obs"][row])
            else:
                assert ours["final_obs"][row] is None
        mine, other = ours["final_info"], theirs["final_info"]
        for key in KEYS:
            np.testing.assert_array_equal(mine[f"_{key}"], ended)
            assert mine[key].dtype == other[key].dtype
            if key == "action_mask":
                assert_masks_equal(mine[key][ended], other[key][ended])
            else:
                np.testing.assert_array_equal(mine[key][ended], other[key][ended])
        given = other["result"] if other["result"].dtype == object else [None] * self.num_envs
        self.compare_winners(mine, other)
        np.testing.assert_array_equal(mine["_result"], [each is not None for each in given])


def actions_of(infos, rng, illegal_share=0.0):
    """Random legal actions, some of them illegal; where actions have parts, legal alone."""
    if infos["action_mask"].dtype == object:
        draw = [
            [rng.choice(np.flatnonzero(part)) for part in mask] for mask in infos["action_mask"]
        ]
        return np.array(draw)
    actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
    wrong = rng.random(len(actions)) < illegal_share
    actions[wrong] = rng.integers(0, infos["action_mask"].shape[1], wrong.sum())
    return actions


def play(pair, steps, seed, options=None, illegal_share=0.05):
    """Play on; where nothing resets by itself, reset what is over."""
    rng = np.random.default_rng(seed)
    infos = pair.reset(seed=seed, options=options)
    mode = pair.native.metadata["autoreset_mode"].value
    ends = 0
    for _ in range(steps):
        _, _, terminated, truncated, infos = pair.step(actions_of(infos, rng, illegal_share))
        over = terminated | truncated
        ends += int(over.sum())
        if mode == "Disabled" and over.any():
            masks = infos["action_mask"].copy()
            fresh = pair.reset(options={"reset_mask": over})
            masks[over] = fresh["action_mask"][over]
            infos = {"action_mask": masks}
    return ends
