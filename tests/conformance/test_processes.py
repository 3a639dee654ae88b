"""Environments in other processes, forked and spawned, after threads have been used here."""

import itertools
import multiprocessing

import gymnasium as gym
import numpy as np
import pytest
from players import at_once, smallest_planes

from phasezoo import _core, games
from phasezoo.registration import ENVIRONMENTS

IDS = [each.gymnasium_id for each in ENVIRONMENTS]
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


@pytest.fixture(scope="module")
def here():
    """The states of every environment, played in this process."""
    return {env_id: steps_of(env_id) for env_id in IDS}


def child(ids, sender):
    for env_id in ids:
        sender.send((steps_of(env_id), _core.default_threads()))


def grandchild(ids, sender):
    steps_of(ids[0])
    process = multiprocessing.get_context("fork").Process(target=child, args=(ids, sender))
    process.start()
    process.join()


@pytest.mark.parametrize(
    ("context", "work"), [*((context, child) for context in CONTEXTS), ("fork", grandchild)]
)
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_threads_work_here_and_in_a_child(here, context, work):
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context(context).Process(target=work, args=(list(here), sender))
    process.start()
    for env_id, states in here.items():
        assert receiver.poll(120), f"the child hangs in {env_id}"
        assert receiver.recv() == (states, _core.default_threads()), env_id
    process.join()
    assert process.exitcode == 0
    # And the parent goes on.
    for env_id, states in here.items():
        assert steps_of(env_id) == states, env_id


ASYNC = [
    *(("fork", env_id) for env_id in IDS),
    *itertools.product(CONTEXTS[1:], ["ConnectFour-v0", "PommermanOneVsOne-v0"]),
]
"""A process that begins anew takes seconds: one game of each kind."""


@pytest.mark.parametrize(("context", "game_id"), ASYNC)
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_async_vector_env_equals_the_native_one(context, game_id):
    games.encode([games.make("chess").initial_state()] * 200, threads=2)
    options = {"opponent": "random", "agent_color": "alternate", "max_plies": 12}
    if at_once(game_id):
        options = {"opponents": "simple", "player": "alternate", "max_plies": 12}
    envs = gym.make_vec(
        f"phasezoo:{game_id}", 3, vectorization_mode="async", vector_kwargs={"context": context},
        **options,
    )  # fmt: skip
    native = gym.make_vec(game_id, 3, **options)
    try:
        rng = np.random.default_rng(0)
        theirs, ours = envs.reset(seed=4)[0], native.reset(seed=4)[0]
        for _ in range(15):
            np.testing.assert_array_equal(ours, theirs)
            actions = native.unwrapped.sample_actions(rng)
            theirs, ours = envs.step(actions)[0], native.step(actions)[0]
    finally:
        envs.close()
