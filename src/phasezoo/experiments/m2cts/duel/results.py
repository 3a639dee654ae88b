"""What a run of the study found, as plain data: the report is made from this and nothing else."""

import csv
import io
from dataclasses import dataclass

from phasezoo.arena.crossed_trainings import CrossedResult
from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.m2cts.duel.cost.results import Cost
from phasezoo.experiments.m2cts.duel.learned.results import Division, GateCard
from phasezoo.experiments.m2cts.duel.seam.results import Seam
from phasezoo.runs.provenance import Provenance

__all__ = [
    "ALL",
    "METRICS",
    "AloneRow",
    "ArmRow",
    "Cell",
    "Comparison",
    "Dataset",
    "Differences",
    "Entry",
    "Exact",
    "ExactRow",
    "GapRow",
    "LearnedGates",
    "Losses",
    "MatchSide",
    "Matches",
    "Overfitting",
    "Pairing",
    "PhaseStart",
    "PhaseSuiteRow",
    "Results",
    "SearchRow",
    "Split",
]

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
class MatchSide:
    """What one side of a match asked of its networks."""

    name: str
    rows: int
    padded_rows: int
    calls: int
    off_phase_rows: int
    seconds: float
    nodes: int | None = None
    """Positions evaluated; None in games of a version that did not count them."""

    @property
    def mean_rows(self) -> float:
        """Rows a call."""
        return self.rows / self.calls if self.calls else 0.0


@dataclass(frozen=True)
class Pairing:
    """One mixture against one baseline, seen from the mixture.

    Attributes:
        mixture: Training index of the mixture.
        baseline: Training index of the baseline.
        games: Games played.
        wins: Won by the mixture.
        draws: Drawn.
        losses: Lost by the mixture.
        pentanomial: Pairs of games by score of the mixture: 0, 1/2, 1, 3/2, 2.
        elo: From pair scores.
        elo_trinomial: From single games, as published figures are.
        los: Likelihood of superiority.
        sides: The mixture's, the baseline's.
        reasons: Games by the reason of their end.
        duplicates: Games with the opening and moves of an earlier one.
        mean_plies: Mean length of a game.
        seconds: Time the match took.
    """

    mixture: int
    baseline: int
    games: int
    wins: int
    draws: int
    losses: int
    pentanomial: list[int]
    elo: Interval
    elo_trinomial: Interval
    los: float
    sides: tuple[MatchSide, MatchSide]
    reasons: dict[str, int]
    duplicates: int
    mean_plies: float
    seconds: float


@dataclass(frozen=True)
class Matches:
    """All pairings, and their sum.

    Attributes:
        limit: What bounds a move, for people.
        pairings: Every mixture against every baseline.
        total: All games put together; its intervals count games only.
        spread: Chance between trainings apart from games; None with one training.
    """

    limit: str
    pairings: list[Pairing]
    total: Pairing
    spread: CrossedResult | None

    @property
    def elo(self) -> Interval:
        """The main figure: over trainings if there are several, otherwise over games."""
        return self.spread.elo if self.spread else self.total.elo

    @property
    def elo_games_only(self) -> Interval:
        """The same with the interval that counts games of these very networks only."""
        return self.spread.elo_games_only if self.spread else self.total.elo


@dataclass(frozen=True)
class ArmRow:
    """What came of a mixture.

    Attributes:
        name: As shown.
        gate: What divides the positions, in its full spelling.
        strategy: How its experts learnt.
        experts: How many there are.
        positions: Training positions that they saw, of one training, those of networks that they
            began from included.
        loss: Its total test loss less the one network's; None without test positions.
        matches: Its games against one network; None if it played none.
    """

    name: str
    gate: str
    strategy: str
    experts: int
    positions: int
    loss: Interval | None
    matches: Matches | None


@dataclass(frozen=True)
class AloneRow:
    """One expert of the phase mixture, beside the one network of its training in other phases.

    Attributes:
        phase: The expert's.
        matches: Its games against one network.
    """

    phase: str
    matches: Matches


@dataclass(frozen=True)
class PhaseSuiteRow:
    """One expert against one network, each alone, in games that begin where its phase begins.

    Attributes:
        phase: The expert's.
        starts: Different positions that the games may begin with.
        too_late: Positions that were left out because a game ends there by ``max_plies``.
        matches: Its games against one network.
    """

    phase: str
    starts: int
    too_late: int
    matches: Matches


@dataclass(frozen=True)
class LearnedGates:
    """The experts of the phase mixture by gates that learnt to choose among them.

    Attributes:
        gates: One of each training.
        division: On test positions.
        matches: Their games against one network.
    """

    gates: list[GateCard]
    division: Division
    matches: Matches


@dataclass(frozen=True)
class GapRow:
    """What a network loses on positions that it learnt from, and on new ones.

    Attributes:
        name: As shown.
        phase: The phase of the positions.
        unique_positions: Different positions of the phase that it learnt from, a mean over
            trainings.
        learnt: Total loss on a sample of them; None without any.
        new: Total loss on test positions of the phase; None without any.
        gap: New less learnt, with its 95 % interval.
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
    """How closely networks fit what they learnt from.

    Attributes:
        most: Positions of a phase, of either kind, at the most.
        rows: One network and the expert of each phase.
    """

    most: int
    rows: list[GapRow]


@dataclass(frozen=True)
class SearchRow:
    """The phase mixture against one network by another search.

    Attributes:
        search: What differs, as the settings spell it.
        matches: Its games.
    """

    search: str
    matches: Matches


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
class Results:
    """Everything a report shows."""

    config: M2ctsConfig
    command: str
    date: str
    provenance: Provenance
    seeds: dict[str, int]
    dataset: Dataset
    networks: list[NetworkCard]
    losses: Losses
    matches: Matches
    arms: list[ArmRow]
    alone: list[AloneRow]
    from_phases: list[PhaseSuiteRow]
    searches: list[SearchRow]
    learned: LearnedGates | None
    overfitting: Overfitting
    exact: Exact | None
    seam: Seam
    cost: Cost
    seconds: dict[str, float]
