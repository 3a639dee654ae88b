"""The sides of a match or tournament, made of agents."""

import contextlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from phasezoo import agents, gating
from phasezoo.agents import Limit, Move, SessionPool
from phasezoo.agents.arguments import name_or
from phasezoo.agents.limit import checked_limit
from phasezoo.arena.clocks import check_clock
from phasezoo.arena.records import SideStats, Work
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import name_of
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.policy_value import PolicyAndValue
from phasezoo.specs import removed
from phasezoo.specs.text import one_line

if TYPE_CHECKING:
    from phasezoo.arena.concurrent_games import Running


@dataclass
class Side:
    """An agent that plays the games."""

    index: int
    """Its place among the agents of its match."""
    agent: Any
    pool: SessionPool
    stats: SideStats
    limit: Limit | None = None
    """Of its searches; None if it does not search."""
    identity: Any = None
    """JSON that identifies it, for the log."""
    before: Counts = field(default_factory=Counts)
    """Cost of inference in an earlier part of the match."""
    finished: Work = field(default_factory=Work)
    """In games that have ended since."""
    begun: "dict[Running, Work]" = field(default_factory=dict)
    """In games in progress."""
    asked: "dict[int, tuple[Running, int]]" = field(default_factory=dict)
    """By slot of the pool: the game and the player whose move is awaited."""
    sharing: "list[Side]" = field(default_factory=list, compare=False, repr=False)
    """The sides of several matches that the same agent plays with one pool, this one too."""

    def __post_init__(self) -> None:
        self.sharing.append(self)

    @property
    def is_timed(self) -> bool:
        """Whether it plays by time."""
        return self.limit is not None and self.limit.is_timed

    def took(self, game: "Running", move: Move) -> None:
        """Count a move of a game in progress."""
        done = self.begun.get(game, Work())
        moved = int(move.forfeit is None)
        more = Work(moved, move.nodes, move.simulations)
        self.begun[game] = done.plus(more)

    def ended(self, game: "Running") -> None:
        """Put the work on a game among that which counts."""
        done = self.begun.pop(game, Work())
        self.stats.moves += done.moves
        self.stats.nodes += done.nodes
        self.stats.simulations += done.simulations
        self.finished = self.finished.plus(done)

    def up_to_date(self) -> SideStats:
        """Return the statistics of finished games.

        Inference serves many games at once, also of other matches: its part is the finished games'
        share of the nodes, or without any of the moves.
        """
        worked = (work for side in self.sharing for work in (side.finished, *side.begun.values()))
        every = [sum(column) for column in zip(*worked, strict=True)]
        done, total = self.finished.moves, every[0]
        if every[1]:
            done, total = self.finished.nodes, every[1]
        share = done / total if total else 1.0
        self.stats.counts = self.before + self.pool.counts.part(share)
        return self.stats


def make_sides(
    players: Sequence[Any],
    game: Game,
    stack: contextlib.ExitStack,
    *,
    limit: Limit | Sequence[Limit | None] | None = None,
    names: Sequence[str] | None = None,
    pool_rows: int | None = None,
    threads: int | None = None,
    others: Sequence[Side] = (),
) -> tuple[Side, ...]:
    """Make a side for each agent; their pools end with ``stack``.

    Args:
        players: Agents, callables or texts, as :func:`phasezoo.arena.play_match` takes them.
        game: What they play.
        stack: Ends engines and whatever else has to be ended.
        limit: Replaces the limits of all agents' searches, or one for each.
        names: How reports call them; default the agents' names, made unique if some are equal.
        pool_rows: The most rows that an evaluator gets at once.
        threads: Threads that walk trees and make planes.
        others: Sides of matches that are played beside: the same agent with the same limit searches
            in the pool that it has there, in larger batches.
    """
    limits = limit if isinstance(limit, Sequence) else [limit] * len(players)
    _check_count("limit", limits, len(players))
    for own in limits:
        if own is not None:
            checked_limit(own)
    found = [agents.make(agent) if isinstance(agent, str) else agent for agent in players]
    called = names_of(found, names)
    return tuple(
        _side(index, agent, name, game, own, pool_rows, threads, stack, others)
        for index, (agent, name, own) in enumerate(zip(found, called, limits, strict=True))
    )


def names_of(players: Sequence[Any], names: Sequence[str] | None = None) -> list[str]:
    """Return the names of agents in reports: ``names``, or their own, made unique."""
    if names is None:
        names = [agents.name_of_agent(agent) for agent in players]
    _check_count("names", names, len(players))
    return _unique([one_line(name_or(name, "")) for name in names])


def _check_count(option: str, given: Sequence[Any], count: int) -> None:
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != count:
        pair = "a pair, for side 0 and side 1" if count == 2 else "one for each agent"
        message = f"{option}={given!r}: expected {pair}"
        raise InvalidConfig(message)


def _unique(names: Sequence[str]) -> list[str]:
    """Return the names, with a letter, or from the 27th on a number, after repeated ones."""
    marks = {name: iter(range(len(names))) for name in names}
    letters = [chr(ord("A") + i) if i < 26 else str(i + 1) for i in range(len(names))]
    return [
        f"{name} ({letters[next(marks[name])]})" if names.count(name) > 1 else name
        for name in names
    ]


def _side(
    index: int,
    agent: Any,
    name: str,
    game: Game,
    limit: Limit | None,
    pool_rows: int | None,
    threads: int | None,
    stack: contextlib.ExitStack,
    others: Sequence[Side],
) -> Side:
    own = getattr(agent, "limit", None)
    limit = own if own is None or limit is None else limit  # without one, it does not search
    is_endless = isinstance(limit, Limit) and limit.is_endless
    if is_endless and not getattr(agent, "ends_by_itself", False):
        message = (
            f"{name}: its searches may never end (limit: {limit}), and nobody stops one in a "
            "match; limit them by nodes=, simulations=, movetime_ms= or clock="
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
    searched = None
    if isinstance(config, agents.SearchConfig):
        # With the options of 0.2.0, whose unfinished matches go on.
        searched = {**removed.DEFAULTS, **asdict(config)}
        if config.in_flight == 1:
            del searched["in_flight"]  # which 0.2.0 did not have
    alike = (each for each in others if each.agent is agent and each.limit == limit)
    other = next(alike, None)
    if other is None:
        pool = agents.session_pool_of(
            agent, game, limit=limit, pool_rows=pool_rows, threads=threads
        )
        if hasattr(pool, "end"):
            stack.callback(pool.end)
    else:
        pool = other.pool
    check_clock(name, limit, pool, game)
    more = [pool.identity] if hasattr(pool, "identity") else []
    return Side(
        index=index,
        agent=agent,
        pool=pool,
        stats=stats,
        limit=limit,
        identity=[*described, searched, _weights(evaluator), *more],
        asked={} if other is None else other.asked,
        sharing=[] if other is None else other.sharing,
    )


def _mark(gate: Any) -> str:
    """Return a gate's identity: of learned ones their weights, as their folder may be moved."""
    return gate.router.digest if isinstance(gate, gating.LearnedGate) else gating.spec_of(gate)


def _weights(evaluator: Any) -> Any:
    """Return JSON that identifies networks: the checksums of their files."""
    if isinstance(evaluator, MixtureOfExperts | PolicyAndValue):
        return [_weights(expert) for expert in evaluator.experts]
    if isinstance(evaluator, NetworkEvaluator):
        return dict(evaluator.manifest.files)
    return None if evaluator is None else name_of(evaluator)
