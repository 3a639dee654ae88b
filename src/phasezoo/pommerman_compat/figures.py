"""Exchange between a game and an object with ``act``: its figure, its actions, its space."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from phasezoo.pommerman_compat.constants import RADIO_NUM_WORDS, RADIO_VOCAB_SIZE, Action

__all__ = ["action_index", "action_space", "bring", "call", "expected", "show"]

_ACTIONS = len(Action)
_PARTS = (_ACTIONS, *(RADIO_NUM_WORDS * (RADIO_VOCAB_SIZE,)))


def action_space(radio: bool) -> spaces.Space[Any]:
    """Six actions; with a radio also two words of eight."""
    if radio:
        return spaces.Tuple([spaces.Discrete(size) for size in _PARTS])
    return spaces.Discrete(_ACTIONS)


def action_index(answer: Any, radio: bool) -> int:
    """The index of an answer: an action, with a radio also [action, word, word]."""
    if radio and isinstance(answer, Sequence | np.ndarray) and np.ndim(answer) == 1:
        action, first, second = (
            _below(bound, each) for bound, each in zip(_PARTS, answer, strict=True)
        )
        return action + _ACTIONS * (first + RADIO_VOCAB_SIZE * second)
    return _below(_ACTIONS, answer)


def expected(radio: bool) -> str:
    """Return the answers that :func:`action_index` takes, in words."""
    message = f"whole numbers from 0 to {_ACTIONS - 1}"
    if radio:
        message += f", or [action, word, word] with words from 0 to {RADIO_VOCAB_SIZE - 1}"
    return message


def call(legacy: Any, hook: str, *arguments: Any) -> None:
    """Call a method of an agent if it has it."""
    method = getattr(legacy, hook, None)
    if method is not None:
        method(*arguments)


def show(legacy: Any, agent: tuple[int, int, int, int, bool, bool]) -> None:
    """Bring the figure, from which agents read their place and powers, up to date."""
    figure = getattr(legacy, "_character", None)
    if figure is not None and not isinstance(figure, type):
        bring(figure, agent)


def bring(figure: Any, agent: tuple[int, int, int, int, bool, bool]) -> None:
    """Bring a figure up to date."""
    figure.position = agent[:2]
    figure.ammo, figure.blast_strength, figure.can_kick, figure.is_alive = agent[2:]


def _below(bound: int, number: Any) -> int:
    index = operator.index(number)
    if not 0 <= index < bound:
        raise ValueError
    return index
