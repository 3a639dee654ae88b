"""The sweep from the first game to the report.

Every finished game is on disk, so a run that was stopped anywhere goes on with the games it lacks.
"""

import importlib.util
from pathlib import Path

from phasezoo.errors import MissingDependency
from phasezoo.experiments.console import Console, silent
from phasezoo.experiments.krk import command, findings, page, show
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.play import GameRow, play_game
from phasezoo.experiments.krk.results import Results
from phasezoo.experiments.krk.sweep import Play, play_sweep, threads_of
from phasezoo.experiments.report import numbers
from phasezoo.experiments.study import note_other_versions
from phasezoo.runs import RunDirectory, jsonable

__all__ = ["EXPERIMENT", "GAMES_FILE", "reproduce", "resume"]

EXPERIMENT = "krk"

GAMES_FILE = "games.jsonl"


def reproduce(
    config: KrkConfig, out: Path, console: Console | None = None, play: Play = play_game
) -> Results:
    """Run the sweep, or finish it where ``out`` holds an unfinished run of the same settings.

    Args:
        config: The settings.
        out: A new or empty directory, or one of this very run.
        console: Where to report; default nowhere.
        play: Plays one game.

    Raises:
        InvalidConfig: A setting is out of range.
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
        MissingDependency: Matplotlib is not installed.
    """
    config.validate()
    _check_packages()
    with RunDirectory.create(out, EXPERIMENT, config, threads=threads_of(config)) as run:
        return _finish(run, config, console or silent(), play)


def resume(out: Path, console: Console | None = None, play: Play = play_game) -> Results:
    """Finish the run in ``out`` with the settings it was started with.

    Raises:
        RunDirectoryError: There is no such run in ``out``, or it cannot be written.
        MissingDependency: Matplotlib is not installed.
    """
    _check_packages()
    with RunDirectory.resume(out, EXPERIMENT) as run:
        config = jsonable.decode(KrkConfig, run.config, f"{out / 'config.json'}")
        return _finish(run, config, console or silent(), play)


def _finish(run: RunDirectory, config: KrkConfig, console: Console, play: Play) -> Results:
    note_other_versions(run, console)
    console.heading("Games")
    with run.stage("games"):
        rows = play_sweep(config, run.path / GAMES_FILE, console, play)
    with run.stage("report"):
        variants, cells, figures = findings.find(rows, config)
    results = Results(
        config=config,
        command=command.spelled(config, run.path),
        date=run.record.date,
        provenance=run.record.provenance,
        variants=variants,
        cells=cells,
        figures=figures,
        seconds=_seconds(rows, config, run),
    )
    console.heading("Report")
    run.write_json("results.json", results)
    path = run.write_text("report.html", page.render(results))
    show.show_results(console, results)
    console.note(f"In all {numbers.duration(sum(results.seconds.values()))}.")
    console.note(f"Report: {path}")
    return results


def _seconds(rows: list[GameRow], config: KrkConfig, run: RunDirectory) -> dict[str, float]:
    # The games' own seconds, because a run that was killed has not journalled all of its time.
    playing = sum(row.seconds for row in rows) / threads_of(config)
    return {"playing games": playing, "resampling them": run.seconds()["report"]}


def _check_packages() -> None:
    """Refuse at the beginning what would fail at the end."""
    if importlib.util.find_spec("matplotlib") is None:
        message = "plots need matplotlib, which is not installed: pip install 'phasezoo[plot]'"
        raise MissingDependency(message)
