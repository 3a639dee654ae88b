"""Networks as users write them, for games of any number of players."""

import numpy as np
import torch
from torch import nn

from phasezoo import games, networks


class Small(nn.Module):
    """One hidden layer; answers whatever heads are asked for, as ``NetworkOutput`` or a pair."""

    def __init__(self, input_shape, num_actions, width=16, heads="wdl", pair=False, players=2):
        super().__init__()
        self.heads, self.pair = heads, pair
        self.body = nn.Linear(int(np.prod(input_shape)), width)
        self.policy = nn.Linear(width, num_actions)
        sizes = {"wdl": 3, "odds": 3, "scalar": 1, "values": players}
        self.value = nn.Linear(width, sizes[heads])

    def forward(self, planes):
        # As many users write it: it needs planes in the usual layout.
        hidden = torch.relu(self.body(planes.view(planes.shape[0], -1)))
        policy, value = self.policy(hidden), self.value(hidden)
        if self.heads == "odds":
            value = torch.softmax(value, dim=1)
        elif self.heads != "wdl":
            value = torch.tanh(value)
        if self.pair:
            return policy, value
        if self.heads == "scalar":
            return networks.NetworkOutput(policy, scalar=value.squeeze(1))
        if self.heads == "values":
            return networks.NetworkOutput(policy, values=value)
        return networks.NetworkOutput(policy, wdl_logits=value)


def made(input_shape, num_actions, seed=1, **options):
    """A :class:`Small` whose weights depend on ``seed`` alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Small(input_shape, num_actions, **options)


def states(rows=9, seed=None):
    """Successive states of a random game of Connect Four."""
    rng = np.random.default_rng(rows if seed is None else seed)
    found = [games.make("connect-four").initial_state()]
    while len(found) < rows:
        found.append(found[-1].play(int(rng.choice(found[-1].legal_actions))))
    return found


class Several(nn.Module):
    """Answers win, draw and loss, a scalar and values of all players, which disagree."""

    def __init__(self, input_shape, num_actions, num_players=2):
        super().__init__()
        self.body = nn.Linear(int(np.prod(input_shape)), 8)
        self.policy = nn.Linear(8, num_actions)
        self.wdl, self.scalar, self.values = (nn.Linear(8, n) for n in (3, 1, num_players))

    def forward(self, planes):
        hidden = torch.relu(self.body(planes.flatten(1)))
        return networks.NetworkOutput(
            self.policy(hidden),
            wdl_logits=2 * self.wdl(hidden),
            scalar=torch.tanh(self.scalar(hidden)).squeeze(1),
            values=torch.tanh(self.values(hidden)),
        )


class ThreeHeaps:
    """A game of three players who take one or two stones in turn; who takes the last one wins."""

    num_actions = 2

    def __init__(self, stones=7, to_play=0, ply=0):
        self.stones, self.to_play, self.ply = stones, to_play, ply

    def __eq__(self, other):
        return isinstance(other, ThreeHeaps) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.stones, self.to_play))

    @property
    def is_terminal(self):
        return self.stones == 0

    @property
    def legal_actions(self):
        return np.arange(min(2, self.stones))

    @property
    def returns(self):
        won = (self.to_play - 1) % 3
        return [1.0 if self.is_terminal and p == won else -0.5 * self.is_terminal for p in range(3)]

    def play(self, action):
        return ThreeHeaps(self.stones - 1 - int(action), (self.to_play + 1) % 3, self.ply + 1)

    def planes(self, spec, player=None):
        return np.full((1, 1, 2), self.stones, dtype=np.float32)
