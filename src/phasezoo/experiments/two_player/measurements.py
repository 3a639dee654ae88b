"""Records of games to learn from, losses, boundaries of phases and moves by perfect play."""

import csv
import io
from dataclasses import dataclass

from phasezoo.arena.statistics.intervals import Interval

ALL = "all"
"""Name of the column of all test positions."""

METRICS = ("total", "policy", "value", "accuracy")
"""What is measured on test positions; the first three are losses, where less is better."""


@dataclass(frozen=True)
class Split:
    """One of train, validation and test.

    Attributes:
        name: Its name.
        games: Games in it.
        positions: Positions by phase.
        reaching: Games that have a position of the phase, by phase.
        removed: Positions by phase that were taken out because they occur in train.
        results: Games won by the first player, drawn, won by the second.
    """

    name: str
    games: int
    positions: list[int]
    reaching: list[int]
    removed: list[int]
    results: tuple[int, int, int]


@dataclass(frozen=True)
class PhaseStart:
    """The move number at which a phase begins, over the games that reach it."""

    mean: float
    deviation: float
    games: int


@dataclass(frozen=True)
class Dataset:
    """The games and how the gate divides them.

    Attributes:
        source: Where the games come from, for people.
        sha256: Checksum of the games file.
        game: Game name.
        gate: The gate in its full spelling.
        phases: Names of the phases, in order of play if there is one.
        splits: Train, validation, test.
        starts: Where each phase begins; None for a phase that no game reaches.
        by_move: Positions by phase and move number, ``[phase][move - 1]``.
        openings: Openings the match may use.
        openings_dropped: Openings left out because their last position occurs in the games.
        openings_digest: Short hash of the openings that are left.
    """

    source: str
    sha256: str
    game: str
    gate: str
    phases: list[str]
    splits: list[Split]
    starts: list[PhaseStart | None]
    by_move: list[list[int]]
    openings: int
    openings_dropped: int
    openings_digest: str


@dataclass(frozen=True)
class Cell:
    """Losses and policy accuracy of one player on one set of test positions; None without any."""

    positions: int
    total: float | None
    policy: float | None
    value: float | None
    accuracy: float | None


@dataclass(frozen=True)
class Differences:
    """Differences of the four numbers with 95 % intervals; None without positions."""

    total: Interval | None
    policy: Interval | None
    value: Interval | None
    accuracy: Interval | None


@dataclass(frozen=True)
class Entry:
    """A row of the loss matrix, a mean over trainings.

    Attributes:
        name: As shown.
        role: ``expert``, ``mixture``, ``placebo``, ``arm`` (another mixture) or ``baseline``.
        phase: The phase of an expert, otherwise None.
        cells: By test set.
        differences: To the baseline, by test set; empty for the baseline itself.
    """

    name: str
    role: str
    phase: str | None
    cells: dict[str, Cell]
    differences: dict[str, Differences]


@dataclass(frozen=True)
class Comparison:
    """One answer taken from the loss matrix.

    Attributes:
        name: ``specialisation`` (phase - placebo), ``thinning`` (placebo - baseline) or ``both``.
        differences: By test set.
        deviation: Standard deviation between trainings of the total loss difference on all test
            positions; None with one training.
    """

    name: str
    differences: dict[str, Differences]
    deviation: float | None


@dataclass(frozen=True)
class Losses:
    """The loss matrix: who errs how much on which test positions.

    Attributes:
        columns: Test sets: the phases, then :data:`ALL`.
        games: Test games.
        resamples: Draws of test games behind the intervals.
        entries: Experts, mixtures and the baseline.
        comparisons: See :class:`Comparison`.
    """

    columns: list[str]
    games: int
    resamples: int
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
                cell, difference = entry.cells[column], entry.differences.get(column)
                row = [entry.name, entry.role, entry.phase, column, cell.positions]
                row += [getattr(cell, metric) for metric in METRICS]
                for metric in METRICS:
                    interval = getattr(difference, metric) if difference else None
                    ends = ("value", "low", "high")
                    row += [getattr(interval, end) if interval else None for end in ends]
                writer.writerow(row)  # None is an empty cell
        return text.getvalue()


@dataclass(frozen=True)
class GapRow:
    """What a network loses on positions that it learned from, and on new ones.

    Attributes:
        name: As shown.
        phase: The phase of the positions.
        unique_positions: Different positions of the phase that it learned from, a mean over
            trainings.
        learnt: Total loss on a sample of them; None without any.
        new: Total loss on test positions of the phase; None without any.
        gap: New less learned, with its 95 % interval.
        beside: The gap less the one network's; None of the one network itself.
    """

    name: str
    phase: str
    unique_positions: float
    learnt: float | None
    new: float | None
    gap: Interval | None
    beside: Interval | None


@dataclass(frozen=True)
class Overfitting:
    """How closely networks fit what they learned from.

    Attributes:
        most: Positions of a phase, of either kind, at the most.
        rows: One network and the expert of each phase.
    """

    most: int
    rows: list[GapRow]


@dataclass(frozen=True)
class ExactRow:
    """What the moves of a player are worth by perfect play.

    Attributes:
        name: As shown.
        numbers: By metric, then by set of positions; means over trainings, None without positions.
        differences: To the one network, by metric over all positions, with an interval that counts
            trainings; None with one training.
    """

    name: str
    numbers: dict[str, dict[str, float | None]]
    differences: dict[str, Interval | None]


@dataclass(frozen=True)
class Exact:
    """Moves judged by perfect play.

    Attributes:
        positions: Positions.
        kind: Which positions of the game these are all of; None: they are a sample.
        searched: How many of them were searched too.
        trainings: Trainings of each side.
        rows: Mixtures and the one network.
    """

    positions: int
    kind: str | None
    searched: int
    trainings: int
    rows: list[ExactRow]


@dataclass(frozen=True)
class BoundaryRow:
    """The boundary between two phases, or all boundaries.

    Attributes:
        name: The phases, or ``all``.
        positions: Test positions near a boundary of this kind.
        boundaries: Boundaries that these lie near.
        games: Games of these.
        numbers: By the names of ``docs/definitions/seam.md#numbers``; None where there is nothing
            to measure.
    """

    name: str
    positions: int
    boundaries: int
    games: int
    numbers: dict[str, Interval | None]


@dataclass(frozen=True)
class BoundaryPlace:
    """What is found so many plies from a boundary, over all boundaries.

    Attributes:
        offset: Plies since the first position after the boundary.
        experts: Mean size of the difference between the two experts' values.
        placebo: The same between any two of the placebo's experts.
        one: Mean size of one network's change from the ply before.
        mixture: The same of the mixture.
    """

    offset: int
    experts: Interval | None
    placebo: Interval | None
    one: Interval | None
    mixture: Interval | None


@dataclass(frozen=True)
class BrierCell:
    """Brier scores of one network or mixture on one set of test positions; less is better.

    Attributes:
        positions: Test positions.
        score: Of the value as expected score, from 0 to 1.
        wdl: Of win, draw and loss, from 0 to 2; None of networks that tell none, and of
            recalibrated values.
        against: ``score`` less one network's as trained.
        gained: ``score`` less that of the same network or mixture as trained; None of that itself.
    """

    positions: int
    score: Interval | None
    wdl: Interval | None
    against: Interval | None
    gained: Interval | None


@dataclass(frozen=True)
class BrierRow:
    """A network or mixture.

    Attributes:
        name: As shown.
        phase: The phase of an expert, otherwise None.
        recalibrated: Whether its values are recalibrated; one network's by a map for each phase.
        cells: By test set.
    """

    name: str
    phase: str | None
    recalibrated: bool
    cells: dict[str, BrierCell]


@dataclass(frozen=True)
class Map:
    """A recalibration.

    Attributes:
        name: Whose.
        phase: The phase of the positions that it was fitted to.
        training: Index of the training, from 0.
        slope: See :class:`~.recalibration.Recalibration`.
        shift: See there.
        positions: Validation positions that it was fitted to.
    """

    name: str
    phase: str
    training: int
    slope: float
    shift: float
    positions: int


@dataclass(frozen=True)
class Boundaries:
    """Everything found where phases meet.

    Attributes:
        near: Plies to either side of a boundary.
        games: Test games.
        rows: Kinds of boundaries, all of them first.
        places: By plies from the boundary.
        brier: Experts, mixture and one network, as trained and recalibrated.
        maps: The recalibrations.
    """

    near: int
    games: int
    rows: list[BoundaryRow]
    places: list[BoundaryPlace]
    brier: list[BrierRow]
    maps: list[Map]

    def maps_of(self, name: str, training: int) -> dict[str, Map]:
        """The recalibrations of one training's experts, or of its one network, by phase."""
        return {one.phase: one for one in self.maps if (one.name, one.training) == (name, training)}
