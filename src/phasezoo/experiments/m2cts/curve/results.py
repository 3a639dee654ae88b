"""What a curve over sizes found, as plain data: the report is made from this alone."""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.curve.config import CurveConfig
from phasezoo.runs.provenance import Provenance

__all__ = ["Curve", "Point", "Results", "Size"]


@dataclass(frozen=True)
class Point:
    """A mixture beside one network at one size."""

    positions: int
    """Training positions that each of both saw."""
    loss: Interval | None
    """The mixture's test loss less the one network's, on all positions; None without any."""
    elo: Interval | None
    """Elo of the mixture over the one network; None if it played none."""
    exact: dict[str, Interval | None]
    """What its moves are worth by perfect play less what the one network's are, by metric; empty
    where nobody knows perfect play."""


@dataclass(frozen=True)
class Curve:
    """A mixture at all sizes."""

    name: str
    """As shown."""
    gate: str
    """What divides the positions, in its full spelling."""
    strategy: str
    """How its experts learnt."""
    points: list[Point]
    """By size."""
    loss_crossing: Interval | None
    """From how many positions on its loss is not above the one network's, and between which sizes
    that may be: −∞ is below the smallest, ∞ above the largest. None without test positions."""
    elo_crossing: Interval | None
    """The same of its Elo; None if it played none, or won or lost all games at a size."""


@dataclass(frozen=True)
class Size:
    """The run at one size."""

    positions: int
    """Training positions."""
    folder: str
    """Where it is, from the directory of the whole."""
    unique_positions: int
    """Different positions that the one network of the first training saw."""
    baseline_loss: float | None
    """Test loss of the one network, a mean over trainings."""
    seconds: float
    """Time it took."""


@dataclass(frozen=True)
class Results:
    """Everything a report shows."""

    config: CurveConfig
    command: str
    date: str
    provenance: Provenance
    game: str
    """The game."""
    source: str
    """Where the games come from, for people."""
    sizes: list[Size]
    curves: list[Curve]
    seconds: dict[str, float]
