"""Rows as pandas frames, and text as notebooks show it."""

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from phasezoo.errors import MissingDependency

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
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingDependency.of_extra(
            need="tables as frames need pandas", extra="data"
        ) from error
    return pd.DataFrame(list(rows))
