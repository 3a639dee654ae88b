"""What runs of training and self-play have written so far, for pages that follow them."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

__all__ = ["followed"]

METRICS = "metrics.csv"

LOGS = ("probes.jsonl", "ladder.jsonl")
"""Rows beside it: probes of versions, and matches between them."""

MOST_ROWS = 2_000
"""Rows that are shown: of longer files, the newest."""

LARGEST = 32 << 20
"""Bytes at the end of a file that are read."""


def followed(metrics: Path) -> dict[str, Any]:
    """The numbers of a run so far; a line that is being written is left out.

    Args:
        metrics: Its ``metrics.csv``.

    Returns:
        ``columns``: numbers by name, None where a row has none; ``probes`` and ``ladder``: rows.
    """
    found: dict[str, Any] = {"columns": _columns(metrics)}
    for name in LOGS:
        log = metrics.parent / name
        is_file = log.is_file() and not log.is_symlink()
        found[log.stem] = _rows(log) if is_file else []
    return found


def _columns(path: Path) -> dict[str, list[float | None]]:
    text = _tail(path, header=True)
    rows = list(csv.DictReader(io.StringIO(text)))[-MOST_ROWS:]
    names = [name for name in (rows[0] if rows else ()) if name]
    columns = {name: [_number(row.get(name)) for row in rows] for name in names}
    return {name: each for name, each in columns.items() if any(v is not None for v in each)}


def _rows(path: Path) -> list[dict[str, Any]]:
    rows = []
    for line in _tail(path).splitlines()[-MOST_ROWS:]:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def _tail(path: Path, *, header: bool = False) -> str:
    """The end of a file in whole lines, behind its first line if that says the columns."""
    with path.open("rb") as file:
        first = file.readline() if header else b""
        size = path.stat().st_size
        file.seek(max(size - LARGEST, len(first)))
        data = file.read(LARGEST)
    if size > LARGEST:
        data = data[data.find(b"\n") + 1 :]
    whole = first + data[: data.rfind(b"\n") + 1]
    return whole.decode("utf-8", "replace")


def _number(text: Any) -> float | None:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None
