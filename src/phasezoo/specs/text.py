"""The text grammar ``name:first,key=value,…``; its definition is ``docs/definitions/agents.md``."""

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from phasezoo.errors import InvalidConfig

_NAME = re.compile(r"\s*(?P<name>[A-Za-z_./][\w./-]*)\s*(?P<colon>:|$)")
_KEY = re.compile(r"\s*(?P<key>[A-Za-z_][\w. -]*?)\s*=")
_VALUE = re.compile(r"""\s*("(?P<double>(?:[^"]|"")*)"|'(?P<single>(?:[^']|'')*)')\s*(?=,|$)""")
_PLAIN = re.compile(r"[^,]*")


class SpecText(NamedTuple):
    """The parts of a text, before anything knows what the name and the options mean."""

    name: str
    """The part before the first colon."""
    first: str | None
    """The first item, if it stands there without a key."""
    options: dict[str, str]
    """The values by their keys, in the text's order."""


def read_spec(
    text: str, what: str = "agent", example: str = "mcts:net=runs/x,nodes=400"
) -> SpecText:
    """Split a text into its parts."""
    found = _NAME.match(text) if isinstance(text, str) else None
    if found is None:
        message = f"{text!r}: no {what}; expected is name:key=value,key=value, such as {example!r}"
        raise InvalidConfig(message)
    if not found["colon"]:
        return SpecText(found["name"], None, {})
    return SpecText(found["name"], *read_items(text, found.end()))


def read_items(text: str, begin: int = 0) -> tuple[str | None, dict[str, str]]:
    """Read the items of a text: the first one, if it has no key, and the values by their keys."""
    first: str | None = None
    options: dict[str, str] = {}
    for place, (key, value) in enumerate(split_items(text, begin)):
        if key is not None:
            if key in options:
                message = f"{text!r}: {key}= is given twice"
                raise InvalidConfig(message)
            options[key] = value
        elif place == 0:
            first = value
        else:
            message = (
                f"{text!r}: {value!r} has no key; a value that holds a comma stands in quotes, "
                "such as gate='plies:14,28'"
            )
            raise InvalidConfig(message)
    return first, options


def split_items(text: str, begin: int = 0) -> Iterator[tuple[str | None, str]]:
    """The items of a text: the key, None without one, and the value of each."""
    end = begin - 1
    while end < len(text):
        key, value, end = _item(text, end + 1)
        yield key, value


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
        lack = "a value is missing" if key is None else f"{key}= has no value"
        message = f"{text!r}: {lack}; an empty one is written ''"
        raise InvalidConfig(message)
    return key, value, plain.end()


def write_spec(spec: SpecText) -> str:
    """Write the text that :func:`read_spec` reads as ``spec``."""
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


def did_you_mean(
    name: Any, known: Iterable[str], most: int = 1, form: str = "{!r}", cutoff: float = 0.6
) -> str:
    """End a message about an unknown name with the known ones that are most like it in any case.

    Args:
        name: The unknown name.
        known: The names there are.
        most: How many names the message may show.
        form: How it shows one, such as ``"{}="``.
        cutoff: How alike they must be, from 0 to 1.
    """
    by_letters: dict[str, str] = {}
    for each in known:
        by_letters.setdefault(each.lower(), each)
    found = difflib.get_close_matches(str(name).lower(), list(by_letters), n=most, cutoff=cutoff)
    close = [by_letters[each] for each in found]
    return f"; did you mean {' or '.join(map(form.format, close))}?" if close else "."


def one_line(text: str) -> str:
    """A text without line breaks and control characters, as reports, tags and terminals show it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
