"""Partial files: stores appear in their place whole, and leftovers of killed writers go."""

import glob
import os
import re
import shutil
from pathlib import Path

from phasezoo.errors import StoreError

_LEFT = re.compile(r"\.(?P<pid>\d+)\.(?P<kind>partial|old)")


def partial_name(path: Path) -> Path:
    """Return the name under which this process writes ``path``: beside it, to be renamed."""
    return _beside(path, "partial")


def put_in_place(partial: Path, path: Path) -> None:
    """Rename a folder that is whole to its place; what was there is removed last of all."""
    old = _beside(path, "old")
    try:
        if path.exists():
            path.replace(old)
        partial.replace(path)
    finally:
        if old.exists() and not path.exists():
            old.replace(path)
        shutil.rmtree(old, ignore_errors=True)


def recover(path: Path) -> tuple[str, ...]:
    """Restore or remove what killed writers of ``path`` left beside it, and say what it was.

    A store that was put aside comes back, unless another is in its place; an unfinished one is
    removed. Files of a process that still runs are left alone.
    """
    said = []
    for left in sorted(path.parent.glob(f".{glob.escape(path.name)}.*")):
        match = _LEFT.fullmatch(left.name.removeprefix(f".{path.name}"))
        if match is None or _runs(int(match["pid"])):
            continue
        if match["kind"] == "old" and not path.exists():
            said.append(f"{path} is as it was before an import that was killed while replacing it")
            try:
                left.replace(path)
            except OSError as error:
                message = (
                    f"{left}: the games of {path}, which cannot be put back ({error.strerror})"
                )
                raise StoreError(message) from error
            continue
        said.append(f"removed {left.name}, left by an import that was killed")
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
    return tuple(said)


def _beside(path: Path, kind: str) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{kind}")


def _runs(pid: int) -> bool:
    """Return whether there is such a process besides this one, which has written nothing yet."""
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True
