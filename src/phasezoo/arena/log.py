"""The log of a match: one line of JSON per finished game, so that a kill loses no finished game."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasezoo.arena.records import GameRecord, SideStats
from phasezoo.errors import RunDirectoryError

__all__ = ["GameLog"]

FORMAT_VERSION = 1
"""Of the log's lines; a log of another version is refused."""


class GameLog:
    """Finished games on disk, and both sides' work when the last of them was written.

    Args:
        path: A new file, or the log of an earlier part of the same match, which goes on.
        match: What identifies the match (JSON): a log of another one is refused.

    Raises:
        RunDirectoryError: The file belongs to another match, is damaged before its last line, or
            cannot be written.
    """

    def __init__(self, path: Path | str, match: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.games: list[GameRecord] = []
        """The finished games, in the order in which they ended."""
        self.sides: tuple[SideStats, ...] = ()
        """Both sides' work; empty before the first game."""
        header = {"kind": "match", "format_version": FORMAT_VERSION, "match": dict(match)}
        self._header = json.loads(json.dumps(header))
        try:
            self._open()
        except OSError as error:
            message = f"{self.path}: cannot be used as the log of a match ({error})"
            raise RunDirectoryError(message) from error

    def append(self, record: GameRecord, sides: Sequence[SideStats]) -> None:
        """Write a finished game through to the disk.

        Raises:
            RunDirectoryError: The file cannot be written; the games before this one are safe.
        """
        line = {"game": record.to_dict(), "sides": [side.to_dict() for side in sides]}
        try:
            self._write(line)
        except OSError as error:
            message = (
                f"{self.path}: game {record.number} cannot be written ({error}); the "
                f"{len(self.games)} games before it are safe, and the match can go on from them"
            )
            raise RunDirectoryError(message) from error
        self.games.append(record)
        self.sides = tuple(sides)

    def _open(self) -> None:
        data = self.path.read_bytes() if self.path.exists() else b""
        # A kill may have cut the last line short: that game was not finished for us.
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self.path, len(whole))
        lines = whole.splitlines()
        if not lines:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write(self._header)
            return
        self._check_header(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = json.loads(line)
                self.games.append(GameRecord.from_dict(entry["game"]))
                self.sides = tuple(SideStats.from_dict(side) for side in entry["sides"])
            except (ValueError, KeyError, TypeError) as error:
                message = f"{self.path}: line {number} is damaged ({error}); remove it to go on"
                raise RunDirectoryError(message) from error

    def _check_header(self, line: bytes) -> None:
        try:
            header = json.loads(line)
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("kind") != "match":
            message = f"{self.path}: not the log of a match; choose another path"
            raise RunDirectoryError(message)
        if header != self._header:
            theirs, ours = header.get("match", {}), self._header["match"]
            keys = sorted(set(theirs) | set(ours))
            differing = [
                f"{key}: {theirs.get(key)!r} there, {ours.get(key)!r} here"
                for key in keys
                if theirs.get(key) != ours.get(key)
            ]
            what = "; ".join(differing) or f"format version {header.get('format_version')}"
            message = f"{self.path}: the log of another match ({what}); choose another path"
            raise RunDirectoryError(message)

    def _write(self, line: Mapping[str, Any]) -> None:
        before = self.path.stat().st_size if self.path.exists() else 0
        try:
            with self.path.open("ab") as file:
                file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            # A full disk may have taken half a line.
            if self.path.exists():
                os.truncate(self.path, before)
            raise
