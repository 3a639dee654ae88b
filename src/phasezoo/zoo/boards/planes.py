"""Texts of the input planes of the board games (``docs/definitions/planes.md``); their groups."""

import re
from collections.abc import Sequence

PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")
SIDES = ("own", "their")
VARIANTS = (
    "chess", "crazyhouse", "king of the hill", "three-check", "antichess", "atomic", "horde",
    "racing kings",
)  # fmt: skip

Names = tuple[str, ...]


def _of_both(*kinds: str) -> Names:
    """Return the names for the viewer, then those for the opponent."""
    return tuple(f"{side} {kind}" for side in SIDES for kind in kinds)


PLACES = _of_both(*PIECES)
STOOD = ("stood once before", "stood twice before")
ANY_EN_PASSANT = ("en passant, after any double step",)
EN_PASSANT = ("en passant, if a capture is legal",)
CASTLING = _of_both("right to castle short", "right to castle long")
HANDS = _of_both(*(f"{piece} in hand / 32" for piece in PIECES[:5]))
PROMOTED = _of_both("promoted pieces")
COLOUR = ("the viewer is White",)
NUMBER = ("number of the full move / 500",)
LAST_MOVES = tuple(
    f"{'last move' if back == 0 else f'move {back + 1} back'}, {end}"
    for back in range(8)
    for end in ("from", "to")
)
ALL = ("all own pieces", "all their pieces", "light squares")


def _clock(plies: int) -> Names:
    return (f"plies since a capture or pawn move / {plies}",)


def _counts(kinds: Names) -> Names:
    """Differences, the two planes between them, and own counts."""
    less = tuple(f"number of own {kind} less theirs / 8" for kind in kinds)
    own = tuple(f"number of own {kind} / 8" for kind in kinds)
    return (*less, "bishops of opposite colours", "pieces that give check", *own)


def _v2(clock: int) -> Names:
    return (
        *PLACES, *STOOD, *EN_PASSANT, *CASTLING, *_clock(clock), *LAST_MOVES, "chess960", *ALL,
        *_counts(PIECES[:5]),
    )  # fmt: skip


SHARED = {"shared": (*PLACES, *HANDS)}


def _lc0(castling: Names, mover: str, clock: str = "", turned: str = "") -> Names:
    """Return the names for a form of lc0's planes (``docs/definitions/lc0.md``)."""
    ago = ["now", *(f"{turned} {back}" if turned else f"{back} back" for back in range(1, 8))]
    ending = ", turned" if turned else ""
    places = tuple(f"{kind}, {back}{ending}" for back in ago for kind in (*PLACES, STOOD[0]))
    clocks = (f"plies since a capture or pawn move{clock}", "zero", "one")
    turn = ("how the board is turned",) if turned else ()
    return (*places, *castling, mover, *clocks, *turn)


LC0_RIGHTS = _of_both("right to castle long", "right to castle short")
LC0_ROOKS = (
    "rooks that may castle long", "rooks that may castle short", "zero, first", "zero, second",
)  # fmt: skip
LC0_COLOUR = "the viewer is Black"
LC0_FILE = "file of a pawn that may be taken in passing, turned"

LC0_PLANES = {
    "lc0": _lc0(LC0_RIGHTS, LC0_COLOUR),
    "lc0-castling": _lc0(LC0_ROOKS, LC0_COLOUR),
    "lc0-canonical": _lc0(LC0_ROOKS, LC0_FILE, turned="recurring"),
    "lc0-canonical-hectoplies": _lc0(LC0_ROOKS, LC0_FILE, " / 100", "recurring"),
    "lc0-canonical-v2": _lc0(LC0_ROOKS, LC0_FILE, " / 100", "repeated"),
}
"""Names of the planes of lc0's networks."""

CHESS_PLANES = {
    "v1": (
        *PLACES, *STOOD, *ANY_EN_PASSANT, *COLOUR, *NUMBER, *CASTLING, *_clock(50), "chess960",
        *LAST_MOVES,
    ),
    "v2": _v2(50),
    "minimal": PLACES,
    **SHARED,
}  # fmt: skip
"""Names of the planes of the endgames, and of chess and the endgames, by the choice of planes."""

ATOMIC_PLANES = CHESS_PLANES | {
    "lichess": (
        *PLACES, *STOOD, *HANDS, *PROMOTED, *EN_PASSANT, "zero, once the viewer's colour",
        "zero, once the number of the move", *CASTLING, *_clock(50),
        *(f"remaining checks, zero here ({number} of 4)" for number in range(1, 5)), "chess960",
        *(f"the variant is {name}" for name in VARIANTS), *LAST_MOVES, *ALL, *_counts(PIECES),
    )
}  # fmt: skip
"""The same of atomic chess."""

CRAZYHOUSE_PLANES = {
    "v1": (
        *PLACES, *STOOD, *HANDS, *PROMOTED, *ANY_EN_PASSANT, *COLOUR, *NUMBER, *CASTLING,
        *_clock(40),
    ),
    "v2": (*_v2(40), *HANDS, *PROMOTED),
    "minimal": SHARED["shared"],
    **SHARED,
}  # fmt: skip
"""The same of crazyhouse."""

VIEWER, HISTORY, MASKS = "colour", "last moves", "piece masks"
"""Groups of planes whose share studies ask for."""

NEW = (MASKS, "checkerboard", "material difference", "opposite bishops", "pieces giving check",
       "material")  # fmt: skip
"""Groups that planes ``v2`` add to ``v1``."""

_GROUPS = {
    "own pieces": r"own \w+",
    "their pieces": r"their \w+",
    "repetitions": r"stood .* before",
    "pockets": r".* in hand .*",
    "promoted pieces": r".* promoted pieces",
    "en passant": r"en passant, .*",
    VIEWER: r"the viewer is White",
    "move number": r"number of the full move .*",
    "castling": r".* right to castle .*",
    "clock": r"plies since .*",
    "chess960": r"chess960",
    HISTORY: r"(last move|move \d back), .*",
    MASKS: r"all \w+ pieces",
    "checkerboard": r"light squares",
    "material difference": r"number of own \w+ less theirs .*",
    "opposite bishops": r"bishops of opposite colours",
    "pieces giving check": r"pieces that give check",
    "material": r"number of own \w+ / 8",
}
"""Names of planes (:meth:`phasezoo.games.Game.names_of_planes`) by group."""


def groups_of_planes(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the planes of each group by their names, every plane in one of them."""
    found: dict[str, list[int]] = {}
    for plane, name in enumerate(names):
        group = next(group for group, form in _GROUPS.items() if re.fullmatch(form, name))
        found.setdefault(group, []).append(plane)
    return found
