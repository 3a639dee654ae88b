"""Gates by name: the built-in ones of the core, and those that users register."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from phasezoo import _core
from phasezoo.errors import InvalidGate, UnregisteredGate
from phasezoo.games.options import flag
from phasezoo.gating.callables import MONOTONE, CallableGate, ObjectGate, check_names
from phasezoo.gating.learned import LEARNED, load
from phasezoo.specs import Registry, did_you_mean, renamed

GRAMMAR: str = f"{_core.GATE_GRAMMAR}; {LEARNED}DIR is what gating.train wrote into DIR"
"""Grammar of specifications of built-in and learned gates."""

_MEMBERS = ("names", "num_phases", "spec", "batch", "probabilities")

CALLABLE = "callable:"
"""Begins the description of a function that was not registered; no name finds it."""

REGISTRY: Registry[CallableGate] = Registry(
    "gate",
    "gates",
    dict,
    error=UnregisteredGate,
    refusal=InvalidGate,
    form=r"[a-z][a-z0-9_-]{0,63}",
    allowed="small letters, digits, '-' and '_', beginning with a letter, at most 64",
    reserved=tuple(sorted((*_core.GATE_NAMES, "monotone", "learned"))),
)
"""The gates of one's own, by name; those of the package are the core's."""

Function = TypeVar("Function", bound=Callable[..., Any])
AnyGate: TypeAlias = _core.Gate | CallableGate


def names() -> tuple[str, ...]:
    """All names: of gates of the package, of one's own, and those that installed packages offer."""
    return tuple(name for name in REGISTRY.names() if name != "monotone")


def own_names() -> tuple[str, ...]:
    """The names of gates of one's own, and of those that installed packages offer, sorted."""
    REGISTRY.names()  # loads those of installed packages
    return tuple(sorted(REGISTRY.own))


registered = renamed(own_names, "gating.registered", "gating.names")


def make(
    spec: Any,
    game: str | None = None,
    monotone: bool = False,
    *,
    names: Sequence[str] | None = None,
    batched: bool = False,
) -> AnyGate:
    """The gate of a specification.

    Args:
        spec: The name of a built-in gate with its arguments (:data:`GRAMMAR`), the name of a
            registered one, ``learned:DIR`` with a folder that :func:`phasezoo.gating.train` wrote,
            a gate, or a function ``state -> int``.
        game: The game it is for; a gate that another game brings is refused, and the error
            lists this game's own.
        monotone: Never go back: answer the larger of the phase and the previous one.
        names: One name per phase, for a function that was not registered.
        batched: Whether such a function takes a list of states.

    Raises:
        InvalidGate: The specification follows no grammar, fits another game or has no names;
            ``names`` or ``batched`` is given beside what is a gate already; or the folder of a
            learned gate is not there, or one of its files was changed.
        UnregisteredGate: It is a name that nobody has registered.
        MissingDependency: ``safetensors`` is not installed, and the gate is a learned one.
    """
    monotone, batched = flag("monotone", monotone), flag("batched", batched)
    is_gate = all(hasattr(spec, member) for member in _MEMBERS)
    if (names is not None or batched) and (is_gate or isinstance(spec, str)):
        message = (
            f"names={names!r}, batched={batched}: they are for a function; the gate {spec!r} has "
            "its own, so leave them out"
        )
        raise InvalidGate(message)
    if isinstance(spec, str):
        return _by_name(spec, game, monotone)
    if isinstance(spec, _core.Gate):
        return _core.Gate(spec.spec, game, monotone or spec.monotone)
    if isinstance(spec, CallableGate):
        _check_game(spec, game)
        return spec.as_monotone() if monotone else spec
    if is_gate:
        return ObjectGate(spec, monotone=monotone)
    gate = _wrapped(spec, names, batched)
    return gate.as_monotone() if monotone else gate


def _by_name(spec: str, game: str | None, monotone: bool) -> AnyGate:
    base = spec.removeprefix(MONOTONE)
    gate = REGISTRY.find(base) if REGISTRY.may_be(base) else None
    if gate is not None:
        return gate.as_monotone() if monotone or base != spec else gate
    if base.startswith(LEARNED):
        return load(base, game, monotone=monotone or base != spec)
    plain = spec.encode("utf-8", "replace").decode()
    try:
        return _core.Gate(plain, game, monotone)
    except InvalidGate as error:
        is_unknown = "no such gate" in str(error)
        named = plain.removeprefix(MONOTONE).partition(":")[0]
        meant = _meant(named, game) if is_unknown else ""
        missing = _missing(base)
        learned = f"{LEARNED}DIR is a folder of gating.train" if is_unknown else None
        own = None if missing or not REGISTRY.own else f"your own are {_listed()}"
        refused = str(error).replace("no such gate", f"no such gate{meant}", 1)
        message = "; ".join(filter(None, (refused, learned, own, missing)))
        raise (UnregisteredGate if missing else InvalidGate)(message) from None


def _meant(name: str, game: str | None) -> str:
    """Return the gate of a game that may be meant by a name that none has, as an aside."""

    def is_refused(known: str, game: str | None = None) -> bool:
        try:
            _core.Gate(known, game)
        except InvalidGate as error:
            return "no such gate" in str(error)
        return known == "none"  # which nobody means

    known = [
        each for each in REGISTRY.names() if each in REGISTRY.own or not is_refused(each, game)
    ]
    hint = did_you_mean(name, known)
    nothing_is_near = hint == "."
    return "" if nothing_is_near or not is_refused(name) else f" ({hint.removeprefix('; ')})"


def _check_game(gate: CallableGate, game: str | None) -> None:
    """Refuse a learned gate of another game."""
    own = getattr(gate, "game", None)
    if own is not None and game not in (None, own):
        message = f"gate {gate.spec!r}: it learned {own}, and was asked for {game}"
        raise InvalidGate(message)


def _missing(base: str) -> str | None:
    """Why no gate of a user's own has this name; None if it cannot be one."""
    if base.startswith(CALLABLE):
        return (
            f"{base.removeprefix(CALLABLE)!r} is a function that was never registered, so no name "
            "finds it: give the function itself, or register it with @gating.register(…)"
        )
    if not REGISTRY.may_be(base):
        return None
    known = f" (registered are {_listed()})" if REGISTRY.own else ""
    return f"if it is a gate of your own, import the module that registers it first{known}"


def _listed() -> str:
    return ", ".join(map(repr, own_names()))


def _wrapped(given: Any, names: Sequence[str] | None, batched: bool) -> CallableGate:
    """A function, or a gate object of a user's own, as a gate."""
    for gate in REGISTRY.own.values():
        has_names = names is None or tuple(names) == gate.names
        if gate.function is given and has_names and gate.batched >= batched:
            return gate
    if not callable(given):
        message = (
            f"{given!r} is neither a text nor a function of a state; write a gate as lichess, "
            "plies:14,28 or hash:3"
        )
        raise InvalidGate(message)
    kind = given if hasattr(given, "__qualname__") else type(given)
    spec = getattr(given, "spec", None) or f"{CALLABLE}{kind.__module__}.{kind.__qualname__}"
    own = getattr(given, "names", None) if names is None else names
    if own is None:
        message = (
            f"{spec}: the names of its phases are missing; gating.make(function, names=(…)) makes "
            "a gate of it, and @gating.register('name', names=(…)) gives it a name"
        )
        raise InvalidGate(message)
    if hasattr(given, "batch"):
        return CallableGate(given.batch, own, str(spec), batched=True)
    return CallableGate(given, own, str(spec), batched=batched)


def register(
    name: str, *, names: Sequence[str] = (), batched: bool = False
) -> Callable[[Function], Function]:
    """Decorate a function so that :func:`make` finds it by name.

    Registering a name of one's own again replaces the earlier gate (a notebook cell run twice).

    Args:
        name: Small letters, digits, ``-`` and ``_``; not the name of a built-in gate.
        names: One name per phase, in order of play if there is one.
        batched: Whether the function takes a list of states and answers with one integer each.

    Raises:
        InvalidGate: The name is taken or ill-formed, or the phases' names are missing or unusable.
    """
    REGISTRY.check_name(name)
    checked = check_names(names, name)

    def decorate(function: Function) -> Function:
        REGISTRY.own[name] = CallableGate(function, checked, name, batched=batched)
        return function

    return decorate


def spec_of(gate: Any) -> str:
    """The canonical specification of a gate: equal specifications are equal gates."""
    if isinstance(gate, str):
        return make(gate).spec
    return str(getattr(gate, "spec", None) or make(gate).spec)
