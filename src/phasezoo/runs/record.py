"""The record of a run: settings, seeds, packages, environments, machine."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from phasezoo.runs import jsonable, provenance
from phasezoo.runs.provenance import Provenance

FORMAT_VERSION = 2
"""Of the record, wherever it is kept; a run with a record of another version is refused."""


@dataclass(frozen=True)
class RunRecord:
    """Everything a run was begun with; :func:`phasezoo.runs.jsonable.encode` makes JSON of it."""

    format_version: int
    """:data:`FORMAT_VERSION` when it was written."""
    kind: str
    """Kind of run, such as ``match``, ``supervised training`` or a study's name."""
    config: dict[str, Any]
    """The effective settings, as JSON."""
    seeds: dict[str, int]
    """Every seed that the settings do not show, by what it is for."""
    date: str
    """Day of the run's beginning, UTC."""
    provenance: Provenance
    """Packages, environments, revision and machine."""
    plugins: list[str] = field(default_factory=list)
    """Modules and files of the user's own that were imported first, to be imported again."""
    config_sha256: str | None = None
    """Checksum of ``config``; None in runs of earlier versions."""
    id: str | None = None
    """Random name of a run that has a directory and a journal, whose lines have it too."""

    @property
    def is_as_begun(self) -> bool:
        """Whether the settings are those that the run was begun with, as far as is known."""
        return self.config_sha256 in (None, _digest(self.config))

    def changed_packages(self) -> list[str]:
        """Packages whose version here is another than the run's."""
        then = self.provenance.packages
        now = provenance.versions(tuple(then))
        return [name for name, version in then.items() if now[name] != version]


def describe(
    kind: str,
    config: Any,
    *,
    seeds: Mapping[str, int] | None = None,
    threads: int | None = None,
    devices: Sequence[str] = (),
    plugins: Sequence[str] = (),
) -> RunRecord:
    """Describe a run that begins now, in this process.

    Args:
        kind: What is run.
        config: The effective settings: a dataclass, or anything else that JSON can hold by names.
        seeds: Seeds by what they are for; without them the settings' own ``seed``, if any.
        threads: Threads that the run uses; default those of the native core.
        devices: Names of accelerators that it uses.
        plugins: Modules and files that were imported first.
    """
    settings = jsonable.plain(config)
    if seeds is None:
        seed = settings.get("seed")
        seeds = {"run": seed} if isinstance(seed, int) else {}
    return RunRecord(
        format_version=FORMAT_VERSION,
        kind=kind,
        config=settings,
        seeds=dict(seeds),
        date=datetime.now(UTC).date().isoformat(),
        provenance=provenance.collect(threads, list(devices)),
        plugins=list(plugins),
        config_sha256=_digest(settings),
    )


def _digest(settings: Mapping[str, Any]) -> str:
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
