"""How a game is learnt at a size, where the usual settings are not the best for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Recipe"]


@dataclass(frozen=True)
class Recipe:
    """What a game's room says of a preset."""

    network: str | None = None
    """Architecture; None: the usual one."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Fields of :class:`SelfPlayConfig` that differ from the preset of that name."""
