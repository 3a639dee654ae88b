"""Drills: what the package does with bad input (`python -m drills`)."""
