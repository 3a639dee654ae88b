"""External UCI engines as agents."""
