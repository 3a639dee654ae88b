"""Agents that were written for the original Pommerman, unchanged."""

import copy
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import spaces

from phasezoo import games
from phasezoo.agents.base import DeprecatedSeats, SequentialPool
from phasezoo.checking import type_name
from phasezoo.errors import IllegalAction, InvalidConfig
from phasezoo.pommerman_compat import constants as our_constants
from phasezoo.pommerman_compat.figures import action_index, action_space, call, expected, show
from phasezoo.zoo.pommerman.observation import game_type_of, pommerman_observation


class LegacyPommermanAgent(DeprecatedSeats):
    """Plays by an object with ``act(obs, action_space)``.

    As in the original, ``obs`` is that of :mod:`phasezoo.zoo.pommerman.observation`,
    ``action_space`` a Gymnasium ``Discrete(6)``, with a radio ``Tuple(Discrete(6), Discrete(8),
    Discrete(8))``, and the answer an action, with a radio also [action, word, word]. If they
    exist, ``init_agent(id, game_type)`` is called before a game, ``episode_end(reward)`` and
    ``shutdown()`` after it. The dead are not asked, they stop. The figure of an object that has one
    (``_character``) is kept current.

    Each game, and in it each player that the agent plays, has an object of its own; an
    object keeps nothing from one game to the next. ``action_space`` draws from the session's seed.
    Agents that draw from the global ``random`` or ``numpy.random`` go on doing so: nobody seeds
    these but the caller, so their games repeat only if the caller does.

    Args:
        agent: A class or function that makes such an object, or the object, which is copied.
        constants: The original's module ``pommerman.constants``, for agents that import the
            original package; None: that of the stand-in, :mod:`phasezoo.pommerman_compat`.
        name: How reports call it.

    Raises:
        InvalidConfig: ``agent`` is neither.
    """

    def __init__(
        self, agent: Any, *, constants: ModuleType | None = None, name: str | None = None
    ) -> None:
        self.constants = our_constants if constants is None else constants
        self._make: Callable[[], Any]
        if not isinstance(agent, type) and callable(getattr(agent, "act", None)):
            # Its own attributes may be those of its figure: only the type knows the name.
            called = type(agent).__name__
            self._make = partial(self._copy, agent)
        elif callable(agent):
            called = getattr(agent, "__name__", type(agent).__name__)
            self._make = agent
        else:
            message = (
                f"{type_name(agent)} is no agent of the original Pommerman: give a class or "
                "function that makes one, or an object with act(obs, action_space)"
            )
            raise InvalidConfig(message)
        self.name = called if name is None else name

    def session(self, seed: int) -> "LegacyPommermanSession":
        """One game, with new objects."""
        return LegacyPommermanSession(self, seed)

    def session_pool(self, game: games.Game, **options: Any) -> "LegacyPommermanPool":
        """Open a pool of games, which report their ends to the objects."""
        return LegacyPommermanPool(self)

    def make(self) -> Any:
        """A new object of the agent's.

        Raises:
            InvalidConfig: What was made has no ``act``, or the object given cannot be copied.
        """
        made = self._make()
        if not callable(getattr(made, "act", None)):
            message = f"{self.name} made {type_name(made)}, which has no act(obs, action_space)"
            raise InvalidConfig(message)
        return made

    def _copy(self, agent: Any) -> Any:
        try:
            return copy.deepcopy(agent)
        except Exception as error:
            message = (
                f"{self.name} cannot be copied for a new game ({error}): give what makes one, "
                "such as LegacyPommermanAgent(lambda: MyAgent(…))"
            )
            raise InvalidConfig(message) from error


class LegacyPommermanSession:
    """One game of a :class:`LegacyPommermanAgent`."""

    def __init__(self, agent: LegacyPommermanAgent, seed: int) -> None:
        self._agent = agent
        self._seed = seed
        self._players: dict[int, tuple[Any, spaces.Space[Any]]] = {}

    def act(self, state: Any, player: int | None = None) -> int:
        """The action of ``player``, who must be given; with a radio, words are part of it.

        Raises:
            IllegalAction: The object answered what is no action.
            InvalidConfig: ``player`` is not given, or there is no such player.
            InvalidState: ``state`` is no state of Pommerman.
        """
        game_type = game_type_of(state)
        if player is None:
            message = f"{self._agent.name} must know who acts: all move at once, give player="
            raise InvalidConfig(message)
        constants = self._agent.constants
        observation = pommerman_observation(state, player, items=constants.Item)
        if not state.agents[player][5]:
            return 0
        radio = "message" in observation
        if player not in self._players:
            self._players[player] = self._agent.make(), _space(radio, self._seed, player)
            kind = constants.GameType(game_type.value)
            call(self._players[player][0], "init_agent", player, kind)
        legacy, space = self._players[player]
        show(legacy, state.agents[player])
        answer = legacy.act(observation, space)
        try:
            return action_index(answer, radio)
        except (TypeError, ValueError):
            message = (
                f"{self._agent.name} answered {repr(answer)[:80]} as player {player} at step "
                f"{state.ply}; allowed are {expected(radio)}"
            )
            raise IllegalAction(message) from None

    def end(self, state: Any) -> None:
        """Tell the objects what they got from the game, which is over."""
        for player, (legacy, _) in self._players.items():
            call(legacy, "episode_end", int(state.rewards[player]))

    def close(self) -> None:
        """Shut the objects down."""
        for legacy, _ in self._players.values():
            call(legacy, "shutdown")
        self._players.clear()


class LegacyPommermanPool(SequentialPool):
    """A pool of games of a :class:`LegacyPommermanAgent`."""

    def tell(self, slot: int, action: Any, state: Any) -> None:
        """Report the end."""
        if state.is_terminal:
            session: Any = self._sessions[slot]
            session.end(state)

    def close(self, slot: int) -> None:
        """Leave the game, and shut its objects down."""
        session: Any = self._sessions[slot]
        session.close()
        super().close(slot)


def _space(radio: bool, seed: int, player: int) -> spaces.Space[Any]:
    space = action_space(radio)
    space.seed(int(np.random.SeedSequence([seed, player]).generate_state(1)[0]))
    return space
