"""The drawing that explains the method: one network above, gate and experts below."""

from collections.abc import Sequence

from phasezoo.experiments.report.html import Content, Html, element, join
from phasezoo.experiments.report.plots import ordered_colours

__all__ = ["pipeline"]

_WIDTH = 720
_SHOWN = 6
"""Experts drawn at most; more are hinted at."""


def pipeline(phases: Sequence[str]) -> Html:
    """Return the drawing for a gate with these phases."""
    shown = list(phases[:_SHOWN])
    if len(phases) > _SHOWN:
        shown[-1] = f"… {len(phases) - _SHOWN + 1} more"
    step, top = 52, 110
    height = top + step * len(shown) + 14
    middle = top + step * len(shown) / 2
    parts: list[Content] = [
        element("title", _words(phases), id="pipeline-title"),
        _box(20, 26, 120, "position", "var(--grid)"),
        _arrow(140, 46, 390, 46),
        _box(390, 26, 170, "one network", "var(--baseline)", light=True),
        _arrow(560, 46, 600, 46),
        _box(600, 26, 100, "MCTS", "var(--grid)"),
        element("path", d=f"M20 {top - 22}H{_WIDTH - 20}", stroke="var(--grid)"),
        _box(20, middle - 20, 120, "position", "var(--grid)"),
        _arrow(140, middle, 190, middle),
        _box(190, middle - 20, 100, "gate", "var(--phase)", light=True),
        _box(600, middle - 20, 100, "M2CTS", "var(--grid)"),
    ]
    for index, (name, colour) in enumerate(zip(shown, ordered_colours(len(shown)), strict=True)):
        y = top + step * (index + 0.5)
        parts += [
            _arrow(290, middle, 390, y),
            _box(390, y - 18, 170, name, colour, height=36, colour_is_dark=index == len(shown) - 1),
            _arrow(560, y, 600, middle),
        ]
    return element(
        "svg",
        join(*parts),
        viewBox=f"0 0 {_WIDTH} {height:g}",
        role="img",
        aria_labelledby="pipeline-title",
        font_size="15",
    )


def _box(
    x: float,
    y: float,
    width: float,
    text: str,
    colour: str,
    *,
    height: float = 40,
    light: bool = False,
    colour_is_dark: bool = False,
) -> Html:
    ink = "var(--surface)" if light else "var(--ink)"
    if colour.startswith("#"):
        ink = "#ffffff" if colour_is_dark else "#10131a"
    frame = element(
        "rect",
        x=f"{x:g}",
        y=f"{y:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        rx="9",
        fill=colour,
    )
    label = text if len(text) <= 20 else text[:19] + "…"
    words = element(
        "text",
        label,
        x=f"{x + width / 2:g}",
        y=f"{y + height / 2 + 5:g}",
        text_anchor="middle",
        fill=ink,
        style="font-family: var(--font)",
    )
    return join(frame, words)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> Html:
    bend = (x1 + x2) / 2
    path = f"M{x1:g} {y1:g}C{bend:g} {y1:g} {bend:g} {y2:g} {x2 - 9:g} {y2:g}"
    line = element("path", d=path, fill="none", stroke="var(--muted)", stroke_width="1.6")
    points = f"{x2 - 9:g},{y2 - 4.5:g} {x2 - 1:g},{y2:g} {x2 - 9:g},{y2 + 4.5:g}"
    return join(line, element("polygon", points=points, fill="var(--muted)"))


def _words(phases: Sequence[str]) -> str:
    return (
        "Two ways to judge a position. One: the position goes to one network, whose answer goes "
        "to the search MCTS. Two: a gate names the phase of the position, the expert for "
        f"{' or '.join(phases)} answers, and the answer goes to the search M2CTS."
    )
