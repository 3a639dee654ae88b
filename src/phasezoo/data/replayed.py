"""Plays a game through, so that only games that can be played are kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.data.game_entry import GameEntry
from phasezoo.data.state_records import Unplayable, played
from phasezoo.errors import CorruptRecord, IllegalAction, InvalidConfig
from phasezoo.games import Game, acting_players, legal_actions_of


def replayed(game: Game, entry: GameEntry, width: int, start: Any) -> GameEntry:
    """Return a game with its returns, after playing it through.

    Args:
        game: The game.
        entry: A game of it.
        width: Actions of a ply.
        start: The state that it starts from; None: the usual one.
    """
    begun = game.initial_state() if start is None else start
    led = _natively(entry, begun, width) if game.native else _by_states(entry, begun, width)
    if isinstance(led, int):  # as chess players do who claim no draw
        if entry.returns is None:
            message = (
                f"returns: the game goes on after its end by the rules at ply {led}; leave out the "
                "actions from there on, or give returns if they were played all the same"
            )
            raise InvalidConfig(message)
        return entry
    last, end = led
    if entry.returns is None:
        if not end.is_terminal:
            message = (
                f"returns: the game is not over after its {len(entry.actions) // width} plies, so "
                "it does not say who won; give returns, such as zeros for a game that was cut"
            )
            raise InvalidConfig(message)
        return replace(entry, returns=returns_of(last, end))
    if end.is_terminal:
        given, known = entry.returns.tolist(), np.asarray(end.returns).tolist()
        if [value > 0 for value in given] != [value > 0 for value in known]:
            message = f"returns {given}: the game is over after its last ply, with {known}"
            raise CorruptRecord(message)
    return entry


def _natively(entry: GameEntry, begun: Any, width: int) -> tuple[Any, Any] | int:
    """Return the states around the last ply, or the ply from which on it goes on after its end."""
    actions: Any = entry.actions  # the core's games have few enough for two bytes
    visits = None if entry.visits is None else (entry.visits.offsets, entry.visits.actions)
    return _core.play_through(begun, actions, width, visits, entry.returns is not None)


def _by_states(entry: GameEntry, begun: Any, width: int) -> tuple[Any, Any]:
    """Return the states around the last ply of a user's own game."""
    state = last = begun
    actions = entry.actions.tolist()
    for ply in range(len(actions) // width):
        _check_visits(entry, state, ply, width)
        last = state
        try:
            state = played(state, actions[ply * width : (ply + 1) * width])
        except (IllegalAction, Unplayable) as error:
            message = f"ply {ply}: {error}"
            raise CorruptRecord(message) from error
    return last, state


def returns_of(last: Any, end: Any) -> npt.NDArray[np.float32]:
    """Return the returns of a game that training uses, one per player.

    If nobody won, those for whom the game was over before keep what they got, and the others drew
    (``docs/definitions/data.md#pommermans-episodes``).
    """
    returns = np.array(end.returns, dtype=np.float32)
    settled = getattr(last, "settled", None)
    if settled is None or (returns > 0).any():
        return returns
    return np.array([settled(player) or 0.0 for player in range(len(returns))], dtype=np.float32)


def _check_visits(entry: GameEntry, state: Any, ply: int, width: int) -> None:
    if entry.visits is None or state.is_terminal:
        return
    for player in acting_players(state):
        decision = ply if width == 1 else ply * width + player
        low, high = entry.visits.offsets[decision : decision + 2].tolist()
        if low == high:
            continue
        visited = set(entry.visits.actions[low:high].tolist())
        wrong = visited.difference(legal_actions_of(state, player).tolist())
        if wrong:
            message = f"ply {ply}: visits of action {min(wrong)}, which is not legal there"
            raise CorruptRecord(message)
