"""Agents by name and by short texts."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from phasezoo.agents.catalogue import AGENTS, agent_recipe
from phasezoo.checking import takes, type_name
from phasezoo.errors import InvalidConfig, UnknownAgent
from phasezoo.plugins import attribute_named
from phasezoo.specs import (
    Recipe,
    Registry,
    SpecText,
    joined,
    read_spec,
    renamed,
    values_of,
    write_spec,
)

OWN = "module"
"""The name of agents that are named by their module: ``module:my_module:MyAgent``."""

REGISTRY: Registry[Recipe] = Registry(
    "agent",
    "agents",
    lambda: AGENTS,
    error=UnknownAgent,
    refusal=InvalidConfig,
    form=r"[A-Za-z_./][\w./-]*",
    reserved=(OWN,),
    advice=(
        "; agents.register(…) adds one of your own, and module:my_module:MyAgent names one in a "
        "module"
    ),
)
"""The agents by name."""


def names() -> tuple[str, ...]:
    """The names that :func:`make` knows, sorted."""
    return REGISTRY.names()


def options(name: str) -> dict[str, str]:
    """The options of an agent that a text can give, with what their values look like.

    Args:
        name: One of :func:`names`.

    Raises:
        UnknownAgent: No agent has that name.
    """
    if name == OWN:
        return {"object": values_of(str).words(as_text=True)}
    recipe = REGISTRY.get_or_raise(name)
    return {key: option.values.words(as_text=True) for key, option in recipe.options.items()}


def register(name: str, factory: Callable[..., Any]) -> None:
    """Add an agent of one's own; registering its name again replaces it.

    Args:
        name: How it is asked for.
        factory: Makes the agent; called with the options given to :func:`make`, or with those of a
            text, which are read by the annotations of its parameters.

    Raises:
        InvalidConfig: The name belongs to an agent of the package, or cannot stand in a text.
    """
    REGISTRY.register(name, agent_recipe(factory, sets_name=False))


def make(spec: str, /, **options: Any) -> Any:
    """Make the agent that a text such as ``"mcts:net=runs/x,nodes=400"`` describes.

    ``"random"`` plays any legal action; ``"uct"`` searches with rollouts, ``"mcts"`` with an
    evaluator, ``"m2cts"`` with phase experts; ``"policy"`` plays a network's policy, ``"sb3"`` a
    model of Stable-Baselines3; ``"tablebase"`` plays perfectly in games whose perfect play is
    known; ``"module"`` is an agent of one's own, by its module. Rooms bring names of their own, and
    so may you: see :func:`names`.

    A text is a name, or a name and a colon with options between commas; the grammar is on the page
    ``docs/definitions/agents.md``. ``module:my_module:MyAgent`` is an agent of one's own;
    ``my_module:MyAgent`` is the same, if no agent is called ``my_module``.

    An agent with options is called by its text in reports, unless ``name=`` is among them.

    A text can import a module, start a program and load a file of pickled objects: use only what
    you trust.

    Args:
        spec: One of :func:`names`, or such a text. It goes before ``options``.
        options: Arguments of the agent's class, such as ``seed=``. Searches take the fields of
            ``limit`` and ``config`` by name too (``nodes=400``), and in place of an evaluator
            ``net=``, the folder of a network; without either they search without knowledge.

    Raises:
        InvalidConfig: The text does not follow the grammar, or an option does not exist, is
            missing, is of another type or out of range.
        UnknownAgent: No agent has that name.
    """
    text = read_spec(spec)
    is_bare = text == SpecText(text.name, None, {})
    if text.name == OWN or REGISTRY.find(text.name) is None:
        return _make_own(text, spec, options)
    recipe = REGISTRY.get_or_raise(text.name)
    given = joined(spec, recipe.read_options(text), options)
    agent = recipe.build(text.name, given)
    written = (text.first, text.options) if not options else recipe.written(given)
    if written is not None and recipe.sets_name:
        agent.spec = write_spec(SpecText(text.name, *written))
        if not is_bare and not options and "name" not in given:
            agent.name = agent.spec
    return agent


parse = renamed(make, "agents.parse", "agents.make")


def spec_of(agent: Any) -> str:
    """The text from which :func:`make` makes an agent like this one.

    Args:
        agent: One that :func:`make` made from a text, or from options that can be written; such a
            text; or a function that can be imported.

    Raises:
        InvalidConfig: It is not known how it was made.
    """
    spec = getattr(make(agent) if isinstance(agent, str) else agent, "spec", None)
    if isinstance(spec, str):
        return spec
    module, name = getattr(agent, "__module__", None), getattr(agent, "__qualname__", None)
    own = f"{module}:{name}"
    if not inspect.isfunction(agent) or module == "__main__" or _found(own) is not agent:
        message = (
            f"{agent!r} was made from objects that no text names: make it by agents.make(text), "
            "or by agents.make(name) with options that can be written"
        )
        raise InvalidConfig(message)
    return write_spec(SpecText(OWN, own, {}))


def code_named(text: str) -> str | None:
    """The module, program or file of pickled objects that a text names, if it names one.

    None for agents of the package that run its own code alone, and for registered ones.

    Args:
        text: As for :func:`make`; nothing is imported or started.
    """
    spec = read_spec(text)
    recipe = REGISTRY.find(spec.name)
    if spec.name == OWN:
        own = spec.options.get("object", spec.first) or ""
        return own.rpartition(":")[0] or own
    if recipe is None:
        return None if spec.first is None else spec.name
    if not recipe.names_code:
        return None
    return spec.options.get(recipe.first or "", spec.first) or spec.name


def _make_own(spec: SpecText, text: str, options: Mapping[str, Any]) -> Any:
    """The agent that a module's name in a text, or the option ``object``, names."""
    given: dict[str, Any] = {**spec.options, **options}
    path = spec.first
    if spec.name == OWN:
        if options and text.strip() != OWN:
            message = f"{text!r}: write {', '.join(options)} into the text too"
            raise InvalidConfig(message)
        path = given.pop("object", path)
        if path is None:
            message = f"{text!r}: say which, such as module:my_module:MyAgent"
            raise InvalidConfig(message)
    elif path is None or not path.replace(".", "").isidentifier():
        raise REGISTRY.unknown(spec.name)
    else:
        path = f"{spec.name}:{path}"
    try:
        recipe = _own_recipe(path, given)
    except InvalidConfig as error:
        if spec.name != OWN and isinstance(error.__cause__, ModuleNotFoundError):
            raise REGISTRY.unknown(spec.name) from error
        raise
    if not options:
        given = recipe.read_options(SpecText(path, None, given))
    return recipe.build(path, given)


def _own_recipe(path: str, options: Collection[str] = ()) -> Recipe:
    """Makes the agent that ``module:name`` names.

    A class makes it, and so does a function, unless it is the agent itself: its first parameters
    are ``observation`` and ``info``, or no options are given and it takes two arguments. Any other
    object is the agent.
    """
    found = attribute_named(path)
    if inspect.isclass(found) or (inspect.isroutine(found) and not _is_agent(found, options, path)):
        return agent_recipe(
            lambda **given: _checked(found(**given), path), like=found, sets_name=False
        )
    return agent_recipe(lambda: _checked(found, path), sets_name=False)


def _found(path: str) -> Any:
    """The object of ``module:name``; None without one, as inside a function."""
    try:
        return attribute_named(path)
    except InvalidConfig:
        return None


def _is_agent(function: Callable[..., Any], options: Collection[str], path: str) -> bool:
    """Whether a function is an agent and makes none; refuse one that can be neither."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    if list(signature.parameters)[:2] == ["observation", "info"]:
        return True
    if options or takes(function, 0):
        return False
    if not takes(function, 2):
        message = (
            f"{path}{signature} is no agent, which is called with (observation, info), and makes "
            f"none without options: give them as {path},{next(iter(signature.parameters))}=…"
        )
        raise InvalidConfig(message)
    return True


def _checked(agent: Any, text: str) -> Any:
    """``agent``, if it is one."""
    methods = ("session", "session_pool", "seats")  # `seats` for one version
    plays = any(hasattr(agent, each) for each in methods) or callable(agent)
    if inspect.isclass(agent) or not plays:
        message = (
            f"{text!r} gives {type_name(agent)}, which is no agent: expected an object with "
            "session(seed), or a callable (observation, info) -> action"
        )
        raise InvalidConfig(message)
    return agent
