"""What a run of self-play tells: its rounds, where it is, and what it has come to."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo.data.store import GameStore

__all__ = [
    "GAMES",
    "Row",
    "SelfPlayOutcome",
    "SelfPlayProgress",
    "Update",
    "version_folder",
]

Row = dict[str, float | None]
"""Numbers by their names."""

GAMES, VERSIONS = "games", "versions"
"""Folders of a run's directory."""


def version_folder(out: Path, update: int) -> Path:
    """Where the version after a round is."""
    return out / VERSIONS / f"{update:05}"


@dataclass(frozen=True)
class Update:
    """A round of playing and learning that has ended."""

    update: int
    """Which one, from 1."""
    games: int
    """Games of all rounds."""
    samples: int
    """New samples of this round."""
    learnt: int
    """Samples that were learnt from, in all rounds."""
    best: int
    """The version that plays next: that of the last round that was promoted."""
    numbers: Row = field(default_factory=dict)
    """Everything else that was measured, by the columns of ``metrics.csv``."""


@dataclass(frozen=True)
class SelfPlayProgress:
    """Where a run is."""

    update: int
    """The round that goes on, from 1."""
    updates: int
    """Rounds in all."""
    doing: str
    """``"playing"``, ``"learning"`` or ``"promoting"``."""
    done: int
    """Games of it that have ended."""
    total: int
    """Games in all."""
    last: Update | None = None
    """The last round that has ended."""


@dataclass(frozen=True)
class SelfPlayOutcome:
    """What a run has come to."""

    path: Path
    """Its directory."""
    game: str
    """What was played."""
    updates: tuple[Update, ...]
    """Its rounds."""
    best: int
    """The version that plays best: the last that was promoted."""
    loads: Callable[..., Any] = field(repr=False, compare=False)
    """Makes an evaluator of a version's directory."""

    def version(self, update: int | None = None) -> Path:
        """The directory of the network after a round, 0 for the first weights; None: the best."""
        return version_folder(self.path, self.best if update is None else update)

    def evaluator(self, update: int | None = None, **options: Any) -> Any:
        """The network, or the mixture of experts, of :meth:`version`.

        Args:
            update: After which round; None: the best.
            **options: As for :func:`phasezoo.inference.load`.

        Raises:
            CheckpointError: There is no such version.
        """
        return self.loads(self.version(update), **options)

    def store(self) -> GameStore:
        """All games of the run."""
        return GameStore.open(self.path / GAMES)

    def describe(self) -> str:
        """What came of it, in one line."""
        if not self.updates:
            return f"{self.game}: nothing was played yet"
        last = self.updates[-1]
        loss = last.numbers.get("learn/loss")
        shown = "" if loss is None else f", loss {loss:.3f}"
        return (
            f"{self.game}: {last.update} updates, {last.games:,} games, {last.learnt:,} samples "
            f"learnt from{shown}; best is version {self.best}"
        )
