"""What a run of the sweep found, as plain data: the report is made from this and nothing else."""

from dataclasses import dataclass, field
from typing import Literal

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim
from phasezoo.experiments.krk.cells import Cell
from phasezoo.experiments.krk.config import KrkConfig, Variant
from phasezoo.runs.provenance import Provenance

__all__ = [
    "CellSummary",
    "Choice",
    "EndingSummary",
    "Figure",
    "Line",
    "Panel",
    "ReadingSummary",
    "Results",
    "VariantSummary",
]


@dataclass(frozen=True)
class CellSummary:
    """One cell of the sweep; intervals are 95 % bootstrap intervals over its games.

    Attributes:
        cell: The setting.
        games: Games played.
        won: Games in which Black was mated.
        gave_away: Games in which a move turned the win into a draw.
        difference: DTM difference a move, over the moves that kept the win, in moves.
        length: White's moves in a won game.
        collapses: Collapses of the tree in a game.
        simulations: Simulations in a game, mean.
        seconds: Seconds a game, mean.
    """

    cell: Cell
    games: int
    won: int
    gave_away: int
    difference: Interval | None
    length: Interval | None
    collapses: Interval | None
    simulations: float
    seconds: float


@dataclass(frozen=True)
class VariantSummary:
    """All games of one variant of the search.

    Attributes:
        variant: Which search.
        cells: Cells played.
        games: Games played.
        won: Games in which Black was mated.
        gave_away_games: Games in which a move turned the win into a draw.
        gave_away_moves: Such moves.
        moves: White's moves.
        identities: Won games whose length is 15 plus the sum of their DTM differences.
        reasons: Games by the reason of their end.
        rollout_plies: Half-moves of all rollouts.
        seconds: Seconds of all games.
    """

    variant: Variant
    cells: int
    games: int
    won: int
    gave_away_games: int
    gave_away_moves: int
    moves: int
    identities: int
    reasons: dict[str, int]
    rollout_plies: int
    seconds: float


@dataclass(frozen=True)
class Line:
    """A curve with a 95 % band: ``y[i]`` at ``x[i]``, None if it does not exist."""

    name: str
    variant: Variant
    x: list[float]
    y: list[Interval | None]


@dataclass(frozen=True)
class Panel:
    """Axes with lines; ``axis`` is what runs along x, ``limits`` what is shown of y, if not all."""

    title: str
    axis: Literal["C", "T"]
    unit: str
    lines: list[Line]
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Choice:
    """Where a curve is lowest: the share of resamples in which each value is the arg-min.

    Attributes:
        name: Which curve.
        axis: ``C`` or ``T``.
        values: The values it was measured at.
        shares: Share of resamples for each value; they add up to 1.
        contenders: The values that may be the lowest, with 95 % (see ``judging.py``).
        claimed: The values the study names; empty if it names none.
    """

    name: str
    axis: Literal["C", "T"]
    values: list[float]
    shares: list[float]
    contenders: list[float]
    claimed: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Figure:
    """One of the study's figures, measured again.

    Attributes:
        number: The study's number, such as ``4.7``.
        title: What it shows.
        about: How ours is made, in sentences.
        claims: What the study says and whether ours agrees.
        panels: Curves to draw; none for the scatter of figure 4.2.
        choices: Distributions of the arg-min.
    """

    number: str
    title: str
    about: str
    claims: list[Claim]
    panels: list[Panel] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)


@dataclass(frozen=True)
class ReadingSummary:
    """One reading of the study, over all settings of the run with equal weight.

    A setting in which no game was won has no length, and is left out of it.

    Attributes:
        reading: Which one.
        games: Games played.
        won: Games in which Black was mated.
        length: White's moves in a won game.
        base: The reading that it changes; None of the study's text and of its program.
        change: Its length less that of ``base``, over the settings in which both won games; the
            intervals hold for all readings together.
        best: Where the DTM difference is lowest over C, for each budget.
    """

    reading: str
    games: int
    won: int
    length: Interval | None
    base: str | None
    change: Interval | None
    best: list[Choice]


@dataclass(frozen=True)
class EndingSummary:
    """One ending against a lone king, over all settings of the run with equal weight.

    Attributes:
        ending: Who plays against the lone king.
        mate_in: White's moves to mate from where games start.
        games: Games played.
        won: Games in which Black was mated.
        gave_away: Games in which White gave a win away, once or more often.
        length: White's moves in a won game.
        difference: The DTM difference a move.
        best: Where that is lowest over C, for each budget.
    """

    ending: str
    mate_in: int
    games: int
    won: int
    gave_away: int
    length: Interval | None
    difference: Interval | None
    best: list[Choice]


@dataclass(frozen=True)
class Results:
    """Everything a report shows."""

    config: KrkConfig
    command: str
    date: str
    provenance: Provenance
    variants: list[VariantSummary]
    cells: list[CellSummary]
    figures: list[Figure]
    readings: list[ReadingSummary]
    endings: list[EndingSummary]
    elsewhere: list[Figure]
    seconds: dict[str, float]
