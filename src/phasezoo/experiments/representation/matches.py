"""The round robin: every training of every contender against all others, under one limit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from phasezoo import arena, inference
from phasezoo.agents import EngineAgent, Limit, MCTSAgent
from phasezoo.agents.engine_process import find_engine
from phasezoo.arena import Standings, crossed_pairs, stream
from phasezoo.errors import EngineFailed, MissingDependency
from phasezoo.experiments.representation import paper
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.results import Duel, Games
from phasezoo.report.console import Console

__all__ = ["Reference", "play", "reference_of"]


@dataclass(frozen=True)
class Reference:
    """The engine of reference, or why there is none."""

    agent: EngineAgent | None
    """The engine; None if it is not installed."""
    text: str
    """What the report says of it."""


def reference_of(config: RepresentationConfig) -> Reference:
    """The engine that the figures have as a line, if it is installed.

    Raises:
        EngineFailed: An engine was asked for by name and is not installed.
    """
    usual, nodes = paper.ENGINE_NODES[config.game]
    program, nodes = config.engine or usual, config.engine_nodes or nodes
    name = f"{Path(program).stem}, {nodes:,} nodes"
    try:
        find_engine(program)
        agent = EngineAgent(program, nodes=nodes, options={"Threads": 1}, name=name)
    except (EngineFailed, MissingDependency):
        if config.engine is not None:
            raise
        return Reference(None, f"There is no line of reference: {program} is not installed here.")
    return Reference(agent, f"The engine of reference is {name}, on one thread.")


def play(
    paths: Mapping[str, Sequence[Path]],
    limit: Limit,
    reference: Reference,
    log: Path,
    config: RepresentationConfig,
    console: Console,
) -> Games:
    """Play the games, or go on with them.

    Args:
        paths: Networks of each contender.
        limit: What bounds a move of theirs.
        reference: The engine, which has its own limit.
        log: Where finished games are kept.
        config: The settings.
        console: Where progress is shown.
    """
    players, names = _players(paths, limit, reference, config)
    is_timed = limit.movetime_ms is not None
    pairs = len(players) * (len(players) - 1) // 2
    games = config.movetime_games if is_timed else config.match_games
    with console.task(f"Games, {limit} a move", pairs * games) as task:
        standings = arena.tournament(
            players,
            game=config.game,
            games=games,
            seed=stream(config.seed, "games", str(limit)),
            concurrency=None if is_timed or reference.agent else config.concurrency,
            threads=config.threads,
            max_plies=config.max_plies,
            names=names,
            log=log,
            progress=lambda done, _: task.update(done),
        )
    trainings = {name: len(networks) for name, networks in paths.items()}
    if reference.agent is not None:
        trainings[reference.agent.name] = 1
    duels = [_duel(standings, pair, trainings) for pair in combinations(trainings, 2)]
    return Games(str(limit), list(trainings), trainings, duels, len(standings.games))


def _players(
    paths: Mapping[str, Sequence[Path]],
    limit: Limit,
    reference: Reference,
    config: RepresentationConfig,
) -> tuple[list[Any], list[str]]:
    players: list[Any] = []
    names = []
    for name, networks in paths.items():
        for training, path in enumerate(networks):
            evaluator = inference.load(path, device=config.device, threads=config.threads)
            players.append(
                MCTSAgent(
                    evaluator,
                    limit=limit,
                    batch_size=config.search_batch,
                    game=config.game,
                    threads=config.threads,
                )
            )
            names.append(_called(name, training))
    if reference.agent is not None:
        players.append(reference.agent)
        names.append(_called(reference.agent.name, 0))
    return players, names


def _called(name: str, training: int) -> str:
    return f"{name} #{training + 1}"


def _duel(standings: Standings, pair: tuple[str, str], trainings: Mapping[str, int]) -> Duel:
    """All games between the trainings of two contenders."""
    first, second = pair
    matches = [
        [standings.match(_called(first, i), _called(second, j)) for j in range(trainings[second])]
        for i in range(trainings[first])
    ]
    every = [match for row in matches for match in row]
    return Duel(
        first=first,
        second=second,
        games=sum(len(match.games) for match in every),
        wins=sum(match.wins for match in every),
        draws=sum(match.draws for match in every),
        losses=sum(match.losses for match in every),
        elo=crossed_pairs([[list(match.group_scores) for match in row] for row in matches]),
    )
