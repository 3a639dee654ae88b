"""`python -m drills kill [WORK …]`: kills work at random turns, and compares how it goes on."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from drills.kill.catalogue import VICTIMS
from drills.kill.loop import drill
from drills.names import add_names, parsed
from drills.tally import Tally, show_all


def main(words: Sequence[str]) -> int:
    """Kill, print a line for each kind of work, and return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m drills kill", description=__doc__)
    add_names(parser, VICTIMS)
    parser.add_argument("--kills", type=int, default=100, help="of each kind of work")
    parser.add_argument("--seed", type=int, default=1)
    options = parsed(parser, words, VICTIMS, "work")
    if options.kills < 1:
        parser.error(f"--kills {options.kills}: must be at least 1")

    def one(name: str, folder: Path) -> Tally:
        return drill(VICTIMS[name](), folder, options.kills, options.seed)

    return show_all(options.names, "work", "kills", one)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
