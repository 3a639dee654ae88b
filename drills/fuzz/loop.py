"""The loop: inputs are drawn and read one after another, and what comes of them is counted.

It runs in a process of its own, which the system ends if one input takes too long. A file that
both processes have in their memory says how far it is, so that the one who watches knows which
input a crash or a hang was, and goes on behind it.
"""

import json
import mmap
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from drills.fuzz.catalogue import TARGETS
from drills.fuzz.target import Target

LIMIT = 30.0
"""Seconds in which an input has to be read, on a machine that has other work too."""

SHOWN = 400
"""Letters of an input that a finding shows."""


@dataclass
class Found:
    """An input that something else came of than a result or a promised error."""

    number: int
    """Which input; :func:`input_of` makes it again."""
    what: str
    """The error's class, ``"killed by signal N"`` if the process ended, and where it was."""
    message: str = ""
    shown: str = ""
    """The beginning of the input."""


@dataclass
class Tally:
    """Counts of inputs."""

    inputs: int = 0
    texts: int = 0
    """Lines of the streams, messages, or files that the inputs are."""
    accepted: int = 0
    """Inputs that were read; all others were refused as promised, or are findings."""
    slowest: float = 0.0
    """Processor seconds of the slowest input."""
    found: list[Found] = field(default_factory=list)
    """One finding of each kind."""
    seconds: float = 0.0


def input_of(target: Target, name: str, seed: int, number: int) -> object:
    """Return the input of a number."""
    return target.draw(Random(f"{name}:{seed}:{number}"))


def read_range(
    target: Target,
    name: str,
    seed: int,
    numbers: range,
    tally: Tally,
    begun: Callable[[int], object] = lambda number: None,
) -> Tally:
    """Read the inputs of these numbers in this process.

    Args:
        target: What reads them.
        name: The target's name.
        seed: Of the inputs.
        numbers: Which.
        tally: What is counted on.
        begun: Called with each number before its input is read.
    """
    kinds = {each.what for each in tally.found}
    for number in numbers:
        given = input_of(target, name, seed, number)
        begun(number)
        began = time.process_time()
        try:
            target.read(given)
            tally.accepted += 1
        except target.promised:
            pass
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of the core is no Exception
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
            if what not in kinds:
                kinds.add(what)
                tally.found.append(Found(number, what, str(error)[:SHOWN], repr(given)[:SHOWN]))
        tally.inputs += 1
        tally.texts += target.texts(given)
        tally.slowest = max(tally.slowest, time.process_time() - began)
    return tally


def fuzz(name: str, seed: int, inputs: int, minutes: float) -> Tally:
    """Fuzz a target in processes of its own until the inputs or the minutes are used up."""
    total, began, first = Tally(), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "place")
        while first < inputs and (left := minutes * 60 - (time.monotonic() - began)) > 0:
            place.write_bytes(struct.pack(_PLACE, first, 0, 0, 0.0))
            words = [name, str(seed), str(first), str(inputs), str(place), str(left)]
            command = [sys.executable, "-m", "drills.fuzz.loop", *words]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            number, texts, accepted, slowest = struct.unpack(_PLACE, place.read_bytes())
            if done.returncode == 0:
                said = json.loads(done.stdout.splitlines()[-1])
                part = Tally(**{**said, "found": [Found(**each) for each in said["found"]]})
            elif done.returncode < 0:
                shown = shown_input(name, seed, number)
                killed = Found(number, f"killed by signal {-done.returncode}", "", shown)
                part = Tally(number + 1 - first, texts, accepted, slowest, [killed])
            else:
                sys.exit(f"the loop of {name} ended with {done.returncode} at input {number}")
            total.inputs += part.inputs
            total.texts += part.texts
            total.accepted += part.accepted
            total.slowest = max(total.slowest, part.slowest)
            known = {each.what for each in total.found}
            total.found += [each for each in part.found if each.what not in known]
            first += part.inputs
    total.seconds = time.monotonic() - began
    return total


def shown_input(name: str, seed: int, number: int) -> str:
    """Return the beginning of an input."""
    with tempfile.TemporaryDirectory() as folder:  # a target's own, as it begins with its files
        target = TARGETS[name](Path(folder))
        try:
            return repr(input_of(target, name, seed, number))[:SHOWN]
        finally:
            target.close()


_PLACE = "<QQQd"
"""Number of the input that is read, texts, inputs accepted, seconds of the slowest."""

_SLICE = 64
"""Inputs between two looks at the clock."""


def main() -> None:
    """The process that reads: ``NAME SEED FIRST INPUTS PLACE SECONDS``."""
    name, seed, first, inputs, place, seconds = sys.argv[1:]
    warnings.simplefilter("ignore")  # files that are damaged are warned of, as is promised
    tally, end = Tally(), time.monotonic() + float(seconds)
    with tempfile.TemporaryDirectory(dir=_memory()) as folder, Path(place).open("r+b") as file:
        target = TARGETS[name](Path(folder))
        with mmap.mmap(file.fileno(), struct.calcsize(_PLACE)) as shared:

            def begun(number: int) -> None:
                now = (number, tally.texts, tally.accepted, tally.slowest)
                struct.pack_into(_PLACE, shared, 0, *now)
                signal.setitimer(
                    signal.ITIMER_REAL, LIMIT
                )  # ends the process, which has no handler

            at = int(first)
            while at < int(inputs) and time.monotonic() < end:
                numbers = range(at, min(at + _SLICE, int(inputs)))
                read_range(target, name, int(seed), numbers, tally, begun)
                at = numbers.stop
            signal.setitimer(signal.ITIMER_REAL, 0)
        target.close()
    sys.stdout.write(json.dumps(asdict(tally)) + "\n")


def _memory() -> str | None:
    """Return where files are that cost no disk, if there is such a place."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


if __name__ == "__main__":
    main()
