"""``pommerman.make``: games as the original's environments play them, over our simulator."""

import json
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Interval, MultipleOf
from gymnasium import spaces

from phasezoo.checking import type_name
from phasezoo.errors import IllegalAction, InvalidConfig, InvalidState, UnknownGame
from phasezoo.pommerman_compat import utility
from phasezoo.pommerman_compat.characters import Bomb, Bomber, Flame
from phasezoo.pommerman_compat.configs import ENVIRONMENTS, config_of
from phasezoo.pommerman_compat.constants import (
    AGENT_VIEW_SIZE,
    DEFAULT_BOMB_LIFE,
    FIRST_COLLAPSE,
    MAX_STEPS,
    RADIO_NUM_WORDS,
    RADIO_VOCAB_SIZE,
    GameType,
)
from phasezoo.pommerman_compat.figures import (
    action_index,
    action_space,
    bring,
    call,
    expected,
    show,
)
from phasezoo.pommerman_compat.forward_model import (
    MODES,
    TEAMS,
    ForwardModel,
    parts_of,
    state_of_parts,
)
from phasezoo.resolver import game_named
from phasezoo.specs import NonNegativeInt, check_value, did_you_mean

_GAMES = {
    GameType.FFA: "pommerman-ffa",
    GameType.Team: "pommerman-team",
    GameType.TeamRadio: "pommerman-team-radio",
    GameType.OneVsOne: "pommerman-1v1",
}

REGISTRY = list(ENVIRONMENTS)
"""The ids that :func:`make` knows."""


def make(
    config_id: str,
    agent_list: Sequence[Any],
    game_state_file: str | None = None,
    render_mode: str = "human",
) -> "PommermanGame":
    """Return an environment with an agent for each player, initialised with its index.

    Args:
        config_id: One of :data:`REGISTRY`.
        agent_list: Objects with ``act(obs, action_space)``, one for each player.
        game_state_file: A recording's state, from which games start; None for drawn boards.
        render_mode: Ignored.

    Raises:
        InvalidConfig: Agents are too few, too many or none, or the file cannot be read.
        UnknownGame: There is no such id.
    """
    if config_id not in ENVIRONMENTS:
        hint = did_you_mean(config_id, REGISTRY)
        message = f"there is no {config_id!r} in Pommerman{hint} There are {', '.join(REGISTRY)}"
        raise UnknownGame(message)
    config = config_of(config_id)
    version = config["env_entry_point"].removeprefix("pommerman.").partition(":")[0]
    pomme = import_module(f"phasezoo.pommerman_compat.{version}").Pomme
    env: PommermanGame = pomme(**config["env_kwargs"])
    env.set_init_game_state(game_state_file)
    env.check_agents(agent_list)
    for player, agent in enumerate(agent_list):
        call(agent, "init_agent", player, env.game_type)
    env.set_agents(agent_list)
    return env


BoardSize: TypeAlias = Annotated[int, Interval(ge=4, le=11)]
Walls: TypeAlias = Annotated[int, Ge(0), MultipleOf(2)]
MaxSteps: TypeAlias = Annotated[int, Interval(ge=1, le=MAX_STEPS)]


class PommermanGame(gymnasium.Env[Any, Any]):
    """One environment as training scripts for the original know it.

    All are moved by one call: ``reset()`` gives a list of dictionaries, one for each player, dead
    or alive, and ``step(actions)``, with an action for each, gives observations, rewards, ``done``
    and ``info``. The dictionaries are those of
    :func:`~phasezoo.zoo.pommerman.observation.pommerman_observation`; rewards are paid at every
    step; ``info["result"]`` is a member of ``Result``, and ``info["winners"]`` is there if a player
    won.

    ``seed(n)`` makes boards repeat, which it does not do in the original: the first one after it is
    that which the original draws after ``random.seed(n)``. Otherwise boards are drawn from Python's
    global :mod:`random`. A finished game is not played on, and pictures are not drawn
    (:meth:`render` does nothing).

    Args:
        game_type: Who plays against whom.
        board_size: Cells a side, 4 to 11; None for that of the kind of game.
        agent_view_size: How far one sees in fog: 4.
        num_rigid: Walls that no bomb breaks; None for those of the kind of game.
        num_wood: Walls that bombs break.
        num_items: Power-ups under them.
        max_steps: Steps after which a game ends, 800 at most.
        is_partially_observable: Whether there is fog.
        env: The name that observations have for the environment; the class decides it here.
        options: ``render_fps`` and ``default_bomb_life``, ``first_collapse``, ``radio_vocab_size``
            and ``radio_num_words`` with the original's values.

    Raises:
        InvalidConfig: An option is not known, or this simulator plays by another value alone.
    """

    metadata = {"render.modes": ["human"]}  # noqa: RUF012 - Gymnasium's way
    reward_range = (-1, 1)
    collapses = False
    """Whether the board shrinks from step 500 on."""

    def __init__(
        self,
        game_type: GameType = GameType.FFA,
        board_size: int | None = None,
        agent_view_size: int | None = None,
        num_rigid: int | None = None,
        num_wood: int | None = None,
        num_items: int | None = None,
        max_steps: int = MAX_STEPS,
        is_partially_observable: bool = False,
        env: str | None = None,
        **options: Any,
    ) -> None:
        _check_options(options)
        if game_type not in list(GameType):
            known = ", ".join(f"{kind.name} ({kind.value})" for kind in GameType)
            message = f"game_type={game_type!r}: expected one of GameType: {known}"
            raise InvalidConfig(message)
        self.game_type = GameType(game_type)
        rules: dict[str, bool] = {"fog": is_partially_observable}
        if is_partially_observable and agent_view_size not in (None, AGENT_VIEW_SIZE):
            message = f"agent_view_size={agent_view_size!r}: in fog one sees {AGENT_VIEW_SIZE}"
            raise InvalidConfig(message)
        self._game = game_named(_GAMES[self.game_type], collapse=self.collapses, **rules)
        self._radio = self.game_type is GameType.TeamRadio
        self._boards: random.Random | None = None
        self._first: int | None = None
        self._agents: list[Any] = []
        self._state: Any = None
        self._init_game_state: dict[str, Any] | None = None
        self.training_agent: int | None = None
        self.action_space = action_space(self._radio)
        self.model = ForwardModel
        self._num_agents: int = self._game.num_players
        usual = _usual_board(self.game_type)
        given = {
            "board_size": (BoardSize, board_size),
            "num_rigid": (Walls, num_rigid),
            "num_wood": (Walls, num_wood),
            "num_items": (NonNegativeInt, num_items),
        }
        self._board_numbers = tuple(
            known if value is None else check_value(name, kind, value)
            for (name, (kind, value)), known in zip(given.items(), usual, strict=True)
        )
        self._is_usual = self._board_numbers == usual
        self._board_size = self._board_numbers[0]
        self._max_steps: int = check_value("max_steps", MaxSteps, max_steps)
        usual_blast = AGENT_VIEW_SIZE if is_partially_observable else 10
        self._max_blast = usual_blast
        if agent_view_size is not None:
            self._max_blast = check_value("agent_view_size", NonNegativeInt, agent_view_size)
        self._is_usual &= self._max_blast == usual_blast
        self._agent_view_size = agent_view_size
        self._is_partially_observable = is_partially_observable
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
                    f"agent {player} is {type_name(agent)} without act(obs, action_space): "
                    "derive it from pommerman.agents.BaseAgent"
                )
                raise InvalidConfig(message)

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Set the agents of all players, which know theirs already (``init_agent``)."""
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
        """Name the recording's state from which games start; None for drawn boards.

        Raises:
            InvalidConfig: There is no such file, or it holds no JSON object.
        """
        self._init_game_state = None if game_state_file is None else _read(game_state_file)

    def set_render_mode(self, render_mode: str) -> None:
        """Changes nothing: nothing is drawn."""

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Draw boards, and this environment's samples, from a generator of its own from here on."""
        if seed is not None:
            seed = check_value("seed", NonNegativeInt, seed)
        self._boards, self._first = (None, None) if seed is None else (random.Random(seed), seed)
        self.action_space.seed(seed)
        return [seed]

    # --- playing ---

    def reset(self, **unused: Any) -> list[dict[str, Any]]:  # type: ignore[override]
        """Draw a board.

        Returns:
            What each player sees.
        """
        if self._init_game_state is not None:
            self.set_json_info()
            return self._entered()
        drawn, self._first = self._first, None
        if drawn is None:
            drawn = (random if self._boards is None else self._boards).getrandbits(63)
        self._state = self._game.initial_state(seed=drawn) if self._is_usual else self._drawn(drawn)
        return self._entered()

    def _drawn(self, seed: int) -> Any:
        """A start on a board of other numbers than the kind of game has."""
        size, num_rigid, num_wood, num_items = self._board_numbers
        draws = random.Random(seed)
        board = utility.make_board(size, num_rigid, num_wood, self._num_agents, draws)
        items = utility.make_items(board, num_items, draws)
        figures = [Bomber(player, self.game_type) for player in range(self._num_agents)]
        for player, figure in enumerate(figures):
            row, column = np.argwhere(board == utility.agent_value(player))[0].tolist()
            figure.position = row, column
        return state_of_parts(
            board, figures, [], items, [], mode=MODES[self.game_type],
            fog=self._is_partially_observable, collapse=self.collapses, max_blast=self._max_blast,
        )  # fmt: skip

    def step(  # type: ignore[override]
        self, actions: Sequence[Any]
    ) -> tuple[list[dict[str, Any]], list[int], bool, dict[str, Any]]:
        """Move everybody; what the dead are given is ignored.

        Args:
            actions: One for each player; with a radio [action, word, word] is taken too.

        Returns:
            What each player sees, their rewards, whether the game is over, and how it stands.

        Raises:
            IllegalAction: There are too few or too many actions, or one does not exist.
            InvalidState: No game has begun, or it is over.
        """
        if self.game_state.is_terminal or self._is_late():
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
        if self._is_late() and not self._state.is_terminal:
            late = (self.game_type, self._step_count, self._max_steps)
            rewards = ForwardModel.get_rewards(self._figures(), *late)
        done = self._is_done()
        info = ForwardModel.get_info(done, rewards, self.game_type, self._agents)
        return self._entered(), rewards, done, info

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
        """Return the observation of each player."""
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

    def get_json_info(self) -> dict[str, Any]:
        """The state as recordings hold it: each value is JSON text."""
        info: dict[str, Any] = json.loads(self.game_state.to_json())
        return info

    def set_json_info(self) -> None:
        """Go on from the state that :meth:`set_init_game_state` has read.

        Raises:
            InvalidConfig: None was read.
            InvalidState: It is no possible state of this game.
        """
        if self._init_game_state is None:
            message = "set_json_info() needs a state: call set_init_game_state(file) first"
            raise InvalidConfig(message)
        self._state = self._game.from_json(json.dumps(self._init_game_state))

    def save_json(self, record_json_dir: str) -> None:
        """Write the state into a file of a folder, named by the step.

        Args:
            record_json_dir: The folder, which must be there.
        """
        path = Path(record_json_dir) / f"{self._step_count:03d}.json"
        path.write_text(json.dumps(self.get_json_info()), encoding="utf-8")

    def _figures(self) -> list[Bomber]:
        """Figures of their own in the places and with the powers of the players."""
        figures = [Bomber(player, self.game_type) for player in range(self._num_agents)]
        for figure, agent in zip(figures, self.game_state.agents, strict=True):
            bring(figure, agent)
        return figures

    # What scripts read of the original's inner state; changing it changes no game.

    @property
    def _bombs(self) -> list[Bomb]:
        return parts_of(self.game_state, self._figures()).bombs

    @property
    def _flames(self) -> list[Flame]:
        return parts_of(self.game_state, self._figures()).flames

    @property
    def _items(self) -> dict[tuple[int, int], int]:
        return parts_of(self.game_state, self._figures()).items

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
        if self._state.is_terminal or self._is_late():
            return True
        if self.training_agent is None or self.game_type in TEAMS:
            return False
        # A board that collapses kills after the step has been judged.
        return not self._state.before_collapse.agents[self.training_agent][5]

    def _is_late(self) -> bool:
        return self._step_count >= self._max_steps

    def _index(self, player: int, action: Any) -> int:
        try:
            return action_index(action, self._radio)
        except (TypeError, ValueError):
            message = f"{repr(action)[:80]} is no action of player {player}; allowed are "
            raise IllegalAction(message + expected(self._radio)) from None

    def _not_supported(self, what: str) -> NoReturn:
        message = f"{what} is not supported by phasezoo's stand-in; save_json(folder) writes states"
        raise InvalidConfig(message)


_FIXED = {
    "render_fps": None,
    "default_bomb_life": DEFAULT_BOMB_LIFE,
    "first_collapse": FIRST_COLLAPSE,
    "radio_vocab_size": RADIO_VOCAB_SIZE,
    "radio_num_words": RADIO_NUM_WORDS,
    "render_mode": None,
}
"""Further options, and the value that this simulator plays by; None for any."""

_OPTIONS = (
    "game_type", "board_size", "agent_view_size", "num_rigid", "num_wood", "num_items", "max_steps",
    "is_partially_observable", "env", *_FIXED,
)  # fmt: skip


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse further options that are not known or would change the game."""
    for name, value in options.items():
        if name not in _FIXED:
            hint = did_you_mean(name, _OPTIONS)
            message = f"{name}=: Pomme has no such option{hint} There are {', '.join(_OPTIONS)}"
            raise InvalidConfig(message)
        if _FIXED[name] not in (None, value):
            message = f"{name}={value!r}: phasezoo's simulator plays by {_FIXED[name]} alone"
            raise InvalidConfig(message)


def _usual_board(game_type: GameType) -> tuple[int, int, int, int]:
    """The side of the board of a kind of game, its walls of both kinds, and its power-ups."""
    env_id = "OneVsOne-v0" if game_type is GameType.OneVsOne else "PommeFFACompetition-v0"
    numbers = config_of(env_id)["env_kwargs"]
    return tuple(numbers[name] for name in ("board_size", "num_rigid", "num_wood", "num_items"))


def _read(path: str) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError) as error:
        message = f"game_state_file={path!r}: no state can be read from it ({error})"
        raise InvalidConfig(message) from None
    if not isinstance(found, dict):
        message = f"game_state_file={path!r}: holds no JSON object, which save_json() writes"
        raise InvalidConfig(message)
    return found
