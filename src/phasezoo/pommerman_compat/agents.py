"""The base class that agents for the original derive from, and the plainest agents."""

from typing import Any, NoReturn

from phasezoo.errors import MissingDependency
from phasezoo.pommerman_compat.characters import Bomber
from phasezoo.pommerman_compat.constants import Action, GameType
from phasezoo.pommerman_compat.simple import NativeSimple

__all__ = [
    "BaseAgent",
    "DockerAgent",
    "DummyAgent",
    "HttpAgent",
    "PlayerAgent",
    "PlayerAgentBlocking",
    "RandomAgent",
    "SimpleAgent",
    "TensorForceAgent",
]


class BaseAgent:
    """Base class of agents for the original.

    Reading an attribute that the agent does not have reads it from its figure, such as
    ``self.ammo``; writing sets the agent's own, which then hides the figure's.

    Args:
        character: The figure, or a function that makes it from the player's number and the kind of
            game.
    """

    def __init__(self, character: Any = Bomber) -> None:
        self._character = character

    def __getattr__(self, name: str) -> Any:
        # Copies are asked for attributes before they have a figure.
        if name == "_character":
            message = f"{type(self).__name__} has no figure: call BaseAgent's __init__ first"
            raise AttributeError(message)
        return getattr(self._character, name)

    def act(self, obs: dict[str, Any], action_space: Any) -> Any:
        """The action for an observation; agents define this."""
        message = f"{type(self).__name__} defines no act(obs, action_space)"
        raise NotImplementedError(message)

    def episode_end(self, reward: Any) -> None:
        """Called after a game with the reward, -1 to 1."""

    def init_agent(self, id_: int, game_type: GameType) -> None:
        """Called before a game with the player's number and the kind of game."""
        if callable(self._character):
            self._character = self._character(id_, game_type)
        else:
            self._character.game_type = game_type
            self._character.set_agent_id(id_)

    @staticmethod
    def has_user_input() -> bool:
        """Whether a human plays."""
        return False

    def shutdown(self) -> None:
        """Called when the agent is not needed any more."""


class RandomAgent(BaseAgent):
    """Draws from the action space, words included."""

    def act(self, obs: dict[str, Any], action_space: Any) -> Any:
        """Any action."""
        return action_space.sample()


class DummyAgent(BaseAgent):
    """Stays where it is."""

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        """Stop."""
        return Action.Stop.value


class SimpleAgent(BaseAgent):
    """The original's scripted agent, played by the native core: its rules and its odds.

    It draws from a generator of its own, seeded from Python's global :mod:`random` when it first
    acts. Its inner methods do not exist here: a class that overrides them has no effect.
    """

    def __init__(self, character: Any = Bomber) -> None:
        super().__init__(character)
        self._native = NativeSimple()

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        """The script's action."""
        return self._native.act(obs)


class _Absent(BaseAgent):
    """An agent that can be imported, which scripts do without need, but not made."""

    instead = ""
    """Replacement for it."""

    def __init__(self, *arguments: Any, **options: Any) -> NoReturn:
        message = (
            f"phasezoo's stand-in has no {type(self).__name__}: {self.instead}, or install the "
            "original package"
        )
        raise MissingDependency(message)


class PlayerAgent(_Absent):
    """Played by the keyboard of a window, which the stand-in does not open."""

    instead = "play by hand on `phasezoo web` or with phasezoo.agents.HumanAgent"


class PlayerAgentBlocking(PlayerAgent):
    """The same, waiting for a key."""


class DockerAgent(_Absent):
    """Played by a container, which the stand-in does not start."""

    instead = "write an act(obs, action_space) that asks your server"


class HttpAgent(DockerAgent):
    """Played by a server over HTTP, which the stand-in does not ask."""


class TensorForceAgent(_Absent):
    """Trained by TensorForce, which the stand-in does not know."""

    instead = "derive your own from BaseAgent"
