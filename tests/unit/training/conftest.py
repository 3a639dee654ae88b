"""A few of the packaged games."""

import pytest

from phasezoo.training import GameStore


@pytest.fixture(scope="session")
def some_games() -> GameStore:
    """60 of the games in the package."""
    return GameStore.sample("chess").subset(range(60))
