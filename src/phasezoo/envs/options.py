"""The options of environments: their names and types, for the classes that pass them on.

Type checkers and editors show them wherever a class or function takes ``**options`` of a game's
environment. :data:`DEFAULTS` says what holds if an option is not given.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, get_args, get_type_hints, is_typeddict

from gymnasium.vector import AutoresetMode

from phasezoo.errors import InvalidConfig
from phasezoo.specs import did_you_mean

__all__ = [
    "DEFAULTS",
    "GameOptions",
    "ManyOptions",
    "ObservedOptions",
    "ParallelOptions",
    "SingleOptions",
    "PettingZooOptions",
    "VectorOptions",
    "refuse_unknown",
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
    max_episode_steps: int | None
    """Episodes are truncated after so many steps of the learner; None, or -1, for no limit."""
    disable_env_checker: bool | None
    """Taken as ``gymnasium.make`` takes it; no checker is put around many games."""


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
    "max_episode_steps": None,
    "disable_env_checker": None,
}
"""What holds if an option is not given; environments of single games may choose other opponents."""


def refuse_unknown(env: object, unknown: Mapping[str, Any]) -> None:
    """Refuse options that an environment does not have.

    Args:
        env: The environment.
        unknown: What was given besides its options.

    Raises:
        InvalidConfig: Something was.
    """
    for name in unknown:
        kind = type(env)
        called = getattr(kind, "metadata", {}).get("name", kind.__name__)
        known = sorted(set(_names(kind)))
        message = (
            f"{name}=: {called} has no such option{did_you_mean(name, known)} "
            f"There are {', '.join(known)}"
        )
        raise InvalidConfig(message)


def _names(kind: type) -> Iterator[str]:
    """The options of a class of environments, those among them that it hands on."""
    for each in kind.__mro__:
        if "__init__" not in vars(each):
            continue
        parameters = list(inspect.signature(vars(each)["__init__"]).parameters.values())[1:]
        # What classes above take by place is given by those below.
        shown = [p for p in parameters if each is kind or p.kind is p.KEYWORD_ONLY]
        yield from (p.name for p in shown if p.kind is not p.VAR_KEYWORD)
        rest = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)
        if rest is None:
            return
        handed_on = get_args(get_type_hints(vars(each)["__init__"]).get(rest))
        if handed_on and is_typeddict(handed_on[0]):
            yield from get_type_hints(handed_on[0])
            return
