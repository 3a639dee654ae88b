"""Dataclasses to JSON and back, strictly: what a run directory keeps is read as it was written.

Infinite numbers, which an Elo difference may be, are written as the strings ``"inf"`` and
``"-inf"`` because JSON has no word for them. Unknown, missing and ill-typed
keys are errors, not guesses.
"""

import contextlib
import dataclasses
import functools
import json
import math
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from phasezoo.errors import InvalidConfig

T = TypeVar("T")


def encode(value: Any) -> Any:
    """Return ``value`` as what JSON can hold: dict, list, str, int, float, bool or None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return encode(value.tolist())
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Sequence | set | frozenset):
        return [encode(item) for item in value]
    message = f"a value of type {type(value).__name__} cannot be written as JSON: {value!r}"
    raise InvalidConfig(message)


def dumps(value: Any) -> str:
    """Return ``value`` as indented JSON text with a final newline."""
    return json.dumps(encode(value), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def flat(options: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Options inside options by their whole names, such as ``learning.max_lr``."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        inside = isinstance(value, Mapping) and value
        found |= flat(value, f"{before}{name}.") if inside else {f"{before}{name}": value}
    return found


def parsed(text: str | bytes) -> Any:
    """Return the value of a text of JSON.

    Args:
        text: The text, or its bytes in UTF-8.
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        message = "brackets lie too deep in each other"
        raise ValueError(message) from error


def _refuse(constant: str) -> Any:
    message = f"{constant} is no JSON"
    raise ValueError(message)


def plain(value: Any) -> Any:
    """Return ``value`` as reading its JSON text gives it: tuples have become lists."""
    return json.loads(dumps(value))


def decode(kind: type[T], data: Any, where: str = "") -> T:
    """Return ``data``, as JSON gave it, as a value of ``kind``."""
    return typing.cast("T", _decode(kind, data, where or getattr(kind, "__name__", str(kind))))


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return _decode(arguments[0], data, where)
    if kind is Any:
        return data
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, data, where)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(arguments, data, where)
    if origin is typing.Literal:
        if not any(type(data) is type(each) and data == each for each in arguments):
            allowed = ", ".join(map(repr, arguments))
            message = f"{where}: {data!r} is not one of {allowed}"
            raise InvalidConfig(message)
        return data
    if origin in (list, tuple):
        items = _items(data, where)
        if origin is tuple and len(arguments) > 1 and arguments[1] is not ...:
            if len(items) != len(arguments):
                message = f"{where}: {len(items)} items, expected {len(arguments)}"
                raise InvalidConfig(message)
            pairs = zip(arguments, items, strict=True)
            return tuple(_decode(a, item, f"{where}[{i}]") for i, (a, item) in enumerate(pairs))
        return origin(_decode(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(items))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_field_defaults"):
        items, hints = _items(data, where), list(_hints_of(kind).items())
        if not len(hints) - len(kind._field_defaults) <= len(items) <= len(hints):
            message = f"{where}: {len(items)} items, expected {len(hints)}"
            raise InvalidConfig(message)
        pairs = zip(hints, items, strict=False)
        return kind(*(_decode(hint, item, f"{where}.{name}") for (name, hint), item in pairs))
    if origin in (dict, Mapping):
        entries = _expect(dict, data, where).items()
        return {key: _decode(arguments[1], item, f"{where}.{key}") for key, item in entries}
    return _decode_plain(kind, data, where)


@functools.cache
def _hints_of(kind: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def _decode_dataclass(kind: Any, data: Any, where: str) -> Any:
    hints = _hints_of(kind)
    fields = {f.name: f for f in dataclasses.fields(kind)}
    renamed = {str(f.metadata.get("once", name)): name for name, f in fields.items()}
    items = _expect(dict, data, where).items()
    given = {str(renamed.get(key, key)): item for key, item in items}
    unknown = sorted(set(given) - set(fields))
    if unknown:
        allowed = ", ".join(fields)
        message = f"{where}: unknown key {unknown[0]!r}; allowed are {allowed}"
        raise InvalidConfig(message)
    values = {}
    for name, field in fields.items():
        if name in given:
            values[name] = _decode(hints[name], given[name], f"{where}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            message = f"{where}: key {name!r} is missing"
            raise InvalidConfig(message)
    return kind(**values)


def _decode_union(options: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and type(None) in options:
        return None
    first: InvalidConfig | None = None
    for option in options:
        if option is type(None):
            continue
        try:
            return _decode(option, data, where)
        except InvalidConfig as error:
            first = first or error
    raise first or InvalidConfig(f"{where}: {data!r} is not allowed")


def _decode_plain(kind: Any, data: Any, where: str) -> Any:
    if kind is float:
        if data in ("inf", "-inf"):
            return float(data)
        if isinstance(data, int | float) and not isinstance(data, bool):
            with contextlib.suppress(OverflowError):
                return float(data)
    elif kind is Path and isinstance(data, str):
        return Path(data)
    elif kind is type(None) and data is None:
        return None
    elif isinstance(data, kind) and not (kind is int and isinstance(data, bool)):
        return data
    name = getattr(kind, "__name__", str(kind))
    message = f"{where}: {data!r} is not of type {name}"
    raise InvalidConfig(message)


def _items(data: Any, where: str) -> list[Any]:
    return list(data) if isinstance(data, tuple) else _expect(list, data, where)


def _expect(kind: type[T], data: Any, where: str) -> T:
    if not isinstance(data, kind):
        message = f"{where}: {data!r} is not a {kind.__name__}"
        raise InvalidConfig(message)
    return data
