"""King and rook against king: chess from few pieces, with a table of perfect play."""

import operator
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.errors import InvalidConfig
from phasezoo.games.base import fen_info
from phasezoo.games.options import flag
from phasezoo.games.symmetries import SYMMETRIES, turned_square
from phasezoo.specs import check_value
from phasezoo.types import Info
from phasezoo.zoo.boards.game import BOARD_PLANES, BOUNDS, CHESS, variant
from phasezoo.zoo.boards.planes import CHESS_PLANES

STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The eight directions N NE E SE S SW W NW: files to the right, ranks upwards."""

DISTANCES = 7
"""Distances of one direction in the indices of board games."""


def krk_symmetries(compact: bool) -> npt.NDArray[np.int64]:
    """Return the image of every action under each of the eight symmetries of the board.

    Returns:
        ``int64[8, A]``: action ``a`` becomes ``[symmetry, a]``, on the board as the mover sees it,
        turned as :mod:`phasezoo.games.symmetries` says. Actions that no piece of this game has stay
        what they are.
    """
    directions = np.array(
        [[_direction(d, symmetry) for d in range(8)] for symmetry in range(SYMMETRIES)]
    )
    return _of_compact(directions) if compact else _of_board(directions)


def _of_compact(directions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    rook = directions[:, ::2, None] // 2 * DISTANCES + np.arange(DISTANCES)
    return np.concatenate([directions, 8 + rook.reshape(SYMMETRIES, -1)], axis=1)


def _of_board(directions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    actions = np.tile(np.arange(CHESS.num_actions), (SYMMETRIES, 1))
    squares = np.arange(64).reshape(8, 8)
    for symmetry in range(SYMMETRIES):
        place = np.empty(64, dtype=np.int64)
        place[turned_square(squares, symmetry).ravel()] = np.arange(64)
        plane = directions[symmetry][:, None] * DISTANCES + np.arange(DISTANCES)
        moved = plane.reshape(-1, 1) * 64 + place
        actions[symmetry, : moved.size] = moved.ravel()
    return actions


def _direction(direction: int, symmetry: int) -> int:
    across, along = STEPS[direction]
    across = -across if symmetry & 1 else across
    along = -along if symmetry & 2 else along
    return STEPS.index((along, across) if symmetry & 4 else (across, along))


MAX_ROLLOUT_PLIES = 100
"""Plies after which a rollout counts as no mate (Kohne 2012)."""

Start: TypeAlias = Literal["fixed", "uniform", "dtm", "train", "heldout", "heldout-region"]
"""Where games start."""

LONGER_THAN_ANY_MATE = 1000
"""More than the moves to any mate."""

_TOO_LARGE = 1 << 31
"""For the core's integers; smaller numbers it refuses itself."""


def _initial(
    seed: int | None = None,
    start: str | None = None,
    dtm: Sequence[int] | None = None,
    both_move: bool = False,
) -> _core.BoardState:
    start = check_value("start", Start | None, start)
    both_move = flag("both_move", both_move)
    return _core.board_initial("krk", seed, start=start, dtm=range_of(dtm), both_move=both_move)


def range_of(dtm: Sequence[int] | None) -> tuple[int, int] | None:
    """A range of moves to mate as a pair."""
    if dtm is None:
        return None
    try:
        low, high = (operator.index(moves) for moves in dtm if not isinstance(moves, bool))
    except (TypeError, ValueError):
        low = high = _TOO_LARGE
    if max(abs(low), abs(high)) >= _TOO_LARGE:
        message = f"dtm={dtm!r}: expected (low, high), moves to mate from 1 to 16"
        raise InvalidConfig(message)
    return low, high


def _draws_start(options: Mapping[str, Any]) -> bool:
    return bool(options.get("start", "fixed") != "fixed")


def _state_info(state: Any) -> Info:
    # A game drawn by the clock or by repetition has no mate to come, whatever the table says.
    drawn = state.outcome is not None and state.outcome.winner is None
    return fen_info(state) | {"dtm": None if drawn else _number(state.dtm)}


def _move_info(state: Any, action: int | None) -> Info:
    difference = None if action is None else state.dtm_difference(action)
    return {"dtm_difference": _number(difference)}


def _solve(state: Any) -> npt.NDArray[np.float64]:
    """The table's moves to mate after each action as scores; draws are 0."""
    distances = state.action_dtm.astype(np.float64)
    rook_moves = any(
        piece in state.fen.split()[0] for piece in ("R" if state.to_play == 0 else "r")
    )
    scores = np.where(np.isinf(distances), 0.0, LONGER_THAN_ANY_MATE - distances)
    return scores if rook_moves else -scores


def _number(moves: int | None) -> float | None:
    # Gymnasium's vector environments gather infos in arrays of the first value's type: None becomes
    # nan among floats, and an error among ints.
    return None if moves is None else float(moves)


KRK = variant(
    "krk",
    pgn_variant="",
    plane_specs=BOARD_PLANES,
    plane_names=CHESS_PLANES,
    plane_bounds=BOUNDS,
    move_names=None,
    measures=None,
    option_names=("start", "dtm", "both_move"),
    new_state=_initial,
    draws_start=_draws_start,
    match_options={"start": "uniform"},
    solve=_solve,
    max_rollout_plies=MAX_ROLLOUT_PLIES,
    core_solves=True,
    compact_actions=attrgetter("compact_actions"),
    num_compact=36,
    symmetries=krk_symmetries,
    state_info=_state_info,
    move_info=_move_info,
)
"""The endgame: actions and planes of chess; states have ``dtm``, ``action_dtm`` and ``best_actions``.

| option | meaning |
|---|---|
| ``start="fixed"`` | the default: one position, mate in 15 |
| ``start="uniform"`` | any position with White to move, who has the rook |
| ``start="dtm"`` | the same, and ``dtm=`` must be given |
| ``start="train"``, ``"heldout"`` | four fifths and one fifth of all starts, divided by a hash that mirror images share |
| ``start="heldout-region"`` | neither: the lone king on the rim, mate in 8 to 11 |
| ``dtm=(low, high)`` | drawn starts with so many moves to mate, 1 to 16 |
| ``both_move=True`` | drawn starts that no first move ends, by mate or stalemate |
"""  # noqa: E501
