"""The space of actions with parts: Gymnasium's, which samples by a flat mask too."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import MultiDiscrete
from gymnasium.spaces.utils import flatten_space
from gymnasium.vector.utils import batch_space

from phasezoo.envs import pommerman_v0
from phasezoo.envs.spaces import ActionParts
from phasezoo.errors import InvalidArray

PARTS = [5, 3, 4]


def both(seed=3):
    return ActionParts(np.array(PARTS), seed=seed), MultiDiscrete(PARTS, seed=seed)


def test_a_flat_mask_draws_what_the_masks_of_the_parts_draw():
    ours, theirs = both()
    rng = np.random.default_rng(1)
    for _ in range(200):
        flat = rng.integers(2, size=sum(PARTS), dtype=np.int8)
        parts = tuple(np.split(flat, [5, 8]))
        drawn = ours.sample(mask=flat)
        np.testing.assert_array_equal(drawn, theirs.sample(mask=parts))
        assert theirs.contains(drawn)
        assert all(
            part[choice] or not part.any() for part, choice in zip(parts, drawn, strict=True)
        )
        np.testing.assert_array_equal(ours.sample(parts), theirs.sample(parts))


def test_flat_probabilities_are_taken_too():
    ours, _ = both()
    flat = np.zeros(sum(PARTS))
    flat[[4, 5 + 1, 8 + 3]] = 1.0
    assert ours.sample(probability=flat).tolist() == [4, 1, 3]


def test_wrong_masks_are_refused():
    ours, _ = both()
    for shape in ((11,), (13,), (1, 12), (3,), ()):
        with pytest.raises(InvalidArray, match=r"mask= is int8.*\[12\].*\[5, 3, 4\]"):
            ours.sample(mask=np.ones(shape, dtype=np.int8))
    flat = np.ones(12, dtype=np.int8)
    with pytest.raises(AssertionError, match="int8"):
        ours.sample(mask=flat.astype(np.int64))
    with pytest.raises(AssertionError, match="0 or 1"):
        ours.sample(mask=flat * 2)
    with pytest.raises(AssertionError, match="tuple"):
        ours.sample(mask=flat.tolist())
    with pytest.raises(ValueError, match="Only one"):
        ours.sample(flat, flat)


def test_it_is_gymnasiums_space_otherwise():
    ours, theirs = both(seed=8)
    assert isinstance(ours, MultiDiscrete)
    # Libraries that look a space up by its class go to the next one above.
    assert ActionParts.__mro__[1] is MultiDiscrete
    assert ours == theirs
    assert theirs == ours
    assert ours != MultiDiscrete([5, 3, 5])
    assert repr(ours) == repr(theirs)
    assert batch_space(ours, 4) == batch_space(theirs, 4)
    assert flatten_space(ours) == flatten_space(theirs)
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert type(again) is ActionParts
        assert again == ours
        np.testing.assert_array_equal(again.sample(), copy.deepcopy(ours).sample())
    for seed in (1, 2):
        ours.seed(seed)
        theirs.seed(seed)
        np.testing.assert_array_equal(ours.sample(), theirs.sample())
    assert [5, 0, 0] not in ours
    assert [4, 2, 3] in ours
    assert ours.to_jsonable([ours.sample()])[0] in ours


def test_the_radio_has_it():
    env = pommerman_v0.parallel_env(mode="radio")
    _, infos = env.reset(seed=5)
    for name in env.agents:
        assert env.action_space(name) == MultiDiscrete([6, 8, 8])
        assert env.action_space(name).sample(infos[name]["action_mask"]).shape == (3,)
    for make in (gym.make, gym.make_vec):
        env = make("PommermanTeamRadio-v0")
        assert getattr(env, "single_action_space", env.action_space) == MultiDiscrete([6, 8, 8])
