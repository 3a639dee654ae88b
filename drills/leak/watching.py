"""Runs work in a process of its own for a while, and watches how much memory that takes."""

import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

Finished = Callable[[], object]
"""Called whenever a piece of the work is done."""

Work = Callable[[Path, Finished], object]
"""Works in a new folder, without end."""

INTERVAL = 0.5
"""Seconds from one look to the next, at most."""

LOOKS = 120
"""How many there are at least."""


@dataclass
class Watched:
    """Samples of a process."""

    seconds: list[float] = field(default_factory=list)
    """When a sample was taken, from the end of the first piece of work on."""
    mebibytes: list[float] = field(default_factory=list)
    """Resident memory then."""
    pieces: int = 0
    """Pieces of work that were done."""
    ended: str = ""
    """How the work ended before its time; empty if it went on."""


def watch(work: Work, folder: Path, seconds: float) -> Watched:
    """Let work run, in a new process that is killed when the time is over.

    Args:
        work: A function of a module, which the other process imports.
        folder: A new folder for it.
        seconds: How long, from the end of its first piece on.
    """
    context = multiprocessing.get_context("spawn")
    reading, writing = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(work, folder, writing))
    child.start()
    writing.close()
    seen = Watched()
    try:
        if _count(reading, seen, None):
            _look(child.pid or 0, reading, seen, seconds)
    finally:
        child.kill()
        child.join()
        reading.close()
    return seen


def _look(pid: int, reading: Connection, seen: Watched, seconds: float) -> None:
    """Take samples until the time is over, or the work."""
    pause = min(INTERVAL, seconds / LOOKS)
    start = time.monotonic()
    while (now := time.monotonic() - start) <= seconds:
        try:
            seen.mebibytes.append(_resident(pid))
        except ProcessLookupError:
            seen.ended = "ended by itself"
            return
        seen.seconds.append(now)
        if not _count(reading, seen, time.monotonic() + pause):
            return


def _count(reading: Connection, seen: Watched, until: float | None) -> bool:
    """Count pieces until a turn, or else until the first; whether the work goes on."""
    while until is None or time.monotonic() < until:
        wait = None if until is None else max(until - time.monotonic(), 0)
        if reading.poll(wait):
            try:
                word = reading.recv_bytes()
            except EOFError:
                seen.ended = seen.ended or "ended by itself"
                return False
            if word:
                seen.ended = word.decode()
            else:
                seen.pieces += 1
            if until is None and not word:
                break
    return True


def _resident(pid: int) -> float:
    """Return the memory of a process in MiB."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, IndexError) as error:
        raise ProcessLookupError(pid) from error
    if pages == 0:  # a process that has ended and was not waited for
        raise ProcessLookupError(pid)
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _child(work: Work, folder: Path, writing: Connection) -> None:
    """Work until killed; send an error to the parent."""
    try:
        work(folder, lambda: writing.send_bytes(b""))
    except Exception as error:
        writing.send_bytes(f"{type(error).__name__}: {error}".encode())
        raise
