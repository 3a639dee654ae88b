"""`python -m drills disk [WRITER …]`: fills the disk while something writes to it."""

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from drills.disk.catalogue import WRITERS
from drills.disk.loop import drill
from drills.disk.room import NoMount
from drills.names import add_names, parsed
from drills.tally import Tally, show_all


def main(words: Sequence[str]) -> int:
    """Fill, print a line for each writer, and return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m drills disk", description=__doc__)
    add_names(parser, WRITERS)
    parser.add_argument("--full", type=int, default=50, help="full disks for each writer")
    parser.add_argument("--seed", type=int, default=1)
    options = parsed(parser, words, WRITERS, "writer")
    if options.full < 1:
        parser.error(f"--full {options.full}: must be at least 1")

    def one(name: str, folder: Path) -> Tally:
        made, at_once = WRITERS[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return drill(made(), folder, options.full, options.seed, at_once=at_once)

    try:
        return show_all(options.names, "writer", "full", one)
    except NoMount as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
