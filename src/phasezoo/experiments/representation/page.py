"""The study's report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.claims import judgements
from phasezoo.experiments.representation import drawings, paper, story
from phasezoo.experiments.representation.arms import CORNERS
from phasezoo.experiments.representation.endings import ENDINGS_SHOWN, read_endings
from phasezoo.experiments.representation.results import BoardShown, Results
from phasezoo.report import html

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Args:
        results: Everything a run found.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    order = {"disagrees": 0, "agrees": 1, "not settled": 2}
    tables = {table.name: table for table in results.losses.tables}
    labels = {row.name: story.short(row.label) for table in tables.values() for row in table.rows}
    return html.render(
        __package__,
        results,
        story.headline(results),
        citation=paper.CITATION,
        filters={"short": story.short},
        common=story.COMMON,
        claims=sorted(results.claims, key=lambda claim: order[claim.judgement]),
        endings=read_endings(),
        introduction=story.introduction(results),
        judgements=judgements(results.claims),
        labels=labels,
        paper=paper,
        shown={name: story.TABLES[name] for name in tables},
        published=_published(),
        effects=drawings.effects(results.losses),
        grids=drawings.grids(results.losses),
        latency=drawings.latency(results.losses, results.latency),
        attributions=drawings.attributions(results.gradients.average),
        beside=[_beside(one) for one in results.gradients.boards],
        boards=[drawings.board(one, f"board{n}") for n, one in enumerate(results.gradients.boards)],
        elo=drawings.elo(results.games, labels),
    )


def _beside(shown: BoardShown) -> tuple[str, float] | None:
    """Which of the paper's figures shows a position, and the value of its network there."""
    place = shown.fen.split()[:2]
    for ending in read_endings():
        if ending.row in ENDINGS_SHOWN and ending.fen.split()[:2] == place:
            value = ending.default if shown.arm == CORNERS[0] else ending.improved
            return f"{ENDINGS_SHOWN[ending.row]}, row {ending.row} of Table 11", value
    return None


def _published() -> dict[str, list[tuple[str, str]]]:
    """The paper's total losses of the grids, for the tables beside ours."""
    grids = {
        "blocks": paper.BLOCKS,
        "transformers": paper.TRANSFORMERS,
        "kernels": paper.KERNELS,
        "depths": paper.DEPTHS,
    }
    return {
        name: [(label, f"{loss:.4f}") for label, loss in rows.items()]
        for name, rows in grids.items()
    }
