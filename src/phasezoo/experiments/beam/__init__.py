"""The beam study: beam search against MCTS at equal inference, in chess with a small network."""
