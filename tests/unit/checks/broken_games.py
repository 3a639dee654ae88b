"""A small game that keeps every contract, and ways to break them one by one."""

import random
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

__all__ = ["BREAKS", "Heap"]

SIZE = 7


@dataclass(frozen=True)
class Heap:
    """Two players take one or two from a heap; who takes the last wins."""

    left: int = SIZE
    ply: int = 0

    @property
    def to_play(self):
        return self.ply % 2

    @property
    def is_terminal(self):
        return self.left == 0

    @property
    def legal_actions(self):
        return np.arange(min(2, self.left))

    @property
    def returns(self):
        if self.left:
            return np.zeros(2, dtype=np.float32)
        last = 1 - self.to_play
        return np.array([1.0, -1.0] if last == 0 else [-1.0, 1.0], dtype=np.float32)

    @property
    def key(self):
        return self.left * 2 + self.to_play

    def play(self, action):
        return replace(self, left=self.left - 1 - int(action), ply=self.ply + 1)

    def planes(self, spec, player=None):
        seen_by = self.to_play if player is None else player
        return np.array([[[self.left, seen_by == self.to_play]]], dtype=np.float32)


class Mutable(Heap):
    def play(self, action):
        object.__setattr__(self, "left", self.left - 1 - int(action))
        object.__setattr__(self, "ply", self.ply + 1)
        return self


class WornOut(Heap):
    """The new state is right; the old one loses something on the way."""

    def play(self, action):
        after = type(self)(self.left - 1 - int(action), self.ply + 1)
        object.__setattr__(self, "ply", self.ply + 2)
        return after


class ForeignPlayer(Heap):
    @property
    def to_play(self):
        return 5 if self.left == 3 else self.ply % 2


class Unordered(Heap):
    @property
    def legal_actions(self):
        return super().legal_actions[::-1]


class TooHigh(Heap):
    @property
    def legal_actions(self):
        return np.append(super().legal_actions, 9) if self.left else super().legal_actions


class NothingToDo(Heap):
    @property
    def legal_actions(self):
        return np.arange(0)


class BothWin(Heap):
    @property
    def returns(self):
        return np.ones(2) if self.left == 0 else np.zeros(2)


class OneReturn(Heap):
    @property
    def returns(self):
        return 0.0


class NoNumber(Heap):
    @property
    def returns(self):
        return np.full(2, np.nan)


class WrongShape(Heap):
    def planes(self, spec, player=None):
        return super().planes(spec, player)[0]


class InfinitePlanes(Heap):
    def planes(self, spec, player=None):
        return np.full((1, 1, 2), np.inf if self.left < 4 else 0.0)


class PlanesOfTheMover(Heap):
    def planes(self, spec, player=None):
        if player not in (None, self.to_play):
            message = "I see for the player to move alone"
            raise RuntimeError(message)
        return super().planes(spec, player)


class BigKey(Heap):
    key = 1 << 64


class OneKey(Heap):
    key = 7


class OneGraphKey(Heap):
    """The legal actions of most heaps are alike: planes tell them apart."""

    key = None
    graph_key = 7


class NegativeGraphKey(Heap):
    graph_key = -1


class Forgetful(Heap):
    def play(self, action):
        super().play(action)


class SlowClock(Heap):
    def play(self, action):
        return replace(self, left=self.left - 1 - int(action), ply=self.ply + 3)


class Dice(Heap):
    def play(self, action):
        return type(self)(max(0, self.left - 1 - random.getrandbits(1)), self.ply + 1)


class Unpickled(Heap):
    @cached_property
    def hook(self):
        return lambda: None

    def __reduce__(self):
        return (self.hook, ())


class Endless(Heap):
    def play(self, action):
        return type(self)(self.left, self.ply + 1)


class ActionsLeft(Heap):
    @property
    def legal_actions(self):
        return np.arange(min(2, max(self.left, 1)))


class ShyEnd(Heap):
    @property
    def is_terminal(self):
        return "yes" if self.left == 0 else ""


class Unspeakable(Heap):
    def __str__(self):
        message = "no words"
        raise RuntimeError(message)


class Blank(Heap):
    def svg(self):
        return None


class Inkless(Heap):
    def svg(self):
        message = "no ink"
        raise RuntimeError(message)


class Numbered(Heap):
    def action_name(self, action):
        return action


class Nameless(Heap):
    def action_name(self, action):
        return "take"


BREAKS = {
    Mutable: "play leaves the state as it is",
    WornOut: "play leaves the state as it is",
    ForeignPlayer: "to_play is a player, or SIMULTANEOUS",
    Unordered: "legal_actions are ascending, each once",
    TooHigh: "legal_actions are below num_actions",
    NothingToDo: "legal_actions are whole numbers, and there is one while the game goes on",
    ActionsLeft: "there are no legal_actions when the game is over",
    BothWin: "returns of two players sum to 0",
    OneReturn: "returns hold one number a player",
    NoNumber: "returns lie in [-1, 1]",
    WrongShape: "planes('default') are finite numbers of the registered shape",
    InfinitePlanes: "planes('default') are finite numbers of the registered shape",
    PlanesOfTheMover: "planes('default') are finite numbers of the registered shape",
    BigKey: "key is a whole number from 0 to 2**64 - 1",
    OneKey: "states of one ply with the same key are the same position",
    OneGraphKey: "states of one ply with the same graph_key are the same position",
    NegativeGraphKey: "graph_key is a whole number from 0 to 2**64 - 1",
    Forgetful: "play returns a state",
    SlowClock: "ply grows by one with every move",
    Dice: "play gives the same state every time",
    Unpickled: "states can be pickled",
    Endless: "games end",
    ShyEnd: "is_terminal is True or False",
    Unspeakable: "states can be printed",
    Blank: "svg() gives an SVG document",
    Inkless: "svg() draws a state",
    Numbered: "action_name gives each legal action a text of its own",
    Nameless: "action_name gives each legal action a text of its own",
}
"""Each broken game and the contract that its report has to name."""
