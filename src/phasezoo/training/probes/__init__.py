"""Probes: measurements of every version of a network that learns by play."""
