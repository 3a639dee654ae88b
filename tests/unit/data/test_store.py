"""The games store in memory: columns, subsets, splits."""

import functools
import operator
import pickle

import numpy as np
import pytest
from game_makers import assert_same, random_games, store_of

from phasezoo.data import columns as columns_module
from phasezoo.data.store import GameStore
from phasezoo.errors import CorruptRecord, InvalidArray, InvalidConfig, StoreError, UnknownGame

E4 = 76
"""e2e4 of White, and e7e5 of Black: actions are as the player to move sees the board."""


@pytest.fixture(scope="module")
def store():
    return store_of(random_games(120, seed=1))


def key_of(store, game):
    actions = store.actions[store.offsets[game] : store.offsets[game + 1]]
    return (store.starts.get(game), tuple(actions.tolist()))


def test_columns_and_sizes(store):
    assert len(store) == 120
    assert store.num_positions == len(store.actions) == store.offsets[-1]
    assert store.actions.dtype == np.uint16
    assert store.starts
    assert store.game.name == store.variant == "chess"
    assert "120 games of chess" in repr(store)
    for column in (store.actions, store.offsets, store.returns):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_a_subset_has_the_games_in_the_order_asked_for(store):
    index = [7, 3, 3, 119]
    part = store.subset(index)
    assert [key_of(part, row) for row in range(4)] == [key_of(store, game) for game in index]
    np.testing.assert_array_equal(part.returns, store.returns[index])
    np.testing.assert_array_equal(part.columns.ratings, store.columns.ratings[index])
    np.testing.assert_array_equal(part.columns.dates, store.columns.dates[index])
    assert len(store.subset([])) == 0
    for wrong in ([120], [-1]):
        with pytest.raises(CorruptRecord, match="no game"):
            store.subset(wrong)
    for wrong in (np.ones(len(store), dtype=bool), [0.5], [[0]]):
        with pytest.raises(InvalidArray, match="game_indices"):
            store.subset(wrong)


def test_games_are_picked_in_blocks(store, monkeypatch):
    index = np.random.default_rng(1).integers(0, 120, 200)
    whole = store.subset(index)
    monkeypatch.setattr(columns_module, "BLOCK", 7)
    assert_same(store.subset(index), whole)


def test_splits_share_nothing_and_lose_nothing(store):
    splits = store.split(3, (0.5, 0.25, 0.25))
    parts = (splits.train, splits.validation, splits.test)
    keys = [[key_of(part, game) for game in range(len(part))] for part in parts]
    assert sorted(map(str, functools.reduce(operator.iadd, keys, []))) == sorted(
        str(key_of(store, game)) for game in range(len(store))
    )
    assert not set(keys[0]) & set(keys[1])
    assert not set(keys[0]) & set(keys[2])
    assert [abs(len(part) - size) <= 3 for part, size in zip(parts, (60, 30, 30), strict=True)]


def test_a_seed_and_its_negative_split_apart(store):
    first, second = (store.split(seed).train.offsets.tolist() for seed in (7, -7))
    assert first != second


def test_splits_depend_on_the_seed_and_the_games_alone(store):
    def train(store, seed):
        part = store.split(seed).train
        return {key_of(part, game) for game in range(len(part))}

    shuffled = store.subset(np.random.default_rng(0).permutation(len(store)))
    assert train(store, 5) == train(store, 5) == train(shuffled, 5)
    assert train(store, 5) != train(store, 6)
    assert train(store, -5) is not None
    assert train(store, 2**80) is not None


def test_games_that_are_the_same_stay_together(store):
    # Of 95 games no part may begin at a multiple of five by itself.
    repeated = store.subset(np.repeat(np.arange(19), 5))
    for seed in range(10):
        splits = repeated.split(seed, (0.5, 0.3, 0.2))
        parts = (splits.train, splits.validation, splits.test)
        sets = [{key_of(part, game) for game in range(len(part))} for part in parts]
        assert not sets[0] & sets[1]
        assert not sets[1] & sets[2]
        assert not sets[0] & sets[2]


@pytest.mark.parametrize(
    "fractions", [(0.8, 0.1), (0.8, 0.1, 0.2), (1.2, -0.1, -0.1), (np.nan, 0.5, 0.5), (1, 0, 0, 0)]
)
def test_fractions_are_checked(store, fractions):
    with pytest.raises(InvalidConfig, match="fractions"):
        store.split(0, fractions)


def test_all_games_may_go_into_one_part(store):
    splits = store.split(0, (1, 0, 0))
    assert (len(splits.train), len(splits.validation), len(splits.test)) == (120, 0, 0)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"offsets": [0, 5]}, CorruptRecord),
        ({"offsets": [1, 2]}, CorruptRecord),
        ({"offsets": []}, InvalidArray),
        ({"offsets": [0, 2, 1, 2], "returns": [[0, 0]] * 3}, CorruptRecord),
        ({"returns": [[1, -1], [0, 0]]}, InvalidArray),
        ({"returns": [[2, -1]]}, CorruptRecord),
        ({"returns": [[np.nan, 0]]}, CorruptRecord),
        ({"returns": [[1, -1, 0]]}, InvalidArray),
        ({"returns": [1]}, InvalidArray),
        ({"returns": [["1", "0"]]}, InvalidArray),
        ({"actions": [[E4, E4]]}, InvalidArray),
        ({"actions": ["e2e4", "e7e5"]}, InvalidArray),
        ({"actions": [E4, 70_000]}, InvalidArray),
        ({"actions": [E4, 5_000]}, CorruptRecord),
        ({"starts": {0: "nonsense"}}, CorruptRecord),
        ({"starts": {0: b"pickled"}}, CorruptRecord),
        ({"starts": {1: "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}}, CorruptRecord),
        ({"ratings": [[1, 2], [1, 2]]}, InvalidArray),
        ({"ratings": [[1]]}, InvalidArray),
        ({"dates": ["2020"]}, InvalidArray),
        ({"players": [["A"]]}, InvalidArray),
        ({"players": [["\udc80", "B"]]}, InvalidArray),
        ({"sources": ["\udc80"]}, InvalidArray),
        ({"values": [0.5]}, InvalidArray),
        ({"values": [0.5, 2]}, CorruptRecord),
        ({"surprises": [0.5, -1]}, CorruptRecord),
        ({"surprises": [0.5, np.inf]}, CorruptRecord),
        ({"phases": [0]}, InvalidArray),
        ({"visits": ([0, 1], [E4], [1])}, InvalidArray),
        ({"visits": ([0, 1, 3], [E4, E4], [1, 1])}, CorruptRecord),
        ({"visits": ([0, 1, 2], [E4, 5_000], [1, 1])}, CorruptRecord),
        ({"visits": ([0, 1, 2], [E4, E4], [1, 0])}, CorruptRecord),
        ({"visits": ([0, 1, 2], [E4, E4])}, InvalidArray),
        ({"game": "go"}, UnknownGame),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, error):
    columns = {"game": "chess", "actions": [E4, E4], "offsets": [0, 2], "returns": [[1, -1]]}
    columns |= change
    GameStore("chess", [E4, E4], [0, 2], [[1, -1]])
    with pytest.raises(error):
        GameStore(**columns)


def test_names_that_are_numbers_are_kept_as_their_text():
    store = GameStore("chess", [E4, E4], [0, 2], [[1, -1]], players=[[0, 7]], sources=[0])
    assert (store.columns.players[0], store.columns.sources[0]) == (["0", "7"], "0")


def test_a_store_goes_to_another_process(store):
    """It holds the same games there, which make the same batches and cannot be written."""
    searched = GameStore(
        "chess", [E4, E4], [0, 2], [[1, -1]], visits=([0, 1, 2], [E4, E4], [3, 4]),
        values=[0.5, np.nan], surprises=[np.nan, 2.5], phases=[0, 1],
    )  # fmt: skip
    for one in (store, searched, store.subset([])):
        other = pickle.loads(pickle.dumps(one))
        assert_same(other, one)
        columns = [*vars(other.columns).values(), other.columns.players.codes]
        columns += vars(other.columns.visits).values() if other.has_visits else ()
        for column in columns:
            assert not isinstance(column, np.ndarray) or not column.flags.writeable
    table = store.positions("lichess")
    rows = np.arange(0, len(table), 7)
    mine, theirs = (s.batch(table, rows, "v2") for s in (store, pickle.loads(pickle.dumps(store))))
    np.testing.assert_array_equal(mine.planes, theirs.planes)
    splits = store.split(3)
    for name in ("train", "validation", "test"):
        assert_same(getattr(pickle.loads(pickle.dumps(splits)), name), getattr(splits, name))


def test_the_sample_games_are_there():
    store = GameStore.sample("chess")
    assert len(store) > 1000
    assert store.split(0).test.num_positions > 1000
    with pytest.raises(UnknownGame):
        GameStore.sample("ludo")
    assert len(GameStore.open("sample:krk")) == len(GameStore.sample("krk"))
    assert GameStore.open("sample").game.name == "chess"


def test_a_game_without_samples_is_named():
    from phasezoo import games

    games.register(
        "sampleless",
        initial_state=type("Sampleless", (), {}),  # `object` would make a state of every object
        num_players=2,
        num_actions=1,
        plane_specs={"default": (1, 1, 1)},
    )
    with pytest.raises(StoreError, match="no sample games"):
        GameStore.sample("sampleless")
