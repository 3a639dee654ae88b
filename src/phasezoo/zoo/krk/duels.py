"""How phase experts are compared with one network in the endgame."""

from collections.abc import Mapping
from typing import Any

__all__ = ["krk_duels"]


def krk_duels() -> Mapping[str, Mapping[str, Any]]:
    """Small networks, which have much to gain from a phase of their own."""
    quick = {
        "gate": "box",
        "planes": "minimal",
        "network": "resnet-16x2",
        "optimizer": "adamw",
        "learning_rate": 0.004,
        "positions": 150_000,
        "max_plies": 60,
    }
    standard = {**quick, "positions": 300_000}
    return {"quick": quick, "standard": standard}
