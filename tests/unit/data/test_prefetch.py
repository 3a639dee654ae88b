"""Batches made ahead come in order, errors arrive, and nothing is left running."""

import threading
import time

import pytest

from phasezoo.data.sampler import Prefetcher


def test_items_come_in_order() -> None:
    with Prefetcher(lambda index: index * index, range(50)) as items:
        assert [items.next() for _ in range(50)] == [i * i for i in range(50)]


def test_no_more_than_depth_items_wait() -> None:
    made: list[int] = []
    with Prefetcher(made.append, range(1000), depth=2) as items:
        for _ in range(5):
            items.next()
        time.sleep(0.05)
        assert len(made) <= 5 + 2 + 1


def test_an_error_reaches_who_asks() -> None:
    def make(index: int) -> int:
        if index == 3:
            message = "game 3 cannot be replayed"
            raise ValueError(message)
        return index

    with Prefetcher(make, range(10)) as items:
        assert [items.next() for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="game 3"):
            items.next()


def test_leaving_early_ends_the_thread() -> None:
    before = threading.active_count()
    with Prefetcher(lambda index: index, range(10**9)) as items:
        items.next()
    assert threading.active_count() == before
