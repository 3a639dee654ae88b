"""The log of a match: one line of JSON per finished game, so that a kill loses no finished game."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasezoo.arena.records import GameRecord, SideStats, Work
from phasezoo.checking import shown
from phasezoo.errors import RunDirectoryError
from phasezoo.games.options import file_path
from phasezoo.runs import describe, jsonable
from phasezoo.runs.files import MAKE_ROOM, append_line, how_to_continue
from phasezoo.runs.lock import LockedFile

_AGAIN = "choose another path, or remove it to play this match from its beginning"

_OF_A_SIDE = ("name", "limit", "gate", "search_gate", "routing", "search", "network", "pool")
"""Names for what a side's identity lists."""

FORMAT_VERSION = 2
"""Of the log's lines; a log of another version is refused."""


class GameLog(LockedFile):
    """Finished games on disk, and both sides' work when the last of them was written.

    A context manager: the file is locked until it is left, so that no other process writes the same
    match. The first line says which match it is and what it was begun with
    (:func:`phasezoo.runs.describe`); the others are games, and another record wherever the match
    went on with other packages, another revision or machine.

    Args:
        path: A new file, or the log of an earlier part of the same match, which goes on.
        match: What identifies the match (JSON): a log of another one is refused.
        seed: The match's seed, for the record.
        config: Settings for the record besides ``match``.

    Raises:
        InvalidConfig: ``path`` is not a path.
        RunDirectoryError: The file belongs to another match, is damaged before its last line, is
            being written by another process, or cannot be written.
    """

    def __init__(
        self,
        path: Path | str,
        match: Mapping[str, Any],
        *,
        seed: int,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        place = file_path("log", path)
        self.games: list[GameRecord] = []
        """The finished games, in the order in which they ended."""
        self.sides: tuple[SideStats, ...] = ()
        """Both sides' work; empty before the first game."""
        self.works: list[tuple[Work, ...]] = []
        """Each side's work after each of the games."""
        self._match = json.loads(json.dumps(match))
        settings = {**match, **(config or {})}
        self._record = jsonable.plain(describe("match", settings, seeds={"match": seed}))
        super().__init__(place, "the log of a match is")
        with self._locks as locks:
            try:
                self._open()
            except OSError as error:
                message = (
                    f"{self.path}: cannot be used as the log of a match ({error.strerror}): "
                    f"{MAKE_ROOM}"
                )
                raise RunDirectoryError(message) from error
            self._locks = locks.pop_all()

    def append(self, record: GameRecord, sides: Sequence[SideStats]) -> None:
        """Write a finished game through to the disk."""
        line = {"game": record.to_dict(), "sides": [side.to_dict() for side in sides]}
        try:
            self._write(line)
        except OSError as error:
            message = (
                f"{self.path}: game {record.number} cannot be written ({error.strerror}); the "
                f"{len(self.games)} games before it are safe, and the match can go on from them: "
                f"free some space, then {how_to_continue(self.path.parent)}"
            )
            raise RunDirectoryError(message) from error
        self._add(record, tuple(sides))

    def _add(self, record: GameRecord, sides: tuple[SideStats, ...]) -> None:
        self.games.append(record)
        self.sides = sides
        self.works.append(tuple(side.work for side in sides))

    def _open(self) -> None:
        data = self.path.read_bytes() if self.path.exists() else b""
        # A kill may have cut the last line short: that game was not finished for us.
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self.path, len(whole))
        lines = whole.splitlines()
        if not lines:
            header = {"kind": "match", "format_version": FORMAT_VERSION}
            self._write({**header, "match": self._match, "record": self._record})
            return
        record = self._checked_header(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = jsonable.parsed(line)
                if "record" in entry:
                    record = _record_of(entry)
                    continue
                given = zip(entry["sides"], self._match.get("sides", entry["sides"]), strict=True)
                sides = tuple(SideStats.from_dict(side) for side, _ in given)
                self._add(GameRecord.from_dict(entry["game"]), sides)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                message = f"{self.path}: line {number} is damaged ({error}); remove it to go on"
                raise RunDirectoryError(message) from error
        if record["provenance"] != self._record["provenance"]:
            self._write({"record": self._record})

    def _checked_header(self, line: bytes) -> Mapping[str, Any]:
        """Return the record that the match began with, from the log's first line."""
        try:
            header = jsonable.parsed(line)
        except ValueError:
            header = None
        theirs = header.get("match") if isinstance(header, dict) else None
        if not isinstance(theirs, dict) or header.get("kind") != "match":
            message = f"{self.path}: not the log of a match; choose another path, or remove it"
            raise RunDirectoryError(message)
        ours = self._match
        if header.get("format_version") == FORMAT_VERSION and theirs == ours:
            try:
                return _record_of(header)
            except (KeyError, TypeError) as error:
                message = f"{self.path}: line 1 is damaged ({error}); {_AGAIN}"
                raise RunDirectoryError(message) from error
        there, here = _settings_of(theirs), _settings_of(ours)
        differing = [
            f"{key} {shown(there.get(key))} there, {shown(here.get(key))} here"
            if not key.endswith(".network")
            else f"{key.removesuffix('.network')} has other networks there"
            for key in sorted(set(there) | set(here))
            if there.get(key) != here.get(key)
        ]
        more = [f"{len(differing) - 3} more"] if len(differing) > 3 else []
        what = "; ".join(differing[:3] + more) or f"format version {header.get('format_version')}"
        message = f"{self.path}: the log of another match ({what}); {_AGAIN}"
        raise RunDirectoryError(message)

    def _write(self, line: Mapping[str, Any]) -> None:
        append_line(self.path, json.dumps(line, separators=(",", ":")).encode())


def _settings_of(match: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a match, by names for messages."""
    found = dict(match)
    sides = found.pop("sides", None)
    for number, side in enumerate(sides if isinstance(sides, list) else (), start=1):
        named = dict(zip(_OF_A_SIDE, side if isinstance(side, list) else [side], strict=False))
        found[f"side {number}"] = named | {"network": json.dumps(named.get("network"))}
    return jsonable.flat(found)


def _record_of(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record that a part of the match began with."""
    record: Any = line["record"]
    _ = record["provenance"]
    return dict(record)


def finished_games(path: Path) -> list[GameRecord]:
    """Return the games in a log that can be read, such as for a running score; empty without one.

    The match itself checks them when it goes on.
    """
    if not path.exists():
        return []
    records = []
    for line in path.read_bytes().splitlines()[1:]:
        try:
            entry = json.loads(line)
            if "record" not in entry:  # which says that the match went on elsewhere
                records.append(GameRecord.from_dict(entry["game"]))
        except (ValueError, KeyError, TypeError):
            break  # cut short by a kill
    return records
