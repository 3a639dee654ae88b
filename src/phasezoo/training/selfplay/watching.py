"""How a run of self-play is watched."""

from dataclasses import dataclass
from typing import Self

from phasezoo.errors import InvalidConfig
from phasezoo.specs import Even, NonNegativeInt, PositiveInt, check


@dataclass(frozen=True)
class Watching:
    """What is measured of versions while a run goes on; it changes no number of a round.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    probe_every: NonNegativeInt = 1
    """Rounds from one probed version to the next (0: none is probed)."""
    probe_positions: PositiveInt = 100
    """Positions of a probe of the game's own."""
    probe_nodes: NonNegativeInt = 100
    """Nodes of the searches that are probed beside the network alone (0: none)."""
    probe_everywhere: bool = False
    """Whether the network alone is probed in every position too, in games whose positions are all
    known (krk: 175,168, some ten seconds of a core for a small network)."""
    ladder_every: PositiveInt = 5
    """Rounds from one rung of the Elo ladder to the next."""
    ladder_games: Even = 0
    """Games of each match between two rungs (0: no ladder; even, as openings are played twice). A
    rung meets the one before it, the second before it, the fourth, and so on."""
    ladder_nodes: PositiveInt | None = None
    """Nodes of these matches' searches (none: as in self-play)."""
    ladder_phases: bool = False
    """Whether each phase's expert of a rung also plays a match alone: among the experts of the rung
    before, against that rung. Needs a gate."""
    report: bool = True
    """Whether report.html is written after each round."""

    def __post_init__(self) -> None:
        check(self)
        if self.ladder_phases and not self.ladder_games:
            message = "ladder_phases=True: without a ladder there are no rungs; give ladder_games"
            raise InvalidConfig(message)

    @classmethod
    def nothing(cls) -> Self:
        """No probes, no ladder, no page."""
        return cls(probe_every=0, report=False)

    def is_probed(self, version: int, last: int) -> bool:
        """Whether a version is probed, the first and the last of a run among them."""
        return bool(self.probe_every) and (version % self.probe_every == 0 or version == last)

    def rungs(self, done: int) -> list[int]:
        """The versions of the ladder after so many rounds."""
        return list(range(0, done + 1, self.ladder_every)) if self.ladder_games else []

    @staticmethod
    def opponents(rungs: list[int]) -> list[int]:
        """Which earlier rungs the last one meets: as many steps below it as powers of two."""
        found, step = [], 1
        while step < len(rungs):
            found.append(rungs[-1 - step])
            step *= 2
        return found
