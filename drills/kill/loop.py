"""Runs a victim in children that are killed at random turns, and compares what is left."""

import os
import random
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

from drills.kill.victim import Victim
from drills.tally import Tally


def drill(victim: Victim, folder: Path, kills: int, seed: int) -> Tally:
    """Kill a victim so many times, over as many runs as that takes.

    Args:
        victim: The work.
        folder: A new folder for it.
        kills: How often.
        seed: Of the turns, which are drawn evenly over the time that the whole work takes.

    Returns:
        How it went; a run that failed, lost a finished part, or left something else is found.
    """
    victim.warm()
    drawn, tally = random.Random(seed), Tally()
    # The first also makes what all of them read, and so is not the one that is timed.
    for name in ("first", "alone"):
        start = time.monotonic()
        if _child(victim, folder / name, None)[0] != 0:
            tally.found.append("the run that is left alone fails")
            return tally
        tally.seconds = time.monotonic() - start
    alone = victim.left(folder / "alone")
    while tally.stops < kills and not tally.found:
        _one_run(victim, folder / "killed", alone, kills, drawn, tally)
    return tally


def _one_run(
    victim: Victim,
    out: Path,
    alone: dict[str, bytes],
    kills: int,
    drawn: random.Random,
    tally: Tally,
) -> None:
    """Kill one run until it ends between two kills."""
    shutil.rmtree(out, ignore_errors=True)
    kept = 0
    while True:
        wait = None if tally.stops >= kills else drawn.uniform(0, 1.05 * tally.seconds)
        status, finished = _child(victim, out, wait)
        if status == 0:
            break
        if status != -signal.SIGKILL:
            tally.found.append(f"after {tally.stops} kills a run ends with {status}")
            return
        tally.stops += 1
        now = victim.kept(out)
        tally.count("kill", kept, finished, now)
        kept = now
    tally.ends += 1
    tally.compare(victim.left(out), alone, "kills")


def _child(victim: Victim, out: Path, wait: float | None) -> tuple[int, int]:
    """Run the victim in a child, killed after a while: its status, and the parts it finished."""
    out.parent.mkdir(parents=True, exist_ok=True)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            victim.run(out, lambda: os.write(writing, b"."))
            code = 0
        except BaseException:
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(code)
    os.close(writing)
    if wait is not None:
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
    finished = 0
    while data := os.read(reading, 65_536):
        finished += len(data)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), finished
