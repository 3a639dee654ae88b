"""A folder of train, validation and test is one store, whose games stay where they are."""

import pickle

import numpy as np
import pytest
from game_makers import assert_same, random_games, store_of

from phasezoo import games
from phasezoo.data.splits import SPLITS
from phasezoo.data.store import GameStore
from phasezoo.errors import StoreError
from phasezoo.experiments.games_file import read_games
from phasezoo.training import StoreWriter


@pytest.fixture
def kept():
    made = random_games(60, seed=4)
    return {name: store_of(made[20 * k : 20 * (k + 1)]) for k, name in enumerate(SPLITS)}


@pytest.fixture
def folder(kept, tmp_path):
    (tmp_path / "all").mkdir()
    for name, store in kept.items():
        store.save(tmp_path / "all" / name)
    return tmp_path / "all"


def sizes(store):
    splits = store.split(3)
    return [len(getattr(splits, name)) for name in SPLITS]


def test_a_folder_of_the_three_parts_is_a_store_that_keeps_them(folder, kept):
    whole = GameStore.open(folder)
    assert len(whole) == 60
    for seed in (0, 1):
        for name, store in kept.items():
            assert_same(getattr(whole.split(seed), name), store)
    table = whole.phase_table("lichess")
    for name, store in kept.items():
        assert table.count(name, "all").positions == store.num_positions
    assert len(whole.split(0, (1, 0, 0)).train) == 60  # shares that are asked for come first
    # Games of one part alone are split as any others are.
    assert len(whole.split(0).train.split(0).test) == 2


def test_it_keeps_them_in_another_process_too(folder):
    whole = GameStore.open(folder)
    other = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(other.parts, whole.parts)
    assert sizes(other) == [20, 20, 20]


def test_some_of_its_games_stay_where_they_are_even_if_a_part_is_left_empty(folder):
    whole = GameStore.open(folder)
    mixed = whole.subset(np.random.default_rng(1).permutation(60)[:30])
    assert sizes(mixed) == np.bincount(mixed.parts).tolist()
    assert sizes(whole.subset(np.arange(40))) == [20, 20, 0]
    assert sizes(whole.subset([])) == [0, 0, 0]


def test_merged_games_stay_in_their_parts(folder, kept):
    whole = GameStore.open(folder)
    twice = GameStore.merge([whole, whole.subset(np.arange(15, 25))])
    assert sizes(twice) == [25, 25, 20]
    assert twice.parts[60:].tolist() == [0] * 5 + [1] * 5
    with pytest.raises(StoreError, match="some of these stores are split"):
        GameStore.merge([kept["train"], whole])
    assert GameStore.merge(kept.values()).parts is None


def test_saving_keeps_the_parts(folder, kept, tmp_path):
    whole = GameStore.open(folder)
    whole.subset(np.arange(45)).save(tmp_path / "less")
    again = GameStore.open(tmp_path / "less")
    assert sizes(again) == [20, 20, 5]
    assert_same(again.split(0).validation, kept["validation"])
    with pytest.raises(StoreError, match="exists already"):
        whole.save(tmp_path / "less")
    whole.save(tmp_path / "less", overwrite=True)
    assert_same(GameStore.open(tmp_path / "less"), whole)
    # An empty part stays one, so that nothing is split anew.
    whole.subset(np.arange(40)).save(tmp_path / "none")
    assert sizes(GameStore.open(tmp_path / "none")) == [20, 20, 0]
    with pytest.raises(StoreError, match="is one file, and these games are split"):
        whole.save(tmp_path / "all.parquet")
    whole.split(0).train.save(tmp_path / "train.parquet")
    (tmp_path / "less" / "train" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"holds 'notes.txt'"):
        whole.save(tmp_path / "less", overwrite=True)


@pytest.mark.parametrize("game", ["chess", "connect-four"])
def test_games_are_not_added_beside_the_parts(folder, game):
    with pytest.raises(StoreError, match="add games to one of them, such as"):
        StoreWriter(folder, game, append=True)
    assert len(GameStore.open(folder)) == 60
    with StoreWriter(folder / "train", "chess", append=True) as writer:
        first = games.make("chess").initial_state().legal_actions[0]
        writer.add(actions=[first], returns=[0, 0])
    assert sizes(GameStore.open(folder)) == [21, 20, 20]


def test_files_beside_the_parts_are_not_taken_for_the_store(folder, kept):
    kept["train"].save(folder / "more.parquet")
    with pytest.raises(StoreError, match=r"holds more.parquet beside the stores train"):
        GameStore.open(folder)


def test_a_file_in_another_part_is_another_data_set(folder):
    GameStore.open(folder / "train").subset([0]).save(folder / "train" / "z.parquet")
    before = read_games("chess", folder).sha256
    (folder / "train" / "z.parquet").rename(folder / "validation" / "a.parquet")
    assert read_games("chess", folder).sha256 != before
