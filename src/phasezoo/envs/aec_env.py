"""Any game as a PettingZoo AEC environment."""

from dataclasses import replace
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from phasezoo import games
from phasezoo._core import Stream
from phasezoo.envs import rendering
from phasezoo.envs.options import PettingZooOptions, conducted, shown, taken
from phasezoo.envs.spaces import observation_space, planes_of_all, state_space
from phasezoo.envs.starts import check_game, check_planes, start
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.games.options import one_of
from phasezoo.observation import Turn, info_of, mask_of, observation_of
from phasezoo.types import SIMULTANEOUS, Info, Planes

PROBE = "options"
"""PettingZoo's API tests reset with an option of this name, to see whether options are taken."""


def agent_names(num_players: int) -> list[str]:
    """The names ``player_0``, ``player_1`` and so on."""
    return [f"player_{player}" for player in range(num_players)]


def without_probe(options: dict[str, Any] | None) -> dict[str, Any] | None:
    """Reset options without the one that PettingZoo's API tests add."""
    if not isinstance(options, dict):
        return options  # whoever reads them refuses other types
    return {key: value for key, value in options.items() if key != PROBE}


class AECGameEnv(AECEnv[str, dict[str, Any], int | None]):  # type: ignore[misc]
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

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "game_v0",
        "render_modes": [*rendering.MODES, rendering.WINDOW],
        "is_parallelizable": False,
        "render_fps": rendering.FPS,
    }

    def __init__(
        self,
        game: "str | games.Game",
        **options: Unpack[PettingZooOptions],
    ) -> None:
        given = taken(self, PettingZooOptions, options)
        super().__init__()
        self._runner = conducted(game, given)
        self.game = self._runner.game
        one_of("observation", given.observation, ("planes", "masked", "packed"))
        view = shown(self.game, given)
        self._view = replace(view, observation="masked")
        if self.game.action_parts is not None:
            message = (
                f"{self.game.name!r} has actions of {len(self.game.action_parts)} parts: use the "
                "env() of the game's own PettingZoo module in phasezoo.envs"
            )
            raise InvalidConfig(message)
        self.gate = self._runner.gate
        self._window = rendering.open_window(self.game, given.render_mode)
        self.render_mode = given.render_mode
        self.possible_agents = agent_names(self.game.num_players)
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self._index = {name: player for player, name in enumerate(self.possible_agents)}
        self.action_spaces = {
            name: spaces.Discrete(self.game.num_actions) for name in self.possible_agents
        }
        self.state_space = state_space(self._view)
        self.observation_spaces = {
            name: observation_space(self._view) for name in self.possible_agents
        }
        self._rng: np.random.Generator | None = None
        self._seed = 0
        self._replacements: dict[int, Stream] = {}
        self._chosen: dict[int, int] = {}
        self._turn: Turn | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of ``agent``'s actions, the same object at every call."""
        return self.action_spaces[agent]

    @property
    def game_state(self) -> Any:
        """The state of the game, a value.

        Raises:
            InvalidState: No game has begun.
        """
        return self._now("game_state").state

    def set_game_state(self, state: Any) -> None:
        """Go on from ``state``; rewards so far and seeds stay as they are.

        Raises:
            InvalidConfig: The state is of another game.
            InvalidState: No game has begun.
        """
        self._now("set_game_state()")
        check_game(self.game, state)
        rewards = {name: self._cumulative_rewards.get(name, 0.0) for name in self.possible_agents}
        self._enter(self._runner.turn(state))
        self._cumulative_rewards.update(rewards)

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
        if seed is not None or self._rng is None:
            self._rng = seeding.np_random(seed)[0]
        game_seed = int(self._rng.integers(1 << 63))
        state = start(self.game, without_probe(options), Stream(game_seed, "start").seed())
        if self._turn is None:
            check_planes(self._view, state)
        turn = self._runner.begin(state)
        self._seed, self._replacements = game_seed, {}
        self._enter(turn)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the ``observation`` and ``action_mask`` of ``agent``."""
        turn = self._now("observe()")
        player = self._index[agent]
        shown: dict[str, Any] = observation_of(turn, player, self._view, self._mask(turn, player))
        return shown

    def state(self) -> Planes:
        """``float32[P, C, H, W]``: the planes of all players, for a critic that sees them all.

        See also :attr:`game_state`, the state itself.
        """
        return planes_of_all(self._now("state()").state, self._view)

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
        if illegal and self._runner.illegal == "terminate":
            self._show(self._runner.forfeit(turn, (player,)), illegal=player)
            return
        self._chosen[player] = index
        waiting = [each for each in self._runner.acting(turn) if each not in self._chosen]
        if waiting:
            self.agent_selection = self.possible_agents[waiting[0]]
            self.infos[agent]["illegal_action"] = illegal
            return
        chosen = [self._chosen[each] for each in sorted(self._chosen)]
        at_once = turn.state.to_play == SIMULTANEOUS
        joint = np.array(chosen, dtype=np.int64) if at_once else chosen[0]
        self._show(self._runner.play(turn, joint), illegal=player if illegal else None)

    def render(self) -> Any:
        """The state as ``render_mode`` says: text, an SVG document or ``uint8[512, 512, 3]``.

        With ``"human"`` a window shows every position by itself, and nothing is returned.

        Raises:
            InvalidState: No game has begun.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: make the environment with render_mode=")
            return None
        turn = self._now("render()")
        if self._window is not None:
            return None
        return rendering.render(self.game, turn.state, self.render_mode)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _now(self, wanted: str) -> Turn:
        if self._turn is None:
            message = f"{wanted} needs a game: call reset() first"
            raise InvalidState(message)
        return self._turn

    def _enter(self, turn: Turn) -> None:
        """Everybody takes part from ``turn`` on."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None
        self._show(turn, illegal=None)

    def _show(self, turn: Turn, *, illegal: int | None) -> None:
        """Make ``turn`` the present one: rewards, flags, infos and whose turn it is."""
        self._turn = turn
        if self._window is not None:
            self._window.show(rendering.render(self.game, turn.state, "rgb_array"))
        self._chosen = {}
        ending = turn.ending
        if ending is not None:
            for name in self.agents:
                self.rewards[name] = ending.rewards[self._index[name]]
                self.terminations[name] = ending.terminated
                self.truncations[name] = not ending.terminated
        self._accumulate_rewards()
        self.infos = {
            name: self._info(turn, self._index[name], illegal=self._index[name] == illegal)
            for name in self.agents
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

    def _replacement(self, turn: Turn, player: int, action: int) -> int:
        stream = self._replacements.setdefault(player, Stream(self._seed, "illegal", player))
        return self._runner.replacement(turn, player, action, stream)
