"""Method and figures of the publication: a bachelor's thesis, Chalmers 2025.

Every value here is the study's; nothing is computed from them.
"""

CITATION = "A bachelor’s thesis on a self-trained engine for atomic chess, Chalmers 2025"

NETWORK = "resnet-128x12:policy=dense,value=mse,value_channels=1,value_units=64"
"""A stem of 128 channels, 12 blocks, policy 1x1 to 2 and dense, value 1x1 to 1, 64, 1."""

SIMULATIONS = 800
"""Simulations a move in self-play."""

BATCH = 4_096
"""Samples of a step."""

NEW_SAMPLES = 2_048
"""New samples of a step: each is used about twice."""

BUFFER = 200_000
"""Samples of the buffer at last; 100,000 at first."""

STEPS = 8_000
"""Total steps."""

POSITIONS = 16_384_000
"""Total positions."""

GAMES_AN_HOUR = 3_200
"""On an A100 with 32 cores."""

FIRST_AGAINST_UNTRAINED = 0.98
"""Share of decided games that M-0 wins against untrained weights (1,000 games)."""

MATCHES = (
    ("M-0", "untrained", 98.0),
    ("M-4000", "untrained", 100.0),
    ("M-4000", "M-0", 83.7),
    ("M-4000", "M-2000", 53.9),
    ("M-8000", "untrained", 100.0),
    ("M-8000", "M-0", 83.6),
    ("M-8000", "M-2000", 52.9),
    ("M-8000", "M-4000", 48.4),
    ("M-8000", "M-6000", 50.8),
)
"""Percent of the decided games that the first wins, of 1,000 with 3,000 simulations."""

LAST_STEP_AGAINST_UNTRAINED = 0.47
"""The same of a network whose buffer held the last step's samples alone, after 8 hours."""

FIRST_BY_COLOUR = (0.992, 0.968)
"""The same as White and as Black."""

MATE_GAMES, MATE_SIMULATIONS = 50, 10_000
"""Games from one position with a mate in two, and simulations of their searches (Fig. 5.3)."""

SELF_MATCHES = {"M-4000": 52.9, "M-8000": 55.9}
"""Percent that White wins when a model plays itself."""

COLLISIONS = {1_000: (11_000, 300), 5_000: (48_000, 380)}
"""Collisions a move by simulations, without and with virtual loss."""

MOVE_MS = {"network": 120.0, "search": 65.0}
"""Milliseconds of a move on an RTX 3060; generating moves takes less than one."""

NETWORK_SHARE = 0.65
"""The network's share of a move's time."""
