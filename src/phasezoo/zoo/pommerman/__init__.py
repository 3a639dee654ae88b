"""Pommerman in its four modes."""
