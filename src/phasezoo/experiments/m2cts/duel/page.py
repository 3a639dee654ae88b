"""The study's report: one HTML page for readers who know nothing of the code."""

import math
from collections.abc import Sequence

from phasezoo.experiments.m2cts.duel import (
    courses,
    exact_story,
    figures,
    paper,
    story,
    strategy_story,
)
from phasezoo.experiments.m2cts.duel.arms import mixtures
from phasezoo.experiments.m2cts.duel.results import ALL, Pairing, Results
from phasezoo.experiments.m2cts.duel.seam import drawing
from phasezoo.experiments.m2cts.duel.seam import story as seam_story
from phasezoo.experiments.statistics import verdict
from phasezoo.report import html, numbers, plots

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    gaps = [d.total for e in results.losses.entries for d in e.differences.values() if d.total]
    return html.render(
        __package__,
        results,
        story.headline(results),
        more_versions=[("games, SHA-256", results.dataset.sha256)],
        filters={"listing": _listing, "mixtures": mixtures, "test_set": _test_set},
        courses=courses,
        exact_story=exact_story,
        figures=figures,
        ordered_colours=plots.ordered_colours,
        plural=_plural,
        published=paper,
        seam_figure=drawing.around_a_boundary,
        seam_story=seam_story,
        score=_score,
        story=story,
        strategy_story=strategy_story,
        strength=_strength,
        strongest_loss=max((abs(gap.value) for gap in gaps), default=0.0),
        strongest_score=max((abs(_score(p) - 0.5) for p in results.matches.pairings), default=0.0),
        tiles=_tiles(results),
    )


def _tiles(results: Results) -> list[tuple[str, str, str, str]]:
    """Label, value, note and tone of each card at the top."""
    elo = results.matches.elo
    tones = {"higher": "better", "lower": "worse", "unclear": ""}
    tiles = [
        (
            "Strength of M2CTS over MCTS",
            f"{numbers.signed(elo.value, 0)} Elo",
            f"{story.describe(elo)}; {_word(verdict(elo), 'stronger', 'weaker')}",
            tones[verdict(elo)],
        )
    ]
    names = {
        "specialisation": "Test loss: specialisation",
        "thinning": "Test loss: thinner data",
    }
    for name, label in names.items():
        interval = story.comparison(results.losses, name).differences[ALL].total
        if interval is None:
            tiles.append((label, numbers.ABSENT, "no test positions", ""))
            continue
        found = verdict(interval)
        tone = {"higher": "worse", "lower": "better", "unclear": ""}[found]
        note = f"95 %: {numbers.span(interval)}; {_word(found, 'worse', 'better')}"
        tiles.append((label, numbers.signed(interval.value), note, tone))
    return tiles


def _word(found: str, higher: str, lower: str) -> str:
    return {"higher": higher, "lower": lower, "unclear": "cannot tell"}[found]


def _listing(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def _plural(number: int, one: str, many: str | None = None) -> str:
    return f"{numbers.spelled(number)} {one if number == 1 else many or one + 's'}"


def _test_set(column: str) -> str:
    return "all positions" if column == ALL else column


def _score(pairing: Pairing) -> float:
    return (pairing.wins + pairing.draws / 2) / max(1, pairing.games)


def _strength(value: float, strongest: float) -> float:
    # The square root keeps small differences visible beside an expert's large ones off its phase.
    return 0.55 * math.sqrt(abs(value) / strongest) if strongest else 0.0
