"""Exact play of chess endings of up to four pieces, by retrograde analysis.

A table holds the plies to mate of every placement, as an array with an axis a piece, so that a step
back from all positions of a distance is an operation on whole arrays. Captures and promotions lead
to the tables of smaller endings. Repetitions, the fifty-move rule and castling are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig

Bools: TypeAlias = npt.NDArray[np.bool_]
Plies: TypeAlias = npt.NDArray[np.int8]

DRAW, ILLEGAL = -1, -2
"""Entries of a table that are no plies to mate."""

MOST_PIECES = 4
"""Pieces of the largest ending: an array of them has 64^4 entries for each side to move."""

_NEVER = 127
_ORDER = "kqrbnp"
_WORTH = {"k": 0, "q": 9, "r": 5, "b": 3, "n": 3, "p": 1}
_STRAIGHT, _SLANTED = ((0, 1), (1, 0), (0, -1), (-1, 0)), ((1, 1), (1, -1), (-1, -1), (-1, 1))
_LEAPS = tuple((f, r) for f in (-2, -1, 1, 2) for r in (-2, -1, 1, 2) if abs(f) != abs(r))
_ALL = _STRAIGHT + _SLANTED
_DIRECTIONS = {"k": _ALL, "q": _ALL, "r": _STRAIGHT, "b": _SLANTED, "n": _LEAPS}
_PROMOTED = "qrbn"


@dataclass(frozen=True)
class EndgameTable:
    """Plies to mate in every position of an ending."""

    pieces: str
    """The pieces in the order of the axes, as in a FEN: upper case is White's."""
    plies: Plies
    """``int8[2, 64, …, 64]``: by side to move (0: White) and the pieces' squares (a1: 0, b1: 1).
    Even: the side to move is mated in so many plies, 0 if it is mated; odd: it mates; :data:`DRAW`,
    or :data:`ILLEGAL`."""

    def count(self, side: int) -> dict[str, int]:
        """Return how many positions are won, drawn and lost for the side to move.

        Two pieces of one kind are told apart, so that each position counts twice then.
        """
        plies = self.plies[side]
        is_won = (plies >= 0) & (plies % 2 == 1)
        won, drawn = int(is_won.sum()), int((plies == DRAW).sum())
        return {"won": won, "drawn": drawn, "lost": int((plies >= 0).sum()) - won}

    def longest(self, side: int) -> int:
        """Return the moves of the longest win of the side to move; 0 if it wins nowhere."""
        plies = self.plies[side]
        return (int(np.max(plies, where=plies % 2 == 1, initial=-1)) + 1) // 2

    def fen(self, side: int, squares: tuple[int, ...]) -> str:
        """Return a position as FEN."""
        letters = dict(zip(squares, self.pieces, strict=True))
        rows = (
            "".join(letters.get(8 * rank + file, "1") for file in range(8))
            for rank in reversed(range(8))
        )
        board = re.sub("1+", lambda ones: str(len(ones[0])), "/".join(rows))
        return f"{board} {'wb'[side]} - - 0 1"

    def random_wins(self, count: int, seed: int) -> list[str]:
        """Return FENs of positions that White wins, each as likely as the others, none twice.

        Args:
            count: Number of positions, White to move; fewer if there are fewer.
            seed: Seed of the draw.
        """
        plies = self.plies[0].ravel()
        won = np.flatnonzero((plies >= 0) & (plies % 2 == 1))
        shape = self.plies.shape[1:]
        for axis, (first, second) in enumerate(pairwise(self.pieces)):
            if first == second:  # the table has a position once for each order of the two
                squares = np.unravel_index(won, shape)
                won = won[squares[axis] < squares[axis + 1]]
        chosen = np.random.default_rng(seed).permutation(len(won))[:count]
        return [self.fen(0, tuple(map(int, np.unravel_index(won[n], shape)))) for n in chosen]


def ending_of(name: str) -> str:
    """Return the pieces of an ending, White's in upper case, in the order of a table's axes."""
    found = re.fullmatch(r"k([qrbnp]*)k([qrbnp]*)", name.lower())
    if found is None or len(name) > MOST_PIECES:
        message = (
            f"ending {name!r}: expected the pieces of both sides, each with its king, up to "
            f"{MOST_PIECES} together, such as krk, kqk, kpk, kbnk or kqkr"
        )
        raise InvalidConfig(message)
    if all("p" in side for side in found.groups()):
        message = f"ending {name!r}: pawns of both sides can take en passant, which is not solved"
        raise InvalidConfig(message)
    return _sorted("K" + found[1].upper() + "k" + found[2])


def _sorted(pieces: str) -> str:
    """Return pieces in the order of axes: White's king, Black's, then the others of each."""
    return "".join(
        sorted(pieces, key=lambda p: (p.lower() != "k", p.islower(), _ORDER.index(p.lower())))
    )


@cache
def solve(pieces: str) -> EndgameTable:
    """Return the table of an ending, made on first use, with those of all that it can become."""
    plies = _Retrograde(pieces).solved()
    plies.flags.writeable = False  # the next caller gets the same
    return EndgameTable(pieces, plies)


def _between() -> dict[str, list[tuple[int, int, tuple[int, ...]]]]:
    """By kind of piece: squares that it attacks, from where, and the squares between."""
    found: dict[str, list[tuple[int, int, tuple[int, ...]]]] = {}
    for role, directions in _DIRECTIONS.items():
        rays = (ray for step in directions for ray in _rays(role, step))
        found[role] = [
            (ray[0], ray[n], tuple(ray[1:n])) for ray in rays for n in range(1, len(ray))
        ]
    for pawn, ahead in (("P", 1), ("p", -1)):
        found[pawn] = [
            (8 * rank + file, 8 * (rank + ahead) + to, ())
            for rank in range(1, 7)
            for file in range(8)
            for to in (file - 1, file + 1)
            if 0 <= to < 8
        ]
    return found


def _rays(role: str, step: tuple[int, int]) -> Iterator[list[int]]:
    """Yield from every square the squares that a piece comes to by one step, or by several."""
    most = 1 if role in "kn" else 7
    for square in range(64):
        file, rank = square % 8, square // 8
        ray = [square]
        for _ in range(most):
            file, rank = file + step[0], rank + step[1]
            if not (0 <= file < 8 and 0 <= rank < 8):
                break
            ray.append(8 * rank + file)
        yield ray


_ATTACKS = _between()
_FLIPPED = np.arange(64) ^ 56
"""Squares as the other side sees them."""


class _Retrograde:
    """The analysis of one ending."""

    def __init__(self, pieces: str) -> None:
        self.pieces = pieces
        self.shape = (64,) * len(pieces)
        self.axes = [
            [n for n, p in enumerate(pieces) if p.isupper() == is_white]
            for is_white in (True, False)
        ]
        """Axes of each side's pieces."""

    def solved(self) -> Plies:
        """Return the plies to mate, layer by layer from the mates."""
        checks = [self._in_check(side) for side in (0, 1)]
        placed = self._placed()
        self.legal = [placed & ~checks[1 - side] for side in (0, 1)]
        exits = [self._exits(side) for side in (0, 1)]
        moves = [self._into(self.legal[1 - s], s) | (exits[s][1] >= 0) for s in (0, 1)]
        plies = np.full((2, *self.shape), ILLEGAL, dtype=np.int8)
        won, new = [np.zeros(self.shape, np.bool_) for _ in (0, 1)], list[Any]([None, None])
        for side in (0, 1):
            plies[side][self.legal[side]] = DRAW
            new[side] = self.legal[side] & checks[side] & ~moves[side]
            plies[side][new[side]] = 0
        last = max(int(np.max(e, where=e < _NEVER, initial=0)) for pair in exits for e in pair)
        ply, idle = 0, 0
        while idle < 2 or ply <= last:
            ply += 1
            below, new = new, [np.zeros(self.shape, np.bool_)] * 2
            for side in (0, 1):
                found = self._layer(ply, side, exits[side], below[1 - side], won[1 - side])
                if found is None:
                    continue
                found &= plies[side] == DRAW
                if ply % 2 == 0:
                    found &= moves[side]  # others are stalemates
                new[side] = found
                plies[side][found] = ply
                won[side] |= found if ply % 2 else False
            idle = 0 if any(found.any() for found in new) else idle + 1
        return plies

    def _layer(
        self, ply: int, side: int, exits: tuple[Plies, Plies], below: Bools, theirs: Bools
    ) -> Bools | None:
        """Return what is decided at a ply, as far as it was not before; None: nothing is.

        Args:
            ply: Plies to mate; odd ones are wins of who moves.
            side: Who moves.
            exits: The side's captures and promotions.
            below: What was decided for the other side one ply below.
            theirs: What is won for the other side in fewer plies.
        """
        best, held = exits
        if ply % 2:
            at_once: Bools = best == ply
            return at_once | self._into(below, side) if below.any() else at_once
        if not below.any() and not (held == ply - 1).any():
            return None
        escapes = self._into(self.legal[1 - side] & ~theirs, side)
        lost: Bools = held < ply
        return self.legal[side] & ~escapes & lost

    def _placed(self) -> Bools:
        """Return where all pieces have a square of their own, and pawns one of theirs."""
        found = np.ones(self.shape, np.bool_)
        same = np.arange(64)
        for pair in combinations(range(len(self.pieces)), 2):
            np.moveaxis(found, pair, (0, 1))[same, same] = False
        for axis, piece in enumerate(self.pieces):
            if piece in "Pp":
                np.moveaxis(found, axis, 0)[[*range(8), *range(56, 64)]] = False
        return found

    def _in_check(self, side: int) -> Bools:
        """Return where a side's king is attacked."""
        found = np.zeros(self.shape, np.bool_)
        king = self.axes[side][0]
        for axis in self.axes[1 - side]:
            view = np.moveaxis(found, (axis, king), (0, 1))
            for start, target, between in _ATTACKS[_kind(self.pieces[axis])]:
                view[start, target] |= self._open(between, len(self.shape) - 2)
        return found

    @staticmethod
    @cache
    def _open(between: tuple[int, ...], axes: int) -> Bools:
        """Return the squares of so many pieces of which none stands on one of these."""
        free = np.ones(64, np.bool_)
        free[list(between)] = False
        found = np.ones((64,) * axes, np.bool_)
        for axis in range(axes):
            found &= free.reshape(-1, *[1] * (axes - 1 - axis))
        return found

    def _into(self, targets: Bools, side: int) -> Bools:
        """Return where a side has a move that takes nothing and comes to one of the targets."""
        found = np.zeros(self.shape, np.bool_)
        for axis in self.axes[side]:
            at = np.ascontiguousarray(np.moveaxis(targets, axis, 0))
            origins = np.zeros_like(at)
            piece = self.pieces[axis]
            if piece in "Pp":
                self._pushes(at, origins, 8 if piece == "P" else -8)
            else:
                for step in _DIRECTIONS[piece.lower()]:
                    self._along(at, origins, piece.lower(), step)
            found |= np.moveaxis(origins, 0, axis)
        return found

    def _along(self, at: Bools, origins: Bools, role: str, step: tuple[int, int]) -> None:
        """Add the origins of a piece's moves in one direction, the nearest to the edge first."""
        slides = role not in "kn"
        reached: dict[int, Bools] = {}
        for ray in sorted(_rays(role, step), key=len):
            if len(ray) < 2:
                continue
            start, target = ray[:2]
            found = at[target]
            if slides and target in reached:
                found = found | (reached[target] & self._free[target])
            reached[start] = found
            origins[start] |= found

    def _pushes(self, at: Bools, origins: Bools, ahead: int) -> None:
        """Add the origins of a pawn's moves straight on that do not promote."""
        for start in range(8, 56):
            if 8 <= start + ahead < 56:
                origins[start] |= at[start + ahead]
            if start // 8 == (1 if ahead > 0 else 6):
                origins[start] |= at[start + 2 * ahead] & self._free[start + ahead]

    @cached_property
    def _free(self) -> list[Bools]:
        """By square: where none of the pieces but one stands on it."""
        return [self._open((square,), len(self.shape) - 1) for square in range(64)]

    def _exits(self, side: int) -> tuple[Plies, Plies]:
        """Return what a side's captures and promotions come to.

        Returns:
            Plies of the shortest mate after one of them, :data:`_NEVER` without; and the plies in
            which the other side mates after all of them, :data:`_NEVER` if one of them holds, −1
            if there is none.
        """
        best, held = np.full(self.shape, _NEVER, np.int8), np.full(self.shape, -1, np.int8)
        for axis in self.axes[side]:
            piece = self.pieces[axis]
            role, is_pawn = _kind(piece), piece in "Pp"
            for taken in self.axes[1 - side][1:]:
                left = [n for n in range(len(self.pieces)) if n != taken]
                views = [np.moveaxis(each, (axis, taken), (0, 1)) for each in (best, held)]
                after = {p: self._after(left, axis, p, side) for p in _became(piece)}
                for start, target, between in _ATTACKS[role]:
                    promotes = is_pawn and not 8 <= target < 56
                    for name in _promoted(piece) if promotes else (piece,):
                        way = self._open(between, len(self.shape) - 2)
                        _note(views, (start, target), after[name][target], way)
            if is_pawn:
                views = [np.moveaxis(each, axis, 0) for each in (best, held)]
                ahead, last = (8, 6) if piece == "P" else (-8, 1)
                for name in _promoted(piece):
                    came = self._after(list(range(len(self.pieces))), axis, name, side)
                    for start in range(8 * last, 8 * last + 8):
                        _note(views, (start,), came[start + ahead], np.True_)
        return best, held

    def _after(self, left: list[int], axis: int, becomes: str, side: int) -> Plies:
        """Return the plies of a smaller ending, the other side to move, the mover's axis first."""
        names = [becomes if n == axis else self.pieces[n] for n in left]
        first = left.index(axis)
        order = [first, *(n for n in range(len(left)) if n != first)]
        plies = _oriented("".join(names))[1 - side]
        return np.moveaxis(plies, order, range(len(order)))


def _kind(piece: str) -> str:
    """Return the key of a piece's attacks, which differ by colour for pawns alone."""
    return piece if piece in "Pp" else piece.lower()


def _promoted(pawn: str) -> str:
    return _PROMOTED.upper() if pawn.isupper() else _PROMOTED


def _became(piece: str) -> str:
    """Return all that a piece can be after a capture."""
    return piece + (_promoted(piece) if piece in "Pp" else "")


def _note(views: list[Plies], place: tuple[int, ...], after: Plies, way: Any) -> None:
    """Take the positions after a capture or a promotion into what it comes to."""
    best, held = (view[place] for view in views)
    is_legal, is_lost = way & (after != ILLEGAL), (after >= 0) & (after % 2 == 0)
    mates = np.where(is_legal & is_lost, after + 1, _NEVER)
    np.minimum(best, mates, out=best, casting="unsafe")
    holds = np.where(is_lost | (after == DRAW), _NEVER, after)
    np.maximum(held, np.where(is_legal, holds, -1), out=held, casting="unsafe")


@cache
def _oriented(pieces: str) -> Plies:
    """Return the plies of an ending with its axes in this order, whoever is the stronger."""
    if sum(_WORTH[p.lower()] * (1 if p.isupper() else -1) for p in pieces) < 0:
        swapped = _oriented(pieces.swapcase())[::-1]
        for axis in range(1, len(pieces) + 1):
            swapped = np.take(swapped, _FLIPPED, axis)
        return swapped
    ordered = _sorted(pieces)
    places, free = [], list(range(len(pieces)))
    for piece in pieces:
        place = next(n for n in free if ordered[n] == piece)
        free.remove(place)
        places.append(place)
    return np.moveaxis(solve(ordered).plies, [1 + n for n in places], range(1, len(pieces) + 1))
