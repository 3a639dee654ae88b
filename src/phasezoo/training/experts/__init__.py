"""Experts for the phases of a game: which trainings they need, and training all of them."""
