"""The networks that have a name: those of the package, and those of one's own."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar, overload

from torch import nn

from phasezoo import plugins
from phasezoo.errors import InvalidConfig
from phasezoo.networks.catalogue import FAMILIES
from phasezoo.networks.options import OptionTable

__all__ = ["Factory", "find", "form", "known", "names", "refuse_modules", "register"]

Factory: TypeAlias = Callable[..., nn.Module]
"""Makes a network: ``factory(input_shape, num_actions, **options)``; a class will do."""

_Factory = TypeVar("_Factory", bound=Factory)

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

_OWN: dict[str, Factory] = {}


def known() -> dict[str, Factory]:
    """Every factory by its name, without those that installed packages offer unasked."""
    return {**FAMILIES, **_OWN}


def find(head: str) -> tuple[str, str | None] | None:
    """The registered name that ``head`` begins with, and the size that follows it."""
    base, dash, tail = head.rpartition("-")
    for name, size in ((head, None), (base, tail)) if dash else ((head, None),):
        if name in FAMILIES or name in _OWN or plugins.load("networks", name, _OWN):
            return name, size
    return None


@overload
def register(name: str) -> Callable[[_Factory], _Factory]: ...
@overload
def register(name: str, factory: _Factory) -> _Factory: ...
def register(name: str, factory: Factory | None = None) -> Any:
    """Add a network of one's own; registering its name again replaces it.

    Also a decorator: ``@networks.register("mine")`` above a class or a function.

    Args:
        name: How it is asked for: letters, digits, ``_``, ``-`` and ``.``.
        factory: Called as ``factory(input_shape, num_actions, **options)``, answers a module that
            answers ``float32[B, C, H, W]`` with :class:`NetworkOutput`. Its options are those of
            its signature; those without a default are its size, which stands in the name
            (``def mine(input_shape, num_actions, width: int)`` is asked for as ``mine-64``). It is
            told ``num_players=`` if it takes that.

    Returns:
        ``factory``, or the decorator.

    Raises:
        InvalidConfig: The name is one of the package or no name, or the factory cannot be called
            so.
    """
    if factory is None:
        return partial(register, name)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        message = f"{name!r}: a network's name is letters, digits, _, - and ."
        raise InvalidConfig(message)
    if name in FAMILIES or name.rpartition("-")[0] in FAMILIES:
        message = f"{name!r} is a network of the package: choose another name"
        raise InvalidConfig(message)
    refuse_modules(factory)
    OptionTable.of(factory)
    _OWN[name] = factory
    return factory


def names() -> tuple[str, ...]:
    """The forms of the names that :func:`make` knows, sorted: ``rise-CHANNELSxBLOCKS``."""
    plugins.load_all("networks", _OWN)
    return tuple(sorted(form(name, OptionTable.of(factory)) for name, factory in known().items()))


def form(name: str, table: OptionTable) -> str:
    """How a network called ``name`` is asked for, such as ``rise-CHANNELSxBLOCKS``."""
    size = "x".join(option.name.upper() for option in table.required())
    return f"{name}-{size}" if size else name


def refuse_modules(factory: object) -> None:
    """Refuse a network where its factory is wanted, which is an easy mistake.

    Raises:
        InvalidConfig: ``factory`` is a module.
    """
    if isinstance(factory, nn.Module):
        message = (
            f"a {type(factory).__name__} itself; give its class or a function that makes it, so "
            "that it can be made again with new weights"
        )
        raise InvalidConfig(message)
