"""Makes the mates in two of ``src/phasezoo/data/samples`` from the sample games.

    python scripts/make_mates.py chess atomic    # all variants without names

The positions are of games that ended in a win by the rules, three plies before the end; every move
that forces mate in two, and none in one, is found by looking at every line. See scripts/README.md.
"""

import sys
from pathlib import Path

import numpy as np

from phasezoo.data.starts import state_at
from phasezoo.training import GameStore
from phasezoo.training.probes.tactics import solutions

DATA = Path(__file__).resolve().parents[1] / "src" / "phasezoo" / "data" / "samples"
VARIANTS = ("chess", "chess960", "atomic", "crazyhouse")
COUNT = 200
SEED = 1
HEAD = """\
# Mate in two in {game}: positions of the sample games, and every first move that forces it.
# FEN;moves. Made by scripts/make_mates.py: no mate in one, found by looking at every line.
"""


def mates(name: str) -> list[str]:
    """Lines of the file, ``COUNT`` if there are so many."""
    store = GameStore.sample(name)
    lengths = np.diff(store.offsets)
    found: list[str] = []
    seen: set[str] = set()
    for game in np.random.default_rng(SEED).permutation(len(store)).tolist():
        if lengths[game] < 3 or not state_at(store, game, int(lengths[game])).is_terminal:
            continue
        state = state_at(store, game, int(lengths[game]) - 3)
        if state.fen in seen or store.returns[game][state.to_play] <= 0:
            continue
        seen.add(state.fen)
        if solutions(state, 1):
            continue
        keys = solutions(state, 2)
        if keys:
            found.append(f"{state.fen};{' '.join(state.uci(action) for action in keys)}")
        if len(found) == COUNT:
            break
    return found


def main() -> None:
    """Write the files of the variants named."""
    for name in sys.argv[1:] or VARIANTS:
        lines = mates(name)
        text = HEAD.format(game=name) + "".join(f"{line}\n" for line in lines)
        (DATA / f"{name}_mate_in_two.txt").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}: {len(lines)} positions\n")


if __name__ == "__main__":
    main()
