"""Tables that every report ends with: where the time went, settings, machine."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasezoo.experiments.report import numbers
from phasezoo.experiments.report.html import Html, element, table
from phasezoo.runs.provenance import Provenance

__all__ = ["environment", "plain", "seconds", "settings"]


def seconds(stages: Mapping[str, float]) -> Html:
    """Where the time went."""
    rows = [(name, numbers.duration(value)) for name, value in stages.items()]
    rows.append(("in all", numbers.duration(sum(stages.values()))))
    return table(("", "time"), rows, "Where the time went", strong_rows=frozenset({len(rows) - 1}))


def settings(config: Any) -> Html:
    """Every setting of a configuration, which is a dataclass."""
    pairs = [(f.name, str(getattr(config, f.name))) for f in dataclasses.fields(config)]
    return plain(("setting", "value"), pairs)


def environment(run: Provenance, **more: str) -> Html:
    """Versions and machine; ``more`` are further rows."""
    memory = numbers.ABSENT if run.memory_gib is None else f"{run.memory_gib:.0f} GiB"
    pairs = [
        ("Python", run.python),
        *((name, version or "not installed") for name, version in run.packages.items()),
        ("revision", run.revision or "not a source checkout"),
        ("system", run.system),
        ("processor", f"{run.processor}, {run.cores} cores usable, {run.threads} threads used"),
        ("memory", memory),
        ("devices", ", ".join(run.devices) or "CPU only"),
        *more.items(),
    ]
    return plain(("what", "version"), pairs)


def plain(head: tuple[str, str], pairs: Iterable[Sequence[object]]) -> Html:
    """Names and values as text."""
    rows = [(str(name), element("td", str(value), class_="text")) for name, value in pairs]
    return table(head, rows)
