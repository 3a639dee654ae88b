"""Settings and presets of the study."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Interval, MinLen, MultipleOf

from phasezoo.agents import BeamConfig
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.beam import published
from phasezoo.experiments.settings import ResampledSettings, presets_of
from phasezoo.experiments.study import Study
from phasezoo.specs import NonNegativeInt, PositiveInt
from phasezoo.training.selfplay.start_texts import source_of_texts

Preset: TypeAlias = Literal["quick", "standard"]


@dataclass(frozen=True)
class BeamStudyConfig(ResampledSettings):
    """Beam search against MCTS in chess, at equal inference: rates, games, diversity, strength.

    Sizes come as presets: `quick` plays with beams of 65 positions and takes some minutes on two
    cores; `standard` plays with the note's 1,129 and takes hours.
    """

    common: ClassVar[tuple[str, ...]] = (
        "preset",
        "seed",
        "network",
        "schedule",
        "games",
        "match_games",
        "cycles",
        "threads",
    )

    preset: Preset = "quick"
    network: str = "phasezoo/chess-small"
    """Who answers positions: the baseline of a set of experts in the package."""

    schedule: str = published.SCHEDULE
    """The beam whose batches and rates are measured: successors kept, by layer."""
    games_at_once: PositiveInt = published.GAMES_OF_A_BLOCK
    """Games whose calls are counted and timed (the note: 8, and 64)."""
    ticks: Annotated[int, Ge(16)] = 32
    """Calls whose rows are counted."""
    repeats: Annotated[int, Ge(2)] = 3
    """How often every rate is measured."""
    moves: PositiveInt = 1
    """Searches of each of these games in a measurement."""

    play_schedule: str = "4,3,2,1"
    """The beam that plays."""
    backup: Literal["minimax", "mean"] = "minimax"
    """Value of its positions: that of their best kept successor, or the mean of those kept."""
    keep: Literal["policy", "value"] = "policy"
    """What its successors are kept by: their probability, or their evaluation."""
    rated: Annotated[int, Interval(ge=0, le=65_535)] = 0
    """With the latter, likeliest successors of a position that are evaluated (0: all)."""
    games: Annotated[int, Ge(4)] = 24
    """Games of self-play of each kind."""
    plies: Annotated[int, Ge(4)] = 16
    """Plies at which they are cut."""
    match_games: Annotated[int, Ge(4), MultipleOf(2)] = 40
    """Games of each match; every opening is played twice."""
    max_plies: PositiveInt = 200
    """Plies at which a game of a match is cut and counted as a draw."""
    concurrency: PositiveInt = 40
    """Games at once."""

    steps: Annotated[tuple[PositiveInt, ...], MinLen(1)] = (1, 4, 12)
    """Training steps of a cycle (1 or more each; the note: 12, with three plies a search 4)."""
    batch: Annotated[int, Ge(2)] = 128
    """Positions of a training step (the note: 512)."""

    cycles: NonNegativeInt = 2
    """Rounds of learning by play: games by beams, then a training step for each `batch` of their
    new samples (0: none)."""
    cycle_games: PositiveInt = 32
    """Games of a round."""
    starts: tuple[str, ...] = ()
    """Their starts, such as random:1-1 (none: the note's, evenly: after a first move, after a
    reply, and a position of the package's sample games)."""
    ladder_every: PositiveInt = 2
    """Rounds from one version that is measured to the next."""
    ladder_games: Annotated[int, Ge(2), MultipleOf(2)] = 20
    """Games of each match between two of them."""

    def validate(self) -> None:
        """Check every range."""
        super().validate()
        BeamConfig(schedule=self.schedule)
        if self.starts:
            source_of_texts(self.starts)
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
        return BeamConfig(
            schedule=self.play_schedule, backup=self.backup, keep=self.keep, rated=self.rated
        )


PRESETS: dict[Preset, BeamStudyConfig] = presets_of(
    BeamStudyConfig(),
    standard={
        "repeats": 5,
        "moves": 4,
        "play_schedule": published.SCHEDULE,
        "games": 64,
        "plies": 40,
        "match_games": 100,
        "concurrency": 64,
        "steps": (1, 4, 12, 36),
        "batch": 512,
        "cycles": 8,
        "cycle_games": 64,
        "ladder_every": 4,
        "ladder_games": 40,
    },
)
"""The sizes, smallest first."""

BEAM: Study[BeamStudyConfig] = Study(
    name="beam",
    program="phasezoo reproduce beam",
    presets=PRESETS,
    stages="phasezoo.experiments.beam.study:BeamRun",
    packages={"torch": "train", "safetensors": "train", "pyarrow": "train", "matplotlib": "plot"},
)
