"""Any game as a PettingZoo parallel environment, for games whose players move at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from pettingzoo import ParallelEnv

from phasezoo import games
from phasezoo.checking import shown
from phasezoo.envs.game_env import GameEnv, PettingZooEnv
from phasezoo.envs.options import ParallelOptions
from phasezoo.envs.starts import check_game
from phasezoo.errors import InvalidConfig
from phasezoo.games.queries import joint_action
from phasezoo.observation import Turn, observe
from phasezoo.types import Info

Step = tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]


class ParallelGameEnv(PettingZooEnv, ParallelEnv[str, Any, int]):  # type: ignore[misc]
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

    metadata = GameEnv.metadata | {"name": "game_v0", "is_parallelizable": True}

    def __init__(
        self,
        game: "str | games.Game",
        **options: Unpack[ParallelOptions],
    ) -> None:
        self._set_up(ParallelOptions, game, options)
        self._make_spaces()

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
        self._present(turn)
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
        turn = self._begin(seed, options)
        self._present(turn)
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
            InvalidConfig: ``actions`` is no dictionary, or the action of an agent who is to move is
                missing.
            InvalidState: No game has begun.
        """
        turn = self._now("step()")
        if turn.ending is not None:
            return {}, {}, {}, {}, {}
        given: object = actions
        if not isinstance(given, Mapping):
            message = f"actions={shown(given)}: give a dictionary of agents and their actions"
            raise InvalidConfig(message)
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
            joint = joint_action(turn.state, list(chosen.values()))
            after = self._runner.play(turn, joint)
        self._present(after)
        return self._shown(after, offenders)

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
        is_cut = ending is not None and not ending.terminated
        rewards, terminated, truncated = {}, {}, {}
        for name in names:
            player = self.possible_agents.index(name)
            leaves = self._leaving(turn, player)
            rewards[name] = paid[player] if leaves is None else leaves
            terminated[name] = leaves is not None or (ending is not None and ending.terminated)
            truncated[name] = is_cut and leaves is None
        self.agents = self._taking_part(turn, names)
        observations, infos = self._observe_all(turn, names, offenders)
        return observations, rewards, terminated, truncated, infos

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
