"""Documents as Markdown, such as the pages of the project's docs."""

import itertools
import re
from collections.abc import Iterable, Sequence

from phasezoo.report.document import (
    Claim,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
)

__all__ = ["of_document"]


def of_document(document: Document) -> str:
    """Return a whole document; figures are their captions.

    Args:
        document: The document.
    """
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
            parts.append(_claims([item for item in group if isinstance(item, Claim)], source))
        else:
            parts += [_item(item, level, source) for item in group]
    return "\n\n".join(part for part in parts if part)


def _item(item: Item, level: int, source: str) -> str:
    match item:
        case Text():
            return item.text.strip()
        case Table():
            table = _table(
                item.head, item.texts(), {n for n, c in enumerate(item.columns) if c.prose}
            )
            return "\n\n".join(part for part in (item.caption, table, item.note) if part)
        case Figure():
            return f"*{item.caption}*"
        case Section():
            return f"{'#' * level} {item.title}\n\n{_items(item.items, level + 1, source)}"
    raise TypeError(item)


def _claims(claims: Sequence[Claim], source: str) -> str:
    head = [f"the {source} says", "ours", "rule", "verdict"]
    rows = [[claim.text, claim.ours, claim.rule, claim.judgement] for claim in claims]
    return _table(head, rows, set(range(len(head))))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: set[int]) -> str:
    """Return a table; numbers are set to the right."""
    rule = ["---" if number == 0 or number in left else "---:" for number in range(len(head))]
    return "\n".join(_line(cells) for cells in (head, rule, *rows))


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(re.sub(r"\s+", " ", cell.replace("|", r"\|")) for cell in cells) + " |"
