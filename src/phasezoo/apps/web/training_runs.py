"""Numbers that runs of training and self-play have written so far, for pages."""

import contextlib
import csv
import io
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from phasezoo.apps.web.storage import is_plain_file
from phasezoo.runs import jsonable
from phasezoo.training.selfplay.measurements import LADDER, PROBES, RungRow, elo_of

MOST_ROWS = 2_000
"""Rows that are shown: of longer files, the newest."""

LARGEST = 32 << 20
"""Bytes at the end of a file that are read."""


def followed(metrics: Path) -> dict[str, Any]:
    """The numbers of a run so far; a line that is being written is left out.

    Returns:
        ``columns``: numbers by name, None where a row has none; ``probes``: rows; ``ladder``:
        ``version``, ``elo``, ``low`` and ``high`` (95 %) of each version that was matched.
    """
    ladder = metrics.parent / LADDER
    time = ladder.stat().st_mtime_ns if is_plain_file(ladder) else None
    return {
        "columns": _columns(metrics),
        "probes": _rows(metrics.parent / PROBES),
        "ladder": [] if time is None else _ladder(ladder, time),
    }


@lru_cache(maxsize=16)  # intervals take a turn, and pages ask every few seconds
def _ladder(path: Path, time: int) -> list[dict[str, Any]]:
    """The ratings of versions by their matches; ``time`` is when the file was written last."""
    rungs = []
    for row in _rows(path):
        with contextlib.suppress(ValueError):
            rungs.append(jsonable.decode(RungRow, row))
    return [
        {"version": version}
        | {
            name: _number(each)
            for name, each in (("elo", r.value), ("low", r.low), ("high", r.high))
        }
        for version, r in sorted(elo_of(rungs).items())
    ]


def _columns(path: Path) -> dict[str, list[float | None]]:
    text = _tail(path, header=True)
    try:
        rows = list(csv.DictReader(io.StringIO(text)))[-MOST_ROWS:]
    except csv.Error:
        return {}
    names = [name for name in (rows[0] if rows else ()) if name]
    columns = {name: [_number(row.get(name)) for row in rows] for name in names}
    return {name: each for name, each in columns.items() if any(v is not None for v in each)}


def _rows(path: Path) -> list[dict[str, Any]]:
    if not is_plain_file(path):
        return []
    rows = []
    for line in _tail(path).splitlines()[-MOST_ROWS:]:
        with contextlib.suppress(ValueError):
            row = jsonable.parsed(line)
            if isinstance(row, dict):
                rows.append(row)
    return rows


def _tail(path: Path, *, header: bool = False) -> str:
    """The end of a file in whole lines, behind its first line if that says the columns."""
    with path.open("rb") as file:
        first = file.readline(LARGEST) if header else b""
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
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None
