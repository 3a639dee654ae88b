"""The sides of a match or tournament, made of agents."""

import contextlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from phasezoo import agents, gating
from phasezoo.agents import Limit
from phasezoo.agents.arguments import name_or
from phasezoo.agents.limit import checked_limit
from phasezoo.arena.clocks import check_clock
from phasezoo.arena.concurrent_games import Side
from phasezoo.arena.records import SideStats
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.inference.evaluator import name_of
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.specs.text import one_line


def make_sides(
    players: Sequence[Any],
    game: Game,
    stack: contextlib.ExitStack,
    *,
    limit: Limit | Sequence[Limit | None] | None = None,
    names: Sequence[str] | None = None,
    pool_rows: int | None = None,
    threads: int | None = None,
) -> tuple[Side, ...]:
    """A side for each agent; their seats end with ``stack``.

    Args:
        players: Agents, callables or texts, as :func:`phasezoo.arena.play_match` takes them.
        game: What they play.
        stack: Ends engines and whatever else has to be ended.
        limit: Replaces the limits of all agents' searches, or one for each.
        names: How reports call them; default the agents' names, told apart if some are equal.
        pool_rows: The most rows that an evaluator gets at once.
        threads: Threads that walk trees and make planes.

    Raises:
        InvalidConfig: ``names`` or ``limit`` are not as many as the agents, or a search has no end.
    """
    limits = limit if isinstance(limit, Sequence) else [limit] * len(players)
    _check_count("limit", limits, len(players))
    for own in limits:
        if own is not None:
            checked_limit(own)
    found = [agents.make(agent) if isinstance(agent, str) else agent for agent in players]
    called = names_of(found, names)
    return tuple(
        _side(agent, name, game, own, pool_rows, threads, stack)
        for agent, name, own in zip(found, called, limits, strict=True)
    )


def names_of(players: Sequence[Any], names: Sequence[str] | None = None) -> list[str]:
    """How reports call agents: by ``names``, or by the agents' own, told apart if some are equal.

    Raises:
        InvalidConfig: ``names`` are not as many as the agents.
    """
    if names is None:
        names = [agents.name_of_agent(agent) for agent in players]
    _check_count("names", names, len(players))
    return _told_apart([one_line(name_or(name, "")) for name in names])


def _check_count(option: str, given: Sequence[Any], count: int) -> None:
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != count:
        pair = "a pair, for side 0 and side 1" if count == 2 else "one for each agent"
        message = f"{option}={given!r}: expected {pair}"
        raise InvalidConfig(message)


def _told_apart(names: Sequence[str]) -> list[str]:
    """The names, with a letter, or from the 27th on a number, after those that come again."""
    marks = {name: iter(range(len(names))) for name in names}
    letters = [chr(ord("A") + i) if i < 26 else str(i + 1) for i in range(len(names))]
    return [
        f"{name} ({letters[next(marks[name])]})" if names.count(name) > 1 else name
        for name in names
    ]


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
    is_endless = isinstance(limit, Limit) and limit.infinite
    if is_endless and not getattr(agent, "ends_by_itself", False):
        message = (
            f"{name}: its search is {limit}, and nobody stops one in a match; limit it by nodes=, "
            "simulations=, movetime_ms= or clock="
        )
        raise InvalidConfig(message)
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
    gates = (None, None) if mixture is None else (_mark(mixture.gate), _mark(mixture.search_gate))
    described = (stats.name, stats.limit, *gates, stats.routing)
    searched = asdict(config) if isinstance(config, agents.SearchConfig) else None
    seats = agents.seats_of(agent, game, limit=limit, pool_rows=pool_rows, threads=threads)
    if hasattr(seats, "end"):
        stack.callback(seats.end)
    check_clock(name, limit, seats, game)
    more = [seats.identity] if hasattr(seats, "identity") else []
    return Side(
        seats=seats,
        stats=stats,
        limit=limit,
        identity=[*described, searched, _weights(evaluator), *more],
    )


def _mark(gate: Any) -> str:
    """Return a gate's identity: of learned ones their weights, as their folder may be moved."""
    return gate.router.digest if isinstance(gate, gating.LearnedGate) else gating.spec_of(gate)


def _weights(evaluator: Any) -> Any:
    """JSON that tells networks apart: the checksums of their files."""
    if isinstance(evaluator, MixtureOfExperts):
        return [_weights(expert) for expert in evaluator.experts]
    if isinstance(evaluator, NetworkEvaluator):
        return dict(evaluator.manifest.files)
    return None if evaluator is None else name_of(evaluator)
