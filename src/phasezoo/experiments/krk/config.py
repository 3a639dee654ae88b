"""Settings and presets of the sweep."""

import importlib.util
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Interval

from phasezoo.errors import InvalidConfig, MissingDependency
from phasezoo.experiments.settings import (
    ResampledSettings,
    check_rising,
    check_used,
    listed,
    presets_of,
)
from phasezoo.experiments.study import Study
from phasezoo.specs import NonNegativeFloat, NonNegativeInt, PositiveInt, PositiveUInt16
from phasezoo.zoo.krk import readings as published
from phasezoo.zoo.krk.readings import ONE_BY_ONE, EndingName, Reading, Ties, one_by_one

Preset: TypeAlias = Literal["quick", "standard", "paper"]

Variant: TypeAlias = Literal["uct", "puct", "random"]
"""``uct``: the study's search. ``puct``: PUCT with uniform priors in place of its selection.
``random``: random rollouts in place of its policy."""

VARIANTS: dict[Variant, str] = {
    "uct": "UCT",
    "puct": "PUCT with uniform priors",
    "random": "UCT with random rollouts",
}
"""Searches by name."""

MOST_POSITIONS = 20_000
"""Positions of Connect Four, at the most; the games in the package have 29,354."""


@dataclass(frozen=True)
class KrkConfig(ResampledSettings):
    """Play king and rook against a perfect king with UCT, over C, T and simulations a move.

    Sizes come as presets: `quick` is a corner of the sweep and takes two minutes on two cores;
    `standard` is all of it with fewer games a cell and takes half an hour; `paper` is the published
    sweep, for two more variants of the search too, and takes some hours.
    """

    common: ClassVar[tuple[str, ...]] = (
        "preset",
        "seed",
        "reading",
        "variants",
        "budgets",
        "games",
        "threads",
    )

    preset: Preset = "quick"

    reading: str = "thesis"
    """How the study is read: thesis (its text), author (its program), thesis+NAME, author-NAME."""
    defender_ties: Ties | None = None
    """Which of equally good moves Black plays, without --readings (none: as the reading says)."""
    readings: tuple[str, ...] = ()
    """Other readings to compare by uct; one-by-one, given alone, is each difference by itself and
    left out."""
    reading_games: Annotated[int, Ge(2)] = 40
    """Games a cell of each of these."""
    endings: tuple[EndingName, ...] = ()
    """Other endings to play by uct: kqk, krrk, kbbk, kbnk."""
    ending_games: Annotated[int, Ge(2)] = 40
    """Games a cell of each of these."""

    positions: Annotated[int, Interval(ge=0, le=MOST_POSITIONS)] = 0
    """Positions of Connect Four to try every C and T in, judged by its solver (0: none)."""
    position_budgets: tuple[PositiveInt, ...] = (300, 3000)
    """Simulations of each search there (rising)."""

    variants: tuple[Variant, ...] = ("uct", "puct", "random")
    """Searches to play with; uct is the study's and is always among them."""
    constants: tuple[NonNegativeFloat, ...] = (0.25, 1.0, 2.5, 5.0, 10.0, 50.0)
    """Exploration constants C (rising; study: 13 values from 0 to 500)."""
    thresholds: tuple[NonNegativeInt, ...] = (5, 30, 100, 500)
    """Visits T beyond which a node selects (rising; study: 10 values from 5 to 1000)."""
    budgets: tuple[PositiveInt, ...] = published.BUDGETS
    """Simulations before each of White's moves (rising; study: 3000 and 6000)."""
    games: Annotated[int, Ge(4)] = 12
    """Games a cell of uct (study: 100)."""
    other_budgets: tuple[int, ...] = published.BUDGETS[:1]
    """Budgets of the other variants (among the budgets)."""
    other_games: Annotated[int, Ge(2)] = 6
    """Games a cell of the other variants."""

    first_simulations: PositiveInt = published.FIRST_SIMULATIONS
    """Simulations before the first move (study: 10000)."""
    defender: Literal["oppose", "follow"] = "oppose"
    """Quantity that Black's nodes maximise inside the search: 1 - m/n, or m/n as White's do."""

    threads: PositiveUInt16 | None = None
    """Games played at the same time (none: every usable core)."""

    def validate(self) -> None:
        """Check every range."""
        super().validate()
        check_rising("constants", self.constants, 0)
        check_rising("thresholds", self.thresholds, 0)
        check_rising("budgets", self.budgets, 1)
        check_rising("other_budgets", self.other_budgets, 1)
        check_rising("position_budgets", self.position_budgets, 1)
        check_used(self, "readings", "reading_games")
        check_used(self, "endings", "ending_games")
        check_used(self, "positions", "position_budgets")
        if self.positions and importlib.util.find_spec("bitbully") is None:
            need = f"--positions {self.positions} (leave it out, or 0) needs the solver BitBully"
            raise MissingDependency.of_extra(need=need, extra="solve")
        if not set(self.other_budgets) <= set(self.budgets):
            message = (
                f"--other-budgets {listed(self.other_budgets)}: must be among --budgets "
                f"{listed(self.budgets)}; give --other-budgets some of these too"
            )
            raise InvalidConfig(message)
        Reading.parse(self.reading, self.defender_ties)
        compared = self.compared()
        if compared and self.defender_ties is not None:
            message = (
                f"--defender-ties {self.defender_ties}: --readings say themselves which move Black "
                "plays; leave it out and write it into --reading (thesis+defender plays the first, "
                "thesis+last the last, author-defender one at random)"
            )
            raise InvalidConfig(message)
        for text in compared:
            Reading.parse(text)
        if self.reading in compared or len(set(compared)) < len(compared):
            message = (
                f"--readings {listed(self.readings)}: must name each reading once, and not "
                f"{self.reading!r}, which --reading says"
            )
            raise InvalidConfig(message)
        if len(set(self.endings)) < len(self.endings):
            message = f"--endings {listed(self.endings)}: must name each ending once"
            raise InvalidConfig(message)
        if "uct" not in self.variants or len(set(self.variants)) < len(self.variants):
            message = (
                f"--variants {listed(self.variants)}: must name uct, which the study's figures "
                "are of, and each variant once"
            )
            raise InvalidConfig(message)

    def compared(self) -> list[str]:
        """Return the readings beside the run's own, each once if only ``one-by-one`` is named."""
        if self.readings == (ONE_BY_ONE,):
            return [text for text in one_by_one() if text != self.reading]
        return list(self.readings)


PRESETS: dict[Preset, KrkConfig] = presets_of(
    KrkConfig(),
    standard={
        "constants": published.CONSTANTS,
        "thresholds": published.THRESHOLDS,
        "games": 40,
        "other_games": 10,
    },
    paper={
        "games": published.GAMES,
        "other_budgets": published.BUDGETS,
        "other_games": published.GAMES,
    },
)
"""The sizes, smallest first."""

KRK: Study[KrkConfig] = Study(
    name="krk",
    program="phasezoo reproduce krk",
    presets=PRESETS,
    stages="phasezoo.experiments.krk.study:KrkRun",
    packages={"matplotlib": "plot"},
)
