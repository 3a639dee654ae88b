"""Connect Four: many games stepped in native code, planes and masks written."""

import random
from collections.abc import Callable

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401 - registers
from benchmarks.common import Row, compared, counted, native
from benchmarks.pettingzoo_games import NAME, playing

BOARDS, STEPS = 4096, 50
PEER_STEPS = 20_000


def stepping() -> Callable[[], float]:
    """Random legal play on one vector environment, one thread."""
    envs = gym.make_vec("ConnectFour-v0", num_envs=BOARDS, opponent=None, threads=1)
    envs.reset(seed=7)
    rng = np.random.default_rng(7)
    sample, step = envs.unwrapped.sample_actions, envs.step

    def work() -> float:
        for _ in range(STEPS):
            step(sample(rng))
        return STEPS * BOARDS

    return work


def pettingzoo() -> float:
    """The same over PettingZoo's connect_four_v3."""
    return playing("connect_four_v3", PEER_STEPS)


def open_spiel() -> float:
    """The same over OpenSpiel's states, with observation tensor and mask."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    rng = random.Random(7)
    state = game.new_initial_state()
    for _ in range(PEER_STEPS):
        if state.is_terminal():
            state = game.new_initial_state()
        state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            np.asarray(state.observation_tensor(), dtype=np.float32)
            np.asarray(state.legal_actions_mask(), dtype=np.int8)
    return PEER_STEPS


def rows() -> list[Row]:
    """What the core's ``benches/connect_four.rs`` measures, and the vector from Python."""
    found = []
    for what, *rates in native("connect_four"):
        boards = what.removeprefix("vector-")
        name = f"Connect Four, native vector of {boards} games, planes + mask, one thread"
        found.append(counted(name, "steps/s", "≥ 8 M" if boards == "4096" else "", rates))
    name = f"Connect Four, vector env from Python, {BOARDS} games, one thread"
    for peer, theirs in (
        (f"{NAME} connect_four_v3", pettingzoo),
        ("OpenSpiel (3 planes)", open_spiel),
    ):
        found.append(compared(name, "steps/s", "", stepping(), peer, theirs))
    return found
