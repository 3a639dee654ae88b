"""Games of one contender against three of the original's agents, many at once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from phasezoo import _core, games
from phasezoo.arena import stream
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.experiments.m2cts.pommerman.lineup import Contender

__all__ = ["GAME", "GameRow", "Task", "play_games", "tasks_of"]

GAME = "pommerman-ffa"

MOST_ROWS = 2048
"""Rows handed to a network at once: their planes are 23 MB."""


@dataclass(frozen=True)
class Task:
    """A game to play: the board, from 0 in each training, and the contender's seat."""

    contender: Contender
    board: int
    seat: int


@dataclass(frozen=True)
class GameRow:
    """A finished game, seen from the contender.

    Attributes:
        task: Which game.
        result: ``won``, ``lost`` (died, or another one is left), or ``drawn``: nobody has won, and
            the contender was there to the end.
        reason: How it ended; ``died`` if it may have gone on without the contender.
        steps: Steps until then.
        nodes: Positions evaluated.
        simulations: Simulations of all moves.
    """

    task: Task
    result: Literal["won", "lost", "drawn"]
    reason: str
    steps: int
    nodes: int
    simulations: int


def tasks_of(contender: Contender, boards: int) -> Iterator[Task]:
    """The games of a contender: every board in all four seats."""
    return (Task(contender, board, seat) for board in range(boards) for seat in range(4))


class _Game:
    """A game that is being played."""

    def __init__(self, task: Task, config: PommermanConfig) -> None:
        self.task = task
        # Boards and opponents are the same for every contender of a training.
        names = ("board", task.contender.training, task.board)
        self.state = games.make(GAME).initial_state(seed=stream(config.seed, *names))
        self.opponents = {
            player: _core.PommermanAgent(
                config.opponents, stream(config.seed, "opponent", *names, task.seat, player)
            )
            for player in range(4)
            if player != task.seat
        }
        self.nodes = self.simulations = 0

    def play(self, move: Any) -> GameRow | None:
        """Play a step; the row of the game, if it is over for the contender."""
        self.nodes += move.nodes
        self.simulations += move.simulations
        actions = [
            move.action if player == self.task.seat else self.opponents[player].act(
                self.state, player
            )
            for player in range(4)
        ]  # fmt: skip
        self.state = self.state.play(np.array(actions))
        return self.row()

    def row(self) -> GameRow | None:
        alive = self.state.agents[self.task.seat][5]
        if not self.state.is_terminal:
            return None if alive else self._row("lost", "died")
        reason = str(self.state.outcome.reason)
        winner = self.state.outcome.winner
        if winner is not None:
            return self._row("won" if winner == self.task.seat else "lost", reason)
        return self._row("drawn", reason)

    def _row(self, result: Literal["won", "lost", "drawn"], reason: str) -> GameRow:
        return GameRow(self.task, result, reason, self.state.ply, self.nodes, self.simulations)


def play_games(
    agent: Any,
    tasks: Iterable[Task],
    config: PommermanConfig,
    finished: Callable[[GameRow], None],
    threads: int,
) -> None:
    """Play games, ``config.concurrency`` of them at once, whose searches share the network's calls.

    A game does not depend on those beside it but through the network's arithmetic, whose rounding
    may depend on the size of a batch.

    Args:
        agent: The contender, with ``seats(game)``.
        tasks: Which games.
        config: The settings.
        finished: Called with each game as it ends.
        threads: Threads that walk trees and make planes.
    """
    rows = min(MOST_ROWS, max(config.search_batch, config.concurrency * config.search_batch))
    seats = agent.seats(games.make(GAME), pool_rows=rows, threads=threads)
    waiting = iter(tasks)
    playing: dict[int, _Game] = {}

    def begin() -> None:
        for task in waiting:
            contender = task.contender
            names = (contender.name, contender.training, task.board, task.seat)
            seat = seats.open(stream(config.seed, "search", *names))
            playing[seat] = _Game(task, config)
            seats.ask(seat, playing[seat].state, task.seat)
            if len(playing) >= config.concurrency:
                break

    begin()
    while playing:
        for seat, move in seats.poll():
            game = playing[seat]
            row = game.play(move)
            if row is None:
                seats.ask(seat, game.state, game.task.seat)
                continue
            finished(row)
            seats.close(seat)
            del playing[seat]
        if len(playing) < config.concurrency:
            begin()
