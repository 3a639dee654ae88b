"""The games of a run on disk: files of so many games each, and a log of those that wait for one."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo.errors import CorruptRecord, StoreError
from phasezoo.games import Game
from phasezoo.runs.files import append_line, describe_disk_errors, write_whole
from phasezoo.training.columns import Visits
from phasezoo.training.game_entry import GameEntry, columns_of
from phasezoo.training.selfplay.recording import PlayedGame
from phasezoo.training.store_file import (
    DamagedFile,
    action_type,
    decisions_a_ply,
    describe,
    write_file,
)
from phasezoo.training.store_folder import SUFFIX, sweep

__all__ = ["Shards", "Tally"]

LOG = "unfinished.jsonl"
"""Finished games that are in no file yet."""


@dataclass(frozen=True)
class Tally:
    """What is counted of the games of a file."""

    games: int = 0
    """Games."""
    plies: int = 0
    """Their plies."""
    searched: int = 0
    """Decisions to learn from."""
    cheap: int = 0
    """Decisions of cheap searches."""
    resigned: int = 0
    """Games that were given up."""
    cut: int = 0
    """Games that were cut."""
    checked: int = 0
    """Games that were played on after somebody would have given up, to their end."""
    misjudged: int = 0
    """Games among those that ended otherwise."""
    entropy: float = 0.0
    """Sum of the entropies of all targets, in nats."""
    won: tuple[int, ...] = ()
    """Games that each player won."""

    @classmethod
    def of(cls, games: Sequence[PlayedGame]) -> "Tally":
        """What is counted of some games."""
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
                sum(bool(game.entry.returns[seat] > 0) for game in games)  # type: ignore[index]
                for seat in range(players)
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
    """Keeps every finished game of a run, whatever happens to it.

    A game is written to a log as it ends. When all games of a file have ended, they are written to
    it by their numbers, and leave the log. Files are named by the numbers of their first and last
    game.

    Args:
        folder: The files' folder, a games store.
        game: What is played.
        size: Games of a file.
        per_round: Games of a round, whose end ends a file.

    Raises:
        RunDirectoryError: The folder cannot be written.
    """

    def __init__(self, folder: Path, game: Game, size: int, per_round: int) -> None:
        self.folder = folder
        self._game = game
        self._size = size
        self._per_round = per_round
        self._log = folder.parent / LOG
        with describe_disk_errors(folder.parent, every=True):
            folder.mkdir(parents=True, exist_ok=True)
            sweep(folder)
        self._waiting: dict[int, PlayedGame] = {}
        self._read_log()

    def files(self, first: int, last: int) -> list[Path]:
        """The files of games from ``first`` to before ``last``, in their order."""
        known = sorted(self.folder.glob(f"games-*{SUFFIX}"))
        return [file for file in known if first <= _span(file)[0] and _span(file)[1] < last]

    def missing(self, first: int, last: int) -> list[int]:
        """The games from ``first`` to before ``last`` that have not ended."""
        done = set(self._waiting)
        for file in self.files(first, last):
            low, high = _span(file)
            done.update(range(low, high + 1))
        return [number for number in range(first, last) if number not in done]

    def add(self, played: PlayedGame) -> None:
        """Keep a game that has ended.

        Raises:
            RunDirectoryError: The disk is full or cannot be written; earlier games are safe.
            StoreError: The same of a file.
        """
        with describe_disk_errors(self.folder.parent):
            append_line(self._log, json.dumps(_line(played), separators=(",", ":")).encode())
        self._waiting[played.number] = played
        self._write_whole_files([played.number])

    def tally(self, first: int, last: int) -> Tally:
        """What is counted of the games from ``first`` to before ``last``, all of which have ended.

        Of files that are damaged nothing is.
        """
        total = Tally()
        for file in self.files(first, last):
            try:
                told = dict(describe(file).metadata)
            except DamagedFile:
                continue
            total += Tally(**{**told, "won": tuple(told.get("won", ()))})
        return total

    def _write_whole_files(self, numbers: Sequence[int]) -> None:
        """Write the files of these games that have all of theirs."""
        for low, high in sorted({self._bounds(number) for number in numbers}):
            games = [self._waiting[n] for n in range(low, high + 1) if n in self._waiting]
            if len(games) <= high - low:
                continue
            columns = columns_of(self._game, self._width, [game.entry for game in games])
            path = self.folder / f"games-{low:09}-{high:09}{SUFFIX}"
            write_file(path, self._game, columns, asdict(Tally.of(games)), overwrite=True)
            for number in range(low, high + 1):
                del self._waiting[number]
            self._write_log()

    @property
    def _width(self) -> int:
        return decisions_a_ply(self._game)

    def _bounds(self, number: int) -> tuple[int, int]:
        """The first and the last game of the file that a game belongs to."""
        begin = number - number % self._per_round
        low = begin + (number - begin) // self._size * self._size
        return low, min(low + self._size, begin + self._per_round) - 1

    def _read_log(self) -> None:
        """Take in what an earlier session has left; a last line that was cut short is played again.

        Raises:
            StoreError: A line before the last is damaged.
        """
        with describe_disk_errors(self.folder.parent):
            data = self._log.read_bytes() if self._log.exists() else b""
        written = {n for f in self.files(0, 1 << 62) for n in range(_span(f)[0], _span(f)[1] + 1)}
        for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), start=1):
            try:
                played = _played(self._game, json.loads(line))
            except (KeyError, TypeError, ValueError, CorruptRecord) as error:
                message = f"{self._log}: line {number} is damaged ({error}); remove that line"
                raise StoreError(message) from error
            if played.number not in written:
                self._waiting[played.number] = played
        self._write_log()
        self._write_whole_files(list(self._waiting))

    def _write_log(self) -> None:
        lines = [json.dumps(_line(game), separators=(",", ":")) for game in self._waiting.values()]
        with describe_disk_errors(self.folder.parent):
            write_whole(self._log, "".join(f"{line}\n" for line in lines))


def _span(file: Path) -> tuple[int, int]:
    """The numbers of a file's first and last game; of another file's, none."""
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


def _line(played: PlayedGame) -> dict[str, Any]:
    """A game as JSON."""
    entry = played.entry
    visits = entry.visits
    return {
        "number": played.number,
        "start": entry.start,
        "actions": entry.actions.tolist(),
        "returns": None if entry.returns is None else entry.returns.tolist(),
        "visits": None if visits is None else [column.tolist() for column in vars(visits).values()],
        "values": None if entry.values is None else [_known(v) for v in entry.values.tolist()],
        "phases": None if entry.phases is None else entry.phases.tolist(),
        "source": entry.source,
        "ending": played.ending,
        "searched": played.searched,
        "cheap": played.cheap,
        "verdict": played.verdict,
    }


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _played(game: Game, line: dict[str, Any]) -> PlayedGame:
    """The game of a line."""
    visits, values, phases = line["visits"], line["values"], line["phases"]
    kinds = (np.int64, np.int32, np.int32)
    if visits is not None:
        visits = Visits(*(np.array(c, dtype=k) for c, k in zip(visits, kinds, strict=True)))
    entry = GameEntry(
        start=line["start"],
        actions=np.array(line["actions"], dtype=action_type(game)),
        returns=np.array(line["returns"], dtype=np.float32),
        visits=visits,
        values=None if values is None else np.array(values, dtype=np.float32),  # None becomes nan
        phases=None if phases is None else np.array(phases, dtype=np.int8),
        source=line["source"],
    )
    verdict = line["verdict"]
    return PlayedGame(
        number=int(line["number"]),
        entry=entry,
        ending=line["ending"],
        searched=int(line["searched"]),
        cheap=int(line["cheap"]),
        verdict=None if verdict is None else tuple(verdict),
    )
