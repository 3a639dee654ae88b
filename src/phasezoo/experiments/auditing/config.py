"""Settings and presets of the audit."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import Ge

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.settings import ResampledSettings, check_rising, presets_of
from phasezoo.experiments.study import Study
from phasezoo.specs import Argument, Even, NonNegativeInt, PositiveInt

Preset: TypeAlias = Literal["quick", "standard"]


@dataclass(frozen=True)
class AuditConfig(ResampledSettings):
    """Judge networks by phase on stored games: policy, value, calibration, beside constants.

    Sizes come as presets: `quick` takes a few minutes, `standard` is for figures that are reported.
    """

    common: ClassVar[tuple[str, ...]] = (
        "preset",
        "gate",
        "seed",
        "max_games",
        "searches",
        "play",
        "bands",
    )

    networks: Annotated[tuple[str, ...], Argument(positional=True, metavar="NETWORK ...")] = ()
    """Networks or mixtures: folders, files of lc0's (.pb.gz), names in the package; with options as
    in runs/x,backend=torch."""
    games: Annotated[str, Argument(positional=True)] = ""
    """Folder or file of games; sample:GAME for those in the package."""
    preset: Preset = "quick"
    gate: str = ""
    """Gate that defines the phases, such as moves:3 or plies:10; needed."""

    max_games: PositiveInt | None = 200
    """Games to draw for the audit (none: all)."""
    from_ply: NonNegativeInt = 0
    """First ply of each game that counts."""
    bands: Annotated[tuple[NonNegativeInt, ...], Argument(pattern=r"\d+")] = ()
    """Ratings at which bands begin, such as 2000 2400 for three; by the player to move."""
    bins: PositiveInt = 10
    """Bins of the expected score in tables of calibration."""

    searches: NonNegativeInt = 5
    """Positions of each phase to search for leaves of other phases (0: none)."""
    nodes: Annotated[tuple[PositiveInt, ...], Argument(pattern=r"\d+")] = (50, 200, 800)
    """Leaves of each search after which those of other phases are counted (rising)."""
    play: Annotated[Even, Ge(0)] = 0
    """Games for each policy and value of one phase, with which the second network takes the place
    of the first, against the first (0: none)."""
    play_nodes: PositiveInt = 100
    """Nodes a move in these games."""
    play_max_plies: PositiveInt | None = 300
    """Plies at which they are cut as draws (none: never)."""

    batch: PositiveInt = 256
    """Positions that a network answers at once."""
    resamples: Annotated[int, Ge(100)] = 1000

    def validate(self) -> None:
        """Check every setting."""
        super().validate()
        if not self.networks or not self.games:
            message = "audit NETWORK ... GAMES: name one network or more, then the games"
            raise InvalidConfig(message)
        if not self.gate:
            message = "--gate is missing: the gate that defines the phases, such as moves:3"
            raise InvalidConfig(message)
        twice = {name for name in self.networks if self.networks.count(name) > 1}
        if twice:
            message = f"the network {min(twice)!r} is given twice: give each once"
            raise InvalidConfig(message)
        if self.bands:
            check_rising("bands", self.bands, 0)
        check_rising("nodes", self.nodes)
        if self.play and len(self.networks) < 2:
            message = f"--play {self.play}: needs two networks; the second replaces the first"
            raise InvalidConfig(message)


PRESETS: dict[Preset, AuditConfig] = presets_of(
    AuditConfig(),
    standard={
        "max_games": 2000,
        "searches": 20,
        "nodes": (50, 200, 800, 3200),
    },
)
"""The sizes, smallest first."""

AUDIT: Study[AuditConfig] = Study(
    name="audit",
    program="phasezoo audit",
    presets=PRESETS,
    stages="phasezoo.experiments.auditing.study:AuditRun",
    packages={"matplotlib": "plot"},
)
"""The audit as the command line knows it."""
