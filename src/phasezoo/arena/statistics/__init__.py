"""Statistics of matches."""
