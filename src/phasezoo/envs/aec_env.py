"""Any game as a PettingZoo AEC environment."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from phasezoo import games
from phasezoo.envs.game_env import GameEnv, PettingZooEnv
from phasezoo.envs.options import PettingZooOptions
from phasezoo.envs.starts import check_game
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import one_of
from phasezoo.games.queries import joint_action
from phasezoo.observation import Turn, info_of, mask_of, observation_of
from phasezoo.types import Info


class AECGameEnv(PettingZooEnv, AECEnv[str, dict[str, Any], int | None]):  # type: ignore[misc]
    """A game whose players act one after the other; ``player_0`` has the first turn.

    Observations are ``{"observation": float32[C, H, W], "action_mask": int8[A]}``, as the asked
    player sees the state; the mask is all zeros for a player who is not to move. Rewards come at
    the end, each player their own. If players move at once, they are asked in turn, each seeing
    the state before any of them has moved.

    Args:
        game: The game or its name.
        options: Those of :class:`phasezoo.envs.options.PettingZooOptions`; observations are
            ``"planes"``, ``"masked"`` (which are the same here) or ``"packed"``.

    Raises:
        InvalidConfig: An option is outside its range, or does not exist.
        InvalidGate: The gate does not fit the game.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        UnknownGame: No game has that name.
    """

    metadata = GameEnv.metadata | {"name": "game_v0", "is_parallelizable": False}

    def __init__(
        self,
        game: "str | games.Game",
        **options: Unpack[PettingZooOptions],
    ) -> None:
        super().__init__()
        given = self._set_up(PettingZooOptions, game, options)
        one_of("observation", given.observation, ("planes", "masked", "packed"))
        self._view = replace(self._view, observation="masked")
        if self.game.action_parts is not None:
            message = (
                f"{self.game.name!r} has actions of {len(self.game.action_parts)} parts: use the "
                "env() of the game's own PettingZoo module in phasezoo.envs"
            )
            raise InvalidConfig(message)
        self._make_spaces()
        self.agent_selection = self.possible_agents[0]
        self._index = {name: player for player, name in enumerate(self.possible_agents)}
        self._chosen: dict[int, int] = {}
        self._illegal: dict[int, bool] = {}
        """Whether each player's last action was illegal."""

    def set_game_state(self, state: Any) -> None:
        """Go on from ``state``; seeds stay, and rewards that were not read of a game that went on.

        Raises:
            InvalidConfig: The state is of another game.
            InvalidState: No game has begun.
        """
        self._now("set_game_state()")
        check_game(self.game, state)
        went_on = not any(self.terminations.values()) and not any(self.truncations.values())
        rewards = dict(self._cumulative_rewards) if went_on else {}
        self._enter(self._runner.turn(state))
        for name, reward in rewards.items():
            self._cumulative_rewards[name] += reward

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: Seeds everything random from here on: the same seed gives the same games.
            options: ``fen`` and ``moves`` (a list of UCI) for a start of one's own.

        Raises:
            InvalidConfig: An option is not known, or the game is over there.
            InvalidFen: The FEN is not a position of the game.
            InvalidUci: A move is not legal where it stands.
        """
        self._enter(self._begin(seed, options))

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the ``observation`` and ``action_mask`` of ``agent``."""
        turn = self._now("observe()")
        player = self._index[agent]
        shown: dict[str, Any] = observation_of(turn, player, self._view, self._mask(turn, player))
        return shown

    def step(self, action: int | None) -> None:
        """Play the action of ``agent_selection``; None for an agent whose game is over.

        Raises:
            IllegalAction: The action is outside the action space; or it is not legal and
                ``illegal="raise"``. The game stands as before.
            InvalidState: No game has begun.
        """
        turn = self._now("step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        player = self._index[agent]
        index = self._runner.index(action)
        illegal = not self._runner.is_legal(turn, player, index)
        if illegal and self._runner.illegal != "terminate":
            index = self._replacement(turn, player, index)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._illegal[player] = illegal
        self._chosen[player] = index
        waiting = [each for each in self._runner.acting(turn) if each not in self._chosen]
        if waiting:
            self.agent_selection = self.possible_agents[waiting[0]]
            self.infos[agent]["illegal_action"] = illegal
            return
        offenders = tuple(each for each in sorted(self._chosen) if self._illegal[each])
        if offenders and self._runner.illegal == "terminate":
            self._show(self._runner.forfeit(turn, offenders))
            return
        chosen = [self._chosen[each] for each in sorted(self._chosen)]
        self._show(self._runner.play(turn, joint_action(turn.state, chosen)))

    def _enter(self, turn: Turn) -> None:
        """Everybody takes part from ``turn`` on."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None
        self._illegal = {}
        self._show(turn)

    def _show(self, turn: Turn) -> None:
        """Make ``turn`` the present one: rewards, flags, infos and whose turn it is."""
        self._present(turn)
        self._chosen = {}
        ending = turn.ending
        if ending is not None:
            for name in self.agents:
                self.rewards[name] = ending.rewards[self._index[name]]
                self.terminations[name] = ending.terminated
                self.truncations[name] = not ending.terminated
        self._accumulate_rewards()
        self.infos = {
            name: self._info(turn, player, illegal=self._illegal.get(player, False))
            for name, player in self._index.items()
            if name in self.agents
        }
        acting = self._runner.acting(turn)
        player = acting[0] if acting else self._runner.viewer(turn)
        self.agent_selection = self.possible_agents[player]

    def _mask(self, turn: Turn, player: int) -> Any:
        if player in self._chosen:
            return np.zeros(self.game.num_actions, dtype=np.int8)
        return mask_of(turn, player, self._view, when_over=0)

    def _info(self, turn: Turn, player: int, *, illegal: bool) -> Info:
        mask = mask_of(turn, player, self._view, when_over=0)
        return info_of(turn, player, self._view, mask=mask, illegal=illegal)


def with_order_check(raw_env: Callable[..., Any]) -> Callable[..., wrappers.OrderEnforcingWrapper]:
    """Return the function ``env`` of a PettingZoo module."""

    def env(**options: Any) -> wrappers.OrderEnforcingWrapper:
        """Make :class:`raw_env` with the check that calls come in order.

        Illegal actions are dealt with by the environment itself (``illegal=``), so that
        PettingZoo's wrapper for them is not needed.
        """
        return wrappers.OrderEnforcingWrapper(raw_env(**options))

    env.__module__, env.__qualname__ = raw_env.__module__, "env"
    return env
