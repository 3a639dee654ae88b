"""What a run of the study found, as plain data: the report is made from this and nothing else."""

from dataclasses import dataclass

from phasezoo.experiments.atomic.config import AtomicConfig
from phasezoo.experiments.claims import Claim
from phasezoo.experiments.learning import Course, Meeting
from phasezoo.runs.provenance import Provenance

__all__ = ["BatchRow", "CollisionRow", "MoveCost", "Results", "Searched", "WorkerRow"]


@dataclass(frozen=True)
class CollisionRow:
    """Searches of single positions with one way to count descents that wait."""

    style: str
    """``virtual_style`` of the search."""
    simulations: int
    """Simulations of a search."""
    collisions: float
    """Descents that met a leaf that waited, mean over the positions."""
    rate: float
    """Simulations a second."""


@dataclass(frozen=True)
class BatchRow:
    """The network by the rows of a call."""

    rows: int
    """Rows."""
    rate: float
    """Positions a second."""


@dataclass(frozen=True)
class MoveCost:
    """Where the time of a move goes."""

    simulations: int
    """Simulations of the move."""
    network_ms: float
    """Milliseconds of the network."""
    search_ms: float
    """Milliseconds of everything else, planes and legal moves among it."""
    moves_ms: float
    """Milliseconds that as many lists of legal moves take, asked for one by one."""


@dataclass(frozen=True)
class WorkerRow:
    """Self-play by several processes."""

    workers: int
    """Processes."""
    games: float
    """Games an hour of all."""
    positions: float
    """Positions (plies of games) a second of all."""


@dataclass(frozen=True)
class Searched:
    """All that was measured of the search."""

    collisions: list[CollisionRow]
    """With and without virtual loss."""
    batches: list[BatchRow]
    """The network by the rows of a call."""
    move: MoveCost
    """The parts of a move."""
    workers: list[WorkerRow]
    """Games an hour."""


@dataclass(frozen=True)
class Results:
    """Everything a report shows."""

    config: AtomicConfig
    command: str
    date: str
    provenance: Provenance
    courses: list[Course]
    """The variants of learning, the thesis' own first."""
    against_untrained: list[Meeting]
    """Each variant's last version against the thesis' first weights."""
    against_thesis: list[Meeting]
    """Each other variant's last version against the thesis' own."""
    itself: Meeting
    """The thesis' own last version against itself."""
    from_phases: dict[str, Meeting]
    """The same against untrained weights, from positions of its games' phases."""
    styles: Meeting
    """Search without virtual loss against search with it, at equal nodes."""
    searched: Searched
    claims: list[Claim]
    seconds: dict[str, float]
