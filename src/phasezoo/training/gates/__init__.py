"""Training of gates."""
