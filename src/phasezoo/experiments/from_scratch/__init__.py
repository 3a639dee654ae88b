"""Phase experts that learn by play from random weights, against one network that does."""
