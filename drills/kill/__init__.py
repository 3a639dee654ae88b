"""Killing: what is stopped at any moment goes on as if it had not been."""
