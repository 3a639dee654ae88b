"""Records of a match: finished games, and each side's work."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NamedTuple

from phasezoo.agents import Limit
from phasezoo.errors import CorruptRecord, InvalidConfig
from phasezoo.games.queries import result_text
from phasezoo.inference.cost import CostModel
from phasezoo.inference.counts import Counts
from phasezoo.runs import jsonable

Ending = Literal["rules", "resignation", "agreement", "tables", "max_plies", "forfeit"]
"""End of a game: the rules, adjudication (of three kinds), the cap on its length, or that a
player gave up or failed (``forfeit``)."""


class Thought(NamedTuple):
    """An agent's report of its move."""

    value: float | None
    """Value that it expected for itself, in [-1, 1], to four digits; None if it did not say."""
    nodes: int
    """Positions that it evaluated, or nodes as an engine counts them."""
    depth: int
    """How many plies deep it looked; 0 if it did not say."""
    phase: int | None = None
    """The phase that its search was in; None without a gate."""
    seconds: float | None = None
    """Wall time that it took, to a millisecond; None of players whose limit is not of time."""
    clock: float | None = None
    """Seconds left after it, the increment included; None of players without a clock."""


@dataclass(frozen=True)
class GameRecord:
    """A finished game."""

    number: int
    """Which game of the match, from 0."""
    group: int
    """Which group of games with the same opening (in games of two players: which pair), from 0."""
    sides: tuple[int, ...]
    """For each player, the side of the match that played them: 0 or 1."""
    opening: int
    """Index in the opening suite."""
    start_fen: str | None
    """Where the game started, if not at the initial position."""
    opening_moves: tuple[str, ...]
    """Moves played before the agents took over (empty if the opening was given as a FEN)."""
    moves: tuple[str, ...]
    """The agents' moves: UCI, or the action if the game has no notation; ``"3,0,5"`` if
    several players moved at once."""
    returns: tuple[float, ...]
    """Per player: +1 won, 0 draw, -1 lost. A game cut by ``max_plies`` counts as a draw."""
    reason: str
    """Why it ended: the outcome's reason, the kind of :data:`Ending`, or how it was forfeited, such
    as ``timeout``."""
    ending: Ending
    """Kind of its end."""
    seeds: tuple[int, ...]
    """For each player, the seed of their random stream."""
    pairing: tuple[int, int] = (0, 1)
    """Who the sides 0 and 1 are: indices of the agents, of which a tournament has more than two."""
    start: str = ""
    """Where the game started if a seed drew that and there is no FEN: ``"seed:N"``."""
    note: str = ""
    """Details of a forfeit."""
    verdict: tuple[float, ...] | None = None
    """Per player, what adjudication gave a game that was played on to check it; None if there was
    no verdict, or it ended the game."""
    thoughts: tuple[Thought | None, ...] = ()
    """An agent's report of each of ``moves``; None for agents that do not search and are not
    timed. Empty if all are None, or if players move at once."""
    seconds: tuple[float | None, ...] = ()
    """For each player, their total time; None of those whose limit is not of time. Empty if nobody
    plays by time."""

    @property
    def score(self) -> float:
        """Score of side 0, in [0, 1]: 1 won, 1/2 draw, 0 lost.

        With more than two players: the mean over each pair of players of different sides.
        """
        points = [
            1.0 if own > other else 0.5 if own == other else 0.0
            for own, side in zip(self.returns, self.sides, strict=True)
            for other, opposite in zip(self.returns, self.sides, strict=True)
            if side == 0 and opposite == 1
        ]
        return sum(points) / len(points)

    @property
    def won(self) -> bool:
        """Whether a player of side 0 won."""
        return any(v > 0 and side == 0 for v, side in zip(self.returns, self.sides, strict=True))

    @property
    def agents(self) -> tuple[int, ...]:
        """For each player, the agent that played them: an index, as in :attr:`pairing`."""
        return tuple(self.pairing[side] for side in self.sides)

    @property
    def result(self) -> str:
        """``"1-0"``, ``"0-1"`` or ``"1/2-1/2"``; with more than two players, their returns."""
        if len(self.returns) != 2:
            return " ".join(f"{value:g}" for value in self.returns)
        return result_text(*self.returns)

    @property
    def plies(self) -> int:
        """Moves of the game, the opening's included."""
        return len(self.opening_moves) + len(self.moves)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "GameRecord":
        """From :meth:`to_dict`'s dictionary.

        Raises:
            CorruptRecord: Something is missing, or not what it should be.
        """
        try:
            record = jsonable.decode(cls, data, "game")
            _ = record.score, record.result
        except ZeroDivisionError as error:
            message = f"not the record of a game: sides={data['sides']}, expected a 0 and a 1"
            raise CorruptRecord(message) from error
        except (TypeError, ValueError) as error:
            message = f"not the record of a game ({error}): {str(data)[:200]}"
            raise CorruptRecord(message) from error
        return record


class Work(NamedTuple):
    """Work of a side in one game or several."""

    moves: int = 0
    """Moves made."""
    nodes: int = 0
    """Positions evaluated by searches that were finished."""
    simulations: int = 0
    """Descents of searches that were finished."""

    def plus(self, other: "Work") -> "Work":
        """Return the sum of both."""
        return Work(*(a + b for a, b in zip(self, other, strict=True)))

    def less(self, other: "Work") -> "Work":
        """Return what is left without ``other``."""
        return Work(*(a - b for a, b in zip(self, other, strict=True)))


@dataclass
class SideStats:
    """Work of one side of a match, and its cost.

    Only games that were finished count, and of a match that a test has ended its own games alone,
    so that a match which was killed and resumed has the figures of one that was not. Of inference,
    whose batches serve many games at once, they have the share that they have of the nodes.
    """

    name: str
    """The agent's name."""
    limit: str = ""
    """Its limit, in words; empty if it does not search."""
    gate: str | None = None
    """The gate its experts were trained under."""
    search_gate: str | None = None
    """The gate it searched with, if that is another one on purpose."""
    routing: str | None = None
    """How its mixture of experts divides rows."""
    moves: int = 0
    """Moves made."""
    nodes: int = 0
    """Positions evaluated by searches that were finished."""
    simulations: int = 0
    """Descents of searches that were finished."""
    counts: Counts = field(default_factory=Counts)
    """Cost of inference."""

    @property
    def work(self) -> Work:
        """Its moves, nodes and simulations."""
        return Work(self.moves, self.nodes, self.simulations)

    @property
    def nodes_per_move(self) -> float:
        """Mean nodes of a move."""
        return self.nodes / self.moves if self.moves else 0.0

    @property
    def off_phase_share(self) -> float:
        """Share of positions answered by an expert of another phase."""
        return self.counts.off_phase_rows / self.nodes if self.nodes else 0.0

    @property
    def regated_share(self) -> float:
        """Share of positions on which ``gate`` and ``search_gate`` differ."""
        return self.counts.regated_rows / self.nodes if self.nodes else 0.0

    def add(self, other: "SideStats") -> None:
        """Add the work of another part of the same match."""
        self.moves += other.moves
        self.nodes += other.nodes
        self.simulations += other.simulations
        self.counts.add(other.counts)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the shares and means are in it for readers."""
        return asdict(self) | {
            "counts": self.counts.as_dict(),
            "off_phase_share": self.off_phase_share,
            "regated_share": self.regated_share,
            "nodes_per_move": self.nodes_per_move,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "SideStats":
        """From :meth:`to_dict`'s dictionary.

        Raises:
            CorruptRecord: Something is missing, or not what it should be.
        """
        derived = ("off_phase_share", "regated_share", "nodes_per_move")
        try:
            counts = {k: v for k, v in data["counts"].items() if k != "mean_rows"}
            rest = {k: v for k, v in data.items() if k not in derived}
            return jsonable.decode(cls, {**rest, "counts": counts}, "side")
        except (TypeError, KeyError, AttributeError, InvalidConfig) as error:
            message = f"not the statistics of a side ({error}): {str(data)[:200]}"
            raise CorruptRecord(message) from error


def duplicates(records: Sequence[GameRecord]) -> int:
    """Return how many games repeat another one's start, opening and moves."""
    return len(records) - len({(r.start_fen, r.start, r.opening_moves, r.moves) for r in records})


def equal_cost_limits(
    sides: tuple[SideStats, SideStats], costs: tuple[CostModel, CostModel], limit: Limit
) -> tuple[Limit, Limit]:
    """Limits under which side 0's inference costs as much a move as side 1's does under ``limit``.

    A mixture needs more, smaller calls than one network for the same nodes. A first match at equal
    nodes shows how many; its statistics are prices of a node here, so nodes are scaled by the ratio
    of both sides' cost of a node.

    Args:
        sides: Both sides' work in a match at equal nodes, with the concurrency of the next one.
        costs: Both sides' prices, fitted on the same backend.
        limit: The limit that side 1 keeps; it has ``nodes``.

    Returns:
        The limits of both sides, for ``play_match(limit=…)``.

    Raises:
        InvalidConfig: ``limit`` has no nodes, or a side evaluated none.
    """
    if limit.nodes is None:
        message = f"{limit}: equal cost is reached by nodes, give Limit(nodes=…)"
        raise InvalidConfig(message)
    if not all(side.nodes for side in sides):
        message = f"{sides[0].name} and {sides[1].name} must both have searched: nodes are missing"
        raise InvalidConfig(message)
    first, second = (
        cost.seconds(side.counts) / side.nodes for side, cost in zip(sides, costs, strict=True)
    )
    return replace(limit, nodes=max(round(limit.nodes * second / first), 1)), limit
