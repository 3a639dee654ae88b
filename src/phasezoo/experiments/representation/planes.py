"""What the input planes show, group by group (``docs/definitions/planes.md``)."""

from collections.abc import Mapping

__all__ = ["COLOUR", "HISTORY", "MASKS", "groups", "new_groups"]

COLOUR, HISTORY, MASKS = "colour", "last moves", "piece masks"
"""Groups that the paper says something about."""

_PIECES = {"own pieces": range(6), "their pieces": range(6, 12), "repetitions": range(12, 14)}

_V1 = {
    **_PIECES,
    "en passant": range(14, 15),
    COLOUR: range(15, 16),
    "move number": range(16, 17),
    "castling": range(17, 21),
    "clock": range(21, 22),
    "chess960": range(22, 23),
    HISTORY: range(23, 39),
}

_V2 = {
    **_PIECES,
    "en passant": range(14, 15),
    "castling": range(15, 19),
    "clock": range(19, 20),
    HISTORY: range(20, 36),
    "chess960": range(36, 37),
    MASKS: range(37, 39),
    "checkerboard": range(39, 40),
    "material difference": range(40, 45),
    "opposite bishops": range(45, 46),
    "pieces giving check": range(46, 47),
    "material": range(47, 52),
}

_NEW = (MASKS, "checkerboard", "material difference", "opposite bishops", "pieces giving check",
        "material")  # fmt: skip

_CRAZYHOUSE = {
    "v1": {
        **_PIECES,
        "pockets": range(14, 24),
        "promoted pieces": range(24, 26),
        "en passant": range(26, 27),
        COLOUR: range(27, 28),
        "move number": range(28, 29),
        "castling": range(29, 33),
        "clock": range(33, 34),
    },
    "v2": {**_V2, "pockets": range(52, 62), "promoted pieces": range(62, 64)},
}


def groups(game: str, spec: str) -> Mapping[str, range]:
    """The planes of each group, every plane in one of them.

    Args:
        game: chess, atomic or crazyhouse.
        spec: ``v1`` or ``v2``.
    """
    if game == "crazyhouse":
        return _CRAZYHOUSE[spec]
    return {"v1": _V1, "v2": _V2}[spec]


def new_groups(spec: str) -> tuple[str, ...]:
    """The groups that the paper adds; none in ``v1``."""
    return _NEW if spec == "v2" else ()
