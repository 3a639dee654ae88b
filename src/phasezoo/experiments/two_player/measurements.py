"""Records of measurements: stored games, losses, boundaries, perfect play, cost, learned gates."""

import csv
import io
from dataclasses import dataclass, field
from typing import TypeAlias

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.inference.cost import CostModel

ALL = "all"
"""Name of the column of all test positions."""

METRICS = ("total", "policy", "value", "accuracy")
"""Measured on test positions; the first three are losses, where less is better."""


@dataclass(frozen=True)
class Split:
    """One of train, validation and test; its lists are by phase."""

    name: str
    games: int
    positions: list[int]
    reaching: list[int]
    """Games that have a position of the phase."""
    removed: list[int]
    """Positions that were taken out because they occur in train."""
    results: tuple[int, int, int]
    """Games won by the first player, drawn, won by the second."""


@dataclass(frozen=True)
class PhaseStart:
    """The move number at which a phase begins, over the games that reach it."""

    mean: float
    deviation: float
    games: int


@dataclass(frozen=True)
class Dataset:
    """The games and how the gate divides them."""

    source: str
    """Where the games come from, for people."""
    sha256: str
    game: str
    gate: str
    """The gate in its full spelling."""
    phases: list[str]
    """Their names, in order of play if there is one."""
    splits: list[Split]
    starts: list[PhaseStart | None]
    """Where each phase begins; None for a phase that no game reaches."""
    by_move: list[list[int]]
    """Positions by phase and move number, ``[phase][move - 1]``."""
    openings: int
    """Openings the match may use."""
    openings_dropped: int
    """Openings left out because their last position occurs in the games."""
    openings_digest: str
    """Short hash of the openings that are left."""


@dataclass(frozen=True)
class Cell:
    """Losses and policy accuracy of one player on one set of test positions; None without any."""

    positions: int
    total: float | None
    policy: float | None
    value: float | None
    accuracy: float | None


Differences: TypeAlias = dict[str, Interval | None]
"""Differences of the metrics with 95 % intervals; None without positions."""


@dataclass(frozen=True)
class Entry:
    """A row of the loss matrix, a mean over trainings."""

    name: str
    role: str
    """``expert``, ``mixture``, ``placebo``, ``arm`` (another mixture) or ``baseline``."""
    phase: str | None
    """The phase of an expert, otherwise None."""
    cells: dict[str, Cell]
    """By test set."""
    differences: dict[str, Differences]
    """To the baseline, by test set; empty for the baseline itself."""


@dataclass(frozen=True)
class Comparison:
    """One answer taken from the loss matrix."""

    name: str
    """``specialisation`` (phase - placebo), ``thinning`` (placebo - baseline) or ``both``."""
    differences: dict[str, Differences]
    """By test set."""
    deviation: float | None
    """Standard deviation between trainings of the total loss difference on all test positions;
    None with one training."""


@dataclass(frozen=True)
class Losses:
    """The loss matrix of experts, mixtures and the baseline."""

    columns: list[str]
    """Test sets: the phases, then :data:`ALL`."""
    games: int
    """Test games."""
    resamples: int
    """Draws of test games behind the intervals."""
    entries: list[Entry]
    comparisons: list[Comparison]

    def to_csv(self) -> str:
        """Return one row per network and test set; cells are empty if there were no positions."""
        head = ["name", "role", "phase", "test_set", "positions", *METRICS]
        head += [f"{m}_minus_baseline{end}" for m in METRICS for end in ("", "_low", "_high")]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(head)
        for entry in self.entries:
            for column in self.columns:
                cell, differences = entry.cells[column], entry.differences.get(column, {})
                row = [entry.name, entry.role, entry.phase, column, cell.positions]
                row += [getattr(cell, metric) for metric in METRICS]
                for metric in METRICS:
                    interval = differences.get(metric)
                    ends = ("value", "low", "high")
                    row += [getattr(interval, end) if interval else None for end in ends]
                writer.writerow(row)  # None is an empty cell
        return text.getvalue()


@dataclass(frozen=True)
class GapRow:
    """Losses of a network on positions of a phase that it learned from, and on new ones."""

    name: str
    phase: str
    unique_positions: float
    """Different positions of the phase that it learned from, a mean over trainings."""
    learned: float | None = field(metadata={"once": "learnt"})
    """Total loss on a sample of them; None without any."""
    new: float | None
    """Total loss on test positions of the phase; None without any."""
    gap: Interval | None
    """New less learned."""
    beside: Interval | None
    """The gap less the one network's; None of the one network itself."""


@dataclass(frozen=True)
class Overfitting:
    """How closely one network and the expert of each phase fit what they learned from."""

    most: int
    """Positions of a phase, of either kind, at the most."""
    rows: list[GapRow]


@dataclass(frozen=True)
class ExactRow:
    """Worth of a player's moves by perfect play."""

    name: str
    numbers: dict[str, dict[str, float | None]]
    """By metric, then by set of positions; means over trainings, None without positions."""
    differences: dict[str, Interval | None]
    """To the one network, by metric over all positions, with an interval that counts trainings;
    None with one training."""


@dataclass(frozen=True)
class Exact:
    """Moves of the mixtures and of the one network judged by perfect play."""

    positions: int
    kind: str | None
    """Which positions of the game these are all of; None: they are a sample."""
    searched: int
    """How many of them were searched too."""
    trainings: int
    rows: list[ExactRow]


@dataclass(frozen=True)
class BoundaryRow:
    """The boundary between two phases, or all boundaries."""

    name: str
    """The phases, or ``all``."""
    positions: int
    """Test positions near a boundary of this kind."""
    boundaries: int
    """Boundaries that these lie near."""
    games: int
    numbers: dict[str, Interval | None]
    """By the names of ``docs/definitions/seam.md#numbers``; None if nothing was measured."""


@dataclass(frozen=True)
class BoundaryPlace:
    """Means over all boundaries at the same number of plies from them."""

    offset: int
    """Plies since the first position after the boundary."""
    experts: Interval | None
    """Mean size of the difference between the two experts' values."""
    placebo: Interval | None
    """The same between any two of the placebo's experts."""
    one: Interval | None
    """Mean size of one network's change from the ply before."""
    mixture: Interval | None
    """The same of the mixture."""


@dataclass(frozen=True)
class BrierCell:
    """Brier scores of one network or mixture on one set of test positions; less is better."""

    positions: int
    score: Interval | None
    """Of the value as expected score, from 0 to 1."""
    wdl: Interval | None
    """Of win, draw and loss, from 0 to 2; None of networks without them and of recalibrated
    values."""
    against: Interval | None
    """``score`` less one network's as trained."""
    gained: Interval | None
    """``score`` less that of the same network or mixture as trained; None of that itself."""


@dataclass(frozen=True)
class BrierRow:
    """A network or mixture."""

    name: str
    phase: str | None
    """The phase of an expert, otherwise None."""
    recalibrated: bool
    """True for recalibrated values; one network's by a map for each phase."""
    cells: dict[str, BrierCell]
    """By test set."""


@dataclass(frozen=True)
class Map:
    """A recalibration (see :class:`~.answers.Recalibration`)."""

    name: str
    """Whose."""
    phase: str
    """The phase of the positions that it was fitted to."""
    training: int
    slope: float
    shift: float
    positions: int
    """Validation positions that it was fitted to."""


@dataclass(frozen=True)
class Boundaries:
    """Everything found where phases meet."""

    near: int
    """Plies to either side of a boundary."""
    games: int
    """Test games."""
    rows: list[BoundaryRow]
    """Kinds of boundaries, all of them first."""
    places: list[BoundaryPlace]
    """By plies from the boundary."""
    brier: list[BrierRow]
    """Experts, mixture and one network, as trained and recalibrated."""
    maps: list[Map]

    def maps_of(self, name: str, training: int) -> dict[str, Map]:
        """The recalibrations of one training's experts, or of its one network, by phase."""
        return {one.phase: one for one in self.maps if (one.name, one.training) == (name, training)}


@dataclass(frozen=True)
class Size:
    """The networks of one player."""

    name: str
    networks: int
    parameters: int
    """Of all of them."""
    active: int
    """Parameters of the one that answers a position, the largest of them."""
    weights: int
    """Bytes of all their weights, statistics of normalisations included."""


@dataclass(frozen=True)
class CallCost:
    """A call with positions of all phases."""

    name: str
    routing: str | None
    """How a mixture divides the positions; None of one network."""
    batch: int
    """Positions of the call."""
    calls: int
    """Networks that were asked."""
    rows: int
    """Positions that they answered together."""
    milliseconds: Interval
    """Inside the networks, a call: the median round between the extremes."""
    ratio: Interval
    """The same beside one network's, round by round."""


@dataclass(frozen=True)
class GateCost:
    """A learned gate that is asked for the phases of all positions of a call, like a call."""

    batch: int
    milliseconds: Interval
    ratio: Interval


@dataclass(frozen=True)
class Cost:
    """Memory and time of the networks of the first training."""

    clock: str
    """Kind of the times, for people."""
    rounds: int
    """Rounds of measuring."""
    sizes: list[Size]
    """One network and every mixture."""
    calls: list[CallCost]
    """One network, and the phase mixture by each routing; empty if nothing was timed."""
    gate: list[GateCost]
    """The learned gate by batch; empty if there is none."""


@dataclass(frozen=True)
class Prices:
    """Cost of calls and rows of the networks of the first training in matches."""

    expert: CostModel
    """Of an expert of the phase mixture, which all have the same architecture."""
    one: CostModel


@dataclass(frozen=True)
class GateCard:
    """The gate of one training."""

    name: str
    """Its directory under ``gates/``."""
    training: int
    positions: int
    """Validation positions that it learned from."""
    seconds: float


@dataclass(frozen=True)
class Division:
    """How learned gates divide the test positions, and losses of the same experts by them."""

    positions: int
    """Test positions that occur in no training or validation game."""
    shares: dict[str, list[float | None]]
    """Of the test positions of each phase, and of all of them, the share that goes to each expert,
    in the order of the phases; means over trainings, None without positions."""
    beside_one: dict[str, Interval | None]
    """Total test loss by learned gates less one network's, by test set."""
    beside_mixture: dict[str, Interval | None]
    """The same less that of the same experts by the gate under study."""
