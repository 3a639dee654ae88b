"""Agents of one's own, named by their module and their name in it."""

import inspect
from collections.abc import Callable, Collection
from typing import Any

from phasezoo.agents.kinds import AgentKind
from phasezoo.errors import InvalidConfig
from phasezoo.plugins import import_module

__all__ = ["attribute_named", "own_kind", "text_of_own"]


def attribute_named(text: str) -> Any:
    """What ``module:name`` or ``file.py:name`` names.

    Raises:
        InvalidConfig: The module cannot be imported, or has no such name.
    """
    path, _, name = text.rpartition(":")
    if not path or not name:
        message = f"{text!r}: expected module:name, such as my_package.my_module:MyAgent"
        raise InvalidConfig(message)
    found: Any = import_module(path)
    for each in name.split("."):
        if not hasattr(found, each):
            message = f"{path!r} has no {name!r}"
            raise InvalidConfig(message)
        found = getattr(found, each)
    return found


def own_kind(text: str, options: Collection[str] = ()) -> AgentKind:
    """What makes the agent that ``module:name`` names.

    A class makes it, and so does a function, unless it is the agent itself: its first parameters
    are ``observation`` and ``info``, or no options are given and it takes two arguments. Any other
    object is the agent.

    Args:
        text: The name.
        options: Keys of what is given to it.

    Raises:
        InvalidConfig: It cannot be imported.
    """
    found = attribute_named(text)
    if inspect.isclass(found) or (inspect.isroutine(found) and not _is_agent(found, options)):
        return AgentKind(
            lambda **given: _checked(found(**given), text), like=found, sets_name=False
        )
    return AgentKind(lambda: _checked(found, text), sets_name=False)


def text_of_own(agent: Any) -> str | None:
    """The ``module:name`` of a function that can be imported; None of anything else."""
    module, name = getattr(agent, "__module__", None), getattr(agent, "__qualname__", None)
    if not inspect.isfunction(agent) or module == "__main__":
        return None
    text = f"{module}:{name}"
    try:
        return text if attribute_named(text) is agent else None
    except InvalidConfig:  # it was made inside a function
        return None


def _is_agent(function: Callable[..., Any], options: Collection[str]) -> bool:
    """Whether a function is an agent and makes none."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    if list(signature.parameters)[:2] == ["observation", "info"]:
        return True
    return not options and not _takes(signature) and _takes(signature, None, None)


def _takes(signature: inspect.Signature, *arguments: Any) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _checked(agent: Any, text: str) -> Any:
    """``agent``, if it is one.

    Raises:
        InvalidConfig: It is not.
    """
    plays = any(hasattr(agent, each) for each in ("session", "seats")) or callable(agent)
    if inspect.isclass(agent) or not plays:
        message = (
            f"{text!r} gives a {type(agent).__name__}, which is no agent: expected an object with "
            "session(seed), or a callable (observation, info) -> action"
        )
        raise InvalidConfig(message)
    return agent
