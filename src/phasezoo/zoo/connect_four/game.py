"""Connect Four: its handle."""

from phasezoo import _core
from phasezoo.games.base import Game
from phasezoo.zoo.connect_four.solver import solve

CONNECT_FOUR = Game(
    name="connect-four",
    num_players=2,
    num_actions=7,
    plane_specs={"default": (3, 6, 7)},
    plane_names={"default": ("own stones", "their stones", "player 0 is to move")},
    plane_bounds={"default": {}},
    default_planes="default",
    state_type=_core.ConnectFourState,
    native=True,
    new_state=_core.ConnectFourState,
    encode_states=_core.encode,
    parse_columns=_core.ConnectFourState,
    solve=solve,
    match_openings="two-ply",
)
"""Connect Four on 6 rows and 7 columns: actions are columns, counted from the left.

States have ``columns``, the columns played as one word of digits from 1 to 7, ``threats`` and
``mirrored()``. ``game.from_columns("4453")`` makes one from such a word.
"""
