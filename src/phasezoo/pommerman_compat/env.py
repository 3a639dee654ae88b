"""``pommerman.make``: games as the original's environments play them, over our simulator."""

import random
from collections.abc import Sequence
from typing import Any, NoReturn

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from phasezoo.errors import IllegalAction, InvalidConfig, InvalidState, UnknownGame
from phasezoo.pommerman_compat.constants import MAX_STEPS, GameType, Result
from phasezoo.pommerman_compat.figures import action_index, action_space, call, expected, show
from phasezoo.resolver import game_named

__all__ = ["REGISTRY", "PommermanGame", "make"]

_FOG = {"fog": True}
_CONFIGS: dict[str, tuple[str, GameType, dict[str, bool]]] = {
    "OneVsOne-v0": ("pommerman-1v1", GameType.OneVsOne, {}),
    "PommeFFACompetition-v0": ("pommerman-ffa", GameType.FFA, {}),
    "PommeFFACompetitionFast-v0": ("pommerman-ffa", GameType.FFA, {}),
    "PommeFFAFast-v0": ("pommerman-ffa", GameType.FFA, {}),
    "PommeFFA-v1": ("pommerman-ffa", GameType.FFA, {"collapse": True}),
    "PommeTeam-v0": ("pommerman-team", GameType.Team, {}),
    "PommeTeamFast-v0": ("pommerman-team", GameType.Team, {}),
    "PommeTeamCompetition-v0": ("pommerman-team", GameType.Team, _FOG),
    "PommeTeamCompetitionFast-v0": ("pommerman-team", GameType.Team, _FOG),
    "PommeTeamCompetition-v1": ("pommerman-team", GameType.Team, _FOG | {"collapse": True}),
    "PommeRadio-v2": ("pommerman-team-radio", GameType.TeamRadio, _FOG),
    "PommeRadioCompetition-v2": ("pommerman-team-radio", GameType.TeamRadio, _FOG),
}
"""The original's ids: the game, its kind, and its rules."""

REGISTRY = list(_CONFIGS)
"""The ids that :func:`make` knows."""

_TEAMS = (GameType.Team, GameType.TeamRadio)


def make(
    config_id: str,
    agent_list: Sequence[Any],
    game_state_file: str | None = None,
    render_mode: str = "human",
) -> "PommermanGame":
    """An environment with an agent in each seat, who have been told their seats.

    Args:
        config_id: One of :data:`REGISTRY`.
        agent_list: Objects with ``act(obs, action_space)``, one for each player.
        game_state_file: Not supported.
        render_mode: Ignored.

    Raises:
        InvalidConfig: Agents are too few, too many or none, or a file is given.
        UnknownGame: There is no such id.
    """
    if config_id not in _CONFIGS:
        message = f"there is no {config_id!r} in Pommerman; there are {', '.join(REGISTRY)}"
        raise UnknownGame(message)
    if game_state_file is not None:
        message = (
            f"game_state_file={game_state_file!r}: games from files are not supported; play on "
            "from a state with env.set_game_state(games.make(…).from_json(text))"
        )
        raise InvalidConfig(message)
    env = PommermanGame(config_id)
    env.check_agents(agent_list)
    for player, agent in enumerate(agent_list):
        call(agent, "init_agent", player, env.game_type)
    env.set_agents(agent_list)
    return env


class PommermanGame(gymnasium.Env[Any, Any]):
    """One environment as training scripts for the original know it.

    All are moved by one call: ``reset()`` gives a list of dictionaries, one for each player, dead
    or alive, and ``step(actions)``, with an action for each, gives observations, rewards, ``done``
    and ``info``. The dictionaries are those of
    :func:`~phasezoo.zoo.pommerman.observation.pommerman_observation`; rewards are paid at every
    step; ``info["result"]`` is a member of ``Result``, and ``info["winners"]`` is there if somebody
    won.

    ``seed(n)`` makes boards repeat, which it does not do in the original: the first one after it is
    that which the original draws after ``random.seed(n)``. Otherwise boards are drawn from Python's
    global :mod:`random`. A finished game is not played on, and pictures are not drawn
    (:meth:`render` does nothing).

    Args:
        config_id: One of :data:`REGISTRY`.
    """

    metadata = {"render.modes": ["human"]}  # noqa: RUF012 - Gymnasium's way
    reward_range = (-1, 1)

    def __init__(self, config_id: str) -> None:
        name, self.game_type, options = _CONFIGS[config_id]
        self._game = game_named(name, **options)
        self._radio = self.game_type is GameType.TeamRadio
        self._boards: random.Random | None = None
        self._first: int | None = None
        self._agents: list[Any] = []
        self._state: Any = None
        self.training_agent: int | None = None
        self.action_space = action_space(self._radio)
        _, self._board_size, _ = self._game.plane_specs["standard"]
        self._num_agents: int = self._game.num_players
        self._max_steps = MAX_STEPS
        numbers = 3 * self._board_size**2 + 5 + max(2, self._num_agents) + 2 * self._radio
        self.observation_space = spaces.Box(0.0, float(MAX_STEPS), (numbers,), np.float32)

    # --- who plays ---

    def check_agents(self, agents: Sequence[Any]) -> None:
        """Refuse what cannot play.

        Raises:
            InvalidConfig: Agents are too few or too many, or one has no ``act``.
        """
        if len(agents) != self._num_agents:
            message = f"{len(agents)} agents for {self._game.name}: give {self._num_agents}"
            raise InvalidConfig(message)
        for player, agent in enumerate(agents):
            if not callable(getattr(agent, "act", None)):
                message = (
                    f"agent {player} is a {type(agent).__name__} without act(obs, action_space): "
                    "derive it from pommerman.agents.BaseAgent"
                )
                raise InvalidConfig(message)

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Give the seats to agents, who know theirs already (``init_agent``)."""
        self.check_agents(agents)
        self._agents = list(agents)

    def set_training_agent(self, agent_id: int) -> None:
        """Name the player whom :meth:`act` does not ask, and whose death ends a game for oneself.

        Raises:
            InvalidConfig: There is no such player.
        """
        if agent_id not in range(self._num_agents):
            message = f"no player {agent_id}: there are 0 to {self._num_agents - 1}"
            raise InvalidConfig(message)
        self.training_agent = agent_id

    def set_init_game_state(self, game_state_file: str | None) -> None:
        """Takes None alone: games start from drawn boards."""
        if game_state_file is not None:
            self._not_supported("set_init_game_state(file)")

    def set_render_mode(self, render_mode: str) -> None:
        """Changes nothing: nothing is drawn."""

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Draw boards, and this environment's samples, from a generator of its own from here on."""
        self._boards, self._first = (None, None) if seed is None else (random.Random(seed), seed)
        self.action_space.seed(seed)
        return [seed]

    # --- playing ---

    def reset(self, **unused: Any) -> list[dict[str, Any]]:  # type: ignore[override]
        """Draw a board.

        Returns:
            What each player sees.
        """
        drawn, self._first = self._first, None
        if drawn is None:
            drawn = (random if self._boards is None else self._boards).getrandbits(63)
        self._state = self._game.initial_state(seed=drawn)
        return self._entered()

    def step(  # type: ignore[override]
        self, actions: Sequence[Any]
    ) -> tuple[list[dict[str, Any]], list[int], bool, dict[str, Any]]:
        """Move everybody; what the dead are given is ignored.

        Args:
            actions: One for each player; with a radio [action, word, word] is taken too.

        Returns:
            What each player sees, their rewards, whether the game is over, and how it stands.

        Raises:
            IllegalAction: There are too few or too many actions, or one is none.
            InvalidState: No game has begun, or it is over.
        """
        if self.game_state.is_terminal:
            message = "the game is over: call reset() before the next step()"
            raise InvalidState(message)
        if len(actions) != self._num_agents:
            message = (
                f"{len(actions)} actions for {self._num_agents} players: give one for each, the "
                "dead too (act() leaves out the training agent's, which you insert)"
            )
            raise IllegalAction(message)
        figures = self._state.agents
        indices = [
            self._index(player, action) if figures[player][5] else 0
            for player, action in enumerate(actions)
        ]
        self._state = self._state.play(np.array(indices, dtype=np.int64))
        rewards = [int(reward) for reward in self._state.rewards]
        done = self._is_done()
        return self._entered(), rewards, done, self._info(rewards, done)

    def act(self, obs: Sequence[dict[str, Any]]) -> list[Any]:
        """Ask all agents but the training agent; the dead stop.

        Args:
            obs: What each player sees.

        Raises:
            InvalidState: No game has begun.
        """
        figures = self.game_state.agents
        return [
            agent.act(obs[player], self.action_space) if figures[player][5] else 0
            for player, agent in enumerate(self._agents)
            if player != self.training_agent
        ]

    def get_observations(self) -> list[dict[str, Any]]:
        """What each player sees now."""
        state = self.game_state
        return [self._game.observation_dict(state, player) for player in range(self._num_agents)]

    @staticmethod
    def featurize(obs: dict[str, Any]) -> npt.NDArray[np.float32]:
        """``float32[3 * n * n + …]``: an observation as numbers.

        Board, reach and life of bombs, row by row; place, ammo, reach, kick, the team mate's code
        and the enemies'; with a radio the mate's two words.
        """
        maps = [np.ravel(obs[key]) for key in ("board", "bomb_blast_strength", "bomb_life")]
        own = [*obs["position"], obs["ammo"], obs["blast_strength"], obs["can_kick"]]
        others = [each.value for each in (obs["teammate"], *obs["enemies"])]
        numbers = np.concatenate([*maps, own, others, obs.get("message", ())])
        return numbers.astype(np.float32)

    def render(self, mode: str | None = None, **options: Any) -> None:
        """Draws nothing; ``envs.rendering.render(game, env.game_state, "ansi")`` does.

        Raises:
            InvalidConfig: Pictures or files of games are asked for.
        """
        for name in ("record_pngs_dir", "record_json_dir"):
            if options.get(name):
                self._not_supported(f"render({name}=…)")

    def close(self) -> None:
        """Shut the agents down."""
        for agent in self._agents:
            call(agent, "shutdown")

    # --- the game ---

    @property
    def game_state(self) -> Any:
        """The state, a value.

        Raises:
            InvalidState: No game has begun.
        """
        if self._state is None:
            message = "no game has begun: call reset() first"
            raise InvalidState(message)
        return self._state

    def set_game_state(self, state: Any) -> list[dict[str, Any]]:
        """Go on from a state of the same game.

        Returns:
            What each player sees there.

        Raises:
            InvalidConfig: It is of another game.
        """
        if getattr(state, "game", None) != self._game.name:
            message = f"{type(state).__name__} is no state of {self._game.name}"
            raise InvalidConfig(message)
        self._state = state
        return self._entered()

    @property
    def _board(self) -> npt.NDArray[np.uint8]:
        return self.game_state.board  # type: ignore[no-any-return]

    @property
    def _step_count(self) -> int:
        return self.game_state.ply  # type: ignore[no-any-return]

    @property
    def _game_type(self) -> GameType:
        return self.game_type

    def _entered(self) -> list[dict[str, Any]]:
        for agent, figure in zip(self._agents, self._state.agents, strict=False):
            show(agent, figure)
        self.observations = self.get_observations()
        return self.observations

    def _is_done(self) -> bool:
        if self._state.is_terminal:
            return True
        if self.training_agent is None or self.game_type in _TEAMS:
            return False
        # A board that collapses kills after the step has been judged.
        return not self._state.before_collapse.agents[self.training_agent][5]

    def _info(self, rewards: list[int], done: bool) -> dict[str, Any]:
        if not done:
            return {"result": Result.Incomplete}
        winners = [player for player, reward in enumerate(rewards) if reward == 1]
        return {"result": Result.Win, "winners": winners} if winners else {"result": Result.Tie}

    def _index(self, player: int, action: Any) -> int:
        try:
            return action_index(action, self._radio)
        except (TypeError, ValueError):
            message = f"{repr(action)[:80]} is no action of player {player}; allowed are "
            raise IllegalAction(message + expected(self._radio)) from None

    def _not_supported(self, what: str) -> NoReturn:
        message = f"{what} is not supported by phasezoo's stand-in; games start from drawn boards"
        raise InvalidConfig(message)
