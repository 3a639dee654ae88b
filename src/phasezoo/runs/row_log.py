"""Finished games on disk: a line of JSON each, so that a kill loses no finished game."""

import json
import os
from pathlib import Path
from typing import Generic, TypeVar

from phasezoo.errors import RunDirectoryError
from phasezoo.runs import jsonable
from phasezoo.runs.files import append_line, describe_disk_errors, how_to_continue

Row = TypeVar("Row")


class RowLog(Generic[Row]):
    """The finished games of a run, read back when it goes on.

    Args:
        path: A new file, or one that an earlier attempt of the same run left.
        kind: What a line holds, a dataclass.

    Raises:
        RunDirectoryError: The file is damaged before its last line, or cannot be written.
    """

    def __init__(self, path: Path, kind: type[Row]) -> None:
        self.path = path
        self._kind = kind
        with describe_disk_errors(path.parent):
            data = path.read_bytes() if path.exists() else b""
            # A kill may have cut the last line short: that game is played again.
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                os.truncate(path, len(whole))
        self.rows: list[Row] = [
            self._read(i, line) for i, line in enumerate(whole.splitlines(), start=1)
        ]
        """The finished games, in the order in which they ended."""

    def append(self, row: Row) -> None:
        """Write a finished game through to the disk.

        Raises:
            RunDirectoryError: The disk is full or cannot be written; earlier games are safe.
        """
        line = json.dumps(jsonable.encode(row), separators=(",", ":")).encode()
        with describe_disk_errors(self.path.parent):
            append_line(self.path, line)
        self.rows.append(row)

    def _read(self, number: int, line: bytes) -> Row:
        try:
            return jsonable.decode(self._kind, jsonable.parsed(line))
        except ValueError as error:
            message = (
                f"{self.path}: line {number} is damaged ({error}); remove that line, then "
                f"{how_to_continue(self.path.parent)}"
            )
            raise RunDirectoryError(message) from error
