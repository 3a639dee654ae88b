"""SVG documents, of one picture and of many that follow each other."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from phasezoo.envs.rendering.geometry import Colour, Points

UNIT = 100
"""Length of the unit square in which shapes are given, in the units of SVG."""


@dataclass(frozen=True)
class Drawing:
    """A picture as SVG elements, each a string of its own."""

    side: int
    """Natural width and height, in pixels."""
    view: tuple[int, int, int, int]
    """Left, top, width and height in the units of the elements."""
    symbols: Mapping[str, str]
    """Symbols that the elements use, by id."""
    ground: tuple[str, ...]
    """Elements below all others. Each may be moved to the front of them, so that what all frames
    of an animation have is written once."""
    things: tuple[str, ...]

    def document(self) -> str:
        """The picture as an SVG document."""
        return _document(self, self.symbols, (*self.ground, *self.things))


def animated(frames: Sequence[Drawing], fps: float) -> str:
    """An SVG document that shows pictures of the same size one after the other, for ever.

    If nothing moves, as in some editors, the first picture is seen.
    """
    first = frames[0]
    symbols = {name: symbol for one in frames for name, symbol in one.symbols.items()}
    found = Counter(element for one in frames for element in set(one.ground))
    shared = [element for element in first.ground if found[element] == len(frames)]
    everywhere = set(shared)
    groups = []
    for index, one in enumerate(frames):
        own = [element for element in one.ground if element not in everywhere]
        hidden = ' display="none"' if index else ""
        clock = _clock(index, len(frames), fps)
        groups.append(f'<g class="frame"{hidden}>{clock}{"".join([*own, *one.things])}</g>')
    return _document(first, symbols, [*shared, *groups])


def _clock(index: int, count: int, fps: float) -> str:
    """Shows the frame ``index`` of ``count`` in its own part of every round."""
    if count == 1:
        return ""
    marks = [("none", 0.0), ("inline", index / count), ("none", (index + 1) / count)]
    if index == 0:
        del marks[0]
    if index == count - 1:
        del marks[-1]
    values = ";".join(value for value, _ in marks)
    times = ";".join(f"{time:.7g}" for _, time in marks)
    return (
        f'<animate attributeName="display" values="{values}" keyTimes="{times}" '
        f'calcMode="discrete" dur="{count / fps:.7g}s" repeatCount="indefinite"/>'
    )


def _document(frame: Drawing, symbols: Mapping[str, str], elements: Iterable[str]) -> str:
    box = " ".join(map(str, frame.view))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{frame.side}" height="{frame.side}" '
        f'viewBox="{box}"><defs>{"".join(symbols.values())}</defs>{"".join(elements)}</svg>'
    )


def hex_of(colour: Colour) -> str:
    """A colour as SVG writes it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def path(points: Points) -> str:
    """The path of a line or, with a ``z`` behind it, of a polygon."""
    places = [f"{x * UNIT:.1f} {(1.0 - y) * UNIT:.1f}" for x, y in points]
    if len(places) == 1:
        places *= 2  # a line of no length with round ends is a dot
    return f"M{'L'.join(places)}"
