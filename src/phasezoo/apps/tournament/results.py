"""Files that a match or tournament leaves in its directory: JSON, CSV and a page."""

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from phasezoo.apps.tournament.report import report
from phasezoo.arena import Standings
from phasezoo.arena.frames import without_infinite
from phasezoo.report.again import done_again
from phasezoo.runs import RunDirectory


def write_results(run: RunDirectory, standings: Standings, options: Any, seconds: float) -> None:
    """Write ``results.json``, ``players.csv``, ``games.csv`` and ``report.html``.

    Args:
        run: The open directory.
        standings: Results of all games.
        options: The command's options.
        seconds: How long the games took, since the command was last begun.

    Raises:
        RunDirectoryError: The directory cannot be written.
    """
    run.write_json("results.json", standings.to_dict())
    run.write_text("players.csv", _csv(standings.rows()))
    run.write_text("games.csv", _csv(standings.games_rows()))
    again = done_again(
        f"{options.command} --out {shlex.quote(str(run.path))}",
        run.record.provenance,
        {"games": seconds},
        [(field.name, getattr(options, field.name)) for field in fields(options)],
        "[games.jsonl](games.jsonl) (all games with settings and versions), games.pgn where the "
        "game has such notation, [results.json](results.json), [players.csv](players.csv), "
        "[games.csv](games.csv).",
    )
    page = report(standings, options.kind, run.record.date, again).to_html()
    run.write_text("report.html", page)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in map(without_infinite, rows):
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return " ".join("-" if each is None else str(each) for each in value)
    return value
