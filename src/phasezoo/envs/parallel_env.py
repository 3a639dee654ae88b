"""Any game as a PettingZoo parallel environment, for games whose players move at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from phasezoo import games
from phasezoo._core import Stream
from phasezoo.envs import rendering
from phasezoo.envs.aec_env import agent_names, without_probe
from phasezoo.envs.options import ParallelOptions, conducted, shown, taken
from phasezoo.envs.spaces import action_space, observation_space, planes_of_all, state_space
from phasezoo.envs.starts import check_game, check_planes, start
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.observation import Turn, observe
from phasezoo.types import SIMULTANEOUS, Info, Planes

Step = tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]


class ParallelGameEnv(ParallelEnv[str, Any, int]):  # type: ignore[misc]
    """A game in which all players give an action at every step.

    Observations are the bare ``float32[C, H, W]``, or with ``observation="masked"`` dictionaries of
    these as ``observation`` and the mask as ``action_mask``; masks are in ``infos`` too. An agent
    who is not to move has a mask of ones, and what they send is ignored. An agent for whom the game
    is over leaves, though it may go on for others.

    Args:
        game: The game or its name.
        options: Those of :class:`phasezoo.envs.options.ParallelOptions`. With
            ``rewards="original"`` all players are paid at every step, and stay to the end.

    Raises:
        InvalidConfig: An option is outside its range, or does not exist.
        InvalidGate: The gate does not fit the game.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        UnknownGame: No game has that name.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "game_v0",
        "render_modes": [*rendering.MODES, rendering.WINDOW],
        "is_parallelizable": True,
        "render_fps": rendering.FPS,
    }

    def __init__(
        self,
        game: "str | games.Game",
        **options: Unpack[ParallelOptions],
    ) -> None:
        given = taken(self, ParallelOptions, options)
        self._runner = conducted(game, given)
        self.game = self._runner.game
        self.gate = self._runner.gate
        self._view = shown(self.game, given)
        self._window = rendering.open_window(self.game, given.render_mode)
        self.render_mode = given.render_mode
        self.possible_agents = agent_names(self.game.num_players)
        self.agents: list[str] = []
        self.action_spaces = {name: action_space(self._view) for name in self.possible_agents}
        self.state_space = state_space(self._view)
        self.observation_spaces = {
            name: observation_space(self._view) for name in self.possible_agents
        }
        self._rng: np.random.Generator | None = None
        self._seed = 0
        self._replacements: dict[int, Stream] = {}
        self._turn: Turn | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s actions, the same object at every call."""
        return self.action_spaces[agent]

    @property
    def game_state(self) -> Any:
        """The state of the game, a value.

        Raises:
            InvalidState: No game has begun.
        """
        return self._now("game_state").state

    def set_game_state(self, state: Any) -> tuple[dict[str, Any], dict[str, Info]]:
        """Go on from ``state``; seeds stay as they are.

        Returns:
            Observations and infos there.

        Raises:
            InvalidConfig: The state is of another game.
            InvalidState: No game has begun.
        """
        self._now("set_game_state()")
        check_game(self.game, state)
        turn = self._runner.turn(state)
        self._enter(turn)
        self.agents = self._taking_part(turn, self.possible_agents)
        return self._observe_all(turn, self.agents, ())

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Info]]:
        """Begin a game.

        Args:
            seed: Seeds everything random from here on: the same seed gives the same games.
            options: ``fen`` and ``moves`` for a start of one's own, in games with such notation.

        Returns:
            Observations and infos by agent.

        Raises:
            InvalidConfig: An option is not known, or the game is over there.
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
        self.agents = list(self.possible_agents)
        return self._observe_all(turn, self.agents, ())

    def step(self, actions: Mapping[str, Any]) -> Step:
        """Play the actions of all who are to move.

        When the game is over and ``agents`` is empty this does nothing, as in PettingZoo's own
        conversions: five empty dictionaries come back.

        Args:
            actions: An action for every agent who is to move; others' are ignored, and so are those
                of agents whose answer does not matter.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            IllegalAction: An action is outside the action space; or it is not legal and
                ``illegal="raise"``. The game stands as before.
            InvalidConfig: The action of an agent who is to move is missing.
            InvalidState: No game has begun.
        """
        turn = self._now("step()")
        if turn.ending is not None:
            return {}, {}, {}, {}, {}
        chosen = {
            player: self._given(turn, actions, player) for player in self._runner.acting(turn)
        }
        offenders = tuple(
            player
            for player, action in chosen.items()
            if not self._runner.is_legal(turn, player, action)
        )
        if offenders and self._runner.illegal == "terminate":
            after = self._runner.forfeit(turn, offenders)
        else:
            chosen |= {
                player: self._replacement(turn, player, chosen[player]) for player in offenders
            }
            joint = list(chosen.values())
            at_once = turn.state.to_play == SIMULTANEOUS
            after = self._runner.play(
                turn, np.array(joint, dtype=np.int64) if at_once else joint[0]
            )
        self._enter(after)
        return self._shown(after, offenders)

    def state(self) -> Planes:
        """``float32[P, C, H, W]``: the planes of all players, for a critic that sees them all.

        See also :attr:`game_state`, the state itself.
        """
        return planes_of_all(self._now("state()").state, self._view)

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

    def _enter(self, turn: Turn) -> None:
        """Make ``turn`` the present one."""
        self._turn = turn
        if self._window is not None:
            self._window.show(rendering.render(self.game, turn.state, "rgb_array"))

    def _now(self, wanted: str) -> Turn:
        if self._turn is None:
            message = f"{wanted} needs a game: call reset() first"
            raise InvalidState(message)
        return self._turn

    def _given(self, turn: Turn, actions: Mapping[str, Any], player: int) -> int:
        if self._runner.is_idle(turn, player):
            return int(self._runner.legal_actions(turn, player)[0])
        name = self.possible_agents[player]
        if name not in actions:
            message = f"{name} is to move, but actions has only {sorted(actions)}"
            raise InvalidConfig(message)
        return self._runner.index(actions[name])

    def _shown(self, turn: Turn, offenders: tuple[int, ...]) -> Step:
        names, ending = self.agents, turn.ending
        paid = self._runner.rewards(turn)
        rewards, terminated = {}, {}
        for name in names:
            player = self.possible_agents.index(name)
            leaves = self._leaving(turn, player)
            rewards[name] = paid[player] if leaves is None else leaves
            terminated[name] = leaves is not None or (ending is not None and ending.terminated)
        truncated = ending is not None and not ending.terminated
        self.agents = self._taking_part(turn, names)
        observations, infos = self._observe_all(turn, names, offenders)
        return observations, rewards, terminated, dict.fromkeys(names, truncated), infos

    def _leaving(self, turn: Turn, player: int) -> float | None:
        """Return the reward of ``player`` if the game is over for them and goes on for others."""
        return None if self._runner.pays_every_step else self._runner.settled(turn, player)

    def _taking_part(self, turn: Turn, names: Sequence[str]) -> list[str]:
        """Those of ``names`` for whom the game goes on."""
        if turn.ending is not None:
            return []
        players = {name: self.possible_agents.index(name) for name in names}
        return [name for name in names if self._leaving(turn, players[name]) is None]

    def _observe_all(
        self, turn: Turn, names: Sequence[str], offenders: tuple[int, ...]
    ) -> tuple[dict[str, Any], dict[str, Info]]:
        """Observations and infos of the agents ``names``."""
        observations, infos = {}, {}
        for name in names:
            player = self.possible_agents.index(name)
            shown = observe(
                turn,
                player,
                self._view,
                illegal=player in offenders,
                when_over=0,
                when_waiting=1,
            )
            observations[name], infos[name] = shown.observation, shown.info
        return observations, infos

    def _replacement(self, turn: Turn, player: int, action: int) -> int:
        stream = self._replacements.setdefault(player, Stream(self._seed, "illegal", player))
        return self._runner.replacement(turn, player, action, stream)
