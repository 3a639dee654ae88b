"""Moves judged by perfect play, where a game knows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.agents.base import CallableAgent
from phasezoo.errors import IllegalAction
from phasezoo.games import Game

__all__ = ["Judged", "Starts", "moves_of"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """What moves lose, one in each of N states (``docs/definitions/self_play.md#probes``)."""

    lost: Numbers
    """``float64[N]``: the regret, (v - w) / 2 with v the best outcome for who moves and w that of
    the move: 1 if a win was turned into a loss, 0.5 if into a draw."""
    distance: Numbers
    """``float64[N]``: by how much the move's score falls behind the best, where it keeps the
    outcome; 0 elsewhere."""
    counts: npt.NDArray[np.bool_]
    """``bool[N]``: whether some legal move would lose something of the outcome."""

    @property
    def best(self) -> npt.NDArray[np.bool_]:
        """``bool[N]``: whether the move loses neither outcome nor distance."""
        best: npt.NDArray[np.bool_] = (self.lost == 0) & (self.distance == 0)
        return best


@dataclass(frozen=True)
class Starts:
    """States of a solved game in each of which a move is asked for."""

    game: Game
    """The game, which knows the worth of every action."""
    states: tuple[Any, ...] = field(repr=False)
    """The states."""
    removed: int = field(default=0, repr=False)
    """States that were left out before these were drawn, because somebody learns from them."""

    @cached_property
    def worths(self) -> tuple[Numbers, ...]:
        """What each legal action of each state is worth; worked out once."""
        return tuple(self.game.action_scores(state) for state in self.states)

    def judge(self, actions: Sequence[int] | npt.NDArray[np.int64]) -> Judged:
        """Judge one move a state.

        Raises:
            IllegalAction: A move is not legal.
        """
        chosen = np.zeros(len(self.states))
        for row, (state, action) in enumerate(zip(self.states, actions, strict=True)):
            place = np.flatnonzero(np.asarray(state.legal_actions) == action)
            if not len(place):
                message = (
                    f"action {action} is not legal in {state!r}: only legal moves have a worth; of "
                    "Stable-Baselines3, algorithms that know masks play such alone (MaskablePPO)"
                )
                raise IllegalAction(message)
            chosen[row] = self.worths[row][place[0]]
        best = np.array([worth.max() for worth in self.worths])
        worst = np.array([worth.min() for worth in self.worths])
        lost = (np.sign(best) - np.sign(chosen)) / 2
        distance = np.where(lost == 0, best - chosen, 0.0)
        return Judged(lost, distance, np.sign(worst) < np.sign(best))


def moves_of(agent: Any, states: Sequence[Any], seed: int) -> npt.NDArray[np.int64]:
    """``int64[N]``: what an agent plays in each of some states, all at once if it can."""
    if hasattr(agent, "select_batch"):
        return np.asarray(agent.select_batch(states))
    player = agent if hasattr(agent, "session") else CallableAgent(agent)
    return np.array([player.session(seed).act(state) for state in states])
