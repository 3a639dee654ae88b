"""Plays a game through, so that only games that can be played are kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import CorruptRecord, IllegalAction, InvalidConfig
from phasezoo.games import Game, acting_players, legal_actions_of
from phasezoo.training.game_entry import GameEntry, columns_of
from phasezoo.training.game_records import records_of
from phasezoo.training.state_records import Unplayable, played

__all__ = ["replayed", "returns_of"]


def replayed(game: Game, entry: GameEntry, width: int, start: Any) -> GameEntry:
    """A game that can be played as it says, with its returns.

    Args:
        game: The game.
        entry: A game of it.
        width: Actions of a ply.
        start: The state that it starts from; None: the usual one.

    Raises:
        CorruptRecord: It cannot be played, somebody else won it, or a search visited an action that
            is not legal.
        InvalidConfig: It is not over, and says nothing of its returns.
    """
    state = last = game.initial_state() if start is None else start
    actions = entry.actions.tolist()
    visited = entry.visits is not None
    for ply in range(len(actions) // width):
        if visited:
            _check_visits(entry, state, ply, width)
        if game.native and state.is_terminal:
            return _played_on(game, entry, width, ply)
        last = state
        state = _next(game, state, actions[ply * width : (ply + 1) * width], ply)
    if entry.returns is None:
        if not state.is_terminal:
            message = (
                f"returns: the game is not over after its {len(actions) // width} plies, so it "
                "does not say who won; give returns, such as zeros for a game that was cut"
            )
            raise InvalidConfig(message)
        return replace(entry, returns=returns_of(last, state))
    if state.is_terminal and ((entry.returns > 0) != (np.asarray(state.returns) > 0)).any():
        message = (
            f"returns {entry.returns.tolist()}: the game is over after its last ply, with "
            f"{np.asarray(state.returns).tolist()}"
        )
        raise CorruptRecord(message)
    return entry


def _played_on(game: Game, entry: GameEntry, width: int, ply: int) -> GameEntry:
    """A game that went on after its end by the rules, as chess players do who claim no draw.

    Raises:
        CorruptRecord: Nobody can go on there.
        InvalidConfig: It says nothing of its returns.
    """
    if entry.returns is None:
        message = f"returns: the game goes on after its end by the rules at ply {ply}; give returns"
        raise InvalidConfig(message)
    records_of(game, columns_of(game, width, [entry])).states(0)
    return entry


def returns_of(last: Any, end: Any) -> npt.NDArray[np.float32]:
    """What each player is said to have got from a game, to be learnt.

    If nobody won, those for whom the game was over before keep what they got, and the others drew
    (``docs/definitions/data.md#pommermans-episodes``).

    Args:
        last: The state before the last ply.
        end: The state after it.
    """
    returns = np.array(end.returns, dtype=np.float32)
    settled = getattr(last, "settled", None)
    if settled is None or (returns > 0).any():
        return returns
    return np.array([settled(player) or 0.0 for player in range(len(returns))], dtype=np.float32)


def _next(game: Game, state: Any, joint: list[int], ply: int) -> Any:
    try:
        if game.native and len(joint) == 1:  # the core checks by itself
            return state.play(joint[0])
        return played(state, joint)
    except (IllegalAction, Unplayable) as error:
        message = f"ply {ply}: {error}"
        raise CorruptRecord(message) from error


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
