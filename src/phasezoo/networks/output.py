"""Outputs of networks."""

from collections.abc import Collection
from typing import NamedTuple

import torch
from torch import Tensor

from phasezoo.errors import InvalidNetwork

VALUE_FIELDS = ("wdl_logits", "scalar", "values")
"""Fields of :class:`NetworkOutput` that tell a value."""


def value_field_of(answered: Collection[str], num_players: int) -> str | None:
    """Return which of several answered fields is a network's value; None if none is.

    The first of ``wdl_logits``, ``scalar`` and ``values`` in games of two players; in games of more
    ``values`` comes first, because it alone holds what the others expect. Training, evaluators,
    manifests and exports all go by this.
    """
    order = VALUE_FIELDS if num_players <= 2 else ("values", *VALUE_FIELDS)
    return next((field for field in order if field in answered), None)


class NetworkOutput(NamedTuple):
    """A network's output for B positions, each from the view of its player to move.

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
    first, then the other players by index."""

    def value_field(self) -> str | None:
        """Return which field is the network's value, by :func:`value_field_of`; None if none is."""
        players = 2 if self.values is None else self.values.shape[1]
        return value_field_of(self.answered(), players)

    def value(self) -> Tensor:
        """``float32[B]`` in [-1, 1]: the expected return of the player to move.

        By :meth:`value_field`: the probability of winning minus that of losing, the scalar, or the
        first of the values.

        Raises:
            InvalidNetwork: The network has no value head.
        """
        field = self.value_field()
        if field is None:
            message = (
                "the network answers no value; one of wdl_logits, scalar and values of "
                "NetworkOutput must be given"
            )
            raise InvalidNetwork(message)
        output: Tensor = getattr(self, field)
        if field == "scalar":
            return output
        if field == "values":
            return output[:, 0]
        win, _, loss = torch.softmax(output, dim=1).unbind(dim=1)
        return win - loss

    def answered(self) -> tuple[str, ...]:
        """Return the names of the fields that are there, in their order."""
        return tuple(name for name in self._fields if getattr(self, name) is not None)
