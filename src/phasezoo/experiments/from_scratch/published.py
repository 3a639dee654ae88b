"""Published figures of learning from scratch (Helfenstein et al. 2024: Fig. 5, Tables XI, XII).

Every value here is the paper's; nothing is computed from them.
"""

CITATION = (
    "F. Helfenstein, J. Czech, J. Blüml, M. Eisel, K. Kersting: “Checkmating One, by Using Many: "
    "Combining Mixture of Experts with MCTS to Improve in Chess”, 2024"
)

GAME = "chess"

ELO = {"staged": 100.0, "separated": -100.0}
"""Elo of M2CTS over one network after ten updates (Fig. 5): staged gains more than this, separated
is about this far below."""

UPDATES = 10
"""Rounds of playing and learning."""

NEW_SAMPLES = 819_200
"""New samples of a round."""

NODES = 800
"""Nodes of a search."""

TRAININGS = 3
"""Seeds."""
