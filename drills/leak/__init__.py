"""Leaks: what works for long takes no more memory than at first."""
