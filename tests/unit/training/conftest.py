"""One torch thread, and a few of the packaged games."""

from collections.abc import Iterator

import pytest
import torch

from phasezoo.training import GameStore


@pytest.fixture(autouse=True)
def one_torch_thread() -> Iterator[None]:
    """No test waits for another process's share of the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def some_games() -> GameStore:
    """60 of the games in the package."""
    return GameStore.sample("chess").subset(range(60))
