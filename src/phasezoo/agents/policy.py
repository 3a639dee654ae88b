"""An agent that plays a network's policy without search."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.agents.arguments import name_or, seed_of, states_and_players
from phasezoo.agents.base import DeprecatedSeats, Move, state_in
from phasezoo.agents.search.continuation import steps_between
from phasezoo.agents.search.slot import PhaseMemory
from phasezoo.agents.search.tree_pool import DEFAULT_POOL_ROWS
from phasezoo.errors import InvalidState
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, check_evaluator, evaluate_leaves, name_of
from phasezoo.inference.leaf_batches import StateBatch
from phasezoo.inference.other_games import check_plays
from phasezoo.observation import Observation, View
from phasezoo.specs import NonNegativeFloat, check_value
from phasezoo.types import Gate


class PolicyAgent(DeprecatedSeats):
    """Draws from the evaluator's policy, or plays its likeliest action.

    Args:
        evaluator: Any evaluator; a mixture is routed by its own gate.
        temperature: Of the draw, over legal actions; 0 plays the likeliest, ties drawn.
        seed: Seeds its calls; sessions have seeds of their own.
        name: How reports call it.

    Raises:
        InvalidConfig: ``temperature`` is negative, or ``evaluator`` is not one.
    """

    def __init__(
        self,
        evaluator: Any,
        *,
        temperature: NonNegativeFloat = 0.0,
        seed: int = 0,
        name: str | None = None,
    ) -> None:
        check_value("temperature", NonNegativeFloat, temperature)
        check_evaluator(evaluator)
        self.evaluator = evaluator
        self.temperature = temperature
        self.name = name_or(name, f"policy of {name_of(evaluator)}")
        self.gate: Gate | None = getattr(evaluator, "search_gate", None)
        self._rng = np.random.default_rng(seed_of(seed))

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``."""
        return int(self.select_batch([state_in(info, self.name)])[0])

    def select_batch(
        self, states: Sequence[Any], players: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: an action for each state, from one call of the evaluator.

        Raises:
            GameMismatch: The evaluator is a network of another game.
        """
        listed, acting = states_and_players(states, players)
        for state in listed[:1]:
            check_plays(self.evaluator, games.game_of(state))
        batch = self._batch(listed, [None] * len(listed), None if players is None else acting)
        evaluation = evaluate_leaves(self.evaluator, batch, Counts())
        return np.array(
            [self._choose(batch, evaluation, row, self._rng) for row in range(len(listed))],
            dtype=np.int64,
        )

    def session(self, seed: int) -> "PolicySession":
        """One game."""
        return PolicySession(self, seed)

    def session_pool(self, game: games.Game, **options: Any) -> "PolicyPool":
        """Open a pool of games; all positions that wait are answered in one call."""
        check_plays(self.evaluator, game)
        return PolicyPool(self, **options)

    def _batch(
        self,
        states: Sequence[Any],
        previous: Sequence[int | None],
        players: Sequence[Any] | None = None,
    ) -> StateBatch:
        phases = None
        if self.gate is not None:
            # A gate without memory ignores `previous`; a monotone one starts a game at phase 0.
            phases = self.gate.batch(states, players, [phase or 0 for phase in previous])
        return StateBatch(states, phases, players=players)

    def _choose(
        self, batch: StateBatch, evaluation: Evaluation, row: int, rng: np.random.Generator
    ) -> int:
        offsets, actions = batch.legal
        here = slice(int(offsets[row]), int(offsets[row + 1]))
        if here.start == here.stop:
            message = (
                f"player {batch.players[row]} may do nothing in {batch.states()[row]!r}: where "
                "several move at once, say for whom, act(state, player)"
            )
            raise InvalidState(message)
        if evaluation.legal_logits is None:
            return int(rng.choice(actions[here]))
        logits = evaluation.legal_logits[here].astype(np.float64)
        if self.temperature == 0:
            return int(rng.choice(actions[here][logits == logits.max()]))
        odds = np.exp((logits - logits.max()) / self.temperature)
        return int(rng.choice(actions[here], p=odds / odds.sum()))


class PolicySession:
    """One game of a :class:`PolicyAgent`."""

    def __init__(self, agent: PolicyAgent, seed: int) -> None:
        self._agent = agent
        self._pool = PolicyPool(agent)
        self._slot = self._pool.open(seed)
        self._last: Any = None

    def act(self, state: Any, player: int | None = None) -> int:
        """The action for ``state``; one that does not continue the last is of another game."""
        check_plays(self._agent.evaluator, games.game_of(state))
        if self._last is not None:
            self._pool.follow(self._slot, self._last, state)
        self._last = state
        self._pool.ask(self._slot, state, state.to_play if player is None else player)
        return int(self._pool.poll()[0][1].action)


class PolicyPool:
    """A pool of games of a :class:`PolicyAgent`; see :class:`~phasezoo.agents.base.SessionPool`."""

    view: View | None = None

    def __init__(self, agent: PolicyAgent, pool_rows: int | None = None, **_: Any) -> None:
        self.counts = Counts()
        self._agent = agent
        self._pool_rows = DEFAULT_POOL_ROWS if pool_rows is None else pool_rows
        self._rngs: dict[int, np.random.Generator] = {}
        self._phases: dict[int, PhaseMemory] = {}
        self._asked: dict[int, tuple[Any, int]] = {}
        self._next = 0

    def open(self, seed: int, history: Sequence[Any] = ()) -> int:
        """Open a slot."""
        slot, self._next = self._next, self._next + 1
        self._rngs[slot] = np.random.default_rng(seed_of(seed))
        self._phases[slot] = PhaseMemory(self._agent.gate)
        for state in history:
            self._phases[slot].see(state)
        return slot

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Remember the phase of ``state``."""
        self._phases[slot].see(state)

    def follow(self, slot: int, last: Any, state: Any) -> int:
        """Report what was played since ``last`` was asked for; another game begins in this slot."""
        if last is not None and getattr(self._agent.gate, "monotone", False):
            steps = steps_between(last, state)
            if steps is None and _is_another_game(last, state):
                self._phases[slot] = PhaseMemory(self._agent.gate)
            for action, after in steps or ():
                self.tell(slot, action, after)
        return slot

    def ask(self, slot: int, state: Any, player: int, shown: Observation | None = None) -> None:
        """Note the question."""
        self._phases[slot].see(state)
        self._asked[slot] = state, player

    def poll(self) -> list[tuple[int, Move]]:
        """Answer what was asked, ``pool_rows`` positions at a time."""
        slots = list(self._asked)[: self._pool_rows]
        if not slots:
            return []
        previous = [self._phases[slot].previous for slot in slots]
        states, players = zip(*(self._asked.pop(slot) for slot in slots), strict=True)
        batch = self._agent._batch(states, previous, players)
        evaluation = evaluate_leaves(self._agent.evaluator, batch, self.counts)
        return [
            (
                slot,
                Move(
                    self._agent._choose(batch, evaluation, row, self._rngs[slot]),
                    _value_of(evaluation, row, players[row]),
                    nodes=1,
                ),
            )
            for row, slot in enumerate(slots)
        ]

    def close(self, slot: int) -> None:
        """Leave the game."""
        self._asked.pop(slot, None)
        del self._rngs[slot], self._phases[slot]


def _is_another_game(last: Any, state: Any) -> bool:
    """Return whether a state cannot follow another one in a game.

    What could, though nobody knows how, does not count: a position given anew by its FEN, say, or
    one after moves of players who act at once.
    """
    plies = getattr(last, "ply", None), getattr(state, "ply", None)
    if plies[0] is not None and plies[1] is not None and plies[1] < plies[0]:
        return True
    return bool(state == games.game_of(state).initial_state())


def _value_of(evaluation: Evaluation, row: int, player: int) -> float:
    values = evaluation.values()
    return float(values[row] if values.ndim == 1 else values[row, player])
