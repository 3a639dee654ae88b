"""Players of the comparison, and their games against three of the original's agents."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from phasezoo import _core, agents, games, gating, inference
from phasezoo.arena import stream
from phasezoo.experiments.pommerman.config import PommermanConfig
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.training.experts.plans import PlannedTraining, plan_baseline, plan_experts

GAME = "pommerman-ffa"

Kind: TypeAlias = Literal["one", "gate", "placebo", "policy", "nothing", "large"]
"""One network for all positions; an expert for each phase of a gate; the same for the placebo; one
network's policy without search; search without a network; the large network."""

LARGE = "large"
"""Name of the large network."""


@dataclass(frozen=True)
class Contender:
    """A player of the comparison."""

    name: str
    """As tables call it."""
    kind: Kind
    gate: str
    """The gate of its experts; ``none`` for one network."""
    training: int
    """Index of the training, from 0."""
    simulations: int
    """Simulations a move; 0 plays the network's policy."""


def contenders(config: PommermanConfig) -> list[Contender]:
    """Return all contenders, in the order in which they play."""
    found = []
    for training in range(config.trainings):
        found.append(Contender("one network", "one", "none", training, config.simulations))
        for gate in config.gates:
            spec = _spec(gate)
            found.append(Contender(spec, "gate", spec, training, config.simulations))
        placebo = _spec(config.placebo)
        found.append(Contender(placebo, "placebo", placebo, training, config.simulations))
    if config.references:
        found.append(Contender("one network, no search", "policy", "none", 0, 0))
        found.append(Contender("search, no network", "nothing", "none", 0, config.simulations))
    if config.large_network is not None:
        found += [
            Contender(f"{config.large_network}, {simulations}", "large", "none", 0, simulations)
            for simulations in config.large_simulations
        ]
    return found


def plan(
    config: PommermanConfig, tables: dict[str, Any], large_positions: int
) -> list[PlannedTraining]:
    """Plan all trainings, in the order in which they are done.

    Separated learning: the experts of a gate share the one network's number of positions in
    proportion to the positions of their phases, so that all go through theirs equally often. All
    networks of one training start from the same weights.
    """

    def seed(*names: str | int) -> int:
        return stream(config.seed, *names)

    budget = max(1, round(config.epochs * len(tables["none"])))
    groups = [("one", [plan_baseline(budget, "one")])]
    for role, gates in (("gate", config.gates), ("placebo", (config.placebo,))):
        for gate in map(_spec, gates):
            prefix = gate.replace(":", "-").replace(",", "-")
            groups.append((role, plan_experts(tables[gate], budget, prefix)))
    planned = [
        one.repeated(role, training, seed)
        for training in range(config.trainings)
        for role, plans in groups
        for one in plans
    ]
    if config.large_network is not None:
        planned.append(
            replace(
                plan_baseline(large_positions, LARGE),
                role="large",
                seed=seed("order", LARGE),
                initial_seed=seed("initial weights", LARGE),
            )
        )
    return planned


def _spec(gate: str) -> str:
    return str(gating.make(gate, GAME).spec)


def agent_of(
    contender: Contender, config: PommermanConfig, networks: dict[str | None, Path]
) -> Any:
    """Return the agent of a contender."""
    loaded = {
        phase: inference.load(
            path, backend=config.backend, device=config.device, threads=config.threads
        )
        for phase, path in networks.items()
    }
    evaluator: Any = inference.Uniform() if contender.kind == "nothing" else loaded.get(None)
    if evaluator is None:
        experts = {str(phase): expert for phase, expert in loaded.items()}
        evaluator = MixtureOfExperts(experts, contender.gate, config.routing, game=GAME)
    if contender.simulations == 0:
        return agents.PolicyAgent(evaluator, name=contender.name)
    return agents.SinglePlayerMCTSAgent(
        evaluator,
        others=config.others,
        limit=agents.Limit(simulations=contender.simulations),
        information=config.information,
        batch_size=config.search_batch,
        game=GAME,
        name=contender.name,
    )


MOST_ROWS = 2048
"""Rows handed to a network at once: their planes are 23 MB."""


@dataclass(frozen=True)
class Task:
    """A game to play: the board, from 0 in each training, and the contender's player."""

    contender: Contender
    board: int
    player: int


@dataclass(frozen=True)
class GameRow:
    """A finished game, seen from the contender."""

    task: Task
    result: Literal["won", "lost", "drawn"]
    """``won``, ``lost`` (died, or another one is left), or ``drawn``: nobody has won, and the
    contender was there to the end."""
    reason: str
    """How it ended; ``died`` if it may have gone on without the contender."""
    steps: int
    """Steps until then."""
    nodes: int
    simulations: int


def tasks_of(contender: Contender, boards: int) -> Iterator[Task]:
    """The games of a contender: every board as each of the four players."""
    return (Task(contender, board, player) for board in range(boards) for player in range(4))


class _Game:
    """A game that is being played."""

    def __init__(self, task: Task, config: PommermanConfig) -> None:
        self.task = task
        # Boards and opponents are the same for every contender of a training.
        names = ("board", task.contender.training, task.board)
        self.state = games.make(GAME).initial_state(seed=stream(config.seed, *names))
        self.opponents = {
            player: _core.PommermanAgent(
                config.opponents, stream(config.seed, "opponent", *names, task.player, player)
            )
            for player in range(4)
            if player != task.player
        }
        self.nodes = self.simulations = 0

    def play(self, move: Any) -> GameRow | None:
        """Play a step; the row of the game, if it is over for the contender."""
        self.nodes += move.nodes
        self.simulations += move.simulations
        actions = [
            move.action if player == self.task.player else self.opponents[player].act(
                self.state, player
            )
            for player in range(4)
        ]  # fmt: skip
        self.state = self.state.play(np.array(actions))
        return self.row()

    def row(self) -> GameRow | None:
        alive = self.state.agents[self.task.player][5]
        if not self.state.is_terminal:
            return None if alive else self._row("lost", "died")
        reason = str(self.state.outcome.reason)
        winner = self.state.outcome.winner
        if winner is not None:
            return self._row("won" if winner == self.task.player else "lost", reason)
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
    """
    rows = min(MOST_ROWS, max(config.search_batch, config.concurrency * config.search_batch))
    pool = agent.session_pool(games.make(GAME), pool_rows=rows, threads=threads)
    waiting = iter(tasks)
    playing: dict[int, _Game] = {}

    def begin() -> None:
        for task in waiting:
            contender = task.contender
            names = (contender.name, contender.training, task.board, task.player)
            slot = pool.open(stream(config.seed, "search", *names))
            playing[slot] = _Game(task, config)
            pool.ask(slot, playing[slot].state, task.player)
            if len(playing) >= config.concurrency:
                break

    begin()
    while playing:
        for slot, move in pool.poll():
            game = playing[slot]
            row = game.play(move)
            if row is None:
                pool.ask(slot, game.state, game.task.player)
                continue
            finished(row)
            pool.close(slot)
            del playing[slot]
        if len(playing) < config.concurrency:
            begin()
