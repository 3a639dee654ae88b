"""What the seams say, in sentences; each one that judges depends on an interval."""

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.duel.arms import EXPERT, ONE, mixture_name
from phasezoo.experiments.m2cts.duel.results import ALL
from phasezoo.experiments.m2cts.duel.seam.results import BrierCell, Seam, SeamRow
from phasezoo.experiments.statistics import verdict
from phasezoo.report import numbers

__all__ = ["NUMBERS", "calibration_sentences", "sentences"]

NUMBERS = (
    ("apart", "experts apart", False),
    ("for to_play", "later − earlier, for who moves", True),
    ("for the first player", "later − earlier, for the first player", True),
    ("apart, placebo", "any two of the placebo’s apart", False),
    ("step, one network", "one network’s change a ply", False),
    ("apart by step", "experts apart / that change", False),
    ("crossing, mixture", "mixture’s change at the boundary", False),
    ("crossing, one network", "one network’s change at the boundary", False),
    ("crossing, difference", "mixture − one network, at the boundary", True),
)
"""Numbers of a table: as results call them, as shown, and whether they have a sign."""


def sentences(seam: Seam) -> list[str]:
    """How far neighbouring experts are apart, and beside what."""
    every = seam.rows[0]
    apart = every.numbers["apart"]
    if apart is None:
        return ["No test position lies near a boundary, so nothing was measured."]
    size = (
        f"Within {numbers.spelled(seam.near)} plies of a boundary the values of the two experts "
        f"differ by {numbers.plain_interval(apart, 3)} on average, of a scale from −1 to 1, over "
        f"{numbers.count(every.positions)} positions of {numbers.count(every.games)} games."
    )
    found = [
        size,
        _beside_step(every),
        _compared(
            every.numbers["apart − placebo"],
            "Any two of the placebo’s experts, whose parts mean nothing, differ at these positions "
            "too; the phases’ experts differ {}",
            ("more", "less", "by an amount that is not told apart from it"),
        ),
        _compared(
            every.numbers["crossing, difference"],
            "From the last position of a phase to the first of the next, the mixture's value "
            "changes {} the one network’s does",
            ("more than", "less than", "by an amount not told apart from what"),
        ),
    ]
    return [one for one in found if one]


def calibration_sentences(seam: Seam) -> list[str]:
    """What recalibration by phase changed."""
    cells = {
        (row.name, row.recalibrated): row.cells[ALL] for row in seam.brier if row.phase is None
    }
    mixture = mixture_name(EXPERT)
    found = [
        _gain(mixture, cells[mixture, True]),
        _gain(ONE, cells[ONE, True]),
        _compared(
            seam.rows[0].numbers["apart, gained"],
            "With recalibrated values the experts are {} they were before",
            ("farther apart than", "less far apart than", "not told apart from what"),
        ),
    ]
    return [one for one in found if one]


def _beside_step(row: SeamRow) -> str:
    step, ratio = row.numbers["step, one network"], row.numbers["apart by step"]
    if step is None or ratio is None:
        return ""
    return (
        "The one network’s value changes from one ply to the next there by "
        f"{numbers.plain_interval(step, 3)}, so the experts are apart by "
        f"{numbers.plain_interval(ratio)} such steps."
    )


def _compared(interval: Interval | None, text: str, words: tuple[str, str, str]) -> str:
    if interval is None:
        return ""
    more, less, unclear = words
    word = {"higher": more, "lower": less, "unclear": unclear}[verdict(interval)]
    return f"{text.format(word)}: {numbers.signed_interval(interval)}."


def _gain(name: str, cell: BrierCell) -> str:
    if cell.gained is None:
        return ""
    word = {"higher": "raised", "lower": "lowered", "unclear": "did not clearly change"}
    return (
        f"Recalibration by phase {word[verdict(cell.gained)]} the {name.removeprefix('the ')}’s "
        f"Brier score: {numbers.signed_interval(cell.gained, 4)}."
    )
