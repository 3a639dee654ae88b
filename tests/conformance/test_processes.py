"""Environments in other processes, forked and spawned, after threads have been used here."""

import multiprocessing

import gymnasium as gym
import numpy as np
import pytest
from players import at_once, smallest_planes

from phasezoo import _core, games

CONTEXTS = ("fork", "spawn", "forkserver")


def steps_of(env_id, steps=40):
    """Play natively on two threads, 200 boards, which is enough for both to be used."""
    planes = smallest_planes(gym.make(f"phasezoo:{env_id}").unwrapped.game)
    envs = gym.make_vec(f"phasezoo:{env_id}", num_envs=200, threads=2, planes=planes)
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    for _ in range(steps):
        envs.step(envs.unwrapped.sample_actions(rng))
    return list(envs.unwrapped.states)


def child(env_id, sender):
    sender.send((steps_of(env_id), _core.default_threads()))


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_threads_work_here_and_in_a_child(plain_id, context):
    here = steps_of(plain_id)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context(context).Process(target=child, args=(plain_id, sender))
    process.start()
    assert receiver.poll(120), "the child hangs"
    assert receiver.recv() == (here, _core.default_threads())
    process.join()
    assert process.exitcode == 0
    # And the parent goes on.
    assert steps_of(plain_id) == here


def grandchild(env_id, sender):
    steps_of(env_id)
    process = multiprocessing.get_context("fork").Process(target=child, args=(env_id, sender))
    process.start()
    process.join()


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_child_of_a_child_makes_threads_of_its_own(plain_id):
    here = steps_of(plain_id)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=grandchild, args=(plain_id, sender)
    )
    process.start()
    assert receiver.poll(120), "the grandchild hangs"
    assert receiver.recv()[0] == here
    process.join()


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_async_vector_env_equals_the_native_one(plain_id, context):
    games.encode([games.make("chess").initial_state()] * 200, threads=2)
    options = {"opponent": "random", "agent_color": "alternate", "max_plies": 12}
    if at_once(plain_id):
        options = {"opponents": "simple", "player": "alternate", "max_plies": 12}
    envs = gym.make_vec(
        f"phasezoo:{plain_id}", 3, vectorization_mode="async", vector_kwargs={"context": context},
        **options,
    )  # fmt: skip
    native = gym.make_vec(plain_id, 3, **options)
    try:
        rng = np.random.default_rng(0)
        theirs, ours = envs.reset(seed=4)[0], native.reset(seed=4)[0]
        for _ in range(15):
            np.testing.assert_array_equal(ours, theirs)
            actions = native.unwrapped.sample_actions(rng)
            theirs, ours = envs.step(actions)[0], native.step(actions)[0]
    finally:
        envs.close()
