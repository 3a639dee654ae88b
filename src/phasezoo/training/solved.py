"""Moves judged by perfect play, where a game knows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.agents.base import CallableAgent
from phasezoo.errors import IllegalAction
from phasezoo.games import Game
from phasezoo.games.varlen import segment_softmax
from phasezoo.inference import Counts, StateBatch
from phasezoo.inference.evaluator import evaluate_leaves

Numbers = npt.NDArray[np.float64]

ROWS = 1024
"""Positions that a network answers at once."""


@dataclass(frozen=True)
class PolicyWorth:
    """Result of a policy in N positions.

    v and w are outcomes of the best action and of another one, as in
    ``docs/definitions/self_play.md#probes``.
    """

    lost: Numbers
    """``float64[N]``: the expected regret, the mean of (v - w) / 2 over the policy."""
    kept: Numbers
    """``float64[N]``: the probability that the outcome is kept."""
    best: Numbers
    """``float64[N]``: the probability of the actions that are best in outcome and in distance."""
    distance: Numbers
    """``float64[N]``: by how much the score falls behind the best, the mean over actions that keep
    the outcome; nan where none does."""


@dataclass(frozen=True)
class SolvedPositions:
    """Positions of a solved game, with what every action in them is worth.

    E is the number of all actions, those of each position one after the other and ascending.
    """

    game: Game
    """The game."""
    states: Sequence[Any] = field(repr=False)
    """The N positions."""
    offsets: npt.NDArray[np.int64] = field(repr=False)
    """``int64[N + 1]``: where the actions of each begin and end."""
    actions: npt.NDArray[np.int64] = field(repr=False)
    """``int64[E]``: the legal actions."""
    worths: Numbers = field(repr=False)
    """``float64[E]``: what each is worth (:meth:`phasezoo.games.Game.action_scores`)."""
    kind: str | None = None
    """Which positions these are all of, such as "with White to move"; None: they are a sample."""
    win_chances: Callable[[Numbers], Numbers] | None = None
    """From ``float64[E]``, the probabilities of all actions of all positions, the chance of winning
    from each (``float64[N]``) against perfect play, if every move is drawn by them; None where that
    is not known."""

    @classmethod
    def of(cls, game: Game, states: Sequence[Any]) -> "SolvedPositions":
        """Positions judged by the game's own perfect play."""
        legal = [np.asarray(state.legal_actions, dtype=np.int64) for state in states]
        offsets = np.cumsum([0, *map(len, legal)]).astype(np.int64)
        worths = [game.action_scores(state) for state in states]
        empty = np.empty(0)
        return cls(
            game,
            tuple(states),
            offsets,
            np.concatenate([empty.astype(np.int64), *legal]),
            np.concatenate([empty, *worths]),
        )

    def __len__(self) -> int:
        """N."""
        return len(self.states)

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """``bool[N]``: whether some action loses something of the outcome."""
        begins = self.offsets[:-1]
        worst = np.minimum.reduceat(self.worths, begins)
        best = np.maximum.reduceat(self.worths, begins)
        counts: npt.NDArray[np.bool_] = np.sign(worst) < np.sign(best)
        return counts

    def policy(self, evaluator: Any) -> Numbers:
        """The probabilities that a network gives to the legal actions of the positions.

        Returns:
            ``float64[E]``: the softmax of its logits over the legal actions of each.
        """
        found = np.zeros(len(self.actions))
        gate = getattr(evaluator, "search_gate", None)
        for begin in range(0, len(self), ROWS):
            states = self.states[begin : begin + ROWS]
            batch = StateBatch(states, None if gate is None else gate.batch(states))
            logits = evaluate_leaves(evaluator, batch, Counts()).legal_logits
            offsets = self.offsets[begin : begin + ROWS + 1]
            first, last = int(offsets[0]), int(offsets[-1])
            if logits is None:
                logits = np.zeros(last - first, np.float32)
            found[first:last] = segment_softmax(logits, offsets - first)
        return found

    def likeliest(self, probabilities: Numbers) -> Numbers:
        """``float64[E]``: 1 for the likeliest action of each position, the first of equals."""
        begins = self.offsets[:-1]
        sizes = np.diff(self.offsets)
        most = np.repeat(np.maximum.reduceat(probabilities, begins), sizes)
        hits = np.flatnonzero(probabilities == most)
        _, first = np.unique(np.repeat(np.arange(len(self)), sizes)[hits], return_index=True)
        chosen = np.zeros(len(self.actions))
        chosen[hits[first]] = 1.0
        return chosen

    def worth(self, probabilities: Numbers) -> PolicyWorth:
        """Return the result of a policy in each position.

        Args:
            probabilities: ``float64[E]``, with the sum 1 in each position.
        """
        begins, sizes = self.offsets[:-1], np.diff(self.offsets)
        best = np.repeat(np.maximum.reduceat(self.worths, begins), sizes)
        lost = (np.sign(best) - np.sign(self.worths)) / 2
        is_kept = lost == 0

        def expected(values: Numbers) -> Numbers:
            return np.add.reduceat(probabilities * values, begins)

        kept = expected(is_kept)
        with np.errstate(invalid="ignore", divide="ignore"):
            distance = expected(np.where(is_kept, best - self.worths, 0.0)) / kept
        return PolicyWorth(
            lost=expected(lost),
            kept=kept,
            best=expected(self.worths == best),
            distance=np.where(kept > 0, distance, np.nan),
        )


@dataclass(frozen=True)
class Judged:
    """Regret of moves, one in each of N states (``docs/definitions/self_play.md#probes``)."""

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
    """States that were left out before these were drawn, because a training set has them."""

    @cached_property
    def worths(self) -> tuple[Numbers, ...]:
        """Values of the legal actions of each state; computed once."""
        return tuple(self.game.action_scores(state) for state in self.states)

    def judge(self, actions: Sequence[int] | npt.NDArray[np.int64]) -> Judged:
        """Judge one move a state."""
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
