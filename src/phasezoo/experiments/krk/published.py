"""Settings and figures of the study: M. Kohne, "Monte-Carlo Tree Search in chess endgames", 2012.

Every value here is the study's; nothing is computed from them.
"""

CITATION = "M. Kohne: “Monte-Carlo Tree Search in chess endgames”, Ljubljana 2012"

CONSTANTS = (0.0, 0.12, 0.25, 0.75, 1.0, 1.75, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 500.0)
"""Values of the exploration constant C."""

THRESHOLDS = (5, 10, 30, 50, 75, 100, 150, 300, 500, 1000)
"""Values of T: a node visited more often than T selects, others start a rollout."""

BUDGETS = (3000, 6000)
"""Simulations before each of White's moves."""

FIRST_SIMULATIONS = 10_000
"""Simulations before the first move."""

GAMES = 100
"""Games a cell."""

MATE_IN = 15
"""Distance to mate of the position every game starts from, in White's moves."""

LENGTHS = (28.0, 36.0)
"""Average lengths of games, in White's moves (figure 4.2)."""

BEST_CONSTANT = {3000: (5.0,), 6000: (10.0,)}
"""Best C by budget (figure 4.7)."""

LOW_CONSTANT = 2.5
"""Up to this C the DTM difference is said to fall with T (figure 4.8)."""

HIGH_CONSTANT = 5.0
"""From this C on the DTM difference is said to be lowest at or near T = 30 (figure 4.8)."""

BEST_THRESHOLD = 30
"""Best T from C = 5 on (figure 4.8)."""

MOST_MOVES = 22
"""The largest number of legal moves White has: the reason given for T = 30."""

NEAR_BEST_THRESHOLD = (10, 30, 50)
"""Values that we count as at or near T = 30: it and its neighbours among the study's values."""
