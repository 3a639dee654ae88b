"""How phase experts are compared with one network in the endgame."""

from collections.abc import Mapping
from typing import Any


def krk_two_player() -> Mapping[str, Mapping[str, Any]]:
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


def krk_curves() -> Mapping[str, Mapping[str, Any]]:
    """Moves are judged in every position, so that few games have to be played.

    Beside the gate by room stand the placebo, an oracle that knows the distance to mate, and a
    learned gate. The largest size is twice the training positions of the package.
    """
    standard = {
        "sizes": (20_000, 80_000, 320_000),
        "trainings": 8,
        "arms": ("dtm",),
        "learned_gate": True,
        "gate_positions": 2000,
        "searched_positions": 2000,
        "games_played": 2,
    }
    paper = {
        **standard,
        "sizes": (20_000, 40_000, 80_000, 160_000, 320_000),
        "trainings": 32,
        "searched_positions": 175_168,
    }
    return {"standard": standard, "paper": paper}
