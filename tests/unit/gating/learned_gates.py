"""Small stores, experts and gates for the tests of learned gates."""

import numpy as np

from phasezoo import games, inference, training
from phasezoo.games.random_play import random_action


def random_games(name: str, count: int, seed: int = 0, plies: int = 80) -> training.GameStore:
    """Games of random moves, each until it is over or so many plies long."""
    game = games.make(name)
    rng = np.random.default_rng(seed)
    actions: list[int] = []
    offsets, returns = [0], []
    for _ in range(count):
        state = game.initial_state()
        for _ in range(plies):
            if state.is_terminal:
                break
            actions.append(random_action(state, rng))
            state = state.play(actions[-1])
        offsets.append(len(actions))
        returns.append(state.returns.tolist())
    return training.GameStore(name, actions, offsets, returns)


class Halved:
    """An expert of Connect Four that knows on which side the moves of `leftward_games` are.

    It knows only while few stones are on the board (``early``), or only while many are; in the
    other half of a game it is as sure of the opposite.
    """

    plane_spec = "default"

    def __init__(self, early: bool) -> None:
        self.early = early

    def evaluate(self, planes):
        stones = planes[:, :2].sum(axis=(1, 2, 3))
        left = (stones < 10) == self.early
        logits = np.zeros((len(planes), 7), dtype=np.float32)
        logits[left, :3] = 4
        logits[~left, 4:] = 4
        return inference.Evaluation(policy_logits=logits, value=np.zeros(len(planes), np.float32))


def leftward_games(count: int, seed: int = 0) -> training.GameStore:
    """Games of Connect Four with moves in the three left columns alone, until these are full."""
    game = games.make("connect-four")
    rng = np.random.default_rng(seed)
    actions: list[int] = []
    offsets, returns = [0], []
    for _ in range(count):
        state = game.initial_state()
        while not state.is_terminal and (state.legal_actions < 3).any():
            legal = state.legal_actions
            actions.append(int(rng.choice(legal[legal < 3])))
            state = state.play(actions[-1])
        offsets.append(len(actions))
        returns.append(state.returns.tolist())
    return training.GameStore("connect-four", actions, offsets, returns)
