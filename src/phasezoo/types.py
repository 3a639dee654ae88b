"""The protocols that a user's own code may follow: states, gates, evaluators, agents.

Nothing has to inherit from these; having the members is enough.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

__all__ = [
    "SIMULTANEOUS",
    "ActionMask",
    "Actions",
    "Agent",
    "Gate",
    "Info",
    "Outcome",
    "Planes",
    "State",
]

ActionMask: TypeAlias = npt.NDArray[np.int8]
"""``int8[A]``, 1 = legal."""

Actions: TypeAlias = npt.NDArray[np.int64]
"""Action indices, ascending."""

Planes: TypeAlias = npt.NDArray[np.float32]
"""``float32[C, H, W]``, or ``float32[B, C, H, W]`` for a batch."""

Dtype: TypeAlias = Literal["float32", "bfloat16"]
"""Number formats that networks learn in."""

InferenceDtype: TypeAlias = Literal["float32", "bfloat16", "float16"]
"""Number formats that networks answer in."""

PhaseInput: TypeAlias = Literal[
    "planes", "heads", "policies", "film", "adapters", "blocks", "router"
]
"""Form of the phase input: a plane for each phase; on a body that all share a policy head and a
value head for each, or a policy head alone; a scale and a shift of normalised features
(:class:`~phasezoo.networks.phase_layers.PhaseFilm`); a change of low rank of every layer's weights
(``PhaseAdapters``); a last block of its own, chosen by the phase or by a router
that learns (``PhaseBlocks``)."""

PlaneShape: TypeAlias = tuple[int, int, int]
"""Channels, height, width."""

Info: TypeAlias = dict[str, Any]
"""Info of an environment, besides the observation (``docs/definitions/info.md``)."""

SIMULTANEOUS = -2
"""``to_play`` of a state in which several players move at once."""


class Outcome(Protocol):
    """How a game ended."""

    @property
    def winner(self) -> int | None:
        """Index of the winner, or None if no player alone won."""

    @property
    def reason(self) -> str:
        """Why the game ended, such as ``"checkmate"``."""


@runtime_checkable
class State(Protocol):
    """A position of a game in which one player moves at a time; an immutable value.

    Members may be there besides: ``ply``, the moves played; ``key``, a whole number from 0 to
    2**64 - 1 that depends on the position alone; ``graph_key``, the same of what searches with
    ``graph=True`` hold for one (``docs/definitions/limits.md#graph``); and ``symmetries``, how
    positions can be turned for training (``docs/definitions/data.md#symmetries``).
    """

    @property
    def to_play(self) -> int:
        """Index of the player to move (of the last to move, or any, when the game is over)."""

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""

    @property
    def legal_actions(self) -> Actions:
        """``int64[L]``, ascending; empty only when the game is over."""

    @property
    def returns(self) -> npt.NDArray[np.float32]:
        """``float32[num_players]``: +1 won, 0 draw or not over, -1 lost."""

    def play(self, action: int) -> "State":
        """The state after ``action``; this one stays as it is."""

    def planes(self, spec: str, player: int | None = None) -> Planes:
        """``float32[C, H, W]`` as ``player`` (default: to_play) sees the state."""


@runtime_checkable
class Gate(Protocol):
    """Says which phase of the game a state is in (``docs/definitions/gates.md``)."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name per phase, in order of play if there is one."""

    def __call__(self, state: Any, player: int | None = None, previous: int | None = None) -> int:
        """The phase of ``state``, seen by ``player``; ``previous`` is the phase one ply before."""

    def batch(
        self,
        states: Sequence[Any],
        players: Sequence[int] | None = None,
        previous: Sequence[int] | None = None,
    ) -> npt.NDArray[np.int64]:
        """``int64[N]``: the phases of ``states``."""


@runtime_checkable
class Agent(Protocol):
    """Anything that chooses an action from what an environment shows."""

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action to play."""
