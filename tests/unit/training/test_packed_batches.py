"""Packed batches: the planes of float ones, in every game, and trainings with the same numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_runs import numbers, train

from phasezoo.errors import InvalidConfig
from phasezoo.games import PackedPlanes, PlaneLayout
from phasezoo.training import Batch, EpisodeStore, GameStore, Sampler, preparation


def assert_same_planes(packed: Batch, floats: Batch) -> None:
    assert isinstance(packed.planes, PackedPlanes)
    found, expected = packed.float_planes, floats.float_planes
    np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))
    for name in ("action", "value", "wdl", "plies_left", "phase", "game", "weight"):
        np.testing.assert_array_equal(getattr(packed, name), getattr(floats, name))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("chess", {"planes": "v2", "history_dropout": 0.5}),
        ("chess", {"planes": "v1", "history": 3, "symmetries": True}),
        ("krk", {"planes": "minimal", "symmetries": True}),
        ("crazyhouse", {"planes": "v2"}),
        ("connect-four", {"symmetries": True}),
    ],
)
def test_of_stored_games(name: str, options: dict[str, Any]) -> None:
    store = GameStore.sample(name).subset(range(8))
    rows = store.positions()
    floats, packed = (
        Sampler(store, rows, batch_size=60, seed=2, packed=each, **options)
        for each in (False, True)
    )
    for index in (0, 3):
        assert_same_planes(packed.batch(index), floats.batch(index))
    whole = list(packed.in_order(50))
    assert_same_planes(Batch.joined(whole), Batch.joined(list(floats.in_order(50))))
    some = np.array([4, 1, 1])
    assert_same_planes(packed.batch(0).take(some), floats.batch(0).take(some))
    few = np.array([0, 5])
    assert_same_planes(packed.batch(1, few), floats.batch(1, few))


def test_of_pommerman() -> None:
    store = EpisodeStore("pommerman-1v1", 400, seed=1, threads=1)
    rows = store.positions()
    floats, packed = (
        Sampler(store, rows, batch_size=40, seed=1, symmetries=True, packed=each)
        for each in (False, True)
    )
    assert_same_planes(packed.batch(0), floats.batch(0))


def test_a_training_on_packed_batches_has_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tmp_path / "floats")
    shown = []
    make = GameStore.batch

    def watched(store: GameStore, *args: Any, **options: Any) -> Batch:
        batch = make(store, *args, **options)
        shown.append(type(batch.planes))
        return batch

    monkeypatch.setattr(GameStore, "batch", watched)
    monkeypatch.setattr(preparation, "_packs", lambda data, on_cpu: True)
    train(tmp_path / "packed")
    assert set(shown) == {PackedPlanes}
    assert numbers(tmp_path / "packed") == numbers(tmp_path / "floats")


def test_wrong_arguments_are_refused() -> None:
    store = GameStore.sample("connect-four").subset(range(2))
    with pytest.raises(InvalidConfig, match="packed"):
        Sampler(store, store.positions(), packed="yes")  # type: ignore[arg-type]
    layout = Sampler(store, store.positions(), packed=True).batch(0).planes.layout  # type: ignore[union-attr]
    assert layout == PlaneLayout("bbc", 6, 7)
