"""A file system of its own, with as much room as is given to it."""

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self


class NoMount(Exception):
    """This process may not mount file systems."""


class Space(NamedTuple):
    """How much fits, or is taken."""

    bytes: int
    files: int
    """Files and folders."""


PLENTY = Space(2**30, 2**30)
"""More of both than any work here takes."""


class Room:
    """A file system in memory at an empty folder, for as long as it is open.

    Args:
        folder: Where.

    Raises:
        NoMount: It may not be mounted; the message says how it may.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._system("mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", str(folder))
        self._empty = self.used()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What the failed work still holds open goes when it lets go.
        self._system("umount", "--lazy", str(self.folder))

    def used(self) -> Space:
        """Return how much is taken."""
        stat = os.statvfs(self.folder)
        return Space(
            (stat.f_blocks - stat.f_bfree) * stat.f_frsize, max(stat.f_files - stat.f_ffree, 0)
        )

    def give(self, space: Space | None) -> None:
        """Let so much fit in all, but no less than is taken; None: plenty."""
        taken, page = self.used(), os.sysconf("SC_PAGE_SIZE")
        wanted = space or PLENTY
        size = max(wanted.bytes, taken.bytes, page)
        files = max(wanted.files, taken.files)
        option = f"remount,size={-(-size // page) * page},nr_inodes={files}"
        self._system("mount", "-o", option, str(self.folder))

    def clear(self) -> None:
        """Remove everything in it."""
        for entry in self.folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def _system(self, *words: str) -> None:
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            done = subprocess.CompletedProcess(words, 1, stderr="there is no such program")
        if done.returncode:
            message = (
                f"{' '.join(words)}: {done.stderr.strip()}; run the drill as root, or by "
                "`unshare --user --map-root-user --mount python -m drills disk` on Linux"
            )
            raise NoMount(message)
