"""`python -m drills kill [WORK …]`: kills work at random moments, and compares how it goes on."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from drills.kill.catalogue import VICTIMS
from drills.kill.loop import drill
from drills.names import add_names, parsed

__all__ = ["main"]


def main(words: Sequence[str]) -> int:
    """Kill, print a line for each kind of work, and return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m drills kill", description=__doc__)
    add_names(parser, VICTIMS)
    parser.add_argument("--kills", type=int, default=100, help="of each kind of work")
    parser.add_argument("--seed", type=int, default=1)
    options = parsed(parser, words, VICTIMS, "work")
    if options.kills < 1:
        parser.error(f"--kills {options.kills}: must be at least 1")
    print(f"{'work':<12} {'kills':>6} {'ends':>6} {'found':>6} {'alone':>8}")
    wrong = 0
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            tally = drill(VICTIMS[name](), Path(folder), options.kills, options.seed)
        wrong += len(tally.found)
        print(
            f"{name:<12} {tally.kills:>6} {tally.ends:>6} {len(tally.found):>6} "
            f"{tally.seconds:>6.1f} s",
            flush=True,
        )
        for found in tally.found:
            print(f"  {found}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
