"""What experts cost, as plain data."""

from dataclasses import dataclass

from phasezoo.arena.statistics.crossed_trainings import CrossedResult
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.measurements import (
    Boundaries,
    Dataset,
    Exact,
    Losses,
    Overfitting,
)
from phasezoo.inference.cost import CostModel
from phasezoo.runs.provenance import Provenance
from phasezoo.training.planned import TrainedNetwork


@dataclass(frozen=True)
class Size:
    """The networks of one player.

    Attributes:
        name: As shown.
        networks: How many there are.
        parameters: Of all of them.
        active: Of the one that answers a position, the largest of them.
        weights: Bytes of all their weights, statistics of normalisations included.
    """

    name: str
    networks: int
    parameters: int
    active: int
    weights: int


@dataclass(frozen=True)
class CallCost:
    """A call with positions of all phases.

    Attributes:
        name: Who is asked.
        routing: How a mixture divides the positions; None of one network.
        batch: Positions of the call.
        calls: Networks that were asked.
        rows: Positions that they answered together.
        milliseconds: Inside the networks, a call: the median round between the extremes.
        ratio: The same beside one network's, round by round.
    """

    name: str
    routing: str | None
    batch: int
    calls: int
    rows: int
    milliseconds: Interval
    ratio: Interval


@dataclass(frozen=True)
class GateCost:
    """A learned gate that is asked for the phases of all positions of a call.

    Attributes:
        batch: Positions.
        milliseconds: The median round between the extremes.
        ratio: The same beside one network's call with these positions, round by round.
    """

    batch: int
    milliseconds: Interval
    ratio: Interval


@dataclass(frozen=True)
class Cost:
    """Memory and time of the networks of the first training.

    Attributes:
        clock: What the times are, for people.
        rounds: Rounds of measuring.
        sizes: One network and every mixture.
        calls: One network, and the phase mixture by each routing; empty if nothing was timed.
        gate: The learned gate by batch; empty if there is none.
    """

    clock: str
    rounds: int
    sizes: list[Size]
    calls: list[CallCost]
    gate: list[GateCost]


@dataclass(frozen=True)
class Prices:
    """What calls and rows of the networks of the first training cost in matches.

    Attributes:
        expert: Of an expert of the phase mixture, which all have the same architecture.
        one: Of one network.
    """

    expert: CostModel
    one: CostModel


@dataclass(frozen=True)
class GateCard:
    """The gate of one training.

    Attributes:
        name: Its directory under ``gates/``.
        training: Index of the training, from 0.
        positions: Validation positions that it learned from.
        seconds: Wall time of its training.
    """

    name: str
    training: int
    positions: int
    seconds: float


@dataclass(frozen=True)
class Division:
    """How learned gates divide the test positions, and what the same experts lose by them.

    Attributes:
        positions: Test positions that occur in no training or validation game.
        shares: Of the test positions of each phase, and of all of them, the share that goes to each
            expert, in the order of the phases; means over trainings, None without positions.
        beside_one: Total test loss by learned gates less one network's, by test set.
        beside_mixture: The same less that of the same experts by the gate under study.
    """

    positions: int
    shares: dict[str, list[float | None]]
    beside_one: dict[str, Interval | None]
    beside_mixture: dict[str, Interval | None]


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
class VariantRow:
    """What came of a mixture.

    Attributes:
        name: As shown.
        gate: What divides the positions, in its full spelling.
        strategy: How its experts learned.
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
    """The experts of the phase mixture by gates that learned to choose among them.

    Attributes:
        gates: One of each training.
        division: On test positions.
        matches: Their games against one network.
    """

    gates: list[GateCard]
    division: Division
    matches: Matches


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
class Results:
    """Everything a report shows."""

    config: M2ctsConfig
    command: str
    date: str
    provenance: Provenance
    seeds: dict[str, int]
    dataset: Dataset
    networks: list[TrainedNetwork]
    losses: Losses
    matches: Matches
    arms: list[VariantRow]
    alone: list[AloneRow]
    from_phases: list[PhaseSuiteRow]
    searches: list[SearchRow]
    learned: LearnedGates | None
    overfitting: Overfitting
    exact: Exact | None
    seam: Boundaries
    cost: Cost
    seconds: dict[str, float]
