"""Agents as short texts, such as ``mcts:net=runs/x,nodes=400``: how they are written and read.

The grammar is on the page ``docs/definitions/agents.md``.
"""

import re
from typing import NamedTuple

from phasezoo.errors import InvalidConfig

__all__ = ["SpecText", "read_spec", "write_spec"]

_NAME = re.compile(r"\s*(?P<name>[A-Za-z_./][\w./-]*)\s*(?P<colon>:|$)")
_KEY = re.compile(r"\s*(?P<key>[A-Za-z_][\w. -]*?)\s*=")
_VALUE = re.compile(r"""\s*("(?P<double>(?:[^"]|"")*)"|'(?P<single>(?:[^']|'')*)')\s*(?=,|$)""")
_PLAIN = re.compile(r"[^,]*")


class SpecText(NamedTuple):
    """What a text says of an agent, nothing of it understood yet."""

    name: str
    """Which agent: what stands before the first colon."""
    first: str | None
    """What comes first, if it stands there without a key."""
    options: dict[str, str]
    """The values by their keys, in the text's order."""


def read_spec(text: str) -> SpecText:
    """Take a text apart.

    Raises:
        InvalidConfig: It does not follow the grammar; the message says where.
    """
    found = _NAME.match(text) if isinstance(text, str) else None
    if found is None:
        message = (
            f"{text!r}: no agent; expected is name:key=value,key=value, such as "
            "'mcts:net=runs/x,nodes=400'"
        )
        raise InvalidConfig(message)
    spec = SpecText(found["name"], None, {})
    if not found["colon"]:
        return spec
    at = found.end()
    while True:
        key, value, end = _item(text, at)
        if key is not None:
            if key in spec.options:
                message = f"{text!r}: {key}= is given twice"
                raise InvalidConfig(message)
            spec.options[key] = value
        elif at == found.end():
            spec = spec._replace(first=value)
        else:
            message = (
                f"{text!r}: {value!r} has no key; a value that holds a comma stands in quotes, "
                "such as gate='plies:14,28'"
            )
            raise InvalidConfig(message)
        if end == len(text):
            return spec
        at = end + 1


def _item(text: str, at: int) -> tuple[str | None, str, int]:
    """The key, or None, and the value that begin at ``at``, and where they end."""
    found = _KEY.match(text, at)
    key = None if found is None else found["key"]
    begin = at if found is None else found.end()
    quoted = _VALUE.match(text, begin)
    if quoted is not None:
        double, single = quoted["double"], quoted["single"]
        value = single.replace("''", "'") if double is None else double.replace('""', '"')
        return key, value, quoted.end()
    plain = _PLAIN.match(text, begin)
    assert plain is not None  # it matches nothing at all too
    value = plain[0].strip()
    if value[:1] in ("'", '"'):
        message = (
            f"{text!r}: the quote before {value[1:21]!r} is not closed before a comma or the end; "
            "inside, two of it stand for one"
        )
        raise InvalidConfig(message)
    if not value:
        what = "a value is missing" if key is None else f"{key}= has no value"
        message = f"{text!r}: {what}; an empty one is written ''"
        raise InvalidConfig(message)
    return key, value, plain.end()


def write_spec(spec: SpecText) -> str:
    """The text that :func:`read_spec` reads as ``spec``."""
    items = [] if spec.first is None else [_quoted(spec.first, is_first=True)]
    items += [f"{key}={_quoted(value)}" for key, value in spec.options.items()]
    return f"{spec.name}:{','.join(items)}" if items else spec.name


def _quoted(value: str, *, is_first: bool = False) -> str:
    plain = value and value == value.strip() and "," not in value and value[0] not in "'\""
    if plain and not (is_first and _KEY.match(value)):
        return value
    if "'" not in value or '"' in value:
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return f'"{value}"'
