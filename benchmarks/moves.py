"""Legal moves of positions of random games, in the core, one thread.

A thesis on atomic chess (Adolfsson et al., Chalmers, 2025, section 5.3) gives 44.5 M positions a
second on one core for the legal moves of random positions, and 250 to 360 M nodes a second of
perft on 16 threads. What was counted we take from the latter: at 16 to 22 M nodes a second and
thread, and some thirty moves a position, it is the positions that the moves lead to, not those
that they are listed for. Both are measured here.
"""

from benchmarks.common import Row, counted, native

CLAIM = "a thesis (Chalmers, 2025) claims, on its machine"
CLAIMED = 44_519_649
FIGURES = {
    "lists": "positions whose legal moves were listed",
    "moves": "legal moves listed, each a position that can be reached",
    "reached": "positions reached by listing and playing the legal moves",
    "actions": "positions whose actions were listed in order, ends looked for",
}


def rows() -> list[Row]:
    """Return the rows of the core's ``benches/moves.rs``, in chess and in atomic chess."""
    found = []
    for game, figure, *rates in native("moves"):
        name = f"{game}, random positions, one thread: {FIGURES[figure]}"
        peer = {"peer": CLAIM, "theirs": CLAIMED} if figure == "moves" else {}
        aim = "≥ 44.5 M" if figure == "moves" else ""
        found.append(counted(name, "/s", aim, rates, **peer))
    return found
