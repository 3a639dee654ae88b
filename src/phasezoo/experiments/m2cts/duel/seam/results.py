"""What was found where phases meet, as plain data."""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval

__all__ = ["BrierCell", "BrierRow", "Map", "Seam", "SeamPlace", "SeamRow"]


@dataclass(frozen=True)
class SeamRow:
    """The seam between two phases, or all seams.

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
class SeamPlace:
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
class Seam:
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
    rows: list[SeamRow]
    places: list[SeamPlace]
    brier: list[BrierRow]
    maps: list[Map]

    def maps_of(self, name: str, training: int) -> dict[str, Map]:
        """The recalibrations of one training's experts, or of its one network, by phase."""
        return {one.phase: one for one in self.maps if (one.name, one.training) == (name, training)}
