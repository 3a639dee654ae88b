"""One game: White searches, Black defends perfectly, and what it left behind."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from phasezoo import games
from phasezoo.arena import stream
from phasezoo.experiments.krk.cells import Cell, Task
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.endings import ENDINGS, KRK, Ending
from phasezoo.experiments.krk.reading import Reading, Ties
from phasezoo.zoo.krk.game import MAX_ROLLOUT_PLIES

__all__ = [
    "FirstSearch",
    "GameRow",
    "MakeAgent",
    "ending_of",
    "make_agent",
    "play_game",
    "reading_of",
    "reply",
]

MakeAgent: TypeAlias = Callable[[Cell, KrkConfig], Any]
"""Makes the agent that plays White in a cell."""


@dataclass(frozen=True)
class FirstSearch:
    """What the search before the first move left at the root.

    Attributes:
        actions: The root's children, ascending.
        visits: Visits of each child.
        mates: Mates delivered below each child.
    """

    actions: list[int]
    visits: list[int]
    mates: list[float]


@dataclass(frozen=True)
class GameRow:
    """A finished game, seen from White.

    Attributes:
        cell: The setting White played with.
        number: Number of the game in its cell, from 0.
        seed: Seed of the game.
        won: Whether Black was mated.
        reason: How the game ended.
        moves: White's moves.
        differences: Of each of White's moves, the distance to mate after it less that after the
            best move (in White's moves); None if the win was given away or already gone.
        given_away: Moves that turned a won position into a drawn one.
        collapses: Times that Black's reply was not in the tree.
        simulations: Simulations of all searches together.
        rollout_plies: Half-moves of all rollouts together.
        seconds: Time the game took.
        first: The search before the first move.
    """

    cell: Cell
    number: int
    seed: int
    won: bool
    reason: str
    moves: int
    differences: list[int | None]
    given_away: int
    collapses: int
    simulations: int
    rollout_plies: int
    seconds: float
    first: FirstSearch

    @property
    def finite(self) -> list[int]:
        """The differences of moves that kept the win."""
        return [d for d in self.differences if d is not None]


def make_agent(cell: Cell, config: KrkConfig) -> Any:
    """The agent of a cell: the study's UCT, or it with one thing changed."""
    from phasezoo.agents import Limit, UCTAgent

    reading, ending = reading_of(cell, config), ending_of(cell)
    first = reading.first_simulations(config.first_simulations, cell.budget)
    return UCTAgent(
        c=cell.constant,
        threshold=reading.threshold(cell.threshold),
        rollout="random" if cell.variant == "random" else reading.rollout(ending.policy),
        limit=Limit(simulations=cell.budget),
        first_limit=Limit(simulations=first),
        selection="puct" if cell.variant == "puct" else "ucb1",
        defender=config.defender,
        max_rollout_plies=MAX_ROLLOUT_PLIES,
        game=ending.game,
        **reading.search_options(),
    )


def reading_of(cell: Cell, config: KrkConfig) -> Reading:
    """How the study is read in a cell."""
    if cell.reading:
        return Reading.parse(cell.reading)
    return Reading.parse(config.reading, config.defender_ties)


def ending_of(cell: Cell) -> Ending:
    """What is played in a cell."""
    return ENDINGS.get(cell.ending, KRK)


def play_game(task: Task, config: KrkConfig, make: MakeAgent = make_agent) -> GameRow:
    """Play one game from the reading's or ending's start: White by search, Black by the table.

    Black plays one of its longest defences, drawn by seed or as the reading says; the game ends by
    the rules of chess (mate, stalemate, too few pieces left, threefold repetition, 50 moves).

    Args:
        task: The cell, the game's number and its seed.
        config: The settings of the run.
        make: Makes White's agent.
    """
    agent = make(task.cell, config)
    session = agent.session(stream(task.seed, "search"))
    defender = np.random.default_rng(stream(task.seed, "defender"))
    reading, ending = reading_of(task.cell, config), ending_of(task.cell)
    state = games.make(ending.game).from_fen(ending.start or reading.start)
    _ = state.dtm  # the first question makes the ending's table, which is no game's time
    started = time.perf_counter()
    differences: list[int | None] = []
    first, given_away, simulations, rollout_plies = None, 0, 0, 0
    limit = agent.first_limit
    while not state.is_terminal:
        # The limit is given: thresholds above a budget are among those to compare, no mistake.
        result = session.search(state, limit)
        limit = agent.limit
        first = first or _first(result)
        simulations += int(result.simulations)
        rollout_plies += int(result.rollout_plies)
        difference = state.dtm_difference(int(result.action))
        given_away += difference is None and state.dtm is not None
        differences.append(None if difference is None else int(difference))
        state = state.play(int(result.action))
        if not state.is_terminal:
            state = state.play(reply(state, reading.ties, defender))
    return GameRow(
        cell=task.cell,
        number=task.number,
        seed=task.seed,
        won=bool(state.returns[0] > 0),
        reason=str(state.outcome.reason),
        moves=len(differences),
        differences=differences,
        given_away=given_away,
        collapses=int(session.collapses),
        simulations=simulations,
        rollout_plies=rollout_plies,
        seconds=round(time.perf_counter() - started, 4),
        first=first or FirstSearch([], [], []),
    )


def reply(state: Any, ties: Ties, rng: np.random.Generator) -> int:
    """One of Black's longest defences: drawn, or the first or last by target square, a1 first.

    Args:
        state: A position with Black to move.
        ties: Which one.
        rng: What it is drawn from.
    """
    if ties == "random":
        return int(rng.choice(state.best_actions))
    moves = sorted(map(int, state.best_actions), key=lambda action: _target(state.uci(action)))
    return moves[0 if ties == "first" else -1]


def _target(uci: str) -> tuple[str, str]:
    return uci[3], uci[2]


def _first(result: Any) -> FirstSearch:
    return FirstSearch(
        actions=[int(a) for a in result.actions],
        visits=[int(v) for v in result.visits],
        mates=[float(m) for m in result.totals],
    )
