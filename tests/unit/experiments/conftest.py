"""What several studies' tests learn from."""

import numpy as np
import pytest

from phasezoo.training import GameStore


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A few of the packaged games, so that labelling them takes no time."""
    path = tmp_path_factory.mktemp("games") / "few.parquet"
    GameStore.sample("chess").subset(np.arange(60)).save(path)
    return path
