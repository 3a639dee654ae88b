"""What a network answers."""

from typing import NamedTuple

import torch
from torch import Tensor

from phasezoo.errors import InvalidNetwork

__all__ = ["NetworkOutput"]


class NetworkOutput(NamedTuple):
    """What a network says of B positions, each from the view of its player to move.

    A network leaves out what it has no head for. To play it needs a policy and one of the three
    kinds of value (``docs/definitions/networks.md#answers``).
    """

    policy_logits: Tensor
    """``float32[B, A]``, illegal actions included."""
    wdl_logits: Tensor | None = None
    """``float32[B, 3]``, in the order win, draw, loss."""
    plies: Tensor | None = None
    """``float32[B]`` in [0, 1]: plies to the end of the game / 100, where 1 is 100 or more."""
    scalar: Tensor | None = None
    """``float32[B]`` in [-1, 1]: the expected return, of a head without win, draw and loss."""
    values: Tensor | None = None
    """``float32[B, players]`` in [-1, 1]: the expected return of each player, the player to move
    first, the others after them in the order of their seats."""

    def value(self) -> Tensor:
        """``float32[B]`` in [-1, 1]: the expected return of the player to move.

        The probability of winning minus that of losing if the network tells them apart, else what
        it says itself.

        Raises:
            InvalidNetwork: The network has no value head.
        """
        if self.wdl_logits is not None:
            win, _, loss = torch.softmax(self.wdl_logits, dim=1).unbind(dim=1)
            return win - loss
        if self.scalar is not None:
            return self.scalar
        if self.values is not None:
            return self.values[:, 0]
        message = (
            "the network answers no value; one of wdl_logits, scalar and values of NetworkOutput "
            "must be given"
        )
        raise InvalidNetwork(message)

    def answered(self) -> tuple[str, ...]:
        """The names of the fields that are there, in their order."""
        return tuple(name for name in self._fields if getattr(self, name) is not None)
