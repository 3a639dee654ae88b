"""How phase experts are compared with one network in variants of chess."""

from collections.abc import Mapping
from typing import Any


def chess960_two_player() -> Mapping[str, Mapping[str, Any]]:
    """As in chess, but for the positions that fewer games give."""
    quick = {"positions": 200_000}
    return {"quick": quick, "standard": quick, "gpu": {"positions": 2_000_000}, "paper": {}}


def small_two_player() -> Mapping[str, Mapping[str, Any]]:
    """For the hundred thousand positions that the package has of atomic chess and crazyhouse."""
    quick = {"positions": 150_000, "max_plies": 200}
    gpu = {"positions": 600_000, "network": "rise-48x6", "max_plies": 300}
    return {"quick": quick, "standard": quick, "gpu": gpu, "paper": {}}
