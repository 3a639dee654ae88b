"""Observations of the original Pommerman: a dict, key for key."""

from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.pommerman_compat.characters import sides
from phasezoo.pommerman_compat.constants import GameType, Item

_GAME_TYPES = {
    "pommerman-ffa": GameType.FFA,
    "pommerman-team": GameType.Team,
    "pommerman-team-radio": GameType.TeamRadio,
    "pommerman-1v1": GameType.OneVsOne,
    "pommerman-1v1-11": GameType.OneVsOne,
}


def game_type_of(state: Any) -> GameType:
    """Who plays against whom in a state's game."""
    if not isinstance(state, _core.PommermanState):
        message = (
            f"{type_name(state)} is no state of Pommerman; make one with "
            'games.make("pommerman-ffa").initial_state(seed=…)'
        )
        raise InvalidState(message)
    return _GAME_TYPES[state.game]


def pommerman_observation(
    state: _core.PommermanState, player: int, *, items: type[Enum] = Item
) -> dict[str, Any]:
    """Return the original's observation of a player, dead or alive; every call makes new arrays.

    | key | value |
    |---|---|
    | ``alive`` | list of 10 + the number of each living player |
    | ``board`` | ``uint8[n, n]``: codes of cells, 5 in fog |
    | ``bomb_blast_strength``, ``bomb_life`` | ``float64[n, n]``, 0 if no bomb is seen |
    | ``bomb_moving_direction`` | ``float64[n, n]``: 1 up, 2 down, 3 left, 4 right, 0 none |
    | ``flame_life`` | ``float64[n, n]``: steps to go, 3 when new, 0 where no flame is seen |
    | ``game_type``, ``game_env`` | int, and the name of the original's class |
    | ``position``, ``blast_strength``, ``can_kick``, ``ammo`` | the player's own |
    | ``teammate``, ``enemies`` | a member of ``items``, and a list of them; the dummy for none |
    | ``step_count`` | steps since the start |
    | ``message`` | with a radio: the two words that the mate said in the last step |

    Args:
        state: A state of any of the games.
        player: Whose view it is: in fog, four cells around where they are or died.
        items: The enum of codes; for agents that import the original package, its
            ``constants.Item``.

    Raises:
        InvalidConfig: There is no such player.
        InvalidState: It is no state of Pommerman.
    """
    game_type = game_type_of(state)
    # The original shows a board that collapses only in the step after.
    state = state.before_collapse
    agents = state.agents
    if not 0 <= player < len(agents):
        message = f"player={player}: {state.game} has players 0 to {len(agents) - 1}"
        raise InvalidConfig(message)
    row, column, ammo, blast, can_kick, _ = agents[player]
    seen = _seen(state, row, column)
    board = state.board
    if seen is not None:
        board[~seen] = Item.Fog.value
    bombs = np.array(state.bombs, dtype=np.int64).reshape(-1, 6)
    flames = np.array(state.flames, dtype=np.int64).reshape(-1, 3)
    laid, burning = bombs[:, 1:3], flames[:, :2]
    mate, enemies = sides(player, game_type)
    observation: dict[str, Any] = {
        "alive": [Item.Agent0.value + each for each, agent in enumerate(agents) if agent[5]],
        "board": board,
        "bomb_blast_strength": _map(board.shape, laid, bombs[:, 4], seen),
        "bomb_life": _map(board.shape, laid, bombs[:, 3], seen),
        "bomb_moving_direction": _map(board.shape, laid, bombs[:, 5], seen),
        # A flame burns once more after its life has come to 0.
        "flame_life": _map(board.shape, burning, flames[:, 2] + 1, seen),
        "game_type": game_type.value,
        "game_env": _env_of(state),
        "position": (row, column),
        "blast_strength": blast,
        "can_kick": can_kick,
        "teammate": items(mate.value),
        "ammo": ammo,
        "enemies": [items(enemy.value) for enemy in enemies],
        "step_count": state.ply,
    }
    if game_type is GameType.TeamRadio:
        observation["message"] = state.words[(player + 2) % len(agents)]
    return observation


def _seen(state: _core.PommermanState, row: int, column: int) -> npt.NDArray[np.bool_] | None:
    """``bool[n, n]``: the cells in view; None: all."""
    if state.view is None:
        return None
    line = np.arange(state.size)
    rows, columns = np.abs(line - row) <= state.view, np.abs(line - column) <= state.view
    return np.logical_and.outer(rows, columns)


def _map(
    shape: Iterable[int],
    places: npt.NDArray[np.int64],
    values: npt.NDArray[np.int64],
    seen: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.float64]:
    """The values at their places if these are seen; of several at a place, the last one."""
    cells = np.zeros(tuple(shape))
    cells[places[:, 0], places[:, 1]] = values
    if seen is not None:
        cells *= seen
    return cells


def _env_of(state: _core.PommermanState) -> str:
    version = "v1" if state.collapse else "v0"
    if state.game == "pommerman-team-radio":
        version = "v2"
    return f"pommerman.envs.{version}:Pomme"
