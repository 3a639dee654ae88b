"""The common part of environments that run one game at a time."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from phasezoo import games
from phasezoo._core import Stream
from phasezoo.envs import rendering
from phasezoo.envs.options import learner_view, make_runner, read_options
from phasezoo.envs.spaces import action_space, observation_space, planes_of_all, state_space
from phasezoo.envs.starts import check_planes, start
from phasezoo.errors import InvalidState
from phasezoo.observation import Turn
from phasezoo.types import Planes

PROBE = "options"
"""PettingZoo's API tests reset with an option of this name, to see whether options are taken."""


class GameEnv:
    """An environment of one game: its options, its present turn and its pictures."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium and PettingZoo declare it
        "render_modes": [*rendering.MODES, rendering.WINDOW],
        "render_fps": rendering.FPS,
    }

    def _set_up(
        self, table: Any, game: "str | games.Game", options: Mapping[str, Any]
    ) -> SimpleNamespace:
        """Read the options of a table, and return them."""
        given = read_options(self, table, options)
        self._runner = make_runner(game, given)
        self.game = self._runner.game
        self.gate = self._runner.gate
        self._view = learner_view(self.game, given)
        self._window = rendering.open_window(self.game, given.render_mode)
        self.render_mode: str | None = given.render_mode
        self._seed = 0
        self._turn: Turn | None = None
        return given

    @property
    def game_state(self) -> Any:
        """The state of the game, a value.

        Raises:
            InvalidState: No game has begun.
        """
        return self._now("game_state").state

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
        return None if self._window is not None else self._drawn(turn, self.render_mode)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _started(self, options: Any, seed: int) -> Any:
        """Return the state that ``reset`` asks for; the first one shows whether planes fit."""
        state = start(self.game, options, Stream(seed, "start").seed())
        if self._turn is None:
            check_planes(self._view, state)
        return state

    def _present(self, turn: Turn) -> None:
        """Make ``turn`` the present one, and show it in the window."""
        self._turn = turn
        if self._window is not None:
            self._window.show(self._drawn(turn, "rgb_array"))

    def _drawn(self, turn: Turn, mode: str) -> Any:
        return rendering.render(self.game, turn.state, mode)

    def _now(self, wanted: str) -> Turn:
        if self._turn is None:
            message = f"{wanted} needs a game: call reset() first"
            raise InvalidState(message)
        return self._turn


class PettingZooEnv(GameEnv):
    """The part that PettingZoo's two kinds of environment share: agents, spaces, seeds."""

    def _make_spaces(self) -> None:
        self.possible_agents = [f"player_{player}" for player in range(self.game.num_players)]
        self.agents: list[str] = []
        self.action_spaces = {name: action_space(self._view) for name in self.possible_agents}
        self.state_space = state_space(self._view)
        self.observation_spaces = {
            name: observation_space(self._view) for name in self.possible_agents
        }
        self._rng: np.random.Generator | None = None
        self._replacements: dict[int, Stream] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s actions, the same object at every call."""
        return self.action_spaces[agent]

    def state(self) -> Planes:
        """``float32[P, C, H, W]``: the planes of all players, for a critic that sees them all.

        See also :attr:`game_state`, the state itself.
        """
        return planes_of_all(self._now("state()").state, self._view)

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> Turn:
        """Begin a game, and return its first turn."""
        if seed is not None or self._rng is None:
            self._rng = seeding.np_random(seed)[0]
        game_seed = int(self._rng.integers(1 << 63))
        if isinstance(options, dict):  # other types are refused when they are read
            options = {key: value for key, value in options.items() if key != PROBE}
        turn = self._runner.begin(self._started(options, game_seed))
        self._seed, self._replacements = game_seed, {}
        return turn

    def _replacement(self, turn: Turn, player: int, action: int) -> int:
        stream = self._replacements.setdefault(player, Stream(self._seed, "illegal", player))
        return self._runner.replacement(turn, player, action, stream)
