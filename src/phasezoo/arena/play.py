"""Playing a match: the schedule, the sides, and what is written on the way."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from phasezoo import agents, gating
from phasezoo.agents import Limit
from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.concurrent_games import ConcurrentGames, Side
from phasezoo.arena.log import GameLog
from phasezoo.arena.match import Match
from phasezoo.arena.openings import OpeningSuite, as_suite
from phasezoo.arena.pgn import PgnFile
from phasezoo.arena.records import GameRecord, SideStats
from phasezoo.arena.schedule import OpeningsAs, Schedule
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game, make
from phasezoo.inference.evaluator import name_of
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.types import Gate

__all__ = ["play_match"]

DEFAULT_CONCURRENCY = 64
"""Games at once, and so about the rows of a call of one network: more cost little less a row."""


def play_match(
    agent_a: Any,
    agent_b: Any,
    game: str | Game = "chess",
    games: int = 200,
    limit: Limit | tuple[Limit | None, Limit | None] | None = None,
    *,
    gate: str | Gate | None = None,
    openings: OpeningSuite | Sequence[Sequence[str]] | Path | str | None = None,
    openings_as: OpeningsAs = "moves",
    seed: int = 0,
    concurrency: int | None = None,
    pool_rows: int | None = None,
    threads: int | None = None,
    max_plies: int | None = None,
    adjudication: Adjudication | None = None,
    names: tuple[str, str] | None = None,
    pgn: Path | str | None = None,
    log: Path | str | None = None,
    completed: Sequence[GameRecord] = (),
    on_game: Callable[[GameRecord], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Match:
    """Play a match: each opening once with each colour, many games at once.

    What exactly is played and compared is on the page ``docs/definitions/matches.md``.

    In a game of n players each opening is played n times: ``agent_a`` takes every seat once and
    ``agent_b`` the others. The same agents, seed, concurrency and node limit give the same games;
    with evaluators that answer a row alike in any batch, the concurrency does not matter either.

    Args:
        agent_a: Side 0: an agent, a callable ``(observation, info) -> action``, or a text such as
            ``"mcts:nodes=400"`` (:func:`phasezoo.agents.parse`). A callable is told what an
            environment tells, and may say by its attributes ``plane_spec`` and ``gate`` what it
            wants to see.
        agent_b: Side 1, likewise.
        game: What is played. A game that is made with options starts as they say, for example
            ``games.make("krk", start="train")``; without, each pair of games of ``"krk"`` has a
            start of its own, drawn from all, as each pair of ``"chess960"`` has.
        games: How many games; a multiple of the number of players.
        limit: Replaces the limits of both agents' searches; a pair gives each its own.
        gate: Says the phases that callables are told, as in an environment; default the gate that
            each asks for by its attribute ``gate``, or phase 0. Searches have gates of their own.
        openings: A suite, move lists, or a file of them; default the package's suite for the game.
        openings_as: ``"fen"`` starts from the opening's last position without its history.
        seed: Everything random comes from it.
        concurrency: Games at once; default 64, with engines from outside 8, or 1 if a search is
            limited by time.
        pool_rows: The most rows that a side's evaluator gets at once; default 256.
        threads: Threads that walk trees and make planes; default the agents' own settings.
        max_plies: Plies, the opening's included, at which a game is cut: it is counted as a draw
            and as truncated. Default none.
        adjudication: Ends games early by the searches' values; default never.
        names: How reports call the sides; default the agents' names.
        pgn: Where to write the games, each as soon as it ends. One process at a time writes it.
        log: A log of finished games, with the settings, versions and machine they were played
            with. If it exists, and is of this very match, the match goes on after the games in it.
            One process at a time writes it.
        completed: Games of this match that were finished earlier, in place of ``log``.
        on_game: Called with each game as it ends.
        progress: Called with the number of finished games and of all, after each game.

    Returns:
        The match, with the games finished earlier.

    Raises:
        InvalidConfig: ``games`` is not a multiple of the number of players, or another option is
            out of range.
        SideFailed: An evaluator answered with NaN, or in the wrong shape; an
            :class:`~phasezoo.errors.InvalidEvaluation` that names the side and has the games
            finished before.
        GameContract: A game of one's own changes states that were played from, or names a player
            who is none.
        IllegalAction: An agent chose an action that is not legal, or answered with no action.
        EngineFailed: An engine from outside cannot be started, or does not play the game; one that
            fails in a game forfeits it.
        RunDirectoryError: ``pgn`` or ``log`` exists already, is being written by another process,
            or cannot be written.
    """
    handle = make(game)
    if openings is None and not handle.options:
        handle = handle.with_options(**handle.match_options)
    suite = as_suite(openings, handle.name)
    schedule = Schedule(handle, suite, games, seed, openings_as)
    _check_range(concurrency=concurrency, pool_rows=pool_rows, max_plies=max_plies)
    if adjudication is not None and handle.num_players != 2:
        message = f"adjudication is for two players, {handle.name} has {handle.num_players}"
        raise InvalidConfig(message)
    phases = None if gate is None else gating.make(gate, handle.name)
    with contextlib.ExitStack() as stack:
        sides = _sides((agent_a, agent_b), handle, limit, names, pool_rows, threads, stack)
        identity = {
            "game": [handle.name, dict(handle.options)] if handle.options else handle.name,
            "games": games,
            "seed": seed,
            "gate": None if phases is None else gating.spec_of(phases),
            "openings": suite.digest(),
            "openings_as": openings_as,
            "max_plies": max_plies,
            "adjudication": None if adjudication is None else asdict(adjudication),
            "sides": [side.identity for side in sides],
        }
        book = None
        if log is not None:
            config = {"concurrency": concurrency, "pool_rows": pool_rows, "threads": threads}
            book = stack.enter_context(GameLog(log, identity, seed=seed, config=config))
            completed = [*completed, *book.games]
            for side, before in zip(sides, book.sides, strict=False):
                side.stats.add(before)
                side.before = before.counts
        done = schedule.checked(completed)
        names_of_sides = [side.stats.name for side in sides]
        file = None
        if pgn is not None:
            file = stack.enter_context(PgnFile(pgn, names_of_sides, handle.name, done))

        def finished(record: GameRecord) -> None:
            done.append(record)
            if book is not None:
                book.append(record, [side.up_to_date() for side in sides])
            if file is not None:
                file.append(record)
            if on_game is not None:
                on_game(record)
            if progress is not None:
                progress(len(done), games)

        playing = ConcurrentGames(
            handle,
            sides,
            concurrency=_concurrency(concurrency, sides),
            max_plies=max_plies,
            adjudication=adjudication,
            gate=phases,
            finished=finished,
        )
        playing.play(schedule.games(skip={record.number for record in done}))
        if file is not None:
            file.rewrite(done)
    return Match(
        game=handle.name,
        sides=(sides[0].up_to_date(), sides[1].up_to_date()),
        games=tuple(sorted(done, key=lambda record: record.number)),
    )


def _check_pair(option: str, given: Any) -> None:
    if given is not None and (isinstance(given, str) or len(given) != 2):
        message = f"{option}={given!r}: expected a pair, for side 0 and side 1"
        raise InvalidConfig(message)


def _check_range(**options: int | None) -> None:
    for name, value in options.items():
        if value is not None and value < 1:
            message = f"{name}={value}: at least 1 is needed"
            raise InvalidConfig(message)


def _concurrency(given: int | None, sides: Sequence[Side]) -> int:
    """Games at once: one if a search is timed, because searches at once share the time."""
    if given is not None:
        return given
    timed = any(side.limit is not None and side.limit.is_timed for side in sides)
    suiting = (getattr(side.seats, "concurrency", DEFAULT_CONCURRENCY) for side in sides)
    return 1 if timed else min(suiting)


def _sides(
    players: tuple[Any, Any],
    game: Game,
    limit: Limit | tuple[Limit | None, Limit | None] | None,
    names: tuple[str, str] | None,
    pool_rows: int | None,
    threads: int | None,
    stack: contextlib.ExitStack,
) -> tuple[Side, Side]:
    """The two sides; their seats end with ``stack``."""
    limits = limit if isinstance(limit, tuple) else (limit, limit)
    for option, given in (("names", names), ("limit", limits)):
        _check_pair(option, given)
    found = [agents.parse(agent) if isinstance(agent, str) else agent for agent in players]
    called = [agents.name_of_agent(agent) for agent in found] if names is None else list(names)
    if called[0] == called[1]:
        called = [f"{called[0]} (A)", f"{called[1]} (B)"]
    first, second = (
        _side(agent, name, game, own, pool_rows, threads, stack)
        for agent, name, own in zip(found, called, limits, strict=True)
    )
    return first, second


def _side(
    agent: Any,
    name: str,
    game: Game,
    limit: Limit | None,
    pool_rows: int | None,
    threads: int | None,
    stack: contextlib.ExitStack,
) -> Side:
    own = getattr(agent, "limit", None)
    limit = own if own is None or limit is None else limit  # without one, it does not search
    config = getattr(agent, "config", None)
    evaluator = getattr(agent, "evaluator", None)
    mixture = evaluator if isinstance(evaluator, MixtureOfExperts) else None
    stats = SideStats(
        name=name,
        limit="" if limit is None else str(limit),
        gate=None if mixture is None else gating.spec_of(mixture.gate),
        search_gate=None if mixture is None else gating.spec_of(mixture.search_gate),
        routing=None if mixture is None else mixture.routing,
    )
    described = (stats.name, stats.limit, stats.gate, stats.search_gate, stats.routing)
    searched = asdict(config) if isinstance(config, agents.SearchConfig) else None
    seats = agents.seats_of(agent, game, limit=limit, pool_rows=pool_rows, threads=threads)
    if hasattr(seats, "end"):
        stack.callback(seats.end)
    more = [seats.identity] if hasattr(seats, "identity") else []
    return Side(
        seats=seats,
        stats=stats,
        limit=limit,
        identity=[*described, searched, _weights(evaluator), *more],
    )


def _weights(evaluator: Any) -> Any:
    """JSON that tells networks apart: the checksums of their files."""
    if isinstance(evaluator, MixtureOfExperts):
        return [_weights(expert) for expert in evaluator.experts]
    if isinstance(evaluator, NetworkEvaluator):
        return dict(evaluator.manifest.files)
    return None if evaluator is None else name_of(evaluator)
