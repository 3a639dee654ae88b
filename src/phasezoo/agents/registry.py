"""Agents by name and by short texts."""

from collections.abc import Callable, Mapping
from typing import Any

from phasezoo import plugins
from phasezoo.agents.catalogue import AGENTS
from phasezoo.agents.kinds import AgentKind
from phasezoo.agents.option_values import told_kind
from phasezoo.agents.own_agents import own_kind, text_of_own
from phasezoo.agents.spec_text import SpecText, read_spec, write_spec
from phasezoo.checking import did_you_mean
from phasezoo.errors import InvalidConfig, UnknownGame

__all__ = ["code_named", "make", "names", "options", "parse", "register", "spec_of"]

OWN = "module"
"""The name of agents that are named by their module: ``module:my_module:MyAgent``."""

_OWN: dict[str, AgentKind] = {}


def names() -> tuple[str, ...]:
    """The names that :func:`make` and :func:`parse` know, sorted."""
    plugins.load_all("agents", _OWN)
    return tuple(sorted({**AGENTS, **_OWN, OWN: None}))


def options(name: str) -> dict[str, str]:
    """The options of an agent that a text can give, with what their values look like.

    Args:
        name: One of :func:`names`.

    Raises:
        UnknownGame: No agent has that name.
    """
    if name == OWN:
        return {"object": told_kind(str)}
    return {key: told_kind(kind) for key, kind in _kind(name).options.items()}


def register(name: str, factory: Callable[..., Any]) -> None:
    """Add an agent of one's own; registering its name again replaces it.

    Args:
        name: How it is asked for.
        factory: Makes the agent; called with the options given to :func:`make`, or with those of a
            text, which are read by the annotations of its parameters.

    Raises:
        InvalidConfig: The name belongs to an agent of the package, or cannot stand in a text.
    """
    if name in AGENTS or name == OWN:
        message = f"{name!r} is an agent of the package: choose another name"
        raise InvalidConfig(message)
    if read_spec(name).name != name:
        message = f"agent name {name!r}: use letters, digits, '-', '_' and '.'"
        raise InvalidConfig(message)
    _OWN[name] = AgentKind(factory, sets_name=False)


def make(name: str, /, **options: Any) -> Any:
    """Make the agent called ``name``, or the one that a text such as ``"uct:c=1"`` describes.

    ``"random"`` plays any legal action; ``"uct"`` searches with rollouts, ``"mcts"`` with an
    evaluator, ``"m2cts"`` with phase experts; ``"policy"`` plays a network's policy, ``"sb3"`` a
    model of Stable-Baselines3; ``"tablebase"`` plays perfectly in games whose perfect play is
    known; ``"module"`` is an agent of one's own, by its module. Rooms bring names of their own, and
    so may you: see :func:`names`.

    Args:
        name: One of :func:`names`, or a text as for :func:`parse`, whose options go before
            ``options``.
        options: Arguments of the agent's class, such as ``seed=``. Searches take the fields of
            ``limit`` and ``config`` by name too (``nodes=400``), and in place of an evaluator
            ``net=``, the folder of a network; without either they search without knowledge.

    Raises:
        InvalidConfig: An option does not exist, is missing or out of range.
        UnknownGame: No agent has that name.
    """
    if ":" in name:
        if not options:
            return parse(name)
        text = read_spec(name)
        name, options = text.name, _beside(text, options)
    kind, given = _with_options(name, options)
    agent = kind.build(name, given)
    written = kind.written(given)
    if written is not None and kind.sets_name:
        agent.spec = write_spec(SpecText(name, *written))
    return agent


def parse(text: str) -> Any:
    """The agent that a short text describes, such as ``"mcts:net=runs/x,nodes=400"``.

    A text is a name, or a name and a colon with options between commas; the grammar is on the page
    ``docs/definitions/agents.md``. The options are those of :func:`make` whose values can be
    written (:func:`options`). ``module:my_module:MyAgent`` is an agent of one's own;
    ``my_module:MyAgent`` is the same, if no agent is called ``my_module``.

    An agent with options is called by its text in reports, unless ``name=`` is among them.

    A text can import a module, start a program and load a file of pickled objects: parse only what
    you trust.

    Args:
        text: Such a text.

    Raises:
        InvalidConfig: It does not follow the grammar, or an option is not known, or has not the
            type that the agent takes, or is out of range.
        UnknownGame: No agent has that name.
    """
    spec = read_spec(text)
    kind = _find(spec.name)
    if kind is None:
        return _parsed_own(spec, text)
    agent = kind.build(spec.name, kind.read_options(spec))
    if kind.sets_name:
        agent.spec = write_spec(spec)
        if "name" not in spec.options and spec != SpecText(spec.name, None, {}):
            agent.name = agent.spec
    return agent


def spec_of(agent: Any) -> str:
    """The text from which :func:`parse` makes an agent like this one.

    Args:
        agent: One that :func:`parse` or :func:`make` made, the latter from options that can be
            written; or a function that can be imported.

    Raises:
        InvalidConfig: Nothing tells how it was made.
    """
    spec = getattr(agent, "spec", None)
    if isinstance(spec, str):
        return spec
    own = text_of_own(agent)
    if own is None:
        message = (
            f"{agent!r} was made from objects that no text names: make it by agents.parse(text), "
            "or by agents.make(name) with options that can be written"
        )
        raise InvalidConfig(message)
    return write_spec(SpecText(OWN, own, {}))


def code_named(text: str) -> str | None:
    """The module, program or file of pickled objects that a text names, if it names one.

    None for agents of the package that run its own code alone, and for registered ones.

    Args:
        text: As for :func:`parse`; nothing is imported or started.

    Raises:
        InvalidConfig: It does not follow the grammar.
    """
    spec = read_spec(text)
    kind = _find(spec.name)
    if spec.name == OWN:
        own = spec.options.get("object", spec.first) or ""
        return own.rpartition(":")[0] or own
    if kind is None:
        return None if spec.first is None else spec.name
    if not kind.names_code:
        return None
    return spec.options.get(kind.first or "", spec.first) or spec.name


def _parsed_own(spec: SpecText, text: str) -> Any:
    """The agent of one's own that a text names.

    Raises:
        InvalidConfig: It cannot be imported, or is none.
        UnknownGame: Neither an agent nor a module has that name.
    """
    object_, given = spec.first, dict(spec.options)
    if spec.name == OWN:
        object_ = given.pop("object", object_)
        if object_ is None:
            message = f"{text!r}: say which, such as module:my_module:MyAgent"
            raise InvalidConfig(message)
    elif object_ is None or not object_.replace(".", "").isidentifier():
        raise _unknown(spec.name)
    else:
        object_ = f"{spec.name}:{object_}"
    try:
        kind = own_kind(object_, given)
    except InvalidConfig as error:
        if spec.name != OWN and isinstance(error.__cause__, ModuleNotFoundError):
            raise _unknown(spec.name) from error
        raise
    return kind.build(object_, kind.read_options(SpecText(object_, None, given)))


def _beside(text: SpecText, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a text and those beside it."""
    if text.name == OWN:
        message = f"{write_spec(text)!r}: write {', '.join(options)} into the text too"
        raise InvalidConfig(message)
    read = _kind(text.name).read_options(text)
    twice = sorted(read.keys() & options.keys())
    if twice:
        message = f"{write_spec(text)!r} has {', '.join(twice)} too: give it once"
        raise InvalidConfig(message)
    return {**read, **options}


def _with_options(name: str, options: Mapping[str, Any]) -> tuple[AgentKind, dict[str, Any]]:
    """What makes the agent, and what from."""
    given = dict(options)
    if name != OWN:
        return _kind(name), given
    if "object" not in given:
        message = "module needs object=, such as make('module', object='my_module:MyAgent')"
        raise InvalidConfig(message)
    object_ = given.pop("object")
    return own_kind(object_, given), given


def _kind(name: str) -> AgentKind:
    kind = _find(name)
    if kind is None:
        raise _unknown(name)
    return kind


def _find(name: str) -> AgentKind | None:
    kind = _OWN.get(name) or AGENTS.get(name)
    if kind is None and plugins.load("agents", name, _OWN):
        kind = _OWN[name]
    return kind


def _unknown(name: str) -> UnknownGame:
    known = names()
    return UnknownGame(
        f"{name!r}: no such agent{did_you_mean(name, known)} Known are {', '.join(known)}; "
        "agents.register(…) adds one of your own, and module:my_module:MyAgent names one in a "
        "module"
    )
