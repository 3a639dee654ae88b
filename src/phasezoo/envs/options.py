"""The options of environments: their names and types, for the classes that pass them on.

Type checkers and editors show them wherever a class or function takes ``**options`` of a game's
environment. :data:`DEFAULTS` says what holds if an option is not given.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from gymnasium.vector import AutoresetMode

__all__ = [
    "DEFAULTS",
    "GameOptions",
    "ManyOptions",
    "ObservedOptions",
    "ParallelOptions",
    "SingleOptions",
    "PettingZooOptions",
    "VectorOptions",
]


class GameOptions(TypedDict, total=False):
    """Options of every environment."""

    planes: str | None
    """Which planes are observed; None: the game's own."""
    history: int | None
    """How many of the last moves planes show; None: as many as the planes have."""
    gate: Any
    """Says ``info["phase"]``: a specification, a gate or a callable; None for phase 0."""
    monotone: bool
    """Whether phases never go back."""
    illegal: str
    """After an illegal action ``"terminate"``, ``"raise"`` or ``"random_legal"``."""
    max_plies: int | None
    """Games are truncated after so many plies; None for no limit."""
    render_mode: str | None
    """``"ansi"``, ``"svg"``, ``"rgb_array"``, in environments of one game ``"human"``; or None."""
    observation: str
    """``"planes"``, ``"packed"``, ``"masked"`` or ``"none"``; ``"dict"`` in games that know one."""


class PettingZooOptions(GameOptions, total=False):
    """Options of PettingZoo's environments."""

    state_in_info: bool
    """Whether ``info["state"]`` is there, which no wrapper for tensors can carry."""


class ObservedOptions(GameOptions, total=False):
    """Options of environments that may be paid at every step."""

    rewards: str
    """``"once"``, or ``"original"`` in games that pay at every step."""


class ParallelOptions(PettingZooOptions, ObservedOptions, total=False):
    """Options of PettingZoo's parallel environments."""


class SingleOptions(ObservedOptions, total=False):
    """Options of environments with one learner."""

    opponent: Any
    """A name, a callable ``(observation, info) -> action``, an agent, or None for self-play."""
    agent_color: int | str
    """The learner's seat: an index, a colour, ``"alternate"`` or ``"random"``."""
    compact_actions: bool
    """Whether the learner's actions are the game's compact ones, in games that have them."""


class ManyOptions(ObservedOptions, total=False):
    """Options of many games that are stepped together."""

    autoreset_mode: str | AutoresetMode
    """``"NextStep"``, ``"SameStep"`` or ``"Disabled"``."""
    copy: bool
    """False to fill the same arrays at every step."""
    threads: int | None
    """Threads to use; None: all that this process may."""
    infos: Sequence[str]
    """What else infos tell: ``"fen"``, ``"reason"``, and what a game alone tells."""


class VectorOptions(SingleOptions, ManyOptions, total=False):
    """Options of many games with one learner each."""


DEFAULTS: Mapping[str, Any] = {
    "planes": None,
    "history": None,
    "gate": None,
    "monotone": False,
    "illegal": "terminate",
    "max_plies": None,
    "render_mode": None,
    "observation": "planes",
    "state_in_info": False,
    "rewards": "once",
    "opponent": "random",
    "agent_color": 0,
    "compact_actions": False,
    "autoreset_mode": AutoresetMode.NEXT_STEP,
    "copy": True,
    "threads": None,
    "infos": (),
}
"""What holds if an option is not given; environments of single games may choose other opponents."""
