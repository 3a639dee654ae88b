"""Settings and figures of the note "Reinforcement Learning Method for Chess Engine Training".

Every value here is the note's; nothing is computed from them.
"""

CITATION = "A design note, “Reinforcement Learning Method for Chess Engine Training”"

SCHEDULE = "8,5,3,2,1,1,1"
"""Successors kept of every kept position, by layer: 1,128 positions besides the root."""

GAMES_OF_A_BLOCK = 8
"""Games that are staggered by one layer."""

BLOCK_ROWS = {8: 1129, 64: 9032}
"""Rows of every call, by the number of such games."""

BEAM_CALLS = (5, 8)
"""Calls of the network for a move of beam search."""

MCTS_CALLS = 100
"""The same of MCTS, about."""

PUSHED = 3
"""Plies of the principal variation that are played a search."""

CYCLE_SECONDS = (24.0, 8.0)
"""Seconds of calls for 6,400 positions, with one and with three plies a search."""

STEPS = (12, 4)
"""Training steps of such a cycle, of 512 positions each."""
