"""Documents as Markdown, such as the pages of the project's docs."""

import itertools
import re
from collections.abc import Iterable, Sequence

from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
    literal,
)


def of_document(document: Document) -> str:
    """Return a whole document; figures are their captions."""
    parts = [f"# {document.title}", document.lead, f"**{document.headline}**"]
    parts += [
        _items(document.answer, 2, document.source),
        _items(document.items, 2, document.source),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _items(items: Iterable[Item], level: int, source: str) -> str:
    parts: list[str] = []
    for is_claim, group in itertools.groupby(items, lambda item: isinstance(item, Claim)):
        if is_claim:
            found = [item for item in group if isinstance(item, Claim)]
            parts.append(grid(claims(found, source)))
        else:
            parts += [_item(item, level, source) for item in group]
    return "\n\n".join(part for part in parts if part)


def _item(item: Item, level: int, source: str) -> str:
    match item:
        case Text():
            return item.text.strip()
        case Table():
            parts = (item.caption, grid(item, literally=True), item.note)
            return "\n\n".join(part for part in parts if part)
        case Figure():
            return f"*{item.caption}*"
        case Section():
            return f"{'#' * level} {literal(item.title)}\n\n{_items(item.items, level + 1, source)}"
    raise TypeError(item)


def claims(found: Sequence[Claim], source: str) -> Table:
    """Return claims as a table.

    Args:
        found: The claims.
        source: Word for where they come from, such as ``thesis``.
    """
    heads = {f"the {source} says": "text", "ours": "ours", "rule": "rule", "verdict": "judgement"}
    columns = [Column(head, value, prose=True) for head, value in heads.items()]
    return Table("claims", columns, found)


def grid(table: Table, *, literally: bool = False) -> str:
    """Return the rows of a table under their heads; numbers are set to the right.

    Args:
        table: The table.
        literally: Whether cells show what they hold; otherwise they are Markdown.
    """
    rule = [
        "---" if number == 0 or column.prose else "---:"
        for number, column in enumerate(table.columns)
    ]

    def line(cells: Sequence[str]) -> str:
        texts = (literal(cell) if literally else cell.replace("|", r"\|") for cell in cells)
        return "| " + " | ".join(re.sub(r"\s+", " ", text) for text in texts) + " |"

    return "\n".join([line(table.head), f"| {' | '.join(rule)} |", *map(line, table.texts())])
