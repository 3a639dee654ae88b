"""Phases of stored games by gates that look at states in Python."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

CHUNK = 64
"""Games whose states are kept in memory at once while a gate labels them."""


def chunk_phases(
    gate: Any,
    states: Mapping[int, Sequence[Any]],
    game: npt.NDArray[np.int32],
    ply: npt.NDArray[np.int32],
    player: npt.NDArray[np.int8],
    width: int,
) -> npt.NDArray[np.int8]:
    """Return the phases of some rows by a gate that sees one ply of all their games at once.

    A monotone gate is given the phase one ply before in the same game, of the same player if all
    move at once.

    Args:
        gate: Has ``batch``.
        states: The states of the rows' games, by game.
        game: ``int32[P]``, ascending.
        ply: ``int32[P]``.
        player: ``int8[P]``.
        width: Actions of a ply.
    """
    phase = np.empty(len(game), dtype=np.int8)
    if len(game) == 0:
        return phase
    chain = game - game[0] if width == 1 else (game - game[0]) * width + player
    before = np.zeros(int(chain.max()) + 1, dtype=np.int64)
    order = np.argsort(ply, kind="stable")
    bounds = np.flatnonzero(np.diff(ply[order], prepend=-1, append=-1))
    for start, end in pairwise(bounds.tolist()):
        now = order[start:end]
        asked = [states[number][ply[now[0]]] for number in game[now].tolist()]
        players = None if width == 1 else player[now].tolist()
        previous = None if ply[now[0]] == 0 else before[chain[now]]
        before[chain[now]] = gate.batch(asked, players, previous)
        phase[now] = before[chain[now]]
    return phase


def phases_in_chunks(
    gate: Any,
    states_of: Callable[[int], Sequence[Any]],
    game: npt.NDArray[np.int32],
    ply: npt.NDArray[np.int32],
    player: npt.NDArray[np.int8],
    width: int,
) -> npt.NDArray[np.int8]:
    """Return the phases of all rows of a store, some games at a time; see :func:`chunk_phases`.

    Args:
        gate: Has ``batch``.
        states_of: Gives the states of a game.
        game: ``int32[P]``, ascending.
        ply: ``int32[P]``.
        player: ``int8[P]``.
        width: Actions of a ply.
    """
    phase = np.empty(len(game), dtype=np.int8)
    numbers = np.unique(game)
    for first in range(0, len(numbers), CHUNK):
        some = numbers[first : first + CHUNK].tolist()
        states = {number: states_of(number) for number in some}
        rows = slice(*np.searchsorted(game, [some[0], some[-1] + 1]).tolist())
        phase[rows] = chunk_phases(gate, states, game[rows], ply[rows], player[rows], width)
    return phase
