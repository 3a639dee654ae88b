"""Starts of stored games as text: the same grammar as the native core reads.

``""`` is the usual start, ``seed:N`` the one that a seed draws, anything else a position as the
game writes it: a FEN, the columns played, JSON. ``moves`` and moves may follow, which fill the
planes of the last moves and are no rows (``docs/definitions/data.md#starts``).
"""

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phasezoo.checking import type_name
from phasezoo.data.columns import Start
from phasezoo.errors import CorruptRecord, PhasezooError, StoreError, UnknownGame, about
from phasezoo.games import Game

if TYPE_CHECKING:
    from phasezoo.data.positions import PositionTable
    from phasezoo.data.store import GameStore


SEED = "seed:"
MOVES = "moves "


def start_state(game: Game, start: Start) -> Any:
    """Return the state that a stored game starts from.

    Args:
        game: The game.
        start: What a store holds of it; bytes are unpickled, so whoever calls must trust them.
    """
    with about(f"start position {str(start)[:100]!r}", PhasezooError, CorruptRecord):
        state = _unpickled(start) if isinstance(start, bytes) else _read(game, start)
    if not isinstance(state, game.state_type):
        message = f"start position: {type_name(state)} is no state of {game.name!r}"
        raise CorruptRecord(message)
    return state


def start_text(game: Game, state: Any) -> str | None:
    """Return how a state is written as a start; None if it cannot be.

    States of a user's own game can be written if they are the initial one.
    """
    text = _written(game, state)
    if text is None or not game.native:
        return text
    return text if start_state(game, text) == state else None


def pickled(game: Game, state: Any, *, allowed: bool) -> bytes:
    """Return a state as bytes."""
    if not allowed:
        message = (
            f"{type_name(state)} that is not the initial state of {game.name!r} cannot be "
            "written as text; give start='seed:N' if a seed draws it, or let it be pickled by "
            "StoreWriter(…, pickle_starts=True), which only who trusts the file can read"
        )
        raise StoreError(message)
    try:
        return pickle.dumps(state)
    except Exception as error:  # a user's own code
        message = f"a start of {game.name!r} cannot be pickled ({error})"
        raise StoreError(message) from error


def playable_states(store: "GameStore", rows: "PositionTable") -> Iterator[tuple[int, Any]]:
    """Yield the place of each position in ``rows`` with its state, if the game is not over there.

    Games may go on after a draw that nobody claims.
    """
    for place, (game, ply) in enumerate(zip(rows.game, rows.ply, strict=True)):
        state = store.records.states(int(game))[ply]
        if not state.is_terminal:
            yield place, state


def evenly_by_ply(store: "GameStore", count: int, seed: int) -> Sequence[Any]:
    """Different states in which a move is played, as many of each ply as of any other.

    Plies with too few of them give what they have.
    """
    rows = store.positions()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    _, first = np.unique(rows.key[order], return_index=True)
    different = rng.permutation(order[first])
    # The n-th state of its ply, for every ply, comes before the next of any.
    plies = rows.ply[different]
    by_ply = np.argsort(plies, kind="stable")
    begins = np.searchsorted(plies[by_ply], plies[by_ply])
    turn = np.empty(len(different), dtype=np.int64)
    turn[by_ply] = np.arange(len(different)) - begins
    chosen = different[np.argsort(turn, kind="stable")][:count]
    return [state for _, state in playable_states(store, rows.select(chosen))]


def _unpickled(start: bytes) -> Any:
    try:
        return pickle.loads(start)
    except Exception as error:  # damaged bytes raise anything
        message = f"cannot be unpickled ({type(error).__name__}: {error})"
        raise CorruptRecord(message) from error


def _read(game: Game, text: str) -> Any:
    before, moves = _parts(text)
    if before.startswith(SEED):
        number = before.removeprefix(SEED)
        if not number.isdecimal():
            message = f"expected a whole number after {SEED!r}"
            raise CorruptRecord(message)
        state = game.initial_state(seed=int(number))
    elif not before:
        state = game.initial_state()
    else:
        state = _position(game, before)
    if not moves:
        return state
    if game.parse_columns is not None:
        return game.from_columns(state.columns + "".join(moves))
    return game.from_fen(state.fen, moves)


def _parts(text: str) -> tuple[str, list[str]]:
    """Return the position, and the moves that lead from it to the start."""
    if text.startswith(MOVES):
        return "", text.removeprefix(MOVES).split()
    before, _, moves = text.partition(f" {MOVES}")
    return before.strip(), moves.split()


def _position(game: Game, text: str) -> Any:
    try:
        return game.from_text(text)
    except UnknownGame as error:
        message = f"{game.name!r} has no positions as text: use '' or {SEED + 'N'!r}"
        raise CorruptRecord(message) from error


def _written(game: Game, state: Any) -> str | None:
    if game.parse_position is not None:
        usual = game.initial_state()
        fen = state.start_fen
        before = "" if fen in (None, usual.start_fen) else fen
        return f"{before} {MOVES}{' '.join(state.moves)}".strip() if state.moves else before
    if game.parse_columns is None and _alike(state, game.initial_state()):
        return ""
    return game.text_of(state)


def _alike(state: Any, other: Any) -> bool:
    """Return whether two states are one, by ``==`` or by what they pickle to."""
    try:
        if state == other:
            return True
    except Exception:
        pass
    try:
        return pickle.dumps(state) == pickle.dumps(other)
    except Exception:  # a user's own code
        return False
