"""Lets work run where too little fits, gives it more, and compares what is left."""

import os
import random
import re
import time
import traceback
from pathlib import Path

from drills.disk.room import PLENTY, Room, Space
from drills.kill.victim import Victim
from drills.tally import Tally
from phasezoo.errors import PhasezooError

_TOLD = re.compile(r"no space left|disk is full|cannot be written", re.IGNORECASE)
_ADVICE = re.compile(r"free some|make room|choose another|again", re.IGNORECASE)
_UNFINISHED = re.compile(r"\.(partial|new|old|tmp)\b")

_FILLS = 30
"""How often one run is given more room before it gets plenty."""


def drill(victim: Victim, folder: Path, full: int, seed: int, *, at_once: bool = False) -> Tally:
    """Let a disk be full so many times while work writes to it.

    A run is given more room each time that nothing more fits, until it ends. How much is drawn
    evenly up to what the whole work takes; every other time it is files that do not fit.

    Args:
        victim: The work.
        folder: An empty folder.
        full: How often, at least; at most so many runs are tried for it.
        seed: Of the amounts.
        at_once: Whether it leaves nothing but files that are written at once, so that each is
            there as at the end, or not at all, whenever nothing more fits.

    Returns:
        How it went; found is an error that is not one of the package's or does not say where and
        what to do, a finished part that is lost, what is left over, and another end.
    """
    victim.warm()
    drawn, tally = random.Random(seed), Tally()
    with Room(folder) as room:
        alone = _alone(victim, room, tally)
        need = room.used()
        for _ in range(full):
            if tally.stops >= full or tally.found:
                break
            room.give(None)
            room.clear()
            _one_run(victim, room, (alone, need), drawn, tally, at_once)
    return tally


def _alone(victim: Victim, room: Room, tally: Tally) -> dict[str, bytes]:
    """The run that has plenty: what it leaves; the room holds nothing else."""
    out = room.folder / "run"
    start = time.monotonic()
    victim.run(out, lambda: None)
    tally.seconds = time.monotonic() - start
    return victim.left(out)


def _one_run(
    victim: Victim,
    room: Room,
    alone: tuple[dict[str, bytes], Space],
    drawn: random.Random,
    tally: Tally,
    at_once: bool,
) -> None:
    """Run with more and more room until the work is done."""
    out = room.folder / "run"
    whole, need = alone
    kept = 0
    for fill in range(_FILLS + 1):
        room.give(None if fill == _FILLS else _drawn(room.used(), need, drawn))
        parts: list[None] = []
        wrong = _attempt(victim, room.folder, parts)
        if wrong is None:
            break
        tally.stops += 1
        tally.found += [f"full disk {tally.stops}: {what}" for what in wrong]
        now = victim.kept(out)
        tally.count("full disk", kept, len(parts), now)
        if at_once and out.is_dir():
            _check_whole(victim.left(out), whole, tally)
        if tally.found:
            return
        kept = now
    else:
        tally.found.append("a run ends with an error in spite of plenty of room")
        return
    tally.ends += 1
    tally.compare(victim.left(out), whole, "full disks")
    over = [str(path.relative_to(out)) for path in _unfinished(out)]
    if over:
        tally.found.append(f"left over: {', '.join(over)}")


def _drawn(taken: Space, need: Space, drawn: random.Random) -> Space:
    """Room for a part of what is still missing: of bytes, or of files."""
    if drawn.random() < 0.5:
        return PLENTY._replace(bytes=taken.bytes + _part(need.bytes - taken.bytes, drawn))
    # One more, because some of the work makes the folder itself.
    return PLENTY._replace(files=taken.files + 1 + _part(need.files - taken.files, drawn))


def _part(missing: int, drawn: random.Random) -> int:
    return int(drawn.uniform(0, 1.05 * max(missing, 0)))


def _attempt(victim: Victim, folder: Path, parts: list[None]) -> list[str] | None:
    """Run the work; what is wrong about how it ended, or None if it is done."""
    try:
        victim.run(folder / "run", lambda: parts.append(None))
    except PhasezooError as error:
        return _wrong_message(str(error), folder)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        own = [each for each in where if f"{os.sep}phasezoo{os.sep}" in each.filename]
        place = f" at {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
        return [f"{type(error).__name__}: {error}{place}"]
    return None


def _wrong_message(message: str, folder: Path) -> list[str]:
    wrong = []
    if str(folder) not in message:
        wrong.append("names no path")
    if not _TOLD.search(message):
        wrong.append("does not tell what happened")
    if not _ADVICE.search(message):
        wrong.append("does not say what to do")
    return [f"a message {' and '.join(wrong)}: {message}"] if wrong else []


def _check_whole(left: dict[str, bytes], alone: dict[str, bytes], tally: Tally) -> None:
    half = sorted(name for name, content in left.items() if alone.get(name) != content)
    if half:
        tally.found.append(f"full disk {tally.stops}: not whole: {', '.join(half)}")


def _unfinished(out: Path) -> list[Path]:
    """Return unfinished files, which must be gone when the work is done."""
    return [path for path in out.rglob("*") if _UNFINISHED.search(path.name)]
