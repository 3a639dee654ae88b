"""Libraries that run networks."""
