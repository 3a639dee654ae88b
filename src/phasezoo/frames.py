"""Rows as pandas frames, and text as notebooks show it."""

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from phasezoo.errors import needs

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame"


def preformatted(text: str) -> str:
    """Return text as HTML that keeps its columns."""
    return f"<pre>{html.escape(text)}</pre>"


def frame(rows: Sequence[Mapping[str, Any]]) -> Frame:
    """Return the rows as a pandas ``DataFrame``.

    Args:
        rows: The values of each row by the names of the columns.

    Raises:
        MissingDependency: pandas is not installed.
    """
    with needs("tables as frames need pandas", "data"):
        import pandas as pd
    return pd.DataFrame(list(rows))
