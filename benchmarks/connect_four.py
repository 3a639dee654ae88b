"""Connect Four: many games stepped in native code, planes and masks written."""

from collections.abc import Callable

from benchmarks import open_spiel_games
from benchmarks.common import Row, compared, counted, native, sized
from benchmarks.pettingzoo_games import NAME, playing
from benchmarks.vector_env import stepping

BOARDS, STEPS = sized((4096, 50), (16, 2))
PEER_STEPS = sized(20_000, 50)


def vector() -> Callable[[], float]:
    """Random legal play on one vector environment, one thread."""
    return stepping("ConnectFour-v0", BOARDS, STEPS, threads=1)


def pettingzoo() -> float:
    """The same over PettingZoo's connect_four_v3."""
    return playing("connect_four_v3", PEER_STEPS)


def open_spiel() -> float:
    """The same over OpenSpiel's states, with observation tensor and mask."""
    return open_spiel_games.playing("connect_four", PEER_STEPS)


def rows() -> list[Row]:
    """Return the rows of the core's ``benches/connect_four.rs``, and the vector from Python."""
    found = []
    for what, *rates in native("connect_four"):
        boards = what.removeprefix("vector-")
        name = f"Connect Four, native vector of {boards} games, planes + mask, one thread"
        found.append(counted(name, "steps/s", "≥ 8 M" if boards == "4096" else "", rates))
    name = f"Connect Four, vector env from Python, {BOARDS} games, one thread"
    for peer, theirs in (
        (f"{NAME} connect_four_v3", pettingzoo),
        ("OpenSpiel (3 planes)", open_spiel),
    ):
        found.append(compared(name, "steps/s", "", vector(), peer, theirs))
    return found
