"""Networks by name, by factory, and as a manifest describes them."""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar, overload

import torch
from torch import nn

from phasezoo.errors import InvalidConfig, InvalidNetwork
from phasezoo.networks.catalogue import FAMILIES
from phasezoo.networks.imports import import_path, imported
from phasezoo.networks.options import OptionTable, OptionValue

__all__ = [
    "GRAMMAR",
    "Factory",
    "NetworkSpec",
    "describe",
    "description_of",
    "from_description",
    "make",
    "names",
    "register",
]

Factory: TypeAlias = Callable[..., nn.Module]
"""Makes a network: ``factory(input_shape, num_actions, **options)``; a class will do."""

_Factory = TypeVar("_Factory", bound=Factory)

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*")

_OWN: dict[str, Factory] = {}

_MADE_AS = "_phasezoo_made_as"


def _forms() -> list[str]:
    return [_form(name, OptionTable.of(factory)) for name, factory in {**FAMILIES, **_OWN}.items()]


def _form(name: str, table: OptionTable) -> str:
    """How a network called ``name`` is asked for, such as ``rise-CHANNELSxBLOCKS``."""
    size = "x".join(option.name.upper() for option in table.required())
    return f"{name}-{size}" if size else name


GRAMMAR = (
    "NAME or NAME:option=value,… with a name of the form " + ", ".join(_forms()) + ", such as "
    "rise-32x4, rise-256x15 (as published), resnet-64x6:value=mse; or the import path of a factory "
    "of your own, MODULE:FUNCTION"
)
"""What a network's text looks like."""


@dataclass(frozen=True)
class NetworkSpec:
    """A network without its sizes of input and policy and without its weights."""

    name: str
    """Its name in the registry, sizes included (``rise-32x4``), else its import path, else what
    Python calls the factory."""
    options: Mapping[str, OptionValue]
    """The options that were given."""
    factory: str | None
    """Where the factory is imported from, ``module:name``; None if it cannot be imported, as with
    a lambda, a function inside another, or a script's own."""

    def __str__(self) -> str:
        options = ",".join(
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in self.options.items()
        )
        return f"{self.name}:{options}" if options else self.name


@dataclass(frozen=True)
class _Plan:
    """A factory, all that it is to be called with besides the shapes, and what describes it."""

    factory: Factory
    table: OptionTable
    arguments: Mapping[str, OptionValue]
    spec: NetworkSpec


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
    _refuse_modules(factory)
    OptionTable.of(factory)
    _OWN[name] = factory
    return factory


def names() -> tuple[str, ...]:
    """The forms of the names that :func:`make` knows, sorted: ``rise-CHANNELSxBLOCKS``."""
    return tuple(sorted(_forms()))


def make(
    spec: str | Factory | NetworkSpec,
    input_shape: tuple[int, int, int] = (52, 8, 8),
    num_actions: int = 4672,
    seed: int = 0,
    *,
    num_players: int = 2,
) -> nn.Module:
    """Make a network with new weights, drawn from ``seed`` alone.

    Args:
        spec: A name (see :data:`GRAMMAR`), with options or without (``rise-32x4:value=mse``); or a
            factory (see :func:`register`); or what :func:`describe` answered.
        input_shape: Channels, height and width of the input planes; chess's ``v2`` by default.
        num_actions: Size A of the policy; chess's by default.
        seed: The same seed gives the same weights, whatever else torch has drawn.
        num_players: How many play, for networks with a value for each.

    Raises:
        InvalidConfig: There is no such network or option, or the sizes do not fit.
        InvalidNetwork: The factory answered something that is no module.
        MissingDependency: The network needs a package that is not installed.
    """
    plan = _plan(spec)
    sizes = (*input_shape, num_actions, num_players)
    if len(input_shape) != 3 or min(sizes) < 1:
        message = (
            f"input_shape={tuple(input_shape)}, num_actions={num_actions}, "
            f"num_players={num_players}: three sizes of planes, and all of them 1 or more"
        )
        raise InvalidConfig(message)
    arguments: dict[str, Any] = dict(plan.arguments)
    if plan.table.takes_num_players:
        arguments["num_players"] = num_players
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network: Any = plan.factory(input_shape, num_actions, **arguments)
    if not isinstance(network, nn.Module):
        message = f"{plan.spec}: answered {network!r}; expected a torch.nn.Module"
        raise InvalidNetwork(message)
    # In the dictionary itself, which copies of the module take along and its weights do not.
    network.__dict__[_MADE_AS] = plan.spec
    return network


def description_of(network: nn.Module) -> NetworkSpec | None:
    """What :func:`make` made ``network``, or the network that it is a copy of, from; else None."""
    spec: NetworkSpec | None = network.__dict__.get(_MADE_AS)
    return spec


def describe(spec: str | Factory | NetworkSpec) -> NetworkSpec:
    """What a manifest keeps of a network, so that :func:`from_description` makes it again.

    Nothing is built, so this is also how a text is checked early.

    Raises:
        InvalidConfig: There is no such network or option, or a value is not allowed.
    """
    return _plan(spec).spec


def from_description(
    spec: NetworkSpec,
    input_shape: tuple[int, int, int],
    num_actions: int,
    seed: int = 0,
    *,
    num_players: int = 2,
) -> nn.Module:
    """Make the network that :func:`describe` described, here or in another program.

    The name is looked for among the registered ones, then the factory is imported.

    Raises:
        InvalidConfig: Neither gives the network; the message says what was tried and what helps.
    """
    return make(spec, input_shape, num_actions, seed, num_players=num_players)


def _plan(spec: Any) -> _Plan:
    if isinstance(spec, NetworkSpec):
        return _from_spec(spec)
    if isinstance(spec, str):
        head, options = _split(spec)
        return _named(head, options, f"network {spec!r}")
    _refuse_modules(spec)
    if not callable(spec):  # a caller without a type checker
        message = f"network={spec!r}: expected a name, {GRAMMAR}; or a factory"
        raise InvalidConfig(message)
    return _direct(spec)


def _from_spec(spec: NetworkSpec) -> _Plan:
    where = f"network {str(spec)!r}"
    known = _find(spec.name)
    if known is not None:
        return _named(spec.name, spec.options, where)
    if spec.factory is None:
        message = (
            f"{where}: it is not registered here, and its factory cannot be imported, since it was "
            "defined inside a function, as a lambda or in a script of its own; call "
            "networks.register(name, factory) before, or keep the factory in a module"
        )
        raise InvalidConfig(message)
    factory = imported(spec.factory, where)
    table = OptionTable.of(factory)
    sized = table.required() and not _PATH.fullmatch(spec.name)
    size = _size(spec.name.rpartition("-")[2], table, where) if sized else {}
    return _assemble(factory, table, size, table.read(spec.options, where), spec.name)


def _direct(factory: Any) -> _Plan:
    """A factory given itself; options may be fixed by ``functools.partial``."""
    options: Mapping[str, Any] = {}
    if isinstance(factory, partial) and not factory.args:
        options, factory = factory.keywords, factory.func
    for name, own in {**FAMILIES, **_OWN}.items():
        if own is factory:
            return _named(name, options, f"network {name!r}")
    table = OptionTable.of(factory)
    name = import_path(factory) or str(getattr(factory, "__qualname__", type(factory).__name__))
    return _assemble(factory, table, {}, table.read(options, f"network {name}"), name)


def _named(head: str, options: Mapping[str, object], where: str) -> _Plan:
    """A network by its name, or by its import path."""
    found = _find(head)
    if found is None:
        if not _PATH.fullmatch(head):
            message = f"{where}: {_expected(head)}"
            raise InvalidConfig(message)
        factory = imported(head, where)
        table = OptionTable.of(factory)
        return _assemble(factory, table, {}, table.read(options, where), head)
    base, tail = found
    factory = FAMILIES.get(base) or _OWN[base]
    table = OptionTable.of(factory)
    size = {} if tail is None else _size(tail, table, where)
    return _assemble(factory, table, size, table.read(options, where), base)


def _assemble(
    factory: Factory,
    table: OptionTable,
    size: Mapping[str, OptionValue],
    options: Mapping[str, OptionValue],
    name: str,
) -> _Plan:
    """Put size and options together; all that is required must be there, and nothing twice.

    Raises:
        InvalidConfig: Something is missing or given twice.
    """
    twice = size.keys() & options.keys()
    if twice:
        message = f"network {name!r}: {min(twice)} is said by the name already"
        raise InvalidConfig(message)
    given = {**size, **options}
    required = [option.name for option in table.required()]
    missing = [option for option in required if option not in given]
    if missing:
        message = f"network {name!r}: {missing[0]} is missing; {_expected(name)}"
        raise InvalidConfig(message)
    kept = {n: v for n, v in given.items() if n not in required}
    path = import_path(factory)
    if name in FAMILIES or name in _OWN:
        tail = "x".join(str(given[n]) for n in required)
        return _Plan(
            factory, table, given, NetworkSpec(f"{name}-{tail}" if tail else name, kept, path)
        )
    return _Plan(factory, table, given, NetworkSpec(name, given if not size else kept, path))


def _split(text: str) -> tuple[str, dict[str, str]]:
    """The name (or import path) and the options of ``text``.

    Raises:
        InvalidConfig: An option has no value or is given twice.
    """
    head, colon, rest = text.partition(":")
    attribute, more, after = rest.partition(":")
    if _PATH.fullmatch(f"{head}:{attribute}") and _find(head) is None:
        head, colon, rest = f"{head}:{attribute}", more, after
    options: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        name, equals, value = part.partition("=")
        if not equals or not name or not value or name in options:
            message = f"network {text!r}: {part!r} is no option=value, or is there twice"
            raise InvalidConfig(message)
        options[name] = value
    return head, options


def _find(head: str) -> tuple[str, str | None] | None:
    """The registered name that ``head`` begins with, and the size that follows it."""
    known = {**FAMILIES, **_OWN}
    if head in known:
        return head, None
    base, dash, tail = head.rpartition("-")
    return (base, tail) if dash and base in known else None


def _size(tail: str, table: OptionTable, where: str) -> dict[str, OptionValue]:
    """The options that the name's end gives, such as 32 and 4 of ``32x4``.

    Raises:
        InvalidConfig: The network has no such size.
    """
    required = table.required()
    parts = tail.split("x") if len(required) > 1 else [tail] if required else []
    if len(parts) != len(required) or not required:
        message = f"{where}: the size {tail!r} is not what the network has; expected {GRAMMAR}"
        raise InvalidConfig(message)
    given = {option.name: part for option, part in zip(required, parts, strict=True)}
    try:
        return table.read(given, where)
    except InvalidConfig as error:
        message = f"{error}. The name is {GRAMMAR}"
        raise InvalidConfig(message) from None


def _expected(head: str) -> str:
    """What a text should have been, and which name is near to the one that was given."""
    known = [*FAMILIES, *_OWN]
    given = head.partition(":")[0].rpartition("-")[0] or head
    close = difflib.get_close_matches(given.lower(), known, n=1)
    hint = f"; did you mean {close[0]}?" if close and close[0] != given else ""
    own = f"; registered are {', '.join(_form(n, OptionTable.of(f)) for n, f in _OWN.items())}"
    return f"expected {GRAMMAR}{own if _OWN else ''}{hint}"


def _refuse_modules(factory: object) -> None:
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
