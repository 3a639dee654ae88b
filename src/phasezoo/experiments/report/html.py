"""HTML pieces of a report; every plain string is escaped, only :class:`Html` passes as it is."""

import html
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import TypeAlias

__all__ = [
    "Content",
    "Html",
    "code",
    "details",
    "document",
    "element",
    "emphasis",
    "figure",
    "heading",
    "items",
    "join",
    "paragraph",
    "section",
    "strong",
    "table",
    "tile",
]


class Html(str):
    """Markup made by this module, or already escaped: it is not escaped again."""

    __slots__ = ()


Content: TypeAlias = "str | Html"
"""Text to be escaped, or markup to be kept."""


def escape(content: Content) -> Html:
    """Return markup for ``content``, escaping it unless it is markup already."""
    return content if isinstance(content, Html) else Html(html.escape(content, quote=True))


def join(*parts: Content, separator: str = "") -> Html:
    """Return the parts one after the other, each escaped if it is text."""
    return Html(separator.join(escape(part) for part in parts))


def element(tag: str, *parts: Content, **attributes: str) -> Html:
    """Return ``<tag attributes>parts</tag>``; ``class_`` stands for ``class``, ``_`` for ``-``."""
    words = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(value, quote=True)}"'
        for name, value in attributes.items()
    )
    return Html(f"<{tag}{words}>{join(*parts)}</{tag}>")


def paragraph(*parts: Content, class_: str = "") -> Html:
    """Return a paragraph."""
    return element("p", *parts, class_=class_) if class_ else element("p", *parts)


def strong(text: str) -> Html:
    """Return emphasised text that matters."""
    return element("strong", text)


def emphasis(text: str) -> Html:
    """Return emphasised text."""
    return element("em", text)


def code(text: str) -> Html:
    """Return text as typed at a computer."""
    return element("code", text)


def heading(text: str, level: int = 3) -> Html:
    """Return a heading of ``level`` 2 to 4."""
    return element(f"h{level}", text)


def items(entries: Iterable[Content]) -> Html:
    """Return a bulleted list."""
    return element("ul", *(element("li", entry) for entry in entries))


def section(anchor: str, title: str, *blocks: Content) -> Html:
    """Return a section that links can jump to."""
    return element("section", heading(title, 2), *blocks, id=anchor)


def details(summary: str, *blocks: Content) -> Html:
    """Return blocks that stay folded until the summary is clicked."""
    return element("details", element("summary", summary), *blocks)


def table(
    head: Sequence[Content],
    rows: Iterable[Sequence[Content]],
    caption: Content = "",
    *,
    class_: str = "",
    strong_rows: frozenset[int] = frozenset(),
) -> Html:
    """Return a table whose first column names its rows; it scrolls sideways if it is wide.

    Args:
        head: Column headings.
        rows: Cells; a cell that is a ``<td>`` already is kept as it is.
        caption: What the table shows.
        class_: Style class beside ``scroll``.
        strong_rows: Indices of rows to stress.
    """
    head_row = element("tr", *(element("th", name, scope="col") for name in head))
    body = []
    for index, row in enumerate(rows):
        cells = [element("th", row[0], scope="row"), *(_cell(cell) for cell in row[1:])]
        attributes = {"class_": "stress"} if index in strong_rows else {}
        body.append(element("tr", *cells, **attributes))
    parts = [element("caption", caption)] if caption else []
    inner = element("table", *parts, element("thead", head_row), element("tbody", *body))
    return element("div", inner, class_=f"scroll {class_}".strip())


def figure(drawing: Html, caption: Content, number: int) -> Html:
    """Return a numbered figure with its caption; the drawing carries its own description."""
    label = element("b", f"Figure {number}. ")
    return element(
        "figure",
        element("div", drawing, class_="scroll"),
        element("figcaption", label, caption),
    )


def tile(label: Content, value: Content, note: Content, tone: str = "") -> Html:
    """Return a small card with one figure on it; ``tone`` is ``better``, ``worse`` or neither."""
    return element(
        "div",
        paragraph(label, class_="label"),
        paragraph(value, class_="value"),
        paragraph(note, class_="note"),
        class_=f"tile {tone}".strip(),
    )


def document(title: str, body: Content, language: str = "en") -> str:
    """Return a whole page with the style sheet inside."""
    style = resources.files("phasezoo.experiments.report").joinpath("style.css")
    head = join(
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        element("title", title),
        element("style", Html(style.read_text(encoding="utf-8"))),
    )
    # A number and its percent sign stay on one line.
    kept = Html(escape(body).replace(" %", "\N{NO-BREAK SPACE}%"))
    page = element(
        "html", element("head", head), element("body", element("main", kept)), lang=language
    )
    return f"<!DOCTYPE html>\n{page}\n"


def _cell(content: Content) -> Html:
    if isinstance(content, Html) and content.startswith("<td"):
        return content
    return element("td", content)
