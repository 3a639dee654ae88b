"""Killing: what is stopped at any turn goes on as if it had not been."""
