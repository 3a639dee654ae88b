"""Evaluators by short texts."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.inference.evaluator import Uniform
from phasezoo.inference.storage.load import load
from phasezoo.inference.storage.packaged import names_network, packaged_networks
from phasezoo.specs import Recipe, Registry, SpecText, joined, read_spec, write_spec

NETWORK = "network"
"""The name of evaluators in a folder: ``network:runs/x``."""

EVALUATORS = {NETWORK: Recipe(load, first="path"), "uniform": Recipe(Uniform)}

REGISTRY: Registry[Recipe] = Registry(
    "evaluator",
    None,
    lambda: EVALUATORS,
    error=InvalidConfig,
    refusal=InvalidConfig,
    advice=(
        "; the folder of a network or of experts names one too, such as ./runs/x, and "
        "inference.register(…) adds one of your own"
    ),
)
"""The evaluators by name."""


def names() -> tuple[str, ...]:
    """Return the names that :func:`make` knows, networks of the package among them, sorted."""
    return tuple(sorted({*REGISTRY.names(), *packaged_networks()}))


def register(name: str, factory: Callable[..., Any]) -> None:
    """Add an evaluator of one's own; registering its name again replaces it.

    Args:
        name: How it is asked for.
        factory: Makes the evaluator; the options of a text are read by its annotations.

    Raises:
        InvalidConfig: The name belongs to an evaluator of the package, or cannot stand in a text.
    """
    REGISTRY.register(name, Recipe(factory))


def make(spec: str, /, **options: Any) -> Any:
    """Make the evaluator that a text such as ``"network:runs/x,backend=torch"`` describes.

    Args:
        spec: One of :func:`names`, or the folder of a network or of experts, with options as those
            of agents (``docs/definitions/agents.md``); ``"runs/x"`` is ``"network:runs/x"``.
        options: More options, of a network those of :func:`load`.

    Raises:
        CheckpointError: There is nothing in the folder, or a file is damaged.
        InvalidConfig: There is no such evaluator or option, or an option is given twice.
        MissingDependency: The backend is not installed.
    """
    text = read_spec(spec, "evaluator", "network:runs/x,backend=torch")
    if REGISTRY.find(text.name) is None and text.first is None:
        is_path = names_network(text.name) or Path(text.name).exists()
        text = SpecText(NETWORK, text.name, text.options) if is_path else text
    recipe = REGISTRY.get_or_raise(text.name)
    given = joined(spec, recipe.read_options(text), options)
    made = recipe.build(text.name, given)
    written = recipe.written(given)
    if written is not None:
        made.spec = write_spec(SpecText(text.name, *written))
    return made


def spec_of(evaluator: Any) -> str:
    """Return the text from which :func:`make` makes an evaluator like this one.

    Args:
        evaluator: One that :func:`make` or :func:`load` made, or a text.

    Raises:
        InvalidConfig: It is not known how it was made.
    """
    if isinstance(evaluator, str):
        evaluator = make(evaluator)
    spec = getattr(evaluator, "spec", None)
    if isinstance(spec, str):
        return spec
    again, (path, *_) = getattr(evaluator, "reload", None) or (None, (None,))
    if isinstance(again, partial):
        defaults = EVALUATORS[NETWORK].signature.by_name
        given = {n: v for n, v in again.keywords.items() if v != defaults[n].default}
        written = EVALUATORS[NETWORK].written({"path": path, **given})
        if written is not None:
            return write_spec(SpecText(NETWORK, *written))
    if isinstance(evaluator, Uniform):
        return "uniform"
    message = (
        f"{evaluator!r} was made from objects that no text names: make it by inference.make(text)"
    )
    raise InvalidConfig(message)
