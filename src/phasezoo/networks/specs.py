"""Reading a text, a factory or a description of a network: a factory and its arguments."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from phasezoo.errors import InvalidConfig, UnregisteredNetwork
from phasezoo.networks.catalogue import FAMILIES
from phasezoo.networks.imports import import_path, imported, trusted
from phasezoo.networks.phase_input import PHASE_OPTIONS, PhaseChoice
from phasezoo.networks.registry import (
    REGISTRY,
    Factory,
    OptionValue,
    Signature,
    find,
    form,
    refuse_modules,
)
from phasezoo.specs import SpecText, did_you_mean, joined, read_items, write_spec, write_value

_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*")

_FORMS = ", ".join(form(name, Signature.of(factory)) for name, factory in FAMILIES.items())

GRAMMAR = (
    "NAME or NAME:option=value,… with a NAME of " + _FORMS + ", such as rise-32x4 or "
    "rise-32x4:value=mse; a name that networks.register gave; or a factory's import path, "
    "MODULE:FUNCTION"
)
"""Grammar of a network's text, for errors."""


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
    folder: Path | None = field(default=None, repr=False, compare=False)
    """The folder whose file says all this, if one does; no code that lies in it is imported."""

    def __str__(self) -> str:
        options = {name: write_value(value) or "" for name, value in self.options.items()}
        return write_spec(SpecText(self.name, None, options))


@dataclass(frozen=True)
class Plan:
    """A factory, all that it is to be called with besides the shapes, and what describes it."""

    factory: Factory
    """The factory."""
    signature: Signature
    """Its options."""
    arguments: Mapping[str, OptionValue]
    """Arguments of the call."""
    spec: NetworkSpec
    """Description of the network."""
    phases: PhaseChoice | None
    """Form of the phase input; None without one."""


def plan_of(spec: Any, more: Mapping[str, Any] | None = None) -> Plan:
    """Read a text, a factory or a :class:`NetworkSpec`."""
    beside = more or {}
    if isinstance(spec, NetworkSpec):
        return _from_spec(replace(spec, options=joined(spec, spec.options, beside)))
    if isinstance(spec, str):
        head, options = _split(spec)
        return _named(head, joined(spec, options, beside), f"network {spec!r}")
    refuse_modules(spec)
    if not callable(spec):  # a caller without a type checker
        message = f"network={spec!r}: expected a name, {GRAMMAR}; or a factory"
        raise InvalidConfig(message)
    return _direct(partial(spec, **beside) if beside else spec)


def _from_spec(spec: NetworkSpec) -> Plan:
    where = f"network {str(spec)!r}"
    if spec.factory is None and ":" in spec.name:  # it holds options too
        head, options = _split(str(spec))
        if find(head) is not None:
            return _named(head, options, where)
    if find(spec.name) is not None:
        return _named(spec.name, spec.options, where)
    if spec.factory is None:
        message = (
            f"{where}: it is not registered here, and its factory cannot be imported, since it was "
            "defined inside a function, as a lambda or in a script of its own; call "
            "networks.register(name, factory) before, or keep the factory in a module. "
            f"{_unknown(spec.name)}"
        )
        raise UnregisteredNetwork(message)
    factory = trusted(spec.factory, where, spec.folder)
    signature = Signature.of(factory)
    sized = signature.required and not _PATH.fullmatch(spec.name)
    base, _, tail = spec.name.rpartition("-")
    size = _size(base, tail, signature, where) if sized else {}
    return _assemble(factory, signature, size, _read(signature, spec.options, where), spec.name)


def _direct(factory: Any) -> Plan:
    """Return a factory given itself; options may be fixed by ``functools.partial``."""
    options: Mapping[str, Any] = {}
    if isinstance(factory, partial) and not factory.args:
        options, factory = factory.keywords, factory.func
    for name, own in REGISTRY.items():
        if own is factory:
            return _named(name, options, f"network {name!r}")
    signature = Signature.of(factory)
    name = import_path(factory) or str(getattr(factory, "__qualname__", type(factory).__name__))
    return _assemble(factory, signature, {}, _read(signature, options, f"network {name}"), name)


def _named(head: str, options: Mapping[str, object], where: str) -> Plan:
    """Return a network by its name, or by its import path."""
    found = find(head)
    if found is None:
        if not _PATH.fullmatch(head):
            message = f"{where}: {_unknown(head)}"
            raise UnregisteredNetwork(message)
        factory = imported(head, where)
        signature = Signature.of(factory)
        return _assemble(factory, signature, {}, _read(signature, options, where), head)
    base, tail = found
    factory = REGISTRY[base]
    signature = Signature.of(factory)
    size = {} if tail is None else _size(base, tail, signature, where)
    return _assemble(factory, signature, size, _read(signature, options, where), base)


def _read(
    signature: Signature, options: Mapping[str, object], where: str
) -> dict[str, OptionValue]:
    """Return the values of the factory's own options and of those that every network has."""
    taken = signature.options.keys() & PHASE_OPTIONS.keys()
    if taken:
        message = f"{where}: {min(taken)} is an option of every network; call the factory's other"
        raise InvalidConfig(message)
    return replace(signature, options={**signature.options, **PHASE_OPTIONS}).read(options, where)


def _assemble(
    factory: Factory,
    signature: Signature,
    size: Mapping[str, OptionValue],
    options: Mapping[str, OptionValue],
    name: str,
) -> Plan:
    """Put size and options together; all that is required must be there, and nothing twice."""
    twice = size.keys() & options.keys()
    if twice:
        message = f"network {name!r}: {min(twice)} is said by the name already"
        raise InvalidConfig(message)
    given = {**size, **options}
    required = [option.name for option in signature.required]
    missing = [option for option in required if option not in given]
    if missing:
        message = f"network {name!r}: {missing[0]} is missing; expected {_sized(name, signature)}"
        raise InvalidConfig(message)
    kept = {n: v for n, v in given.items() if n not in required}
    path = import_path(factory)
    if name in REGISTRY:
        tail = "x".join(str(given[n]) for n in required)
        spec = NetworkSpec(f"{name}-{tail}" if tail else name, kept, path)
    else:
        spec = NetworkSpec(name, given if not size else kept, path)
    phases = PhaseChoice.of(given, f"network {name!r}")
    arguments = {n: v for n, v in given.items() if n not in PHASE_OPTIONS}
    return Plan(factory, signature, arguments, spec, phases)


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Split ``text`` into the name (or import path) and the options."""
    head, colon, rest = text.partition(":")
    attribute, more, after = rest.partition(":")
    if _PATH.fullmatch(f"{head}:{attribute}") and find(head) is None:
        head, colon, rest = f"{head}:{attribute}", more, after
    first, options = read_items(text, len(head) + 1) if colon else (None, {})
    if first is not None:
        message = f"network {text!r}: {first!r} has no key; options are written option=value"
        raise InvalidConfig(message)
    return head, options


def _size(base: str, tail: str, signature: Signature, where: str) -> dict[str, OptionValue]:
    """Return the options that the name's end gives, such as 32 and 4 of ``32x4``."""
    required = signature.required
    parts = tail.split("x") if len(required) > 1 else [tail]
    if len(parts) != len(required):
        message = f"{where}: expected {_sized(base, signature)}"
        raise InvalidConfig(message)
    given = {option.name: part for option, part in zip(required, parts, strict=True)}
    try:
        found = signature.read(given, where)
    except InvalidConfig as error:
        message = f"{error} in {form(base, signature)}"
        raise InvalidConfig(message) from None
    if [write_value(value) for value in found.values()] != parts:
        message = (
            f"{where}: a size is written without zeros before it, as in {form(base, signature)}"
        )
        raise InvalidConfig(message)
    return found


def _sized(base: str, signature: Signature) -> str:
    """Return the form of a name, and what its size may be."""
    sizes = "; ".join(
        f"{o.name.upper()}: {o.values.words(as_text=True)}" for o in signature.required
    )
    return f"{form(base, signature)}, {sizes}" if sizes else f"{base} without a size"


def _unknown(head: str) -> str:
    """Return the expected grammar and the known name nearest to the one given."""
    given = head.partition(":")[0].rpartition("-")[0] or head
    known = [name for name in REGISTRY if name != given]
    own = ", ".join(form(n, Signature.of(f)) for n, f in REGISTRY.items() if n not in FAMILIES)
    hint = did_you_mean(given.lower(), known)
    return f"no such network{hint} Expected {GRAMMAR}{f'; registered are {own}' if own else ''}"
