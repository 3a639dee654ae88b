"""What splits, learners and measures are called in a run's settings, to know the run again."""

import dataclasses
import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.axis import Axis
from phasezoo.runs import jsonable

__all__ = ["description_of", "mark_of"]


def description_of(axis: Axis) -> dict[str, Any]:
    """An axis as JSON."""
    return {
        "name": axis.name,
        "splits": [
            {"name": split.name, "train": _described(split.train), "test": _described(split.test)}
            for split in axis.splits
        ],
        "learner": _described(axis.learner),
        "measure": _described(axis.measure),
    }


def mark_of(axis: Axis) -> str:
    """An axis' name with a digest of its description."""
    text = jsonable.dumps(description_of(axis))
    return f"{axis.name} {hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"


def _described(value: Any) -> Any:
    """Plain values as they are, settings by their fields, everything else by its name.

    Functions and objects of one's own are known by module and name alone: what else changes in them
    is not noticed.
    """
    if isinstance(value, partial):
        given = {"given": _described(value.args), "options": _described(value.keywords)}
        return {"of": _described(value.func)} | given
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        own = {one.name: _described(getattr(value, one.name)) for one in fields if one.repr}
        return {"of": type(value).__qualname__} | own
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _described(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_described(item) for item in value]
    try:
        return jsonable.plain(value)
    except InvalidConfig:
        name = getattr(value, "__qualname__", type(value).__qualname__)
        module = getattr(value, "__module__", type(value).__module__)
        return f"{module}:{name}"
