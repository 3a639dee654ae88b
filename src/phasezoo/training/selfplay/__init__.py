"""Learning by play: games of an agent against itself, their replay, learners and rounds."""
