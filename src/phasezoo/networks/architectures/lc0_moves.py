"""The moves of lc0's policies as actions of chess (``docs/definitions/lc0.md#moves``)."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from phasezoo import _core
from phasezoo.games.action_tables import OFF, ActionTables

PLANES = 112
"""Channels that a body reads; canonical forms have one more, which says how they turn the
board."""

ACTIONS = 4672
"""Actions of chess, which the answers are brought into."""

SQUARES = 64

CONVOLUTION_PLANES = 80
"""Planes of the convolutional policy, of which the first 73 are moves."""

Policy: TypeAlias = Literal["convolution", "classical", "attention"]
"""Kinds of policies."""


class MoveActions(nn.Module):
    """The logits of actions, from those of lc0's moves.

    An action may mean two moves: a step to the last rank promotes a pawn to a queen, for which lc0
    has a move of its own, and the king's two squares are castling, which is a step onto the rook
    there. Which it is the planes say. In canonical forms the moves are those of the turned board.

    Args:
        policy: The order of the logits.
        turns: Whether the last plane says how the board is turned.
    """

    table: Tensor
    usual: Tensor
    special: Tensor
    asked: Tensor

    def __init__(self, policy: Policy, *, turns: bool) -> None:
        super().__init__()
        self.turns = turns
        tables = lc0_tables(policy, turns=turns)
        for name, array in tables._asdict().items():
            if name != "logits":
                self.register_buffer(name, torch.from_numpy(array), persistent=False)

    def forward(self, logits: Tensor, planes: Tensor) -> Tensor:
        """``float32[B, moves]`` and the planes to ``float32[B, 4672]``."""
        turn = planes[:, PLANES, 0, 0].long() if self.turns else None
        known = torch.cat([logits, torch.full_like(logits[:, :1], OFF)], dim=1)
        asked = _picked(planes[:, :6].flatten(1), self.asked, turn)
        usual, special = (_picked(known, each, turn) for each in (self.usual, self.special))
        decided = torch.where(asked > 0, special, usual)
        return _picked(torch.cat([known, decided], dim=1), self.table, turn)


def _picked(values: Tensor, columns: Tensor, turn: Tensor | None) -> Tensor:
    """Return the columns of each row, which its turn chooses."""
    return values[:, columns[0]] if turn is None else values.gather(1, columns[turn])


def lc0_tables(policy: Policy, *, turns: bool) -> ActionTables:
    """Return where the logits of actions are among those of a policy."""
    moves, places = _core.lc0_moves()
    if policy != "convolution":
        places = np.arange(len(moves))
    known = dict(zip(moves, places.tolist(), strict=True))
    logits = CONVOLUTION_PLANES * SQUARES if policy == "convolution" else len(moves)
    return ActionTables.stacked(_tables(known, logits, turn) for turn in range(8 if turns else 1))


def _tables(places: Mapping[str, int], logits: int, turn: int) -> ActionTables:
    """Return where the logit of each action is on a board that is turned so."""
    moves = _core.lc0_moves()[0]
    usual, special = (each.copy() for each in _core.lc0_actions())
    squares = np.arange(ACTIONS) % SQUARES
    under = np.arange(ACTIONS) >= 64 * SQUARES  # promotions to less than a queen
    taking = np.isin(usual, [moves.index("e1a1"), moves.index("e1h1")]) & ~under
    king = taking | ((special >= 0) & (squares == 4))
    with_piece = np.where(under | (special < 0), usual, special)
    with_piece[taking] = -1
    without = np.where(under, -1, usual)
    first, second = (
        [logits if move < 0 else _place(moves[move], places, logits, turn) for move in each]
        for each in (without, with_piece)
    )
    piece = np.where(king, 5, 0) * SQUARES + np.array([_turned(int(s), turn) for s in squares])
    decided = np.flatnonzero(without != with_piece)
    return ActionTables.of(logits, np.array(first), np.array(second), piece, decided)


def _place(move: str, places: Mapping[str, int], logits: int, turn: int) -> int:
    """Return the column of a move as the turned board has it."""
    squares = (_turned(square_of(name), turn) for name in (move, move[2:]))
    names = (f"{'abcdefgh'[square % 8]}{square // 8 + 1}" for square in squares)
    return places.get("".join(names) + move[4:], logits)


def _turned(square: int, turn: int) -> int:
    """Return where a square is on a turned board: files, ranks, then the diagonal from h1 to a8."""
    file, rank = square % 8, square // 8
    if turn & 1:
        file = 7 - file
    if turn & 2:
        rank = 7 - rank
    if turn & 4:
        file, rank = 7 - rank, 7 - file
    return 8 * rank + file


def square_of(name: str) -> int:
    """Return the number of the square that a text begins with, ``"a1"`` as 0."""
    return ord(name[0]) - ord("a") + 8 * (int(name[1]) - 1)


def reach() -> Tensor:
    """Return for every square 1 where a queen or a knight reaches from it, and -1 at itself.

    These are the 64 numbers of a square in lc0's map embedding: each move of its policy is such a
    step.
    """
    found = -torch.eye(SQUARES)
    for move in _core.lc0_moves()[0]:
        found[square_of(move), square_of(move[2:])] = 1
    return found
