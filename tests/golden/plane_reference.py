"""Planes of the chess family once more, plain and slow: by docs/definitions/planes.md.

A position is read from its FEN alone. python-chess walks the games, and says where en passant is
legal.
"""

from dataclasses import dataclass

import numpy as np

KINDS = "PNBRQK"
ROOK_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_STEPS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
VARIANTS = (
    *("chess", "crazyhouse", "kingofthehill", "3check", "antichess", "atomic", "horde"),
    "racingkings",
)


@dataclass(frozen=True)
class Turn:
    """A position, and what a FEN does not say of it."""

    game: str
    fen: str
    """With the square of every double step."""
    clock: int
    legal_ep: bool
    times_before: int
    last_moves: tuple[str, ...]
    """UCI, the newest first."""


def square_of(name):
    """(rank, file) of a square such as e4."""
    return int(name[1]) - 1, "abcdefgh".index(name[0])


class Position:
    """What a FEN says."""

    def __init__(self, fen):
        placement, side, self.castling, self.ep, _, number = fen.split()
        self.white, self.number = side == "w", int(number)
        placement, _, pocket = placement.partition("[")
        self.pocket = pocket.rstrip("]")
        self.cells, self.promoted = {}, set()
        for row, text in enumerate(placement.split("/")):
            file = 0
            for letter in text:
                if letter.isdigit():
                    file += int(letter)
                elif letter == "~":
                    self.promoted.add((7 - row, file - 1))
                else:
                    self.cells[7 - row, file] = letter
                    file += 1

    def where(self, kind, white):
        letter = kind if white else kind.lower()
        return [at for at, each in self.cells.items() if each == letter]

    def of(self, white):
        return [at for at, each in self.cells.items() if each.isupper() == white]

    def attackers(self, target, white):
        """Where pieces of one side stand that attack a square."""
        found = []
        for at in self.of(white):
            kind, (rank, file) = self.cells[at].upper(), at
            step = (target[0] - rank, target[1] - file)
            if kind == "P":
                hits = step in (((1, 1), (1, -1)) if white else ((-1, 1), (-1, -1)))
            elif kind == "N":
                hits = step in KNIGHT_STEPS
            elif kind == "K":
                hits = max(map(abs, step)) == 1
            else:
                steps = ROOK_STEPS * (kind in "RQ") + BISHOP_STEPS * (kind in "BQ")
                hits = any(self.slides(at, each, target) for each in steps)
            if hits:
                found.append(at)
        return found

    def slides(self, at, step, target):
        rank, file = at[0] + step[0], at[1] + step[1]
        while 0 <= rank < 8 and 0 <= file < 8:
            if (rank, file) == target:
                return True
            if (rank, file) in self.cells:
                return False
            rank, file = rank + step[0], file + step[1]
        return False


class Encoder:
    """The groups of planes that the tables name, for the side to move."""

    def __init__(self, turn):
        self.turn, self.position = turn, Position(turn.fen)
        self.own = self.position.white

    def cells(self, squares):
        plane = np.zeros((8, 8), dtype=np.float32)
        for rank, file in squares:
            plane[rank if self.own else 7 - rank, file] = 1
        return plane

    def full(self, number):
        return np.full((8, 8), number, dtype=np.float32)

    def pieces(self):
        sides = (self.own, not self.own)
        return [self.cells(self.position.where(kind, side)) for side in sides for kind in KINDS]

    def before(self):
        return [self.full(self.turn.times_before >= times) for times in (1, 2)]

    def ep(self, *, legal):
        shown = self.position.ep != "-" and (self.turn.legal_ep or not legal)
        return [self.cells([square_of(self.position.ep)] if shown else [])]

    def castling(self):
        """Own short, own long, theirs; in chess960 rights name the file of the rook."""
        planes = []
        for white in (self.own, not self.own):
            rights = [each for each in self.position.castling if each.isupper() == white]
            king = self.position.where("K", white)
            names = {each.upper() for each in rights}
            files = {"ABCDEFGH".index(each) for each in names if each in "ABCDEFGH"}
            column = king[0][1] if king else 0
            short = "K" in names or any(file > column for file in files)
            planes += [short, "Q" in names or any(file < column for file in files)]
        return [self.full(right) for right in planes]

    def clock(self, scale):
        return [self.full(np.float32(self.turn.clock) / np.float32(scale))]

    def last_moves(self):
        planes = []
        for index in range(8):
            known = self.turn.last_moves[index : index + 1]
            uci = known[0] if known else ""
            drop = "@" in uci
            planes.append(self.cells([square_of(uci[:2])] if uci and not drop else []))
            planes.append(self.cells([square_of(uci[2:4])] if uci else []))
        return planes

    def chess960(self):
        return [self.full(self.turn.game == "chess960")]

    def all_pieces(self):
        return [self.cells(self.position.of(side)) for side in (self.own, not self.own)]

    def checkerboard(self):
        light = [[(rank + file) % 2 for file in range(8)] for rank in range(8)]
        return [np.array(light, dtype=np.float32)]

    def counts(self, kinds, *, less):
        """Own count, or own count less theirs, over 8."""
        count = self.position.where
        return [
            self.full((len(count(k, self.own)) - less * len(count(k, not self.own))) / 8)
            for k in kinds
        ]

    def opposite_bishops(self):
        own, theirs = (self.position.where("B", side) for side in (True, False))
        single = len(own) == len(theirs) == 1
        return [self.full(single and sum(own[0]) % 2 != sum(theirs[0]) % 2)]

    def checkers(self):
        king = self.position.where("K", self.own)
        found = self.position.attackers(king[0], not self.own)
        # In atomic chess kings that touch cannot be taken.
        touching = any(self.position.cells[at] in "kK" for at in found)
        return [self.cells([] if touching else found)]

    def pockets(self):
        sides = (str.upper, str.lower) if self.own else (str.lower, str.upper)
        return [
            self.full(self.position.pocket.count(case(kind)) / 32)
            for case in sides
            for kind in "PNBRQ"
        ]

    def promoted(self):
        return [
            self.cells(self.position.promoted & set(self.position.of(side)))
            for side in (self.own, not self.own)
        ]

    def white_and_number(self):
        return [self.full(self.own), self.full(self.position.number / 500)]

    def nothing(self, count):
        return [self.full(0)] * count


def chess_v2(e, scale):
    return [
        *e.pieces(), *e.before(), *e.ep(legal=True), *e.castling(), *e.clock(scale),
        *e.last_moves(), *e.chess960(), *e.all_pieces(), *e.checkerboard(),
        *e.counts("PNBRQ", less=True), *e.opposite_bishops(), *e.checkers(),
        *e.counts("PNBRQ", less=False),
    ]  # fmt: skip


def chess_v1(e):
    return [
        *e.pieces(), *e.before(), *e.ep(legal=False), *e.white_and_number(), *e.castling(),
        *e.clock(50), *e.chess960(), *e.last_moves(),
    ]  # fmt: skip


def crazyhouse_v1(e):
    return [
        *e.pieces(), *e.before(), *e.pockets(), *e.promoted(), *e.ep(legal=False),
        *e.white_and_number(), *e.castling(), *e.clock(40),
    ]  # fmt: skip


def lichess(e):
    return [
        *e.pieces(), *e.before(), *e.nothing(12), *e.ep(legal=True), *e.nothing(2),
        *e.castling(), *e.clock(50), *e.nothing(4), *e.chess960(),
        *(e.full(name == e.turn.game) for name in VARIANTS), *e.last_moves(), *e.all_pieces(),
        *e.checkerboard(), *e.counts("PNBRQK", less=True), *e.opposite_bishops(), *e.checkers(),
        *e.counts("PNBRQK", less=False),
    ]  # fmt: skip


def planes(turn, spec):
    """``float32[C, 8, 8]`` for the side to move."""
    encoder, house = Encoder(turn), turn.game == "crazyhouse"
    if spec == "lichess":
        found = lichess(encoder)
    elif spec == "minimal":
        found = [*encoder.pieces(), *(encoder.pockets() if house else ())]
    elif spec == "shared":
        found = [*encoder.pieces(), *(encoder.pockets() if house else encoder.nothing(10))]
    elif spec == "v1":
        found = crazyhouse_v1(encoder) if house else chess_v1(encoder)
    else:
        found = chess_v2(encoder, 40 if house else 50)
        found += [*encoder.pockets(), *encoder.promoted()] if house else []
    return np.array(found, dtype=np.float32)
