"""Rounds, progress and outcome of a run of self-play."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo.data.store import GameStore

Row = dict[str, float | None]
"""Numbers by their names."""

GAMES, VERSIONS = "games", "versions"
"""Folders of games and of versions in a run's directory."""


def version_folder(out: Path, update: int) -> Path:
    """Return the directory of the version after a round."""
    return out / VERSIONS / f"{update:05}"


@dataclass(frozen=True)
class Update:
    """A round of playing and learning that has ended."""

    update: int
    """Number of the round, from 1."""
    games: int
    """Number of games of all rounds."""
    samples: int
    """Number of new samples of this round."""
    learned: int = field(metadata={"once": "learnt"})
    """Number of samples trained on, of every round so far."""
    best: int
    """Version that plays next: that of the last round that was promoted."""
    numbers: Row = field(default_factory=dict)
    """Other numbers, by the columns of ``metrics.csv``."""


@dataclass(frozen=True)
class SelfPlayProgress:
    """Progress of a run."""

    update: int
    """Number of the current round, from 1."""
    updates: int
    """Total number of rounds."""
    doing: str
    """``"playing"``, ``"learning"`` or ``"promoting"``."""
    done: int
    """Number of games of the run that have ended."""
    total: int
    """Total number of games."""
    last: Update | None = None
    """Last round that has ended."""


@dataclass(frozen=True)
class SelfPlayOutcome:
    """Outcome of a run."""

    path: Path
    """Directory of the run."""
    game: str
    """Name of the game."""
    updates: tuple[Update, ...]
    """Rounds of the run."""
    best: int
    """Best version: the last that was promoted."""
    loads: Callable[..., Any] = field(repr=False, compare=False)
    """Function that makes an evaluator of a version's directory."""

    def version(self, update: int | None = None) -> Path:
        """Return the directory of a version.

        Args:
            update: Its round, 0 for the first weights; None: the best.
        """
        return version_folder(self.path, self.best if update is None else update)

    def evaluator(self, update: int | None = None, **options: Any) -> Any:
        """Return an evaluator with the network, or the mixture of experts, of a version.

        Args:
            update: Its round, 0 for the first weights; None: the best.
            **options: As for :func:`phasezoo.inference.load`.

        Raises:
            CheckpointError: There is no such version.
        """
        return self.loads(self.version(update), **options)

    def store(self) -> GameStore:
        """Open the store of all games of the run."""
        return GameStore.open(self.path / GAMES)

    def describe(self) -> str:
        """Return the outcome in one line."""
        if not self.updates:
            return f"{self.game}: no round has ended yet"
        last = self.updates[-1]
        loss = last.numbers.get("learn/loss")
        shown = "" if loss is None else f", loss {loss:.3f}"
        return (
            f"{self.game}: {last.update} updates, {last.games:,} games, {last.learned:,} samples "
            f"trained on{shown}; best is version {self.best}"
        )
