"""What a run found, as plain data: the report is made from this and nothing else."""

from dataclasses import dataclass, field

from phasezoo.arena.intervals import Interval
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.claims import Claim
from phasezoo.runs.provenance import Provenance

__all__ = ["Batches", "MatchResult", "Played", "Rate", "Results", "Stale"]


@dataclass(frozen=True)
class Batches:
    """Rows of the calls of a block of games, from its first.

    Attributes:
        apart: With games a layer apart.
        in_step: With games in step.
    """

    apart: list[int]
    in_step: list[int]


@dataclass(frozen=True)
class Rate:
    """How fast one search goes, eight games at once.

    Attributes:
        name: Which search.
        with_network: Whether the network answers, or everybody is even and no planes are made.
        searches: Searches of a measurement.
        rows: Positions of each measurement.
        calls: Calls of the evaluator, in the mean over the measurements.
        seconds: Wall time of each measurement.
    """

    name: str
    with_network: bool
    searches: int
    rows: list[int]
    calls: float
    seconds: list[float]

    @property
    def rows_a_second(self) -> float:
        """Positions a second, in the mean over the measurements."""
        return sum(self.rows) / sum(self.seconds)

    @property
    def rows_of_one(self) -> float:
        """Positions of a measurement, in the mean."""
        return sum(self.rows) / len(self.rows)


@dataclass(frozen=True)
class Played:
    """Games of self-play of one search.

    Attributes:
        name: Which search.
        games: Games.
        plies: Plies of all.
        searched: Plies that were searched, the samples of a policy.
        rows: Positions evaluated.
        seconds: Wall time.
        distinct: Share of a game's positions that no other game of the kind met, in the mean.
        entropy: Entropy of the policy in bits, in the mean over searched plies.
        shares: That share of each game.
    """

    name: str
    games: int
    plies: int
    searched: int
    rows: int
    seconds: float
    distinct: Interval | None
    entropy: float
    shares: list[float]

    @property
    def own(self) -> float:
        """The mean of those shares."""
        return sum(self.shares) / len(self.shares)


@dataclass(frozen=True)
class MatchResult:
    """A match of the beam against MCTS, from the beam's view.

    Attributes:
        name: What is equal.
        nodes: Nodes a move of MCTS.
        games: Games.
        wins: Games that the beam won.
        draws: Games drawn.
        losses: Games that it lost.
        elo: The beam's Elo less that of MCTS.
        rows: Positions a move, of each.
        seconds: Seconds inside the network, of each.
    """

    name: str
    nodes: int
    games: int
    wins: int
    draws: int
    losses: int
    elo: Interval
    rows: tuple[float, float]
    seconds: tuple[float, float]


@dataclass(frozen=True)
class Stale:
    """What a cycle of so many training steps does to a policy.

    Attributes:
        steps: Training steps of the cycle.
        positions: Positions of its games at which the policies were compared.
        divergence: Kullback-Leibler divergence of the network after the cycle from the one that
            played its games, in nats, in the mean over games.
        changed: Share of positions with another likeliest move.
    """

    steps: int
    positions: int
    divergence: Interval | None
    changed: Interval


@dataclass(frozen=True)
class Results:
    """Everything a run found.

    Attributes:
        config: The settings.
        command: Does the same again.
        date: When the run began.
        provenance: Versions and machine.
        batches: Rows by call.
        rates: Every search's.
        faster: Positions a second of the beam over those of MCTS with one leaf a game, with the
            network.
        played: Games of self-play.
        diversity: The beam's share of distinct positions less that of MCTS.
        matches: At equal positions, and at equal time.
        stale: Training steps of a cycle against what they do to the policy.
        claims: The note's statements beside ours.
        seconds: Wall time by stage.
    """

    config: BeamStudyConfig
    command: str
    date: str
    provenance: Provenance
    batches: Batches
    rates: list[Rate]
    faster: Interval
    played: list[Played]
    diversity: Interval | None
    matches: list[MatchResult]
    stale: list[Stale]
    claims: list[Claim]
    seconds: dict[str, float] = field(default_factory=dict)
