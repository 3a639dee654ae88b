"""The thesis on a self-trained engine for atomic chess, done again at the size of one machine."""
