"""Phase experts against one network in games of two players: M2CTS against MCTS."""
