"""Documents as HTML: a page that needs nothing from outside, or a part of a notebook."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import Any, cast

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from phasezoo.report.document import (
    JUDGEMENTS,
    Claim,
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
)

_HERE = "phasezoo.report"

_MARKDOWN = MarkdownIt("commonmark", {"html": False})


def _unbroken(text: str) -> Markup:
    """Keep a number and its percent sign on one line."""
    return Markup(escape(text).replace(" %", "\N{NO-BREAK SPACE}%"))


def page(document: Document) -> str:
    """Return a document as one HTML page that needs nothing from outside."""
    style = resources.files(_HERE).joinpath("style.css").read_text(encoding="utf-8")
    title = f"{document.kicker or document.title}: {document.headline}"
    return Markup(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<title>{}</title>\n{}<style>{}</style></head>\n<body><main>\n{}</main></body></html>\n"
    ).format(title, _refresh(document), Markup(style), _Body(document).all())


def cell(shown: Document | Table) -> str:
    """Return a document, or a table of one, as a part of a notebook."""
    style = resources.files(_HERE).joinpath("style.css").read_text(encoding="utf-8")
    # Rules of the page as a whole hold for the part alone.
    style = style.replace(":root", ":scope").replace("body {", ":scope {")
    body = table(shown) if isinstance(shown, Table) else _Body(shown).all()
    return Markup(
        '<div class="phasezoo"><style>@scope {{ {} }}</style><main>{}</main></div>'
    ).format(Markup(style), body)


def _refresh(document: Document) -> Markup:
    """Make a browser load the page again, while it grows."""
    if document.refresh_s is None:
        return Markup("")
    return Markup('<meta http-equiv="refresh" content="{}">\n').format(document.refresh_s)


class _Body:
    """Elements of a document; sections, figures and claims are numbered."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._figures = itertools.count(1)
        self._claims = itertools.count(1)
        self._sections = [item for item in document.items if isinstance(item, Section)]
        self._anchors = list(_anchors(section.title for section in self._sections))

    def all(self) -> Markup:
        document = self._document
        links = Markup("").join(
            Markup('<a href="#{}">{}</a>').format(anchor, section.title)
            for section, anchor in zip(self._sections, self._anchors, strict=True)
        )
        return Markup(
            '<p class="kicker">{}</p>\n<h1>{}</h1>\n<div class="lead">{}</div>\n'
            '<section class="answer"><h2>{}</h2>\n{}{}</section>\n'
            '<nav class="contents" aria-label="Contents">{}</nav>\n{}'
        ).format(
            _unbroken(document.kicker),
            document.title,
            prose(document.lead),
            _unbroken(document.headline),
            self._items(document.answer, 3),
            _counted_claims(document),
            links,
            self._items(document.items, 2),
        )

    def _items(self, items: Iterable[Item], level: int) -> Markup:
        parts = []
        for is_claim, group in itertools.groupby(items, lambda item: isinstance(item, Claim)):
            if is_claim:
                parts.append(self._claim_table(cast("list[Claim]", list(group))))
            else:
                parts += [self._item(item, level) for item in group]
        return Markup("").join(parts)

    def _item(self, item: Item, level: int) -> Markup:
        match item:
            case Text():
                found = prose(item.text)
                return (
                    Markup('<div class="muted">{}</div>\n').format(found) if item.muted else found
                )
            case Table():
                return table(item)
            case Figure():
                return Markup(
                    '<figure><div class="scroll">{}</div>'
                    "<figcaption><b>Figure {}. </b>{}</figcaption></figure>\n"
                ).format(item.svg(), next(self._figures), _inline(item.caption))
            case Section():
                return self._section(item, level)
        raise TypeError(item)

    def _section(self, section: Section, level: int) -> Markup:
        inside = self._items(section.items, level + 1)
        if section.folded:
            return Markup("<details><summary>{}</summary>{}</details>\n").format(
                section.title, inside
            )
        if level == 2:
            place = next(n for n, one in enumerate(self._sections) if one is section)
            return Markup('<section id="{}"><h2>{}</h2>\n{}</section>\n').format(
                self._anchors[place], section.title, inside
            )
        return Markup("<h{0}>{1}</h{0}>\n{2}").format(min(level, 6), section.title, inside)

    def _claim_table(self, claims: Sequence[Claim]) -> Markup:
        head = ["", f"the {self._document.source} says", "ours, and the rule", "verdict"]
        rows = Markup("").join(
            Markup(
                '<tr><th scope="row">{}</th><td class="text">{}</td>'
                '<td class="text">{}<small>{}</small></td>{}</tr>\n'
            ).format(
                next(self._claims),
                _inline(claim.text),
                _inline(claim.ours),
                _inline(claim.rule),
                _td(
                    claim.judgement,
                    ("better", "worse", "")[JUDGEMENTS.index(claim.judgement)],
                    0.25,
                ),
            )
            for claim in claims
        )
        return _table(head, rows, kind="prose")


def table(found: Table) -> Markup:
    """Return a table as an element."""
    rows = []
    for row in found.rows:
        first, *rest = (_of(column, row) for column in found.columns)
        cells = Markup("").join(
            _shaded(column, row, text) for column, text in zip(found.columns[1:], rest, strict=True)
        )
        strong = Markup(' class="stress"') if found.strong is not None and found.strong(row) else ""
        rows.append(Markup('<tr{}><th scope="row">{}</th>{}</tr>\n').format(strong, first, cells))
    toned = any(column.tone is not None for column in found.columns)
    heat = ("heat narrow" if len(found.columns) > 8 else "heat") if toned else ""
    element = _table(
        [column.head for column in found.columns],
        Markup("").join(rows),
        caption=_inline(found.caption),
        kind=f"{heat} {'long' if _is_long(found) else 'stacked'}"
        if len(found.columns) > 2
        else heat,
    )
    note = Markup('<div class="muted">{}</div>\n').format(prose(found.note)) if found.note else ""
    return element + note


def _is_long(found: Table) -> bool:
    """Whether a row has no room beside the text even if its cells break at every space."""
    columns = zip(found.head, *found.lines(), strict=True)
    words = (max(map(len, " ".join(column).split(" "))) for column in columns)
    return sum(word * _CHARACTER + _PADDING for word in words) > _ROOM


_CHARACTER, _PADDING, _ROOM = 8.2, 19, 800
"""Pixels of a character in a table, of what is beside a cell, and of the text's width."""


def prose(text: str) -> Markup:
    """Return Markdown as elements; markup of HTML in it stays text."""
    return _unbroken(Markup(_MARKDOWN.render(text)))


def _inline(text: str) -> Markup:
    return _unbroken(Markup(_MARKDOWN.renderInline(text)))


def _table(head: Sequence[str], rows: Markup, *, caption: Any = "", kind: str = "") -> Markup:
    names = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in head)
    return Markup(
        '<div class="{}"><table>{}<thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table></div>\n'
    ).format(
        f"scroll {kind.strip()}".strip(),
        Markup("<caption>{}</caption>").format(caption) if caption else "",
        names,
        rows,
    )


def _of(column: Column, row: Any) -> Markup:
    text = _unbroken(column.format(column.of(row)))
    below = column.below(row) if column.below is not None else ""
    return text + Markup(" <small>{}</small>").format(_unbroken(below)) if below else text


def _shaded(column: Column, row: Any, text: Markup) -> Markup:
    tone = column.tone(row) if column.tone is not None else None
    marked = " own" if column.marked is not None and column.marked(row) else ""
    if tone is None:
        return _td(text, ("text" if column.prose else "") + marked, head=column.head)
    return _td(text, ("better" if tone > 0 else "worse") + marked, abs(tone), column.head)


def _td(text: str, kind: str, strength: float | None = None, head: str = "") -> Markup:
    """Return a cell; on a phone the heading of its column stands beside it."""
    kind = kind.strip()
    shade = "" if strength is None else Markup(' style="--strength: {:.2f}"').format(strength)
    named = Markup(' class="{}"').format(kind) if kind else ""
    beside = Markup(' data-head="{}"').format(head) if head else ""
    return Markup("<td{}{}{}>{}</td>").format(named, shade, beside, text)


def _counted_claims(document: Document) -> Markup:
    """Return a tile for each judgement."""
    if not document.claims:
        return Markup("")
    tiles = Markup("").join(
        Markup(
            '<div class="tile {}"><p class="label">Claims</p><p class="value">{}</p>'
            '<p class="note">{}</p></div>'
        ).format(tone, count, judgement)
        for tone, (judgement, count) in zip(
            ("better", "worse", ""), document.judgements.items(), strict=True
        )
    )
    return Markup('<div class="tiles">{}</div>\n').format(tiles)


def _anchors(titles: Iterable[str]) -> Iterator[str]:
    """Return a name for each title, all different."""
    used: set[str] = set()
    for title in titles:
        words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
        numbered = itertools.chain([words], (f"{words}-{n}" for n in itertools.count(2)))
        name = next(name for name in numbered if name not in used)
        used.add(name)
        yield name
