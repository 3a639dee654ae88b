"""Learning by play: games of an agent against itself, a replay of them, a learner, the loop."""
