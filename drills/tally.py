"""Counts of a drill that stops work again and again, and how they are shown."""

import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    """Counts of a drill."""

    stops: int = 0
    """Times that the work was stopped before it had ended."""
    ends: int = 0
    """Runs that came to their end, each compared with the one that was left alone."""
    found: list[str] = field(default_factory=list)
    """Failures."""
    seconds: float = 0.0
    """Seconds of the run that was left alone."""

    def count(self, stopped_by: str, kept: int, finished: int, now: int) -> None:
        """Compare finished parts with those that are on the disk after the work was stopped.

        Args:
            stopped_by: What stopped it.
            kept: Parts that were there before.
            finished: Parts that were finished since.
            now: Parts that are there.
        """
        if now < kept + finished:
            parts = f"{kept} + {finished} finished parts, {now} on the disk"
            self.found.append(f"{stopped_by} {self.stops}: {parts}")

    def compare(
        self, left: Mapping[str, bytes], alone: Mapping[str, bytes], stopped_by: str
    ) -> None:
        """Compare what a run left at its end with what the one that was left alone did."""
        names = sorted(left.keys() | alone.keys())
        if wrong := [name for name in names if left.get(name) != alone.get(name)]:
            these = f"these differ: {', '.join(wrong)}"
            self.found.append(f"after {self.stops} {stopped_by} {these}")

    def show(self, name: str) -> None:
        """Print a line, and one for everything that was found."""
        counts = f"{self.stops:>6} {self.ends:>6} {len(self.found):>6}"
        print(f"{name:<12} {counts} {self.seconds:>6.1f} s", flush=True)
        for found in self.found:
            print(f"  {found}")


def show_all(
    names: Iterable[str], kind: str, stops: str, drill: Callable[[str, Path], Tally]
) -> int:
    """Drill one after the other, each in an empty folder, and print a line for each.

    Args:
        names: Of the work.
        kind: What a line is of.
        stops: What stops it.
        drill: Does one of them.

    Returns:
        1 if something was found.
    """
    print(f"{kind:<12} {stops:>6} {'ends':>6} {'found':>6} {'alone':>8}")
    wrong = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            tally = drill(name, Path(folder))
        wrong += len(tally.found)
        tally.show(name)
    return 1 if wrong else 0
