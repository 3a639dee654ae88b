"""Settings and presets of the study."""

import dataclasses
from dataclasses import dataclass
from typing import Literal, TypeAlias

from phasezoo.agents import BeamConfig
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.beam import published
from phasezoo.experiments.settings import check_even, check_least
from phasezoo.experiments.study import Study

Preset: TypeAlias = Literal["quick", "standard"]


@dataclass(frozen=True)
class BeamStudyConfig:
    """Beam search against MCTS in chess, at equal inference: rates, games, diversity, strength.

    Sizes come as presets: `quick` plays with beams of 65 positions and takes some minutes on two
    cores; `standard` plays with the note's 1,129 and takes hours.
    """

    preset: Preset = "quick"
    """Where all other settings start from; each can still be given."""
    seed: int = 1
    """Everything random derives from it (0 or more)."""
    network: str = "phasezoo/chess-small"
    """Who answers positions: the baseline of a set of experts in the package."""

    schedule: str = published.SCHEDULE
    """The beam whose batches and rates are measured: successors kept, by layer."""
    ticks: int = 32
    """Calls whose rows are counted (16 or more)."""
    repeats: int = 3
    """How often every rate is measured (2 or more)."""
    moves: int = 1
    """Searches of each of the eight games in a measurement (1 or more)."""

    play_schedule: str = "4,3,2,1"
    """The beam that plays."""
    backup: Literal["minimax", "mean"] = "minimax"
    """Value of its positions: that of their best kept successor, or the mean of those kept."""
    games: int = 24
    """Games of self-play of each kind (4 or more)."""
    plies: int = 16
    """Plies at which they are cut (4 or more)."""
    match_games: int = 40
    """Games of each match (an even number from 4)."""
    max_plies: int = 200
    """Plies at which a game of a match is cut and counted as a draw (1 or more)."""
    concurrency: int = 40
    """Games at once (1 or more)."""

    steps: tuple[int, ...] = (1, 4, 12)
    """Training steps of a cycle (1 or more each; the note: 12, with three plies a search 4)."""
    batch: int = 128
    """Positions of a training step (2 or more; the note: 512)."""

    resamples: int = 2000
    """Draws of games behind the intervals (100 or more)."""
    threads: int | None = None
    """Threads of the network and of planes (1 or more; none: every usable core)."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        least = {
            "seed": 0, "ticks": 16, "repeats": 2, "moves": 1, "games": 4, "plies": 4,
            "match_games": 4, "max_plies": 1, "concurrency": 1, "batch": 2, "resamples": 100,
            "threads": 1,
        }  # fmt: skip
        check_least(self, least)
        check_even(self, "match_games")
        if not self.steps or min(self.steps) < 1:
            message = f"--steps {' '.join(map(str, self.steps))}: must be 1 or more each"
            raise InvalidConfig(message)
        BeamConfig(schedule=self.schedule)
        if len(BeamConfig(schedule=self.play_schedule).layers) <= published.PUSHED:
            message = (
                f"--play-schedule {self.play_schedule}: must have {published.PUSHED} layers or "
                "more, whose variations are played"
            )
            raise InvalidConfig(message)

    @property
    def beam(self) -> BeamConfig:
        """The beam that is measured."""
        return BeamConfig(schedule=self.schedule)

    @property
    def playing(self) -> BeamConfig:
        """The beam that plays."""
        return BeamConfig(schedule=self.play_schedule, backup=self.backup)


_QUICK = BeamStudyConfig()

_STANDARD = dataclasses.replace(
    _QUICK,
    preset="standard",
    repeats=5,
    moves=4,
    play_schedule=published.SCHEDULE,
    games=64,
    plies=40,
    match_games=100,
    concurrency=64,
    steps=(1, 4, 12, 36),
    batch=512,
)

PRESETS: dict[Preset, BeamStudyConfig] = {"quick": _QUICK, "standard": _STANDARD}
"""The sizes, smallest first."""

BEAM: Study[BeamStudyConfig] = Study(
    name="beam",
    program="phasezoo reproduce beam",
    presets=PRESETS,
    stages="phasezoo.experiments.beam.study:BeamRun",
    packages={"torch": "train", "safetensors": "train", "pyarrow": "train", "matplotlib": "plot"},
)
