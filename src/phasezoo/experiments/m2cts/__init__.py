"""The study of phase experts inside Monte-Carlo tree search: M2CTS against MCTS."""
