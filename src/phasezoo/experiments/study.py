"""What every study does around its own stages."""

from phasezoo.experiments.console import Console
from phasezoo.runs import RunDirectory

__all__ = ["note_other_versions"]


def note_other_versions(run: RunDirectory, console: Console) -> None:
    """Say so if this attempt has other packages than the one that began the run."""
    changed = run.record.changed_packages()
    if changed:
        console.note(
            f"This run was begun with other versions of {', '.join(changed)}; its numbers "
            "may differ from an uninterrupted run's."
        )
