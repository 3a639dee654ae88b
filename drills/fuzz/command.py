"""`python -m drills fuzz [PARSER …]`: how many inputs each parser took, and what was wrong."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from drills.fuzz.catalogue import TARGETS
from drills.fuzz.loop import fuzz
from drills.names import add_names, parsed


def main(words: Sequence[str]) -> int:
    """Fuzz, print a line a parser, and return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m drills fuzz", description=__doc__)
    add_names(parser, TARGETS)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of each parser")
    parser.add_argument("--minutes", type=float, default=10.0, help="longest time of each parser")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="append the figures here too, a line a parser")
    options = parsed(parser, words, TARGETS, "parser")
    print(
        f"{'parser':<12} {'inputs':>9} {'texts':>9} {'read':>9} {'found':>6} "
        f"{'slowest':>9} {'time':>7}"
    )
    wrong = 0
    for name in options.names:
        tally = fuzz(name, options.seed, options.inputs, options.minutes)
        wrong += len(tally.found)
        print(
            f"{name:<12} {tally.inputs:>9,} {tally.texts:>9,} {tally.accepted:>9,} "
            f"{len(tally.found):>6} {tally.slowest * 1000:>6.0f} ms {tally.seconds:>5.0f} s",
            flush=True,
        )
        for found in tally.found:
            print(f"  input {found.number}: {found.what}: {found.message}\n    {found.shown}")
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                file.write(
                    json.dumps({"parser": name, "seed": options.seed, **asdict(tally)}) + "\n"
                )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
