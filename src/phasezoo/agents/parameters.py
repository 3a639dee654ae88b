"""What classes and functions take by name, and of which types."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any, get_type_hints

from phasezoo.agents.option_values import UNKNOWN

__all__ = ["Parameters", "parameters_of"]


@dataclass(frozen=True)
class Parameters:
    """What something can be called with by name."""

    kinds: dict[str, Any]
    """The types of the parameters by name."""
    required: tuple[str, ...]
    """Those without a default."""
    is_open: bool
    """Whether any other is taken too."""


def parameters_of(make: Callable[..., Any], like: Callable[..., Any] | None = None) -> Parameters:
    """What can be given to a class or function by name, also through what it passes on.

    Args:
        make: The class or function.
        like: What it passes options on to, besides the classes that it inherits from.
    """
    found = _of_one(make)
    if like is None or not found.is_open:
        return found
    more = _of_one(like)
    return Parameters({**more.kinds, **found.kinds}, found.required or more.required, more.is_open)


def _of_one(make: Callable[..., Any]) -> Parameters:
    kinds: dict[str, Any] = {}
    required: tuple[str, ...] = ()
    is_open = False
    for place, each in enumerate(_chain(make)):
        hints = _hints(each)
        is_open = False
        for parameter in _signature(each).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                is_open = True
                continue
            is_required = parameter.default is parameter.empty
            if parameter.kind is parameter.VAR_POSITIONAL or parameter.name == "self":
                continue
            if place and is_required:  # given by what passes the options on
                continue
            kinds.setdefault(parameter.name, hints.get(parameter.name, UNKNOWN))
            required += (parameter.name,) * is_required
        if not is_open:
            break
    config = _dataclass_in(kinds.get("config"))
    if is_open and config is not None:
        kinds = {**_hints(config), **kinds}
        is_open = False
    return Parameters(kinds, required, is_open)


def _chain(make: Callable[..., Any]) -> Iterator[Any]:
    """What is called, one after another, as long as options are passed on."""
    if not inspect.isclass(make):
        yield make
        return
    for kind in make.__mro__[:-1]:
        if "__init__" in vars(kind):
            yield vars(kind)["__init__"]


_ANYTHING = inspect.Signature([inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)])


def _signature(of: Any) -> inspect.Signature:
    """What it takes; of what does not say so, anything."""
    try:
        return inspect.signature(of)
    except (TypeError, ValueError):
        return _ANYTHING


def _hints(of: Any) -> dict[str, Any]:
    try:
        return get_type_hints(of)
    except (NameError, TypeError):  # names that only a type checker imports
        return {}


def _dataclass_in(kind: Any) -> Any:
    """The dataclass of an optional one."""
    members = getattr(kind, "__args__", (kind,))
    return next((each for each in members if is_dataclass(each)), None)
