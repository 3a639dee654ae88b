"""An evaluator that makes its answers up, and drivers for pools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo import _core, games

Floats: TypeAlias = npt.NDArray[np.float32]

MASK = (1 << 64) - 1


def mix(value: int) -> int:
    """The finaliser of splitmix64."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def unit(value: int) -> float:
    """A number in [-1, 1) that depends on every bit of ``value``."""
    return (mix(value & MASK) >> 40) / (1 << 23) - 1.0


def synthetic(
    leaves: Any, num_actions: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Logits and values that depend on the position alone, and mean nothing."""
    offsets, actions = leaves.legal
    logits = np.full((len(leaves), num_actions), 99.0, dtype=np.float32)
    values = np.empty(len(leaves), dtype=np.float32)
    for row, state in enumerate(leaves.states()):
        values[row] = 0.9 * unit(state.key)
        for action in actions[offsets[row] : offsets[row + 1]]:
            logits[row, action] = 2.0 * unit(state.key ^ mix(int(action) + 1))
    return logits, values


def zeros(leaves: Any) -> Floats:
    """Nobody is better."""
    return np.zeros(len(leaves), dtype=np.float32)


def drive(pool: Any, rows: int = 64, num_actions: int | None = None) -> None:
    """Run all searches: with zeros, or with made-up answers where ``num_actions`` is given."""
    while pool.running:
        leaves = pool.collect(rows)
        if num_actions is None:
            pool.complete(leaves, value=zeros(leaves))
        else:
            logits, values = synthetic(leaves, num_actions)
            pool.complete(leaves, policy_logits=logits, value=values)


def chess_pool(**params: Any) -> tuple[Any, int]:
    """A pool of chess with one tree."""
    pool = _core.SearchPool("chess", _core.SearchParams(**params))
    return pool, pool.add(7)


def chess_state(moves: Sequence[str] = (), fen: str | None = None) -> Any:
    """The state after ``moves``."""
    state = (
        games.make("chess").initial_state() if fen is None else games.make("chess").from_fen(fen)
    )
    for move in moves:
        state = state.play(state.parse_uci(move))
    return state


@dataclass(frozen=True)
class Pile:
    """Nim: players take one to three stones in turn; who takes the last has lost."""

    stones: int
    to_play: int = 0
    players: int = 2

    @property
    def is_terminal(self) -> bool:
        return self.stones == 0

    @property
    def legal_actions(self) -> npt.NDArray[np.int64]:
        return np.arange(1, min(3, self.stones) + 1)

    @property
    def returns(self) -> Floats:
        values = np.zeros(self.players, dtype=np.float32)
        if self.is_terminal:
            values[:] = 1.0
            values[(self.to_play - 1) % self.players] = -1.0
        return values

    @property
    def key(self) -> int:
        return self.stones * 8 + self.to_play

    def play(self, action: int) -> "Pile":
        return Pile(self.stones - action, (self.to_play + 1) % self.players, self.players)

    def planes(self, spec: str, player: int | None = None) -> Floats:
        return np.full((1, 1, 1), self.stones, dtype=np.float32)


@dataclass(frozen=True)
class Handle:
    """What a pool needs to know of a user's game."""

    name: str
    num_players: int
    num_actions: int
    shape: tuple[int, int, int] = (1, 1, 1)

    def plane_shape(self, spec: str) -> tuple[int, int, int]:
        return self.shape


def pile_pool(players: int = 2, gate: Any = None, **params: Any) -> tuple[Any, int]:
    """A pool of Nim with one tree."""
    handle = Handle("pile", players, 4)
    pool = _core.SearchPool(handle, _core.SearchParams(**params), gate)
    return pool, pool.add(7)
