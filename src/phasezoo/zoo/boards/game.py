"""Chess, chess960, atomic chess and crazyhouse: games on the board of 64 squares."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from phasezoo import _core
from phasezoo.errors import InvalidConfig, UnknownGame, needs
from phasezoo.games.action_tables import MoveNames
from phasezoo.games.base import Game, fen_info
from phasezoo.games.bounds import UNLIMITED, wide
from phasezoo.zoo.boards.planes import (
    ATOMIC_PLANES,
    CHESS_PLANES,
    CRAZYHOUSE_PLANES,
    LC0_PLANES,
)

if TYPE_CHECKING:
    import chess


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


SQUARES = 64


def move_names(planes: str, *, drops: bool = False) -> MoveNames:
    """Return the actions in UCI notation, as White's: ``e2e4``, ``e7e8q``, ``e1g1``, ``N@f3``.

    A pawn's step to the last rank means a promotion to a queen: own pawns are plane 0.
    """
    if LC0_PLANES.get(planes, ("",))[-1].startswith("how the board"):
        message = f"planes {planes!r} turn the board, and moves cannot be named on it"
        raise InvalidConfig(message)
    moves = _core.lc0_moves()[0]
    usual, special = _core.lc0_actions()
    names = [moves[move] if move >= 0 else "" for move in usual]
    for action in range(SQUARES * SQUARES, SQUARES * (SQUARES + 3)):
        names[action] += "n" if names[action] else ""
    queens = {a: moves[m] for a, m in enumerate(special) if m >= 0 and len(moves[m]) > 4}
    if drops:
        squares = [f"{'abcdefgh'[square % 8]}{square // 8 + 1}" for square in range(SQUARES)]
        for piece in "PNBRQ":
            names += ["" if piece == "P" and at[1] in "18" else f"{piece}@{at}" for at in squares]
    return MoveNames(tuple(names), {a: (name, a % SQUARES) for a, name in queens.items()})


SHARED_PLANES = {"shared": (22, 8, 8)}
"""Planes that are the same in every game here, so that one network sees them all."""

SHARED_ACTIONS = {"shared": 4992}
"""Actions of networks of those planes: of every game here, which are crazyhouse's; the others' are
the first of them."""

CLOCK = (0.0, 2.0)
"""Fifty moves of both, in units of half of them."""

COUNT = (0.0, 8.0)
"""Pieces of a kind: 64 at most, in units of eight."""

DIFFERENCE = (-8.0, 8.0)
"""Own pieces of a kind less theirs."""

MOVE = (0.0, UNLIMITED)
"""The move number, which a FEN may set."""

POCKET = (0.0, 8.0)
"""Pieces in hand: 255 at most, in units of 32."""

PLIES = (0.0, UNLIMITED)
"""Plies without capture or pawn move, as a FEN may set them too."""

TURN = (0.0, 7.0)
"""Three bits."""

V2 = {19: CLOCK, **wide(range(40, 45), *DIFFERENCE), **wide(range(47, 52), *COUNT)}
SHARED = wide(range(12, 22), *POCKET)
BOUNDS = {"v1": {16: MOVE, 21: CLOCK}, "v2": V2, "minimal": {}, "shared": SHARED}
"""Of planes with other numbers than 0 and 1 (``docs/definitions/planes.md``)."""

LC0_BOUNDS: dict[str, dict[int, tuple[float, float]]] = {
    name: {109: PLIES} | ({112: TURN} if len(names) > 112 else {})
    for name, names in LC0_PLANES.items()
}
LC0_SHAPES = {name: (len(names), 8, 8) for name, names in LC0_PLANES.items()}

BOARD_PLANES = {"v1": (39, 8, 8), "v2": (52, 8, 8), "minimal": (12, 8, 8), **SHARED_PLANES}

CHESS = Game(
    name="chess",
    pgn_variant="",
    num_players=2,
    num_actions=4672,
    plane_specs=BOARD_PLANES | LC0_SHAPES,
    policy_sizes=SHARED_ACTIONS,
    plane_names=CHESS_PLANES | LC0_PLANES,
    plane_bounds=BOUNDS | LC0_BOUNDS,
    default_planes="v2",
    shown_moves={"v1": 8, "v2": 8},
    state_type=_core.BoardState,
    native=True,
    new_state=partial(_core.board_initial, "chess"),
    parse_position=partial(_core.board_from_fen, "chess"),
    encode_states=_core.encode,
    move_names=move_names,
    state_info=fen_info,
    measures=measures,
)
"""Chess by the FIDE rules; :attr:`BoardState.outcome` lists the ends that are played out."""


def variant(name: str, **own: Any) -> Game:
    """Return a game on chess's board with its planes and actions, but for what is its ``own``."""
    new, parse = partial(_core.board_initial, name), partial(_core.board_from_fen, name)
    fields = {"pgn_variant": None, "new_state": new, "parse_position": parse} | own
    return replace(CHESS, name=name, **fields)


CHESS960 = variant("chess960", draws_start=lambda options: True)
"""Chess from one of 960 arrays of the first rank, drawn by a seed; without one the usual array.

Actions and planes are those of chess; castling is the king's move onto its own rook.
"""

ATOMIC = variant(
    "atomic",
    plane_specs=BOARD_PLANES | {"lichess": (80, 8, 8)},
    plane_names=ATOMIC_PLANES,
    plane_bounds=BOUNDS
    | {"lichess": {33: CLOCK} | wide(range(66, 72), *DIFFERENCE) | wide(range(74, 80), *COUNT)},
    shown_moves={**CHESS.shown_moves, "lichess": 8},
    match_openings="balanced",
)
"""Atomic chess by lichess rules: captures explode, and whose king explodes has lost.

Actions and planes are those of chess; ``lichess`` planes suit all variants.
"""

CRAZYHOUSE = variant(
    "crazyhouse",
    num_actions=SHARED_ACTIONS["shared"],
    policy_sizes={},
    plane_specs={"v1": (34, 8, 8), "v2": (64, 8, 8), "minimal": (22, 8, 8), **SHARED_PLANES},
    plane_names=CRAZYHOUSE_PLANES,
    # Nothing ends these games by the clock.
    plane_bounds={
        "v1": wide(range(14, 24), *POCKET) | {28: MOVE, 33: MOVE},
        "v2": V2 | {19: MOVE} | wide(range(52, 62), *POCKET),
        "minimal": SHARED,
        "shared": SHARED,
    },
    shown_moves={"v2": 8},
    move_names=partial(move_names, drops=True),
    match_openings="balanced",
)
"""Crazyhouse: captured pieces change sides, and are dropped instead of moving.

Actions are those of chess, and drops; the planes have pockets.
"""

STARTING_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""Where games without a start of their own begin; crazyhouse's pockets are empty."""


def to_board(state: _core.BoardState) -> "chess.Board":
    """The board of ``state`` with the game's moves on its stack."""
    with needs("board() needs python-chess", "chess"):
        from chess import Board, Move, variant
    kinds: dict[str, Callable[[str], Board]] = {
        "chess": Board,
        "chess960": partial(Board, chess960=True),
        "atomic": variant.AtomicBoard,
        "crazyhouse": variant.CrazyhouseBoard,
        "krk": Board,
    }
    kind = kinds.get(state.game)
    if kind is None:
        message = f"{state.game!r} has no board of python-chess; {', '.join(kinds)} have"
        raise UnknownGame(message)
    board = kind(STARTING_FEN if state.start_fen is None else state.start_fen)
    for move in state.moves:
        board.push(Move.from_uci(move))
    return board
