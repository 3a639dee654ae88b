"""The native SimpleAgent on observations: a state is made up that looks like what is seen."""

import json
import random
from typing import Any

import numpy as np

from phasezoo import _core
from phasezoo.pommerman_compat.constants import GameType, Item

__all__ = ["NativeSimple", "state_of"]

_MODES = {
    GameType.FFA.value: "ffa",
    GameType.Team.value: "team",
    GameType.TeamRadio.value: "radio",
    GameType.OneVsOne.value: "1v1",
}


def state_of(obs: dict[str, Any]) -> tuple[_core.PommermanState, int]:
    """A state in which the player sees what the observation shows, and the player's number.

    What fog hides is free of anything. Who is not seen counts as dead, bombs belong to player 0 and
    flames never end: this is a state to look at, not to play on.
    """
    board = np.asarray(obs["board"])
    fogged = board == Item.Fog.value
    row, column = obs["position"]
    mode = _MODES[obs["game_type"]]
    shown = np.where(fogged, Item.Passage.value, board)
    values = {
        "board": shown.tolist(),
        "agents": [_agent(obs, shown, player) for player in range(2 if mode == "1v1" else 4)],
        "bombs": [
            {
                "position": place,
                "bomber_id": 0,
                "life": int(obs["bomb_life"][*place]),
                "blast_strength": int(obs["bomb_blast_strength"][*place]),
                "moving_direction": None,
            }
            for place in np.argwhere(obs["bomb_blast_strength"]).tolist()
        ],
        "flames": [],
        "items": [],
    }
    state = _core.pommerman_from_json(json.dumps(values), mode, bool(fogged.any()))
    return state, int(board[row, column]) - Item.Agent0.value


def _agent(obs: dict[str, Any], shown: Any, player: int) -> dict[str, Any]:
    places = np.argwhere(shown == Item.Agent0.value + player).tolist()
    return {
        "agent_id": player,
        "is_alive": bool(places),
        "position": places[0] if places else [0, 0],
        # One's own are true, those of others play no part.
        "ammo": int(obs["ammo"]),
        "blast_strength": int(obs["blast_strength"]),
        "can_kick": bool(obs["can_kick"]),
    }


class NativeSimple:
    """The native agent, made when it first acts: until then it can be copied."""

    def __init__(self) -> None:
        self._native: _core.PommermanSimple | None = None

    def act(self, obs: dict[str, Any]) -> int:
        """The action for an observation."""
        if self._native is None:
            self._native = _core.PommermanSimple(random.getrandbits(64))
        return self._native.act(*state_of(obs))
