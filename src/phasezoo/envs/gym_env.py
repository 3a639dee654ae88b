"""Any game as a single-agent Gymnasium environment, its opponents inside."""

import warnings
from dataclasses import replace
from typing import Any, SupportsFloat, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo._core import Stream
from phasezoo.envs import rendering
from phasezoo.envs.game_env import GameEnv
from phasezoo.envs.learner import learner_in_game, learner_of
from phasezoo.envs.opponents import Opponent, assigned, choose, opponents_of, views_of
from phasezoo.envs.options import SingleOptions
from phasezoo.envs.spaces import action_space, observation_space
from phasezoo.envs.starts import check_game
from phasezoo.errors import InvalidConfig, InvalidState
from phasezoo.games.queries import joint_action
from phasezoo.observation import Turn, mask_of, observe
from phasezoo.observation.action_parts import flat_mask
from phasezoo.observation.compact import action_of_compact
from phasezoo.types import SIMULTANEOUS, Info

Step = tuple[Any, SupportsFloat, bool, bool, Info]


class GymEnv(GameEnv, gymnasium.Env[Any, Any]):
    """A game with one learner; opponents move inside :meth:`step`.

    Works over every game: ours, and those added with :func:`phasezoo.games.register`. With
    ``opponent=None`` the learner moves for everybody, one ply a step: the reward is for the player
    who has just moved, the observation for the player to move, also the last one.

    Args:
        game: The game or its name.
        options: Those of :class:`phasezoo.envs.options.SingleOptions`.

    Raises:
        InvalidConfig: An option is outside its range, or does not exist.
        InvalidGate: The gate does not fit the game.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        UnknownAgent: No agent has that name.
        UnknownGame: No game has that name.
    """

    def __init__(
        self,
        game: "str | games.Game" = "chess",
        **options: Unpack[SingleOptions],
    ) -> None:
        given = self._set_up(SingleOptions, game, options)
        shown_to_others = replace(self._view, compact=False)
        opponent = given.opponent
        self._kinds = None if opponent is None else opponents_of(opponent, shown_to_others)
        self._learner_option = learner_of(given.agent_color, self.game.num_players)
        self.action_space = action_space(self._view)
        self.observation_space = observation_space(self._view)
        self._games = 0
        self._learner = 0
        self._opponents: dict[int, Opponent] = {}
        self._replacements: Stream | None = None

    @property
    def player(self) -> int:
        """The learner's index in this game; with ``opponent=None`` the player to move."""
        if self._kinds is None and self._turn is not None:
            return self._runner.viewer(self._turn)
        return self._learner

    @property
    def seat(self) -> int:
        """Deprecated name of :attr:`player`."""
        message = "seat is deprecated and goes with the next version: use player"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.player

    def set_game_state(self, state: Any) -> tuple[Any, Info]:
        """Go on from ``state``; seeds, players and opponents stay as they are.

        Returns:
            The observation and info there.

        Raises:
            InvalidState: No game has begun, or it is not the learner's turn there.
            UnknownGame: The state is of another game.
        """
        self._now("set_game_state()")
        check_game(self.game, state)
        turn = self._runner.turn(state, views_of(self._opponents, self._view))
        if self._kinds is not None:
            turn = self._runner.settle(turn, self._learner)
        acting = self._runner.acting(turn)
        if self._kinds is not None and turn.ending is None and self._learner not in acting:
            message = (
                f"the learner is player {self._learner}, but player {state.to_play} is to move in "
                "that state; give a state with the learner to move, or use opponent=None"
            )
            raise InvalidState(message)
        return self._shown(turn, illegal=False)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Begin a game; opponents move up to the learner's first turn.

        Args:
            seed: Seeds everything random from here on: the same seed gives the same games.
            options: ``fen`` and ``moves`` (a list of UCI) for a start of one's own.

        Returns:
            The observation and info of the learner.

        Raises:
            InvalidConfig: An option is not known, or the game is over there, or is ended by the
                opponents' first moves.
            InvalidFen: The FEN is not a position of the game.
            InvalidUci: A move is not legal where it stands.
        """
        super().reset(seed=seed)
        count = self._games if seed is None else 0
        game_seed = int(self.np_random.integers(1 << 63))
        state = self._started(options, game_seed)
        learner = learner_in_game(self._learner_option, count, game_seed, self.game.num_players)
        opponents = {}
        if self._kinds is not None:
            opponents = assigned(self.game, self._kinds, learner, game_seed)
        first = self._runner.begin(state, views_of(opponents, self._view))
        turn = self._advance(first, learner, opponents)
        if turn.ending is not None:
            message = (
                f"the opponents' first moves end the game ({turn.ending.reason}) before the "
                "learner's; start from another position"
                if turn.ending.terminated
                else f"max_plies={self._runner.max_plies} ends the game before the learner's first "
                "move; raise it"
            )
            raise InvalidConfig(message)
        self._games, self._seed, self._learner = count + 1, game_seed, learner
        self._opponents, self._replacements = opponents, None
        return self._shown(turn, illegal=False)

    def step(self, action: Any) -> Step:
        """Play the learner's action, and the opponents' up to the learner's next turn.

        Args:
            action: An index into the action space, or if actions have parts one for each.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            IllegalAction: The action is outside the action space; or it is not legal and
                ``illegal="raise"``; or an opponent answered with an illegal one. The game stands as
                before the step.
            InvalidState: No game has begun, or it is over.
        """
        turn = self._turn or self._now("step()")
        if turn.ending is not None:
            message = "the game is over: call reset() before the next step()"
            raise InvalidState(message)
        if self._view.compact:
            index = action_of_compact(self.game, turn.state, action)
        else:
            index = self._runner.index(action)
        mover = self._learner if self._kinds is not None else self._runner.viewer(turn)
        if self._runner.is_idle(turn, mover):
            index = int(self._runner.legal_actions(turn, mover)[0])
        illegal = not self._runner.is_legal(turn, mover, index)
        if illegal and self._runner.illegal == "terminate":
            after = self._runner.forfeit(turn, (mover,))
        else:
            if illegal:
                index = self._replacement(turn, mover, action)
            after = self._play(turn, mover, index, self._opponents)
            after = self._advance(after, self._learner, self._opponents)
        observation, info = self._shown(after, illegal=illegal)
        reward, ending = self._runner.rewards(after)[mover], after.ending
        if ending is None:
            return observation, reward, False, False, info
        return observation, reward, ending.terminated, not ending.terminated, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """``bool[A]``: the learner's legal actions, as SB3's MaskablePPO asks for them.

        If actions have parts, the masks of all parts one after the other.

        Raises:
            InvalidState: No game has begun.
        """
        turn = self._now("action_masks()")
        return flat_mask(mask_of(turn, self.player, self._view)).astype(np.bool_)

    def _drawn(self, turn: Turn, mode: str) -> Any:
        flipped = self._kinds is not None and self._learner == 1
        player = self._learner if self.game.is_hidden else None
        return rendering.render(self.game, turn.state, mode, flipped=flipped, player=player)

    def _shown(self, turn: Turn, *, illegal: bool) -> tuple[Any, Info]:
        """Make ``turn`` the present one, and return what the viewer gets of it."""
        viewer = self._runner.viewer(turn) if self._kinds is None else self._learner
        self._present(turn)
        mover = turn.mover if self._kinds is None else None
        shown = observe(turn, viewer, self._view, illegal=illegal, mover=mover)
        return shown.observation, shown.info

    def _replacement(self, turn: Turn, player: int, action: Any) -> int:
        if self._replacements is None:
            self._replacements = Stream(self._seed, "illegal")
        return self._runner.replacement(turn, player, action, self._replacements)

    def _advance(self, turn: Turn, learner: int, opponents: dict[int, Opponent]) -> Turn:
        """Let opponents move until the learner's turn or the end."""
        if self._kinds is None:
            if turn.ending is None and turn.state.to_play == SIMULTANEOUS:
                message = (
                    f"opponent=None: players of {self.game.name!r} move at once, so that one "
                    "action a step is not enough; name an opponent"
                )
                raise InvalidConfig(message)
            return turn
        turn = self._runner.settle(turn, learner)
        while turn.ending is None and learner not in self._runner.acting(turn):
            turn = self._play(turn, None, None, opponents)
            turn = self._runner.settle(turn, learner)
        return turn

    def _play(
        self, turn: Turn, player: int | None, action: int | None, opponents: dict[int, Opponent]
    ) -> Turn:
        """Play one turn: ``player``'s action, and those of opponents who move now."""
        actions: list[Any] = []
        for acting in self._runner.acting(turn):
            if acting == player:
                actions.append(action)
            else:
                actions.append(choose(opponents[acting], self._runner, turn, acting))
        return self._runner.play(turn, joint_action(turn.state, actions))
