"""When a run began and with what: kept from its first attempt, compared in later ones."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from phasezoo.experiments import provenance
from phasezoo.experiments.console import Console
from phasezoo.experiments.provenance import Provenance
from phasezoo.experiments.run_directory import RunDirectory

__all__ = ["Origin", "origin_of"]

_FILE = "versions.json"


@dataclass(frozen=True)
class Origin:
    """When a run began, and with what."""

    date: str
    """Day of its beginning, UTC."""
    provenance: Provenance
    """What it was begun with."""


def origin_of(run: RunDirectory, collect: Callable[[], Provenance], console: Console) -> Origin:
    """Return what the run was begun with, and say so where this attempt has other versions.

    Args:
        run: The run's directory; its first attempt writes ``versions.json`` there.
        collect: Describes this attempt's surroundings, called in the first attempt only.
        console: Where a difference is told.

    Raises:
        RunDirectoryError: The file was changed, or cannot be written.
    """
    if run.has(_FILE):
        origin = run.read_json(_FILE, Origin)
        now = provenance.versions(tuple(origin.provenance.packages))
        changed = [name for name, v in origin.provenance.packages.items() if now[name] != v]
        if changed:
            console.note(
                f"This run was begun with other versions of {', '.join(changed)}; its numbers "
                "may differ from an uninterrupted run's."
            )
        return origin
    origin = Origin(date=datetime.now(UTC).date().isoformat(), provenance=collect())
    run.write_json(_FILE, origin)
    return origin
