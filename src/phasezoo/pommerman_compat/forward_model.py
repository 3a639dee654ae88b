"""``ForwardModel``: one step of the rules on boards, figures, bombs, flames and power-ups.

The native core plays the step. As in the original, the board, the figures and the dictionary of
power-ups that are given are changed, so that whoever plans ahead copies them first; bombs and
flames come back as new objects.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from phasezoo import _core
from phasezoo.errors import IllegalAction, InvalidConfig
from phasezoo.pommerman_compat.characters import Bomb, Flame, figure_of
from phasezoo.pommerman_compat.constants import AGENT_VIEW_SIZE, Action, GameType, Result
from phasezoo.pommerman_compat.figures import bring
from phasezoo.resolver import game_named

__all__ = ["MODES", "TEAMS", "ForwardModel", "Parts", "parts_of", "state_of_parts"]

MODES = {
    GameType.FFA: "ffa",
    GameType.Team: "team",
    GameType.TeamRadio: "radio",
    GameType.OneVsOne: "1v1",
}
"""The native core's names."""

TEAMS = (GameType.Team, GameType.TeamRadio)


class Parts(NamedTuple):
    """Things on the board besides figures."""

    bombs: list[Bomb]
    flames: list[Flame]
    items: dict[tuple[int, int], int]


def state_of_parts(
    board: Any,
    agents: Sequence[Any],
    bombs: Sequence[Bomb],
    items: dict[tuple[int, int], int],
    flames: Sequence[Flame],
    *,
    mode: str | None = None,
    fog: bool = False,
    collapse: bool = False,
    max_blast: int = 10,
) -> _core.PommermanState:
    """A state of the native core.

    Args:
        board: Codes of cells.
        agents: In order of their numbers, or their figures.
        bombs: In order of age.
        items: Hidden power-ups by cell.
        flames: In order of age.
        mode: The core's mode; None for everyone for themselves.
        fog: Whether players see four cells far.
        collapse: Whether the board shrinks from step 500 on.
        max_blast: The most that power-ups make of a blast.
    """
    figures = [figure_of(agent) for agent in agents]
    values = {
        "board_size": len(board),
        "step_count": 0,
        "board": np.asarray(board).astype(int).tolist(),
        "agents": [
            {
                "agent_id": player,
                "is_alive": bool(figure.is_alive),
                "position": [int(at) for at in figure.position],
                "ammo": int(figure.ammo),
                "blast_strength": int(figure.blast_strength),
                "can_kick": bool(figure.can_kick),
            }
            for player, figure in enumerate(figures)
        ],
        "bombs": [Bomb.to_json(bomb) for bomb in bombs],
        "flames": [Flame.to_json(flame) for flame in flames],
        "items": [
            [[int(at) for at in place], int(getattr(item, "value", item))]
            for place, item in items.items()
        ],
    }
    known = mode or ("1v1" if len(figures) == 2 else "ffa")
    return _core.pommerman_from_json(json.dumps(values), known, fog, collapse, max_blast)


def parts_of(state: _core.PommermanState, agents: Sequence[Any]) -> Parts:
    """The bombs, flames and hidden power-ups of a state.

    Args:
        state: Where they lie.
        agents: In order of their numbers; bombs name their figures.
    """
    bombs = [
        Bomb(
            figure_of(agents[owner]), (row, column), life, strength,
            Action(direction) if direction else None,
        )
        for owner, row, column, life, strength, direction in state.bombs
    ]  # fmt: skip
    flames = [Flame((row, column), life) for row, column, life in state.flames]
    hidden = state.items
    items = {
        (int(row), int(column)): int(hidden[row, column]) for row, column in np.argwhere(hidden)
    }
    return Parts(bombs, flames, items)


class ForwardModel:
    """The rules, as functions; the class holds nothing."""

    @staticmethod
    def step(
        actions: Sequence[Any],
        curr_board: Any,
        curr_agents: Sequence[Any],
        curr_bombs: Sequence[Bomb],
        curr_items: dict[tuple[int, int], int],
        curr_flames: Sequence[Flame],
        max_blast_strength: int = 10,
    ) -> tuple[Any, Sequence[Any], list[Bomb], dict[tuple[int, int], int], list[Flame]]:
        """One step.

        Args:
            actions: One for each player; of [action, word, word] the action counts.
            curr_board: Codes of cells; changed in place.
            curr_agents: Agents or figures, in order of their numbers; changed in place.
            curr_bombs: In order of age.
            curr_items: Hidden power-ups by cell; changed in place.
            curr_flames: In order of age.
            max_blast_strength: The most that power-ups make of a blast.

        Returns:
            Board, agents, bombs, power-ups and flames after it.
        """
        moves = [_move(action) for action in actions]
        state = state_of_parts(
            curr_board, curr_agents, curr_bombs, curr_items, curr_flames,
            max_blast=max_blast_strength,
        )  # fmt: skip
        after = _core.pommerman_forward(state, moves)
        curr_board[...] = after.board
        for agent, figure in zip(curr_agents, after.agents, strict=True):
            bring(figure_of(agent), figure)
        bombs, flames, items = parts_of(after, curr_agents)
        curr_items.clear()
        curr_items.update(items)
        return curr_board, curr_agents, bombs, curr_items, flames

    @staticmethod
    def get_observations(
        curr_board: Any,
        agents: Sequence[Any],
        bombs: Sequence[Bomb],
        flames: Sequence[Flame],
        is_partially_observable: bool,
        agent_view_size: int | None,
        game_type: GameType,
        game_env: str,
    ) -> list[dict[str, Any]]:
        """Return the observation of each player."""
        if is_partially_observable and agent_view_size != AGENT_VIEW_SIZE:
            message = f"agent_view_size={agent_view_size!r}: in fog one sees {AGENT_VIEW_SIZE}"
            raise InvalidConfig(message)
        state = state_of_parts(
            curr_board, agents, bombs, {}, flames,
            mode=MODES[game_type], fog=is_partially_observable,
        )  # fmt: skip
        shown = game_named(state.game).observation_dict
        observations = [shown(state, player) for player in range(len(agents))]
        for observation in observations:
            for key in ("step_count", "message"):  # which the environment adds
                observation.pop(key, None)
            observation["game_env"] = game_env
        return observations

    @staticmethod
    def get_done(
        agents: Sequence[Any],
        step_count: int,
        max_steps: int,
        game_type: GameType,
        training_agent: int | None,
    ) -> bool:
        """Whether the game is over.

        Args:
            agents: Agents or figures, in order of their numbers.
            step_count: Steps so far.
            max_steps: The most there are.
            game_type: Who plays against whom.
            training_agent: Whose death ends a game for oneself; None for nobody's.
        """
        living = _living(agents)
        if step_count >= max_steps or len(living) <= 1:
            return True
        if game_type in TEAMS:
            return living in ({0, 2}, {1, 3})
        return training_agent is not None and training_agent not in living

    @staticmethod
    def get_rewards(
        agents: Sequence[Any], game_type: GameType, step_count: int, max_steps: int
    ) -> list[int]:
        """Return each player's reward after a step."""
        living, count, late = _living(agents), len(agents), step_count >= max_steps
        if game_type in TEAMS:
            sides = {player % 2 for player in living}
            if len(sides) == 1:
                return [1 if player % 2 in sides else -1 for player in range(count)]
            return [-1 if late or not living else 0] * count
        if len(living) == 1:
            return [1 if player in living else -1 for player in range(count)]
        if late:
            return [-1] * count
        if game_type is GameType.OneVsOne:
            return [0] * count
        return [0 if player in living else -1 for player in range(count)]

    @staticmethod
    def get_info(
        done: bool, rewards: Sequence[int], game_type: GameType, agents: Sequence[Any]
    ) -> dict[str, Any]:
        """Return how the game stands: ``result``, and ``winners`` if a player has won."""
        if not done:
            return {"result": Result.Incomplete}
        winners = [player for player, reward in enumerate(rewards) if reward == 1]
        return {"result": Result.Win, "winners": winners} if winners else {"result": Result.Tie}


def _living(agents: Sequence[Any]) -> set[int]:
    return {player for player, agent in enumerate(agents) if figure_of(agent).is_alive}


def _move(action: Any) -> int:
    """The movement of an action, which may be a member of ``Action`` or have words after it."""
    if isinstance(action, list | tuple | np.ndarray) and np.ndim(action) == 1 and len(action):
        action = action[0]
    try:
        return int(Action(getattr(action, "value", action)).value)
    except (TypeError, ValueError):
        message = f"{repr(action)[:80]} is no action: allowed are whole numbers from 0 to 5"
        raise IllegalAction(message) from None
