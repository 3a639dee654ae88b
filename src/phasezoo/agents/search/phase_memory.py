"""The phases of a game so far, for gates that never go back."""

from typing import Any

from phasezoo.types import Gate


class PhaseMemory:
    """The phase one ply before, which a monotone gate needs; None for other gates."""

    def __init__(self, gate: Gate | None) -> None:
        self._gate = gate if getattr(gate, "monotone", False) else None
        self.previous: int | None = None

    def see(self, state: Any, player: int | None = None) -> None:
        """``state`` stood in the game, as ``player`` (default: the one to move) sees it."""
        if self._gate is not None and not state.is_terminal:
            self.previous = self._gate(state, player, previous=self.previous)
