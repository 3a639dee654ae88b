"""How phase experts are compared with one network in Connect Four."""

from collections.abc import Mapping
from typing import Any


def connect_four_two_player() -> Mapping[str, Mapping[str, Any]]:
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


def connect_four_curves() -> Mapping[str, Mapping[str, Any]]:
    """Moves are judged by the solver in many positions, so that few games have to be played."""
    standard = {
        "sizes": (5_000, 20_000, 80_000),
        "trainings": 8,
        "arms": ("threats",),
        "learned_gate": True,
        "gate_positions": 2000,
        "exact_positions": 20_000,
        "searched_positions": 2000,
        "games_played": 2,
    }
    return {"standard": standard}
