"""Actions of several parts, such as a move and two words: indices and masks."""

import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.types import ActionMask

Mask: TypeAlias = ActionMask | tuple[ActionMask, ...]
"""``int8[A]``, or a tuple with the mask of each part."""


def index_of(action: Any, num_actions: int, parts: Sequence[int] | None) -> int | None:
    """The index of an action: a whole number, or one for each part; None if it is no action."""
    try:
        index = operator.index(action)
    except TypeError:
        return None if parts is None else _joined(action, parts)
    return index if 0 <= index < num_actions else None


def _joined(action: Any, parts: Sequence[int]) -> int | None:
    try:
        given = [operator.index(part) for part in action]
    except TypeError:
        return None
    if len(given) != len(parts):
        return None
    index, step = 0, 1
    for choice, count in zip(given, parts, strict=True):
        if not 0 <= choice < count:
            return None
        index, step = index + step * choice, step * count
    return index


def split_indices(indices: npt.NDArray[np.int64], parts: Sequence[int]) -> npt.NDArray[np.int64]:
    """``int64[N, K]``: the parts of ``int64[N]`` indices."""
    columns = []
    for count in parts:
        indices, part = np.divmod(indices, count)
        columns.append(part)
    return np.stack(columns, axis=1)


def masks_of(mask: ActionMask, parts: Sequence[int] | None) -> Mask:
    """The mask of each part, 1 if some action that is allowed has that choice."""
    return mask if parts is None else _masks_by_part(mask, parts)


def _masks_by_part(masks: ActionMask, parts: Sequence[int]) -> tuple[ActionMask, ...]:
    """``int8[..., choices]`` for each part, of ``int8[..., A]``."""
    first = masks.ndim - 1
    last = first + len(parts) - 1
    # The first part runs fastest, so that its axis is the last.
    table = masks.reshape(*masks.shape[:-1], *reversed(parts))
    axes = range(first, last + 1)
    return tuple(
        table.max(axis=tuple(axis for axis in axes if axis != last - part))
        for part in range(len(parts))
    )


def flat_mask(mask: Mask) -> ActionMask:
    """One array: the masks of all parts one after the other."""
    return np.concatenate(mask) if isinstance(mask, tuple) else mask


def flat_masks(masks: ActionMask, parts: Sequence[int] | None) -> ActionMask:
    """The flat mask of each of many games, ``int8[N, choices of all parts]`` of ``int8[N, A]``."""
    return masks if parts is None else np.concatenate(_masks_by_part(masks, parts), axis=1)
