"""What a run found, as plain data: the report is made from this and nothing else."""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.experiments.m2cts.pommerman.lineup import Kind
from phasezoo.runs.provenance import Provenance

__all__ = [
    "Dataset",
    "LossRow",
    "Phases",
    "Record",
    "Results",
]


@dataclass(frozen=True)
class Phases:
    """How a gate divides the training positions."""

    gate: str
    names: list[str]
    positions: list[int]


@dataclass(frozen=True)
class Dataset:
    """The episodes that networks learn from.

    Attributes:
        episodes: Episodes of train, validation and test.
        positions: Positions of these, those of validation and test without what occurs in train.
        values: Training positions by how the episode ended: won, nobody won, lost or dead.
        majority: Share of the commonest action among the test positions.
        phases: The gates' phases.
    """

    episodes: list[int]
    positions: list[int]
    values: list[int]
    majority: float
    phases: list[Phases]


@dataclass(frozen=True)
class LossRow:
    """Losses on test positions of one network or mixture, a mean over trainings.

    Attributes:
        name: Which.
        kind: See :data:`Kind`.
        policy: Cross-entropy of the action, in nats.
        value: Squared error of the value.
        accuracy: Share of positions whose likeliest action was played.
        difference: Of the total loss to one network's, by resampling episodes; None for itself.
    """

    name: str
    kind: Kind
    policy: float
    value: float
    accuracy: float
    difference: Interval | None


@dataclass(frozen=True)
class Record:
    """The games of one contender, over all trainings.

    Attributes:
        name: Which.
        kind: See :data:`Kind`.
        simulations: Simulations a move.
        games: Games played.
        won: Games won.
        drawn: Games that nobody won, the contender alive or dead with the last ones.
        timed_out: Of these, games that went to the step limit.
        win_rate: Share of games won, with Wilson's interval over games.
        by_training: The same share for each training.
        steps: Mean steps of a game.
        difference: Win rate less one network's on the same boards and seats; None for itself and
            the references.
        to_placebo: The same less the placebo's; None for others than gates.
    """

    name: str
    kind: Kind
    simulations: int
    games: int
    won: int
    drawn: int
    timed_out: int
    win_rate: Interval
    by_training: list[float]
    steps: float
    difference: Interval | None
    to_placebo: Interval | None


@dataclass(frozen=True)
class Results:
    """Everything a report shows."""

    config: PommermanConfig
    command: str
    date: str
    provenance: Provenance
    dataset: Dataset
    networks: list[NetworkCard]
    losses: list[LossRow]
    records: list[Record]
    claims: list[Claim]
    seconds: dict[str, float]
