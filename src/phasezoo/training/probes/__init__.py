"""Probes: what is measured again and again of a network that learns by play."""
