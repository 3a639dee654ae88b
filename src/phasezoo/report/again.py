"""Last section of every report: how to do the same again."""

from collections.abc import Iterable, Mapping
from typing import Any

from phasezoo.report import numbers
from phasezoo.report.document import Column, Item, Section, Table, Text
from phasezoo.runs.provenance import Provenance


def done_again(
    command: str,
    run: Provenance,
    seconds: Mapping[str, float],
    settings: Iterable[tuple[str, Any]],
    beside: str,
    *more: Item,
    versions: Iterable[tuple[str, str]] = (),
) -> Section:
    """Return the section.

    Args:
        command: Command that does the same again.
        run: Machine and versions of the run.
        seconds: Time of each part; without parts no times are shown.
        settings: Names and values.
        beside: What else lies in the run's directory, in Markdown.
        more: What else the section shows, before the settings.
        versions: Further rows of the table of versions.
    """
    times = Table(
        "times",
        [Column("", 0), Column("time", 1, numbers.duration)],
        [*seconds.items(), ("total", sum(seconds.values()))],
        "Where the time went",
        strong=lambda row: row[0] == "total",
    )
    values = [(name, numbers.ABSENT if value is None else str(value)) for name, value in settings]
    return Section(
        "Doing it again",
        [
            Text(
                "This command does the same again; the directory of this page holds all of it:\n\n"
                f"```\n{command}\n```\n\nBeside this page: {beside}"
            ),
            *([times] if seconds else []),
            *more,
            Section(
                "Settings",
                [Table.of_pairs("settings", values, ("setting", "value"))],
                folded=True,
            ),
            Section(
                "Versions and machine",
                [Table.of_pairs("versions", machine_of(run, versions), ("what", "version"))],
                folded=True,
            ),
        ],
    )


def machine_of(run: Provenance, versions: Iterable[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """Return the versions and the machine of a run as names and texts."""
    memory = numbers.ABSENT if run.memory_gib is None else f"{run.memory_gib:.0f} GiB"
    return [
        ("Python", run.python),
        *((name, version or "not installed") for name, version in run.packages.items()),
        *versions,
        ("revision", run.revision or "not a source checkout"),
        ("system", run.system),
        ("processor", f"{run.processor}, {run.cores} cores usable, {run.threads} threads used"),
        ("memory", memory),
        ("devices", ", ".join(run.devices) or "CPU only"),
    ]
