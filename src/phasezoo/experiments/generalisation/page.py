"""The report: one HTML page for readers who know nothing of the code."""

from phasezoo.experiments.generalisation import drawings, story
from phasezoo.experiments.generalisation.estimates import MIN_GROUPS
from phasezoo.experiments.generalisation.filling import folder_of
from phasezoo.experiments.generalisation.matrix import Results
from phasezoo.experiments.generalisation.writing import (
    gap_number,
    gap_span,
    number_of,
    number_text,
    span_of,
)
from phasezoo.experiments.statistics import verdict
from phasezoo.report import html

__all__ = ["render"]


def render(results: Results) -> str:
    """Return the report as one page that needs nothing from outside.

    Raises:
        MissingDependency: Matplotlib is not installed.
    """
    axes: dict[str, list[tuple[object, object]]] = {}
    for matrix in results.matrices:
        axes.setdefault(matrix.axis, []).append((matrix, drawings.svg_of(matrix)))
    return html.render(
        __package__,
        results,
        story.headline(results),
        filters={
            "number_of": number_of,
            "number_text": number_text,
            "span_of": span_of,
            "gap_number": gap_number,
            "gap_span": gap_span,
            "anchor": folder_of,
            "verdict": verdict,
        },
        axes=axes,
        min_groups=MIN_GROUPS,
        sentence=story.sentence,
        left_out=story.left_out,
        counts=story.counts(results),
    )
