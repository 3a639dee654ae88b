"""A log of finished games that are not in a file yet."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.columns import BY_DECISION, Visits
from phasezoo.data.game_entry import GameEntry, columns_of
from phasezoo.data.store_file import action_type, decisions_a_ply, write_file
from phasezoo.errors import StoreError
from phasezoo.games import Game
from phasezoo.runs import jsonable
from phasezoo.runs.files import append_line, describe_disk_errors, write_whole
from phasezoo.training.selfplay.recording import PlayedGame

LOG = "unfinished.jsonl"
"""File name of the log."""


class GameLog:
    """Stores finished games on the disk until they are written to a file of a store.

    A game is a line. Before games are written to a file the log names it, so that after a kill they
    are either in the file or in the log, and never in both.

    Args:
        path: The log, beside the files or above them.
        folder: Folder of the files.
        game: The game.

    Raises:
        RunDirectoryError: It cannot be read or written.
        StoreError: A line before the last is damaged.
    """

    def __init__(self, path: Path, folder: Path, game: Game) -> None:
        self._path = path
        self._folder = folder
        self._game = game
        self.waiting: dict[int, PlayedGame] = {}
        """Games by their numbers, in the order in which they ended."""
        self._read()

    def add(self, played: PlayedGame) -> None:
        """Add a game."""
        self._append(_line(played))
        self.waiting[played.number] = played

    def write(self, name: str, numbers: Sequence[int], metadata: Mapping[str, Any]) -> None:
        """Write games to a file, in this order, and remove them from the log."""
        games = [self.waiting[number] for number in numbers]
        width = decisions_a_ply(self._game)
        columns = columns_of(self._game, width, [played.entry for played in games])
        file = self._folder / name
        before, there = self._path.stat().st_size, _identity(file)
        self._append({"file": name, "numbers": list(numbers)})
        try:
            write_file(file, self._game, columns, metadata, overwrite=True)
        except BaseException:
            if _identity(file) != there:  # stopped right behind it
                self._drop(numbers)
            else:  # the name may go to another file, which must not be taken for theirs
                os.truncate(self._path, before)
            raise
        self._forget(numbers)

    def close(self) -> None:
        """Remove the log if it is empty."""
        if not self.waiting:
            self._path.unlink(missing_ok=True)

    def _append(self, line: Mapping[str, Any]) -> None:
        # A written line outlives a kill; waiting for the disk would take 2 to 10 ms.
        with describe_disk_errors(self._path.parent):
            data = json.dumps(line, separators=(",", ":")).encode()
            append_line(self._path, data, through=False)

    def _drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.waiting.pop(number, None)

    def _forget(self, numbers: Iterable[int]) -> None:
        self._drop(numbers)
        lines = [json.dumps(_line(game), separators=(",", ":")) for game in self.waiting.values()]
        with describe_disk_errors(self._path.parent):
            write_whole(self._path, "".join(f"{line}\n" for line in lines))

    def _read(self) -> None:
        """Read the games of an earlier session; a last line that was cut short is left out."""
        with describe_disk_errors(self._path.parent):
            data = self._path.read_bytes() if self._path.exists() else b""
        for number, text in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), start=1):
            try:
                line = jsonable.parsed(text)
                if "file" not in line:
                    played = _played(self._game, line)
                    self.waiting[played.number] = played
                elif (self._folder / line["file"]).exists():
                    for written in line["numbers"]:
                        self.waiting.pop(written, None)
            except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
                message = f"{self._path}: line {number} is damaged ({error}); remove that line"
                raise StoreError(message) from error
        if data:
            self._forget(())


def _identity(path: Path) -> int | None:
    """Return the number of the file at a path; None if there is no file."""
    return path.stat().st_ino if path.exists() else None


def _line(played: PlayedGame) -> dict[str, Any]:
    """Return a game as JSON."""
    entry = played.entry
    visits = entry.visits
    return {
        "number": played.number,
        "start": entry.start,
        "actions": entry.actions.tolist(),
        "returns": None if entry.returns is None else entry.returns.tolist(),
        "visits": None if visits is None else [column.tolist() for column in vars(visits).values()],
        **{name: _listed(getattr(entry, name)) for name in BY_DECISION},
        "source": entry.source,
        "ending": played.ending,
        "searched": played.searched,
        "cheap": played.cheap,
        "verdict": played.verdict,
    }


def _listed(column: npt.NDArray[Any] | None) -> list[Any] | None:
    """Return a column of numbers, None for those that are not known."""
    if column is None:
        return None
    return [None if np.isnan(number) else number for number in column.tolist()]


def _played(game: Game, line: dict[str, Any]) -> PlayedGame:
    """Return the game of a line."""
    visits = line["visits"]
    kinds = (np.int64, np.int32, np.int32)
    if visits is not None:
        visits = Visits(*(_numbers(c, k) for c, k in zip(visits, kinds, strict=True)))
    known: dict[str, Any] = {
        name: None if line.get(name) is None else _numbers(line[name], kind)  # None becomes nan
        for name, (kind, _) in BY_DECISION.items()
    }
    entry = GameEntry(
        start=line["start"],
        actions=_numbers(line["actions"], action_type(game)),
        returns=_numbers(line["returns"], np.float32),
        visits=visits,
        source=line["source"],
        **known,
    )
    verdict = line["verdict"]
    return PlayedGame(
        number=int(line["number"]),
        entry=entry,
        plies=len(entry.actions) // decisions_a_ply(game),
        ending=line["ending"],
        searched=int(line["searched"]),
        cheap=int(line["cheap"]),
        verdict=None if verdict is None else tuple(verdict),
    )


def _numbers(given: Any, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a column of a game; raises ``OverflowError`` or ``ValueError`` if it cannot be one."""
    numbers = np.array(given, dtype=kind)
    if numbers.ndim != 1:
        message = f"{str(given)[:40]} is no list of numbers"
        raise ValueError(message)
    return numbers
