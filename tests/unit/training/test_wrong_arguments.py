"""What is no store or no number of positions is told in a sentence, before anything is done."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasezoo import training
from phasezoo.errors import InvalidConfig, StoreError


@pytest.mark.parametrize("store", ["runs/games", Path("runs/games"), None, 3])
def test_a_path_is_no_store(store: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"expected games, such as training\.GameStore\.open"):
        training.train_supervised(store, positions=10, out=tmp_path / "run")
    with pytest.raises(InvalidConfig, match=r"training\.GameStore\.open"):
        training.train_experts(store, "plies:10", positions=10, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("positions", [1e3, "100", 0, True, None])
def test_positions_are_a_whole_number(positions: Any, tmp_path: Path) -> None:
    store = training.GameStore.sample("connect-four")
    with pytest.raises(InvalidConfig, match=r"positions=.*whole number"):
        training.train_supervised(store, positions=positions, out=tmp_path / "run")
    with pytest.raises(InvalidConfig, match=r"positions=.*whole number"):
        training.EpisodeStore("pommerman-ffa", positions)
    assert not (tmp_path / "run").exists()


def test_episodes_have_no_samples() -> None:
    with pytest.raises(StoreError, match=r"EpisodeStore\('pommerman-ffa', positions="):
        training.EpisodeStore.sample()


def test_a_folder_of_stores_names_them(tmp_path: Path) -> None:
    store = training.GameStore.sample("connect-four").subset(np.arange(5))
    (tmp_path / "all").mkdir()
    store.save(tmp_path / "all" / "train")
    with pytest.raises(StoreError, match=r"open one of the stores inside it: .*all/train"):
        training.GameStore.open(tmp_path / "all")


def test_a_search_has_visited_something(tmp_path: Path) -> None:
    with (
        training.StoreWriter(tmp_path / "games", game="connect-four") as writer,
        pytest.raises(InvalidConfig, match="give None where nobody searched"),
    ):
        writer.add(actions=[3], returns=[0, 0], visits=[[0] * 7])
