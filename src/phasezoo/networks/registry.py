"""The networks that have a name, those of the package and of one's own, and their options."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin, overload

from torch import nn

from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig, UnregisteredNetwork
from phasezoo.networks.catalogue import FAMILIES
from phasezoo.specs import UNKNOWN, Option, Registry, options_of, unknown_option, values_of

Factory: TypeAlias = Callable[..., nn.Module]
"""Makes a network: ``factory(input_shape, num_actions, **options)``; a class will do."""

OptionValue: TypeAlias = int | float | bool | str
"""The value of an option; all of it can be written to JSON."""

_Factory = TypeVar("_Factory", bound=Factory)

REGISTRY: Registry[Factory] = Registry(
    "network",
    "networks",
    lambda: FAMILIES,
    error=UnregisteredNetwork,
    refusal=InvalidConfig,
)
"""The factories by name."""


@dataclass(frozen=True)
class Signature:
    """The options of a factory: its parameters after the shape of the input and the actions."""

    options: Mapping[str, Option]
    """By name, in the signature's order."""
    is_open: bool
    """Whether the factory takes any option (``**options``)."""
    takes_num_players: bool
    """Whether it wants to know how many play."""

    @classmethod
    def of(cls, factory: Callable[..., Any]) -> "Signature":
        """Read the signature of a factory."""
        found = options_of(factory)
        shapes = found.positional[:2]
        if len(shapes) < 2 and not found.is_variadic:
            message = (
                f"{getattr(factory, '__qualname__', factory)}({', '.join(found.by_name)}): a "
                "factory of networks is called as factory(input_shape, num_actions, **options) and "
                "answers a torch.nn.Module"
            )
            raise InvalidConfig(message)
        options = {name: _plain(o) for name, o in found.by_name.items() if name not in shapes}
        takes_num_players = options.pop("num_players", None) is not None
        return cls(options, found.is_open, takes_num_players)

    @property
    def required(self) -> list[Option]:
        """The options that make up the size, in the signature's order."""
        return [option for option in self.options.values() if option.is_required]

    def read(self, given: Mapping[str, Any], where: str) -> dict[str, OptionValue]:
        """Return the values of options, given as texts or as values."""
        return {name: self._read(name, value, where) for name, value in given.items()}

    def _read(self, name: str, value: Any, where: str) -> OptionValue:
        option = self.options.get(name)
        if option is None:
            if not self.is_open:
                known = "; ".join(f"{n}: {allowed(o)}" for n, o in self.options.items())
                raise InvalidConfig(unknown_option(name, where, self.options, known or None))
            option = _plain(Option(name, UNKNOWN))
        try:
            found: OptionValue = (
                option.read(value) if isinstance(value, str) else option.check(value)
            )
        except InvalidConfig as error:
            message = f"{where}: {error}"
            raise InvalidConfig(message) from None
        return float(found) if option.annotation is float else found


def allowed(option: Option) -> str:
    """Describe the values that an option takes."""
    return option.values.words(as_text=True)


def _plain(option: Option) -> Option:
    """Return an option without None; without an annotation, its type is its default's.

    What no text could say is any number, text, true or false.
    """
    annotation = option.annotation
    if get_origin(annotation) in (Union, type(int | str)):
        members = tuple(each for each in get_args(annotation) if each is not type(None))
        annotation = Union[members]  # noqa: UP007
    if annotation is UNKNOWN and type(option.default) in get_args(OptionValue):
        annotation = type(option.default)
    kinds = values_of(annotation).kinds
    if annotation is UNKNOWN or not all(kind.is_plain for kind in kinds):
        annotation = bool | int | float | str
    return dataclasses.replace(option, annotation=annotation)


def find(head: str) -> tuple[str, str | None] | None:
    """Return the registered name that ``head`` begins with, and the size that follows it."""
    base, dash, tail = head.rpartition("-")
    for name, size in ((head, None), (base, tail)) if dash else ((head, None),):
        if REGISTRY.find(name) is not None:
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
            called with ``num_players=`` if it takes that.

    Returns:
        ``factory``, or the decorator.

    Raises:
        InvalidConfig: The name is one of the package or no name, or the factory cannot be called
            so.
    """
    if factory is None:
        return partial(register, name)
    is_sized = isinstance(name, str) and name.rpartition("-")[0] in FAMILIES
    REGISTRY.check_name(name.rpartition("-")[0] if is_sized else name)
    refuse_modules(factory)
    Signature.of(factory)
    REGISTRY.register(name, factory)
    return factory


def names() -> tuple[str, ...]:
    """Return the forms of the names that :func:`make` knows, sorted: ``rise-CHANNELSxBLOCKS``."""
    REGISTRY.names()  # loads those of installed packages
    return tuple(sorted(form(name, Signature.of(made)) for name, made in REGISTRY.items()))


def form(name: str, signature: Signature) -> str:
    """Return how a network called ``name`` is asked for, such as ``rise-CHANNELSxBLOCKS``."""
    size = "x".join(option.name.upper() for option in signature.required)
    return f"{name}-{size}" if size else name


def refuse_modules(factory: object) -> None:
    """Refuse a network where its factory is wanted, which is an easy mistake."""
    if isinstance(factory, nn.Module):
        message = (
            f"{type_name(factory)} itself; give its class or a function that makes it, so "
            "that it can be made again with new weights"
        )
        raise InvalidConfig(message)
