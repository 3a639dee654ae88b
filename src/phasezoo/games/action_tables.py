"""Where the logits of a game's actions lie among those of a network in another order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Indices: TypeAlias = npt.NDArray[np.int64]

ActionOrder: TypeAlias = str | Path | Sequence[str] | Sequence[int] | Indices | Callable[[str], int]
"""Order of a network's moves: a name, such as ``"crazyara"``; the texts of its moves, or a file
with a text in each line; the place of each of our actions, or a file ``.npy`` of them; or a
function from a text to a place."""

OFF = -1e4
"""Logit of an action that means no move in the position; within the range of ``float16``."""


class MoveNames(NamedTuple):
    """Texts of a game's actions, as the player to move sees the board."""

    usual: tuple[str, ...]
    """Of each action; empty if no piece can move so."""
    special: Mapping[int, tuple[str, int]]
    """Of actions that mean another move if a piece stands on a cell: its text, and the cell,
    counted over all planes."""


class ActionTables(NamedTuple):
    """Columns of the logits of A actions; where D of them lie, the position decides.

    Column ``logits`` stands for actions without a move, the D columns after it for those that are
    decided. Networks that turn the board have a row of tables for each way to turn it.
    """

    logits: int
    """Numbers of the network's policy."""
    table: Indices
    """``int64[T, A]``: the column of each action."""
    usual: Indices
    """``int64[T, D]``: the column of each decided action if its cell is empty."""
    special: Indices
    """``int64[T, D]``: its column if there is a piece."""
    asked: Indices
    """``int64[T, D]``: the cell, counted over all planes."""

    @classmethod
    def of(
        cls, logits: int, without: Indices, with_piece: Indices, cells: Indices, decided: Indices
    ) -> "ActionTables":
        """Return the tables of one way to turn the board.

        Args:
            logits: Numbers of the network's policy.
            without: ``int64[A]``: the column of each action if its cell is empty.
            with_piece: Its column if there is a piece.
            cells: Its cell, counted over all planes.
            decided: The actions for which both may differ.
        """
        table = without.copy()
        table[decided] = logits + 1 + np.arange(len(decided))
        parts = (table, without[decided], with_piece[decided], cells[decided])
        return cls(logits, *(part[None] for part in parts))

    @classmethod
    def stacked(cls, turns: Iterable["ActionTables"]) -> "ActionTables":
        """Return the tables of several ways to turn the board."""
        logits, *parts = zip(*turns, strict=True)
        return cls(logits[0], *map(np.concatenate, parts))
