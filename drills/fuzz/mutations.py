"""Valid inputs made bad: bytes, words and the structure of JSON, changed at random."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

TYPICAL = (0, 1, 7, 8, 9, 10, 13, 27, 32, 34, 47, 48, 57, 91, 92, 123, 127, 128, 192, 240, 254, 255)
"""Bytes at which parsers change their minds."""

NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 4095, 65_535, 65_536),
    *(2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**31), -(2**63), 10**30),
)
FLOATS = (0.5, -0.0, 1e-320, 1e308, float("inf"), float("-inf"), float("nan"))
TEXTS = (
    "", " ", "0", "-1", "none", "null", "chess", "../..", "/", ".", "a" * 300, "é", "½", "𝟙",
    "\x00", "\n", "\ud800", "\ufeff", "[]", "{}", "%s", "1e999", "٣", "__class__", "v2", "player_0",
)  # fmt: skip


def mutated(draw: Random, data: bytes, others: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Bytes with one to eight changes, mostly few.

    Args:
        draw: Draws the changes.
        data: What is changed.
        others: Further inputs, of which pieces are put in.
        words: What means something to the parser.
    """
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        draw.choice(_CHANGES)(draw, changed, others, words)
    return bytes(changed)


def mutated_text(draw: Random, text: str, others: Sequence[str], words: Sequence[str]) -> str:
    """Return the same of a text; bytes that are no UTF-8 become lone surrogates."""
    pieces = [other.encode("utf-8", "surrogatepass") for other in others[:8]]
    known = [word.encode("utf-8", "surrogatepass") for word in words]
    data = mutated(draw, text.encode("utf-8", "surrogatepass"), pieces, known)
    return data.decode("utf-8", "surrogateescape")


def _place(draw: Random, data: bytearray) -> tuple[int, int]:
    """Return a piece: where it begins and ends; short ones more often."""
    at = draw.randrange(len(data) + 1)
    return at, min(len(data), at + draw.choice((1, 1, 2, 4, 9, 40, 400)))


def _flip(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    if data:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def _set(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    if data:
        data[draw.randrange(len(data))] = draw.choice(TYPICAL)


def _cut(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    low, high = _place(draw, data)
    del data[low:high]


def _end(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    if draw.random() < 0.3:
        del data[draw.randrange(len(data) + 1) :]


def _repeat(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    low, high = _place(draw, data)
    data[low:low] = data[low:high] * draw.choice((1, 1, 2, 20))


def _move(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    low, high = _place(draw, data)
    piece = data[low:high]
    del data[low:high]
    at = draw.randrange(len(data) + 1)
    data[at:at] = piece


def _word(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    low, high = _place(draw, data)
    if words:
        data[low : draw.choice((low, high))] = draw.choice(words)


def _number(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    low, high = _place(draw, data)
    data[low : draw.choice((low, high))] = str(draw.choice(NUMBERS)).encode()


def _splice(draw: Random, data: bytearray, others: Sequence[bytes], words: Sequence[bytes]) -> None:
    if others:
        other = bytearray(draw.choice(others))
        low, high = _place(draw, other)
        at, end = _place(draw, data)
        data[at : draw.choice((at, end))] = other[low:high]


_CHANGES: Sequence[Callable[..., None]] = (
    _flip, _set, _cut, _end, _repeat, _move, _word, _word, _number, _splice,
)  # fmt: skip


def mutated_json(draw: Random, value: Any) -> str:
    """Return the text of a value of JSON with one to four changes; sometimes of its bytes too.

    Numbers may be infinite or of any size, names may stand twice, and lists may lie in each other
    deeper than a parser goes.
    """
    changed = mutated_value(draw, value)
    text = json.dumps(changed, ensure_ascii=draw.random() < 0.5)
    kind = draw.random()
    if kind < 0.002:
        depth = draw.choice((50, 1_000, 100_000))
        return "[" * depth + (text + "]" * depth) * draw.randrange(2)
    if kind < 0.01:
        return text.replace("1", "1" * draw.choice((20, 400, 5_000)), 1)
    return mutated_text(draw, text, [], ()) if kind < 0.2 else text


def mutated_value(draw: Random, value: Any) -> Any:
    """Return a value of JSON with one to four changes."""
    changed = json.loads(json.dumps(value))
    for _ in range(draw.choice((0, 1, 1, 1, 2, 4))):
        changed = _changed(draw, changed)
    return changed


def _changed(draw: Random, value: Any) -> Any:
    """One change, somewhere in a value."""
    inside = isinstance(value, dict | list) and len(value) > 0 and draw.random() < 0.85
    if not inside:
        return _other(draw, value)
    if isinstance(value, dict):
        name = draw.choice(list(value))
        kind = draw.random()
        if kind < 0.1:
            del value[name]
        elif kind < 0.2:
            value[draw.choice((*TEXTS, *value))] = value[name]
        else:
            value[name] = _changed(draw, value[name])
        return value
    at = draw.randrange(len(value))
    kind = draw.random()
    if kind < 0.1:
        del value[at]
    elif kind < 0.2:
        value[at:at] = [value[at]] * draw.choice((1, 1, 3, 50))
    else:
        value[at] = _changed(draw, value[at])
    return value


def _other(draw: Random, value: Any) -> Any:
    """Something else in place of a value, often of its kind."""
    if draw.random() < 0.4:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + draw.choice((-1, 1, -value * 2, 1_000))
        if isinstance(value, str) and value:
            return mutated_text(draw, value, [], TEXTS)
    kinds = (NUMBERS, FLOATS, TEXTS, (None, True, False), ([], {}, [[]], [None], {"": 0}))
    return draw.choice(draw.choice(kinds))
