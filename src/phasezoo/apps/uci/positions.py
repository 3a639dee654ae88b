"""Positions as user interfaces tell them, as states of a game."""

from typing import Any

from phasezoo import games
from phasezoo.apps.uci.commands import Place
from phasezoo.apps.uci.options import STARTS
from phasezoo.errors import PhasezooError

__all__ = ["state_at", "unclaimed"]

CLAIMED = ("threefold_repetition", "fifty_moves")
"""Draws that a player may leave unclaimed: other programs play on, so that we have to."""

_CLOCK = 4
"""The field of a FEN that counts plies without progress."""


def state_at(place: Place, game: games.Game) -> Any:
    """The state of ``game`` at a position.

    Raises:
        PhasezooError: It is no position of the game, or a move is not legal.
    """
    start = place.fen or STARTS.get(game.name)
    try:
        if start is not None:
            return game.from_fen(start, place.moves)
        if not place.moves:
            return game.initial_state()
    except PhasezooError:
        pass  # a game that goes on after a draw, or a mistake: move by move tells
    state = game.initial_state() if start is None else game.from_fen(start)
    for move in place.moves:
        state = unclaimed(state, game)
        state = state.play(state.parse_uci(move))
    return state


def unclaimed(state: Any, game: games.Game) -> Any:
    """``state``, or if it is drawn by a rule that nobody has called upon, one that goes on.

    That one knows nothing of what was before, and has no count of plies without progress.
    """
    if not state.is_terminal or state.outcome.reason not in CLAIMED:
        return state
    fields = state.fen.split()
    fields[_CLOCK] = "0"
    return game.from_fen(" ".join(fields))
