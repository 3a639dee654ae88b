"""The knobs of the curve over sizes: those of the comparison, and the sizes."""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.settings import check_rising
from phasezoo.experiments.study import Study

BASE = "standard"
"""The preset of the comparison that those begin from which the curve alone has."""

LEAST = 1000
"""Training positions of the smallest size; fewer teach nothing."""


@dataclass(frozen=True)
class CurveConfig(M2ctsConfig):
    """Compare phase experts with one network at several numbers of training positions.

    Every size is a run of `phasezoo reproduce m2cts` in a directory of its own under sizes/, with
    its report; together they say from how many positions on experts are ahead. All other settings
    are those of that command.
    """

    curve: bool = True
    """What this is: without it there is one size."""
    sizes: tuple[int, ...] = (10_000, 40_000)
    """Training positions that one network sees, and all experts of a mixture together: two or more
    rising numbers of 1,000 or more."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        if not self.curve:
            message = "--no-curve: leave the option out to compare at one size"
            raise InvalidConfig(message)
        check_rising("sizes", self.sizes, LEAST)
        if len(self.sizes) < 2:
            message = f"--sizes {self.sizes[0]}: a curve needs two or more"
            raise InvalidConfig(message)
        if self.epochs is not None:
            message = f"--epochs {self.epochs:g}: --sizes say how many positions are seen"
            raise InvalidConfig(message)
        super().validate()

    def at(self, positions: int, presets: Collection[str] = ()) -> M2ctsConfig:
        """The settings of the comparison at one size.

        Args:
            positions: The size.
            presets: Names that the comparison's presets have; a preset that the curve alone has was
                made from its `standard`. Empty: any may be named.
        """
        names = [field.name for field in dataclasses.fields(M2ctsConfig)]
        shared = {name: getattr(self, name) for name in names}
        own = BASE if presets and self.preset not in presets else self.preset
        return M2ctsConfig(**shared | {"positions": positions, "preset": own})


SIZES: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        "sizes": (10_000, 40_000),
        "trainings": 2,
        "arms": ("heads",),
        "games_played": 20,
        "nodes": 20,
    },
    "standard": {
        "sizes": (62_500, 250_000, 1_000_000),
        "trainings": 3,
        "arms": ("heads",),
        "games_played": 100,
        "nodes": 50,
    },
    "gpu": {
        "sizes": tuple(125_000 * 2**step for step in range(8)),
        "trainings": 8,
        "arms": ("staged", "weighted:4", "planes", "heads"),
        "games_played": 100,
        "nodes": 200,
    },
}
"""What the presets of the curve differ in from those of the comparison."""


def curve_of(
    duel: Study[M2ctsConfig], sizes: Mapping[str, Mapping[str, Any]] | None = None
) -> Study[CurveConfig]:
    """Return the curve in a game.

    Args:
        duel: The comparison at one size; a preset that it lacks, the curve lacks too.
        sizes: Changes of the game's own presets of the curve, by preset; one that the comparison
            lacks begins from :data:`BASE`.
    """
    presets = {}
    for name, changes in {**SIZES, **(sizes or {})}.items():
        if name in duel.presets or (sizes is not None and name in sizes):
            base = dataclasses.asdict(duel.presets.get(name) or duel.presets[BASE])
            presets[name] = CurveConfig(**base | {"preset": name} | dict(changes))
    found: Study[Any] = dataclasses.replace(
        duel,
        name=f"{duel.name}-curve",
        program=f"{duel.program} --curve",
        presets=presets,
        stages="phasezoo.experiments.m2cts.curve.study:CurveRun",
    )
    return found
