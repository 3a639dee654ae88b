"""How phase experts are compared with one network in Connect Four."""

from collections.abc import Mapping
from typing import Any

__all__ = ["connect_four_duels"]


def connect_four_duels() -> Mapping[str, Mapping[str, Any]]:
    """Thirds of a game by plies, and few positions: the package has 1,350 games."""
    quick = {
        "gate": "plies:14,28",
        "network": "resnet-32x2",
        "optimizer": "adamw",
        "learning_rate": 0.004,
        "positions": 100_000,
        "max_plies": None,
    }
    standard = {**quick, "positions": 200_000}
    return {"quick": quick, "standard": standard}
