"""Messages of Google's protocol buffers, as far as files of networks need them.

A message is a row of fields, each a number and a value (the encoding's specification, "Message
structure"). What the fields mean is up to the caller.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types."""

_WIDTHS = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT = 10

MOST_FIELDS = 10_000
"""Fields of a message; those of networks have a few hundred. Empty ones cost two bytes each, and
many times that in memory."""


class BrokenMessage(ValueError):
    """Bytes that are no message, or a message that was cut off."""


class Message:
    """A message, split into its fields.

    Args:
        data: Its bytes. Nothing is copied.

    Raises:
        BrokenMessage: The bytes are no message.
    """

    def __init__(self, data: memoryview) -> None:
        self._numbers: dict[int, int] = {}
        self._parts: dict[int, list[memoryview]] = {}
        for count, (number, value) in enumerate(_fields(data)):
            if count >= MOST_FIELDS:
                message = f"a message has more than {MOST_FIELDS:,} fields"
                raise BrokenMessage(message)
            if isinstance(value, int):
                self._numbers[number] = value
            else:
                self._parts.setdefault(number, []).append(value)

    def number(self, field: int, default: int = 0) -> int:
        """Return the last number of a field."""
        if field in self._parts:
            message = f"field {field} holds bytes, and a number was expected"
            raise BrokenMessage(message)
        return self._numbers.get(field, default)

    def bytes(self, field: int) -> memoryview | None:
        """Return the last bytes of a field; None if it has none."""
        if field in self._numbers:
            message = f"field {field} holds a number, and bytes were expected"
            raise BrokenMessage(message)
        return self._parts.get(field, [None])[-1]

    def message(self, field: int) -> "Message | None":
        """Return the last message of a field; None if it has none."""
        data = self.bytes(field)
        return None if data is None else Message(data)

    def messages(self, field: int) -> "list[Message]":
        """Return all messages of a field."""
        return [Message(data) for data in self._parts.get(field, [])]


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == LENGTH:
            width, at = _varint(data, at)
        elif wire in _WIDTHS:
            width = _WIDTHS[wire]
        else:
            message = f"wire type {wire} at byte {at:,} is not one of protocol buffers"
            raise BrokenMessage(message)
        if width > len(data) - at:
            message = f"field {number} has {width:,} bytes and {len(data) - at:,} are left"
            raise BrokenMessage(message)
        part = data[at : at + width]
        at += width
        yield number, part if wire == LENGTH else int.from_bytes(part, "little")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the number of variable length at a place, and the place after it."""
    groups = data[at : at + _LONGEST_VARINT].tobytes()
    going_on = len(list(takewhile(lambda byte: byte & 0x80, groups)))
    if going_on >= len(groups):
        message = f"the number at byte {at:,} does not end"
        raise BrokenMessage(message)
    value = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(groups[: going_on + 1]))
    return value, at + going_on + 1


def encoded(fields: Sequence[tuple[int, int | bytes]], *, fixed: Sequence[int] = ()) -> bytes:
    """Return the bytes of a message.

    Args:
        fields: Numbers and values in order; a message's value is its bytes.
        fixed: The fields whose numbers take four bytes.
    """
    parts = []
    for number, value in fields:
        if not isinstance(value, int):
            parts += [_written(number << 3 | LENGTH), _written(len(value)), value]
        elif number in fixed:
            parts += [_written(number << 3 | FIXED32), value.to_bytes(4, "little")]
        else:
            parts += [_written(number << 3 | VARINT), _written(value)]
    return b"".join(parts)


def _written(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
