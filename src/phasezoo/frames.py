"""Rows as pandas frames and as CSV, and text as notebooks show it."""

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from phasezoo.errors import needs

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame"


def preformatted(text: str) -> str:
    """Return text as HTML that keeps its columns."""
    return f"<pre>{html.escape(text)}</pre>"


def frame(rows: Sequence[Mapping[str, Any]]) -> Frame:
    """Return the rows as a pandas ``DataFrame``."""
    with needs("tables as frames need pandas", "data"):
        import pandas as pd
    return pd.DataFrame(list(rows))


def csv_text(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV below a head; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()
