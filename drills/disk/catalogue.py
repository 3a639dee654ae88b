"""Everything that the drill of full disks knows."""

from collections.abc import Callable

from drills.disk.files import FILES
from drills.disk.runs import RUNS
from drills.kill.victim import Victim

WRITERS: dict[str, tuple[Callable[[], Victim], bool]] = {
    **{name: (made, False) for name, made in RUNS.items()},
    **{name: (made, True) for name, made in FILES.items()},
}
"""By the names that the command takes; whether all that it leaves is written at once."""
