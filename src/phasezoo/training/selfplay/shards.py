"""The games of a run on the disk: files of equal size, and a log of games that are in none yet."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from phasezoo.data.columns import Visits
from phasezoo.data.store_file import DamagedFile, describe
from phasezoo.data.store_folder import SUFFIX
from phasezoo.games import Game
from phasezoo.runs.files import describe_disk_errors
from phasezoo.runs.whole import recover
from phasezoo.training.selfplay.game_log import LOG, GameLog
from phasezoo.training.selfplay.recording import PlayedGame


@dataclass(frozen=True)
class Tally:
    """Counts over games, such as those of a file."""

    games: int = 0
    """Number of games."""
    plies: int = 0
    """Number of their plies."""
    searched: int = 0
    """Number of decisions with a policy target."""
    cheap: int = 0
    """Number of decisions of cheap searches."""
    resigned: int = 0
    """Number of games that were resigned."""
    cut: int = 0
    """Number of games that were cut."""
    checked: int = 0
    """Number of games that were played on to their end after a verdict of resignation."""
    misjudged: int = 0
    """Number of these that ended otherwise."""
    entropy: float = 0.0
    """Sum of the entropies of all targets, in nats."""
    won: tuple[int, ...] = ()
    """Number of games that each player won."""

    @classmethod
    def of(cls, games: Sequence[PlayedGame]) -> "Tally":
        """Count over some games."""
        players = len(games[0].entry.returns) if games and games[0].entry.returns is not None else 0
        judged = [game for game in games if game.verdict is not None and game.ending == "rules"]
        endings = [game.ending for game in games]
        return cls(
            games=len(games),
            plies=sum(game.plies for game in games),
            searched=sum(game.searched for game in games),
            cheap=sum(game.cheap for game in games),
            resigned=endings.count("resignation"),
            cut=endings.count("max_plies"),
            checked=len(judged),
            misjudged=sum(game.is_misjudged for game in judged),
            entropy=float(sum(_entropy(game.entry.visits) for game in games)),
            won=tuple(
                sum(bool(game.entry.returns[player] > 0) for game in games)  # type: ignore[index]
                for player in range(players)
            ),
        )

    def __add__(self, other: "Tally") -> "Tally":
        both = {
            name: value + getattr(other, name)
            for name, value in asdict(self).items()
            if name != "won"
        }
        pairs = zip(self.won, other.won, strict=True) if self.won and other.won else ()
        won = tuple(a + b for a, b in pairs) or self.won or other.won
        return Tally(**both, won=won)


class Shards:
    """Stores every finished game of a run.

    A game is written to a log as it ends. When all games of a file have ended, they are written to
    it by their numbers, and leave the log. Files are named by the numbers of their first and last
    game.

    Args:
        folder: Folder of the files, a games store.
        game: The game.
        size: Number of games of a file.
        per_round: Number of games of a round, whose end ends a file.

    Raises:
        RunDirectoryError: The folder cannot be written.
        StoreError: A line of the log is damaged.
    """

    def __init__(self, folder: Path, game: Game, size: int, per_round: int) -> None:
        self.folder = folder
        self._game = game
        self._size = size
        self._per_round = per_round
        with describe_disk_errors(folder.parent, every=True):
            folder.mkdir(parents=True, exist_ok=True)
            recover(folder)
        self._log = GameLog(folder.parent / LOG, folder, game)
        self._write_whole_files(list(self._log.waiting))

    def files(self, first: int, last: int) -> list[Path]:
        """Return the files of games from ``first`` to before ``last``, in their order."""
        known = sorted(self.folder.glob(f"games-*{SUFFIX}"))
        return [file for file in known if first <= _span(file)[0] and _span(file)[1] < last]

    def lost(self, last: int) -> list[str]:
        """Return names of files that are missing though all games before ``last`` have ended."""
        names = [
            _name(*self._bounds(low))
            for begin in range(0, last, self._per_round)
            for low in range(begin, begin + self._per_round, self._size)
        ]
        return [name for name in names if not (self.folder / name).exists()]

    def missing(self, first: int, last: int) -> list[int]:
        """Return the games from ``first`` to before ``last`` that have not ended."""
        done = set(self._log.waiting)
        for file in self.files(first, last):
            low, high = _span(file)
            done.update(range(low, high + 1))
        return [number for number in range(first, last) if number not in done]

    def add(self, played: PlayedGame) -> None:
        """Add a game that has ended."""
        self._log.add(played)
        self._write_whole_files([played.number])

    def tally(self, first: int, last: int) -> Tally:
        """Count over the games from ``first`` to before ``last``, all of which have ended.

        Damaged files are left out.
        """
        total = Tally()
        for file in self.files(first, last):
            try:
                counts = dict(describe(file).metadata)
            except DamagedFile:
                continue
            total += Tally(**{**counts, "won": tuple(counts.get("won", ()))})
        return total

    def _write_whole_files(self, numbers: Sequence[int]) -> None:
        """Write those files of these games that are complete."""
        for low, high in sorted({self._bounds(number) for number in numbers}):
            waiting = self._log.waiting
            games = [waiting[number] for number in range(low, high + 1) if number in waiting]
            if len(games) > high - low:
                self._log.write(_name(low, high), range(low, high + 1), asdict(Tally.of(games)))

    def _bounds(self, number: int) -> tuple[int, int]:
        """Return the first and the last game of a game's file."""
        begin = number - number % self._per_round
        low = begin + (number - begin) // self._size * self._size
        return low, min(low + self._size, begin + self._per_round) - 1


def _name(first: int, last: int) -> str:
    return f"games-{first:09}-{last:09}{SUFFIX}"


def _span(file: Path) -> tuple[int, int]:
    """Return the first and last game in a file's name; -1 for both in another name."""
    words = file.stem.split("-")
    if len(words) != 3 or not all(word.isdecimal() for word in words[1:]):
        return -1, -1
    return int(words[1]), int(words[2])


def _entropy(visits: Visits | None) -> float:
    if visits is None or not len(visits.counts):
        return 0.0
    starts = visits.offsets[:-1][np.diff(visits.offsets) > 0]
    sums = np.add.reduceat(visits.counts, starts, dtype=np.int64)
    lengths = np.diff(np.append(starts, len(visits.counts)))
    shares = visits.counts / np.repeat(sums, lengths)
    return float(-(shares * np.log(shares)).sum())
