"""Openings that end at the first position of a phase in games that were played."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import games, gating
from phasezoo.arena.opening_files import Opening, parse_openings, text_of
from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig
from phasezoo.games import queries
from phasezoo.gating.callables import phase_number


def first_at(
    played: Any, game: games.Game, gate: Any, phase: str | int, count: int | None = None
) -> list[Opening]:
    """Return the openings; see :meth:`phasezoo.arena.OpeningSuite.at_phase`."""
    found_gate = gating.make(gate, game.name)
    wanted = phase_number(found_gate.names, phase, found_gate.spec)
    openings: dict[Any, Opening] = {}
    for number, opening in enumerate(_openings(played, game)):
        states = list(_states(opening, game))
        phases = found_gate.batch(states, [max(0, state.to_play) for state in states])
        if getattr(found_gate, "monotone", False):
            phases = np.maximum.accumulate(phases)
        if wanted not in phases:
            continue
        ply = int(np.argmax(phases == wanted))
        if states[ply].is_terminal:
            continue
        key = getattr(states[ply], "key", None) or (number,)
        openings.setdefault(key, Opening(opening.start, opening.moves[:ply]))
        if count is not None and len(openings) >= count:
            break
    if not openings:
        message = f"no game gets to {found_gate.names[wanted]!r} and goes on"
        raise InvalidConfig(message)
    return list(openings.values())


def _states(opening: Opening, game: games.Game) -> Iterator[Any]:
    """Yield the states of a game up to where it is over, such as by a draw that nobody claimed."""
    state = game.initial_state() if opening.start is None else game.from_fen(opening.start)
    yield state
    for move in opening.moves:
        if state.is_terminal:
            return
        state = state.play(queries.action_of(state, move))
        yield state


def _openings(played: Any, game: games.Game) -> Iterator[Opening]:
    """Yield all moves of each game."""
    if isinstance(played, str | Path):
        yield from parse_openings(text_of(played, "games in PGN"), game)
    elif hasattr(played, "records") and hasattr(played, "offsets"):
        yield from _in_store(played)
    else:
        records = getattr(played, "games", played)
        if not isinstance(records, Iterable):
            message = f"{type_name(played)} holds no games: give a match, a store or a file"
            raise InvalidConfig(message)
        for record in records:
            if record.start:
                message = (
                    f"game {record.number} starts from {record.start!r}, which is no opening: give "
                    "games that start from a position or from the game's own start"
                )
                raise InvalidConfig(message)
            yield Opening(record.start_fen, (*record.opening_moves, *record.moves))


def _in_store(store: Any) -> Iterator[Opening]:
    """Yield the games of a :class:`phasezoo.training.GameStore`."""
    for number in range(len(store)):
        states = store.records.states(number)
        actions = store.actions[store.offsets[number] : store.offsets[number + 1]].tolist()
        first = states[0]
        before = tuple(getattr(first, "moves", ()))
        moves = (
            queries.move_text(state, action) for state, action in zip(states, actions, strict=False)
        )
        yield Opening(getattr(first, "start_fen", None), (*before, *moves))
