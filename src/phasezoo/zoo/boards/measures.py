"""Measures of a position on the board, by which phases of chess are defined."""

from phasezoo import _core

_PIECES = frozenset("NBRQ")


def measures(state: _core.BoardState) -> dict[str, float]:
    """Pieces, pieces on the back rank of either side, and mixedness of a position.

    Pieces are knights, bishops, rooks and queens of both sides; on a back rank every piece of its
    owner counts, the king too (Lichess' definition of phases, ``docs/definitions/gates.md``).
    """
    placement = state.fen.split(" ", 1)[0].split("[", 1)[0].replace("~", "")
    ranks = placement.split("/")
    return {
        "pieces": float(sum(letter.upper() in _PIECES for letter in placement)),
        "White's back rank": float(sum(letter.isupper() for letter in ranks[7])),
        "Black's back rank": float(sum(letter.islower() for letter in ranks[0])),
        "mixedness": float(_core.chess_mixedness(state)),
    }
