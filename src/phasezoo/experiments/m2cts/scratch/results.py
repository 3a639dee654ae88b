"""What a run of the comparison found, as plain data: the report is made from this alone."""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim
from phasezoo.experiments.learning import Course, Meeting
from phasezoo.experiments.m2cts.scratch.config import ScratchConfig
from phasezoo.runs.provenance import Provenance

__all__ = ["Advantage", "Results"]


@dataclass(frozen=True)
class Advantage:
    """Experts beside one network that has learnt as long."""

    strategy: str
    """How the experts learnt."""
    update: int
    """After how many rounds."""
    meetings: list[Meeting]
    """A match for each training: the experts against the one network of the same seed."""
    elo: Interval
    """Elo of the experts over the network; with several trainings the interval counts these."""


@dataclass(frozen=True)
class Results:
    """Everything a report shows."""

    config: ScratchConfig
    command: str
    date: str
    provenance: Provenance
    courses: list[Course]
    """What every training of every side went through."""
    advantages: list[Advantage]
    """By strategy, then by round."""
    claims: list[Claim]
    seconds: dict[str, float]
