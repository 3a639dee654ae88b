"""Scene of a Pommerman state, seen from above or by one of its players."""

from dataclasses import dataclass
from typing import Any

PASSAGE, RIGID, WOOD, FOG, EXTRA_BOMB, RANGE, KICK = 0, 1, 2, 5, 6, 7, 8
"""Codes of ``state.board`` that say what a cell is made of, and of what observations hide."""

Cell = tuple[int, int]
"""Row from the top and column from the left."""


@dataclass(frozen=True)
class Bomb:
    """A bomb that is seen."""

    life: int
    """Steps until it goes off."""
    strength: int
    """It reaches ``strength - 1`` cells far."""
    direction: int
    """Where it rolls: 1 up, 2 down, 3 left, 4 right; 0 for one that rests."""


@dataclass(frozen=True)
class Figure:
    """A player, and what is known of them."""

    cell: Cell | None
    """None for the dead, and for those in the fog."""
    alive: bool
    won: bool
    means: tuple[int, int, bool] | None
    """Ammunition, blast strength, and whether they kick bombs; None if the viewer cannot know."""
    words: tuple[int, int] | None
    """Their last words; None without a radio, and if the viewer does not hear them."""


@dataclass(frozen=True)
class Scene:
    """A board and its players."""

    size: int
    cells: tuple[tuple[int, ...], ...]
    """Ground of each cell, by row, without what stands or burns on passages."""
    bombs: dict[Cell, Bomb]
    flames: dict[Cell, int]
    """Remaining life: 2 for new ones down to 0."""
    figures: tuple[Figure, ...]
    paired: bool
    """Whether 0 and 2 play against 1 and 3."""
    step: int
    ending: str | None
    """Why the game is over; None while it goes on."""
    viewer: int | None
    """Who looks; None sees everything."""


def scene_of(state: Any, player: int | None = None) -> Scene:
    """Return the scene of a Pommerman state.

    Args:
        state: The state.
        player: Who looks. They do not see cells farther than ``state.view`` from where they
            stand or died, nor what the others carry, and hear their team mate alone.
    """
    seen = _Sight(state, player)
    cells = tuple(
        tuple(
            _ground(int(code)) if (row, column) in seen else FOG for column, code in enumerate(line)
        )
        for row, line in enumerate(state.board)
    )
    bombs = {
        (row, column): Bomb(life, strength, direction)
        for _, row, column, life, strength, direction in state.bombs
        if (row, column) in seen
    }
    flames: dict[Cell, int] = {}
    for row, column, life in state.flames:
        if (row, column) in seen:
            # Several may burn on a cell; the last to die is the one that counts.
            flames[row, column] = max(life, flames.get((row, column), 0))
    return Scene(
        size=state.size,
        cells=cells,
        bombs=bombs,
        flames=flames,
        figures=tuple(_figure(state, number, seen) for number in range(state.num_players)),
        paired=_is_paired(state),
        step=state.ply,
        ending=None if state.outcome is None else state.outcome.reason,
        viewer=player,
    )


class _Sight:
    """Cells that a player sees: ``cell in sight``."""

    def __init__(self, state: Any, player: int | None) -> None:
        self.player = player
        self._far: int = state.size if player is None or state.view is None else state.view
        self._cell: Cell = (0, 0) if player is None else state.agents[player][:2]

    def __contains__(self, cell: Cell) -> bool:
        away = max(abs(cell[0] - self._cell[0]), abs(cell[1] - self._cell[1]))
        return away <= self._far


def _ground(code: int) -> int:
    return code if code in (RIGID, WOOD, EXTRA_BOMB, RANGE, KICK) else PASSAGE


def _is_paired(state: Any) -> bool:
    return str(state.game).startswith("pommerman-team")


def _figure(state: Any, number: int, seen: _Sight) -> Figure:
    row, column, ammo, strength, kicks, alive = state.agents[number]
    known = seen.player is None or seen.player == number
    heard = known or (number - (seen.player or 0)) % 4 == 2
    return Figure(
        cell=(row, column) if alive and (row, column) in seen else None,
        alive=alive,
        won=bool(state.is_terminal and state.returns[number] > 0),
        means=(ammo, strength, kicks) if known else None,
        words=tuple(state.words[number]) if heard and state.game.endswith("-radio") else None,
    )
