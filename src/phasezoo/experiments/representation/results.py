"""What a run of the study found, as plain data: the report is made from this and nothing else."""

from dataclasses import dataclass, field

from phasezoo.arena.crossed_trainings import CrossedResult
from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.runs.provenance import Provenance

__all__ = [
    "METRICS",
    "ArmRow",
    "Attribution",
    "BoardShown",
    "Contrast",
    "Dataset",
    "Duel",
    "EndingRow",
    "Endings",
    "GameSums",
    "Games",
    "Gradients",
    "Latency",
    "Losses",
    "Results",
    "Table",
]

METRICS = ("total", "policy", "value", "accuracy")
"""What is measured on test positions; the first three are losses, where less is better."""


@dataclass(frozen=True)
class Dataset:
    """The games."""

    source: str
    """Where they come from, for people."""
    sha256: str
    """Checksum of their file."""
    games: list[int]
    """Games for training, validation and test."""
    positions: list[int]
    """Their positions."""
    tested: int
    """Test games that losses are measured on."""
    test_positions: int
    """Positions of these that do not occur in training."""


@dataclass(frozen=True)
class GameSums:
    """How one network did on the test positions, summed over each game."""

    counts: list[int]
    """Positions of each game."""
    sums: dict[str, list[float]]
    """Sums over them by metric."""


@dataclass(frozen=True)
class ArmRow:
    """An arm in a table of losses, a mean over its trainings."""

    name: str
    """The arm."""
    label: str
    """As shown."""
    trainings: int
    """Its trainings."""
    parameters: int
    """Numbers that training adjusts."""
    multiply_adds: int
    """Multiply-adds of a position."""
    metrics: dict[str, Interval | None]
    """Mean and 95 % interval, over trainings first and games second, by metric."""


@dataclass(frozen=True)
class Table:
    """One of the paper's tables."""

    name: str
    """Its group."""
    rows: list[ArmRow]
    """Its arms."""
    differences: dict[str, dict[str, Interval | None]]
    """By arm and metric, to the first arm, training by training."""


@dataclass(frozen=True)
class Contrast:
    """A difference between the four combinations."""

    name: str
    """``inputs``: v2 less v1, ``heads``: wdlp less mse, each averaged over the other; ``both``."""
    metrics: dict[str, Interval | None]
    """By metric."""
    deviation: float | None
    """Standard deviation between trainings of the difference of total losses; None with one."""


@dataclass(frozen=True)
class Losses:
    """Everything about losses."""

    tables: list[Table]
    """The combinations and the grids."""
    contrasts: list[Contrast]
    """Main effects and both."""


@dataclass(frozen=True)
class Latency:
    """Time of a position, measured here on one thread or on the device."""

    arm: str
    """The arm, its first training."""
    backend: str
    """``onnx`` or ``torch``."""
    batch: int
    """Positions a call."""
    microseconds: Interval
    """Of a position: median of the rounds, between the lowest and the highest."""


@dataclass(frozen=True)
class Attribution:
    """Integrated gradients of an arm, with the mean of the validation inputs as baseline."""

    arm: str
    """The arm."""
    answer: str
    """What is explained: ``value`` or ``policy``."""
    shares: dict[str, Interval]
    """Share of all absolute attribution by group of planes, over trainings and positions."""
    planes: list[float]
    """The same of each plane, mean over trainings."""
    new: dict[str, Interval]
    """By group of planes that are new in v2 but for the masks: how much larger the masks' share
    is, plane for plane."""
    error: float
    """Largest difference between the sum of attributions and f(x) - f(baseline)."""


@dataclass(frozen=True)
class BoardShown:
    """One position's attributions with zero as baseline, of the value."""

    fen: str
    """The position."""
    arm: str
    """Whose first training answers."""
    value: float
    """Its value for the player to move."""
    baseline: float
    """Its value of planes that are all zero."""
    planes: dict[str, float]
    """Sum of attributions by group of planes."""
    squares: list[float]
    """``[64]``: the same by square, a1 first, from White's view."""


@dataclass(frozen=True)
class Gradients:
    """Integrated gradients."""

    average: list[Attribution]
    """Over many positions."""
    boards: list[BoardShown]
    """Of single positions."""


@dataclass(frozen=True)
class EndingRow:
    """An arm's mean |value| over endings of one outcome."""

    arm: str
    """The arm."""
    outcome: str
    """``draws`` or ``wins``."""
    alone: Interval
    """Of the network alone, over trainings and positions."""
    searched: Interval
    """Of its search."""


@dataclass(frozen=True)
class Endings:
    """The endings of opposite bishops."""

    nodes: int
    """Nodes of a search."""
    values: dict[str, list[list[float]]]
    """By arm: ``[training][ending]``, the network's value for the player to move."""
    searched: dict[str, list[list[float]]]
    """The same of the search."""
    rows: list[EndingRow]
    """Means."""
    differences: dict[str, Interval]
    """v2-wdlp less v1-mse of mean |value|: by outcome, alone; over trainings and positions."""


@dataclass(frozen=True)
class Duel:
    """All games between the trainings of two contenders."""

    first: str
    second: str
    games: int
    wins: int
    draws: int
    losses: int
    elo: CrossedResult
    """Of the first over the second; its interval counts trainings first and games second."""


@dataclass(frozen=True)
class Games:
    """A round robin under one limit."""

    limit: str
    """What bounds a move, for people."""
    contenders: list[str]
    """Who played: arms, and an engine."""
    trainings: dict[str, int]
    """Trainings of each that played."""
    duels: list[Duel]
    """Every pair of contenders."""
    played: int
    """Games in all, those between trainings of one arm among them."""


@dataclass(frozen=True)
class Results:
    """Everything a report shows."""

    config: RepresentationConfig
    command: str
    date: str
    provenance: Provenance
    dataset: Dataset
    networks: list[NetworkCard]
    losses: Losses
    latency: list[Latency]
    gradients: Gradients
    endings: Endings | None
    games: list[Games]
    engine: str
    """What became of the engine of reference, for people."""
    claims: list[Claim]
    seconds: dict[str, float] = field(default_factory=dict)
