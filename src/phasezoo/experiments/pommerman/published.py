"""Settings and figures of the published studies: M2CTS on Pommerman, and its search study.

Every value here is theirs (``docs/definitions/published.md#pommerman``); nothing is computed from
them.
"""

CITATION = (
    "Helfenstein et al., “Checkmating One, by Using Many: Combining Mixture of Experts with MCTS "
    "to Improve in Chess”, figure 9"
)

TINY = "risex4-1x2"
"""The paper's network in Pommerman: RISEv3.3 with 1 base channel, 4 expanded, 2 blocks."""

SAMPLES = 1_000_000
"""Training positions, of games of four heuristic agents."""

EPOCHS = 5
"""Passes over them."""

LEARNING_RATE = 0.001
"""AdamW's, constant, in the published code."""

SIMULATIONS = 100
"""Simulations a move of the published engine's defaults."""

CLAIMED_GAIN = (0.05, 0.11)
"""Win rate of the mixtures by steps and by mixedness above one network's."""

CLAIMED_GATES = ("steps", "proximity")
"""The gates of that gain."""

SEARCH_STUDY = {0: (0.386, 0.100), 50: (0.614, 0.393), 100: (0.680, 0.438), 250: (0.768, 0.490),
                500: (0.791, 0.555), 1000: (0.788, 0.575)}  # fmt: skip
"""By simulations a move, win rates of the 64-channel network with single-player search, trained and
untrained, against three SimpleUnbiasedAgents; other rules than ours
(``docs/definitions/pommerman.md#simpleunbiasedagent``),
so a reference, not a mark."""

ORIGINAL_ENVIRONMENT = (0.73, 0.84)
"""Win rates of that network in the original environment against three of its SimpleAgents, 1,000
simulations a move, the true state, 100 games a row: the same game as ours."""
