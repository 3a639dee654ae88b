"""Probes by positions whose solving actions are known, such as mate in two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from phasezoo.games import Game
from phasezoo.training.probes.probe import Probed, Score
from phasezoo.training.solved import moves_of


@dataclass(frozen=True)
class Puzzle:
    """A position and the actions that solve it."""

    state: Any
    """Position."""
    actions: frozenset[int]
    """Actions that solve it."""


class Puzzles:
    """Share of puzzles that a version solves by its first move.

    Args:
        name: Name of the score, such as ``mate in 2``.
        puzzles: Makes them, when they are first needed.
    """

    def __init__(self, name: str, puzzles: Callable[[], Sequence[Puzzle]]) -> None:
        self.scores = (Score(name, kind="share", unit="%"),)
        self.puzzles = cache(puzzles)

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Return the share solved, by player."""
        puzzles = self.puzzles()
        states = [puzzle.state for puzzle in puzzles]
        solved = {}
        for who, agent in version.players().items():
            moves = zip(puzzles, moves_of(agent, states, version.seed), strict=True)
            solved[who] = float(np.mean([int(move) in puzzle.actions for puzzle, move in moves]))
        return {self.scores[0].name: solved}


def read_puzzles(game: Game, text: str) -> list[Puzzle]:
    """Read puzzles from lines ``FEN;move move``, moves in UCI notation; ``#`` begins a comment."""
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        fen, _, moves = line.partition(";")
        state = game.from_fen(fen)
        found.append(Puzzle(state, frozenset(int(state.parse_uci(m)) for m in moves.split())))
    return found


def solutions(state: Any, moves: int) -> list[int]:
    """Return the actions that force a win within so many moves of the player, whatever the replies.

    Every line is searched: it is meant for two or three moves, in games of two players and turns.
    """
    mover = state.to_play
    return [
        int(action)
        for action in state.legal_actions
        if _wins(state.play(int(action)), mover, moves - 1)
    ]


def _wins(state: Any, mover: int, moves: int) -> bool:
    """Return True if ``mover``, who has just played, wins within ``moves`` more."""
    if state.is_terminal:
        return bool(state.returns[mover] > 0)
    if moves == 0:
        return False
    return all(_has_win(state.play(int(reply)), mover, moves) for reply in state.legal_actions)


def _has_win(state: Any, mover: int, moves: int) -> bool:
    """Return True if ``mover``, whose turn it is, wins within ``moves``."""
    if state.is_terminal:
        return bool(state.returns[mover] > 0)
    return any(_wins(state.play(int(action)), mover, moves - 1) for action in state.legal_actions)
