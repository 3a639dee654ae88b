"""Infos that every library can carry: the same keys at every step, values that tensors can hold."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo.games.base import Game
from phasezoo.observation.action_parts import flat_mask
from phasezoo.types import Info

UNKNOWN = -1000.0
"""The value of a number that is not known. It equals itself, as nan does not."""

_EXACT_IN_FLOAT32 = 0xFFFFFF


class TextCode(int):
    """A text that libraries of tensors take for a number.

    It compares, hashes, prints and formats as its text, and is false if that is empty. ``int()`` of
    it, and every array that it is put into, is a code of 24 bits, which float32 holds exactly: 0
    for the empty text. The code of a text is the same in every process and release.

    Args:
        text: Such as ``"1-0"``.
    """

    text: str

    def __new__(cls, text: str = "") -> "TextCode":  # noqa: D102 - the class says it
        code = super().__new__(cls, zlib.crc32(text.encode()) & _EXACT_IN_FLOAT32)
        code.text = text
        return code

    def __eq__(self, other: object) -> bool:
        return self.text == str(other) if isinstance(other, str | TextCode) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.text)

    def __bool__(self) -> bool:
        return self.text != ""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return repr(self.text)

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return TextCode, (self.text,)


def plain_info(info: Info, game: Game, *, state_in_info: bool, mask_observed: bool) -> Info:
    """Return an info, of :func:`~phasezoo.observation.view.info_of`, of fixed shapes and types.

    Masks of several parts are joined, and ``action_parts`` says how long each is. Results and
    reasons are :class:`TextCode`, winners are flags, numbers that are not known are
    :data:`UNKNOWN`.

    Args:
        info: The info.
        game: The game.
        state_in_info: Whether the state is included, and text that describes it, such as its FEN.
        mask_observed: Whether observations have the mask. Then infos do not: TorchRL takes it from
            one place only and fails over a second one. Infos with the state are for other readers.
    """
    plain: Info = {}
    for key, value in info.items():
        if key in ("result", "reason"):
            plain[key] = TextCode(value or "")
        elif key == "action_mask":
            if state_in_info or not mask_observed:
                plain[key] = flat_mask(value)
        elif key == "winners":
            plain[key] = _flags(value or (), game.num_players)
        elif key == "state" or isinstance(value, str):
            if state_in_info:
                plain[key] = value
        else:
            plain[key] = UNKNOWN if value is None else value
    if game.action_parts is not None:
        plain["action_parts"] = np.array(game.action_parts, dtype=np.int64)
    return plain


def _flags(players: Sequence[int], count: int) -> Any:
    flags = np.zeros(count, dtype=np.bool_)
    flags[list(players)] = True
    return flags
