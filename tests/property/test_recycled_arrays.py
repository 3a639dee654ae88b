"""What a native vector has handed out never changes while somebody holds any of it."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from phasezoo.envs import GameVectorEnv

SIZES = (3, 150)
"""Of a vector on one thread, and of one whose threads share the games."""

WAYS = {
    "all": lambda step: step,
    "observations": lambda step: step[0],
    "masks": lambda step: step[4]["action_mask"],
    "a small array": lambda step: step[4]["ply"],
    "a view": lambda step: step[0][1:, 3, ::2],
    "a view of a view": lambda step: step[4]["action_mask"][1:][:, 5:90].T,
    "a buffer": lambda step: memoryview(step[0]),
    "flags": lambda step: step[2],
}
"""What is kept of a step; the rest is let go."""


def arrays_of(kept):
    """All arrays in what was kept, those inside arrays of objects too."""
    if isinstance(kept, np.ndarray) and kept.dtype == object:
        inside = [each for each in kept.flat if isinstance(each, np.ndarray)]
        rest = np.empty(kept.size, dtype=object)
        rest[:] = [None if isinstance(each, np.ndarray) else each for each in kept.flat]
        return [*inside, rest]
    if isinstance(kept, np.ndarray | memoryview):
        return [np.asarray(kept)]
    if isinstance(kept, dict):
        kept = kept.values()
    return [array for each in kept for array in arrays_of(each)]


class Kept:
    """Something kept of a step, and what it was then."""

    def __init__(self, step, way):
        self.kept = WAYS[way](step)
        self.then = [array.copy() for array in arrays_of(self.kept)]

    def check(self):
        for now, then in zip(arrays_of(self.kept), self.then, strict=True):
            np.testing.assert_array_equal(now, then)


ACTIONS = st.one_of(
    st.tuples(st.just("keep"), st.sampled_from(sorted(WAYS))),
    st.tuples(st.just("drop"), st.integers(0, 5)),
    st.tuples(st.just("write"), st.integers(0, 5)),
    st.tuples(st.sampled_from(["step", "reset", "pickle"]), st.none()),
)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(SIZES),
    st.sampled_from(["NextStep", "SameStep"]),
    st.lists(ACTIONS, min_size=5, max_size=40),
)
# The last step ends games, whose last observations are arrays inside an array.
@example(3, "SameStep", [*[("keep", "a buffer")] * 17, ("keep", "all"), ("keep", "flags")])
def test_what_is_held_stays_and_what_is_new_is_right(count, mode, doings):
    options = {"opponent": None, "autoreset_mode": mode, "max_plies": 9, "gate": "moves:3"}
    envs = GameVectorEnv(count, "chess", threads=2, **options)
    plain = GameVectorEnv(count, "chess", threads=1, copy=False, **options)
    rng = np.random.default_rng(count)
    envs.reset(seed=5)
    plain.reset(seed=5)
    held = []
    for doing, what in doings:
        if doing == "drop" and held:
            del held[what % len(held)]
        elif doing == "write" and held:
            # The caller's arrays are the caller's: what is written there is seen nowhere else.
            held[what % len(held)] = scribbled(held[what % len(held)])
        elif doing == "reset":
            envs.reset(seed=8)
            plain.reset(seed=8)
        elif doing == "pickle":
            envs = pickle.loads(pickle.dumps(envs))
        actions = plain.sample_actions(rng)
        step, expected = envs.step(actions), plain.step(actions)
        compare(step, expected)
        if doing == "keep":
            held.append(Kept(step, what))
        del step
        for each in held:
            each.check()


def scribbled(kept):
    for array in arrays_of(kept.kept):
        if array.dtype != object:
            array[...] = 1
    kept.then = [array.copy() for array in arrays_of(kept.kept)]
    return kept


def compare(step, expected):
    for ours, theirs in zip(step[:4], expected[:4], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert step[4].keys() == expected[4].keys()
    for key in ("action_mask", "to_play", "ply", "phase", "illegal_action", "result", "_result"):
        np.testing.assert_array_equal(step[4][key], expected[4][key], err_msg=key)


@pytest.mark.parametrize("behind", [1, 2, 3, 4])
def test_a_reader_some_steps_behind_reads_what_was_shown(behind):
    envs = GameVectorEnv(140, "chess", opponent=None, threads=2)
    rng = np.random.default_rng(behind)
    envs.reset(seed=3)
    waiting = []
    for _ in range(25):
        step = envs.step(envs.sample_actions(rng))
        waiting.append(Kept(step, "all"))
        if len(waiting) > behind:
            waiting.pop(0).check()


def test_another_thread_reads_while_the_vector_steps():
    envs = GameVectorEnv(140, "chess", opponent=None, threads=2)
    rng = np.random.default_rng(0)
    envs.reset(seed=3)
    kept = Kept(envs.step(envs.sample_actions(rng)), "all")
    stepped, wrong = threading.Event(), []

    def read():
        while not stepped.is_set():
            try:
                kept.check()
            except AssertionError as error:
                wrong.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(40):
        envs.step(envs.sample_actions(rng))
    stepped.set()
    reader.join()
    assert not wrong
