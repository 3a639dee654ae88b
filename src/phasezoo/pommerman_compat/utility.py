"""Questions about boards that agents for the original ask, and new boards.

A ``board`` is the observation's, a ``position`` is (row, column). Positions must be on the board.
"""

import json
import random
from collections.abc import Collection, Iterable
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig
from phasezoo.pommerman_compat.constants import Action, InvalidAction, Item

__all__ = [
    "PommermanJSONEncoder",
    "agent_value",
    "get_direction",
    "get_next_position",
    "inaccessible_passages",
    "is_valid_direction",
    "make_board",
    "make_items",
    "make_np_float",
    "position_in_items",
    "position_is_agent",
    "position_is_bomb",
    "position_is_enemy",
    "position_is_flames",
    "position_is_fog",
    "position_is_passable",
    "position_is_passage",
    "position_is_powerup",
    "position_is_rigid",
    "position_is_wall",
    "position_is_wood",
    "position_on_board",
]

Position = tuple[int, int]

_MOVES = {
    Action.Stop: (0, 0),
    Action.Up: (-1, 0),
    Action.Down: (1, 0),
    Action.Left: (0, -1),
    Action.Right: (0, 1),
}
_WALLS = (Item.Rigid, Item.Wood)
_POWER_UPS = (Item.ExtraBomb, Item.IncrRange, Item.Kick)
_AGENTS = (Item.Agent0, Item.Agent1, Item.Agent2, Item.Agent3)


# --- directions ---


def get_next_position(position: Position, direction: Action | int) -> Position:
    """The cell that a direction, a member of :class:`Action` or its value, leads to."""
    try:
        rows, columns = _MOVES[Action(direction)]
    except (KeyError, ValueError):
        message = f"{direction!r} is no direction: allowed are Stop, Up, Down, Left, Right (0 to 4)"
        raise InvalidAction(message) from None
    return position[0] + rows, position[1] + columns


def get_direction(position: Position, next_position: Position) -> Action:
    """The direction that leads from one cell towards another in the same row or column."""
    rows, columns = next_position[0] - position[0], next_position[1] - position[1]
    if (rows == 0) == (columns == 0):
        message = f"no direction leads from {position} to {next_position}: give neighbouring cells"
        raise InvalidAction(message)
    if rows:
        return Action.Down if rows > 0 else Action.Up
    return Action.Right if columns > 0 else Action.Left


def is_valid_direction(
    board: npt.NDArray[Any],
    position: Position,
    direction: Action | int,
    invalid_values: Collection[int] | None = None,
) -> bool:
    """Whether a direction leads to a cell of the board that shows none of some codes.

    Args:
        board: The board.
        position: Where one stands; staying there is always valid.
        direction: A member of :class:`Action`, or its value.
        invalid_values: Codes of cells; None: those of walls.
    """
    to = get_next_position(position, direction)
    if to == tuple(position):
        return True
    forbidden = [item.value for item in _WALLS] if invalid_values is None else invalid_values
    return position_on_board(board, to) and board[to] not in forbidden


def position_on_board(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether there is such a cell."""
    return all(0 <= at < size for at, size in zip(position, np.shape(board), strict=True))


# --- what a cell shows ---


def position_in_items(board: npt.NDArray[Any], position: Position, items: Iterable[Item]) -> bool:
    """Whether the cell shows one of some items."""
    return any(board[tuple(position)] == item.value for item in items)


def position_is_passage(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether nothing is on the cell."""
    return position_in_items(board, position, (Item.Passage,))


def position_is_rigid(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether the cell is a wall that no bomb breaks."""
    return position_in_items(board, position, (Item.Rigid,))


def position_is_wood(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether the cell is a wall that bombs break."""
    return position_in_items(board, position, (Item.Wood,))


def position_is_wall(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether the cell is a wall of either kind."""
    return position_in_items(board, position, _WALLS)


def position_is_flames(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether the cell burns."""
    return position_in_items(board, position, (Item.Flames,))


def position_is_fog(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether the cell is too far to be seen."""
    return position_in_items(board, position, (Item.Fog,))


def position_is_powerup(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether a power-up lies on the cell."""
    return position_in_items(board, position, _POWER_UPS)


def position_is_agent(board: npt.NDArray[Any], position: Position) -> bool:
    """Whether an agent, of either side, stands on the cell."""
    return position_in_items(board, position, _AGENTS)


def position_is_enemy(board: npt.NDArray[Any], position: Position, enemies: Iterable[Item]) -> bool:
    """Whether one of the enemies, as observations list them, stands on the cell."""
    return position_in_items(board, position, enemies)


def position_is_passable(
    board: npt.NDArray[Any], position: Position, enemies: Iterable[Item]
) -> bool:
    """Whether the cell shows a passage, a power-up or an agent that is no enemy."""
    shown = position_in_items(board, position, (Item.Passage, *_POWER_UPS, *_AGENTS))
    return shown and not position_is_enemy(board, position, enemies)


def position_is_bomb(bombs: Iterable[Any], position: Position) -> bool:
    """Whether one of some bombs, objects with a ``position``, lies on the cell.

    Boards do not tell: an agent on a bomb hides it.
    """
    return any(tuple(bomb.position) == tuple(position) for bomb in bombs)


# --- numbers ---


def agent_value(id_: int) -> int:
    """The code of a player on boards."""
    return Item[f"Agent{id_}"].value


def make_np_float(feature: Any) -> npt.NDArray[np.float32]:
    """``float32``: a number or list of numbers as an array."""
    return np.asarray(feature, dtype=np.float32)


class PommermanJSONEncoder(json.JSONEncoder):
    """Writes what observations and recordings hold: arrays, members of enums, figures."""

    def default(self, o: Any) -> Any:
        """Return a value of JSON in place of ``o``."""
        if isinstance(o, np.ndarray):
            return o.tolist()
        if isinstance(o, np.generic):
            return o.item()
        if isinstance(o, Enum):
            return o.value
        if hasattr(o, "to_json"):
            return o.to_json()
        return super().default(o)


# --- new boards ---

_TRIES = 1000


def make_board(
    size: int,
    num_rigid: int = 0,
    num_wood: int = 0,
    num_agents: int = 4,
    draws: random.Random | None = None,
) -> npt.NDArray[np.uint8]:
    """A board as games begin on: symmetric, players in the corners, nearly all of it connected.

    Args:
        size: Cells a side.
        num_rigid: Walls that no bomb breaks; an even number, as the two sides are alike.
        num_wood: Walls that bombs break.
        num_agents: 2 or 4.
        draws: Where random numbers come from; None for Python's global :mod:`random`.
    """
    generator = random if draws is None else draws
    for _ in range(_TRIES):
        board = _walled(size, num_rigid, num_wood, num_agents, generator)
        if len(inaccessible_passages(board, [(size - 2, size - 2)])) <= 4:
            return board
    message = (
        f"make_board({size}, {num_rigid}, {num_wood}): {_TRIES} boards were drawn, and on each "
        "more than four passages were cut off; ask for fewer rigid walls"
    )
    raise InvalidConfig(message)


def _walled(
    size: int, num_rigid: int, num_wood: int, num_agents: int, generator: Any
) -> npt.NDArray[np.uint8]:
    board = np.zeros((size, size), dtype=np.uint8)
    last = size - 2
    places = [(1, 1), (last, 1), (last, last), (1, last)]
    if num_agents == 2:
        places = [places[0], places[2]]
    kept = set(places)
    for i in (2, 3):
        kept |= {(1, i), (i, 1), (last, last + 1 - i), (last + 1 - i, last)}
        if num_agents == 4:
            kept |= {(1, last + 1 - i), (last + 1 - i, 1), (i, last), (last, i)}
    for player, place in enumerate(places):
        board[place] = agent_value(player)
    free = {(r, c) for r in range(size) for c in range(r) if (r, c) not in kept}
    if num_agents == 4:
        for i in range(4, size - 4):
            beside = [(1, i), (last + 1 - i, 1), (last, last + 1 - i), (last + 1 - i, last)]
            for place in beside[: max(num_wood, 0)]:
                board[place] = Item.Wood.value
            num_wood -= len(beside)
            free -= {(max(place), min(place)) for place in beside}
    for wall, count in ((Item.Rigid, num_rigid), (Item.Wood, num_wood)):
        pairs = max(count, 0) // 2
        if pairs > len(free):
            message = f"a board of {size} cells a side has no room for {count} walls more"
            raise InvalidConfig(message)
        for row, column in generator.sample(sorted(free), pairs):
            board[row, column] = board[column, row] = wall.value
            free.discard((row, column))
    return board


def make_items(
    board: npt.NDArray[Any], num_items: int, draws: random.Random | None = None
) -> dict[tuple[int, int], int]:
    """Power-ups of any kind under walls of wood, by cell.

    Args:
        board: The board.
        num_items: How many.
        draws: Where random numbers come from; None for Python's global :mod:`random`.
    """
    generator = random if draws is None else draws
    wood = [(int(row), int(column)) for row, column in np.argwhere(board == Item.Wood.value)]
    if num_items > len(wood):
        message = f"{num_items} power-ups for {len(wood)} walls of wood: ask for fewer"
        raise InvalidConfig(message)
    hidden = generator.sample(wood, num_items)
    return {place: generator.choice(_POWER_UPS).value for place in hidden}


def inaccessible_passages(
    board: npt.NDArray[Any], agent_positions: Iterable[Position]
) -> list[Position]:
    """Passages that nobody reaches from some cells, even by breaking wood."""
    seen = {(int(row), int(column)) for row, column in agent_positions}
    queue = list(seen)
    while queue:
        here = queue.pop()
        for direction in (Action.Up, Action.Down, Action.Left, Action.Right):
            to = get_next_position(here, direction)
            if to in seen or not position_on_board(board, to) or position_is_rigid(board, to):
                continue
            seen.add(to)
            queue.append(to)
    passages = np.argwhere(board == Item.Passage.value)
    return [(int(r), int(c)) for r, c in passages if (int(r), int(c)) not in seen]
