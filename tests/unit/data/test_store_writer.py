"""Writing games one by one: every game comes back, bad ones are refused, a crash costs one file."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from game_makers import assert_same
from hypothesis import HealthCheck, given, settings, strategies as st
from played_games import EVERY, NATIVE, Nim, random_game

from phasezoo import games, gating
from phasezoo.data import store_writer
from phasezoo.data.state_records import StateRecords
from phasezoo.errors import (
    CorruptRecord,
    InvalidConfig,
    RunDirectoryError,
    StoreError,
    UnknownGame,
)
from phasezoo.training import GameStore, Sampler, StoreWriter

relaxed = settings(
    deadline=None, max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("name", EVERY)
@relaxed
@given(seed=st.integers(0, 2**32), searched=st.booleans())
def test_games_of_every_game_come_back(tmp_path_factory, name, seed, searched):
    rng = np.random.default_rng(seed)
    told = [random_game(name, rng, searched=searched) for _ in range(4)]
    folder = tmp_path_factory.mktemp("store") / "games"
    with StoreWriter(folder, name, shard_games=3) as writer:
        for game in told:
            writer.add(**game)
    assert len(list(folder.glob("*.parquet"))) == 2
    store = GameStore.open(folder)
    assert len(store) == len(writer) == 4
    assert store.has_visits == store.has_values == searched
    width = store.columns.width
    for number, game in enumerate(told):
        low, high = store.offsets[number : number + 2] * width
        assert store.actions[low:high].tolist() == game["actions"].ravel().tolist()
        assert store.starts.get(number) == game["start"]
        if searched:
            values = np.float32(game["values"]).ravel()
            np.testing.assert_array_equal(store.columns.values[low:high], values)
            surprises = np.float32(game["surprises"]).ravel()
            np.testing.assert_array_equal(store.columns.surprises[low:high], surprises)
            phases = np.ravel(game["phases"])
            np.testing.assert_array_equal(store.columns.phases[low:high], phases)
            check_visits(store, low, game["visits"], width)
    check_against_states(store, searched)


def check_visits(store, low, visits, width):
    flat = visits if width == 1 else [one for ply in visits for one in ply]
    kept = store.columns.visits
    for place, seen in enumerate(flat, int(low)):
        part = slice(*kept.offsets[place : place + 2])
        pairs = zip(kept.actions[part].tolist(), kept.counts[part].tolist(), strict=True)
        assert dict(pairs) == (seen or {})


def check_against_states(store, searched):
    """Rows and batches, against the states played one by one."""
    oracle = StateRecords(store.game, store.columns)
    spec = "hash:3" if store.game.native else "none"  # the others' states have no key
    table = store.positions(spec)
    expected = oracle.label(gating.make(spec, store.game.name))
    for column, wanted in zip((table.game, table.ply, table.player), expected[:3], strict=True):
        np.testing.assert_array_equal(column, wanted)
    np.testing.assert_array_equal(table.phase, expected[3])
    batch = Sampler(store, table, batch_size=40, seed=3).batch(1)
    index = Sampler(store, table, batch_size=40, seed=3).batch_rows(1)
    for row, place in enumerate(index.tolist()):
        game, ply, player = (int(c[place]) for c in (table.game, table.ply, table.player))
        states = oracle.states(game)
        shown = states[ply].planes(store.game.default_planes, player)
        np.testing.assert_array_equal(batch.planes[row], shown)
        decision = int(store.offsets[game]) + ply
        if store.columns.width > 1:
            decision = decision * store.columns.width + player
        assert batch.action[row] == store.actions[decision]
        assert batch.plies_left[row] == len(states) - ply
        others = [seat for seat in range(store.game.num_players) if seat != player]
        assert batch.values[row].tolist() == store.returns[game, [player, *others]].tolist()
        assert batch.value[row] == store.returns[game, player]
        assert batch.wdl[row] == 1 - np.sign(store.returns[game, player])
        if searched:
            check_policy(store, batch, row, decision)
    assert (batch.policy is None) == (not searched)


def check_policy(store, batch, row, decision):
    visits = store.columns.visits
    part = slice(*visits.offsets[decision : decision + 2])
    expected = np.zeros(store.game.num_actions, dtype=np.float64)
    if part.start == part.stop:
        expected[store.actions[decision]] = 1
    else:
        expected[visits.actions[part]] = visits.counts[part] / visits.counts[part].sum()
    given = batch.policy.take(np.array([row])).dense(store.game.num_actions)[0]
    np.testing.assert_allclose(given, expected, rtol=1e-6)


def test_values_are_mixed_with_what_searches_expected(tmp_path):
    with StoreWriter(tmp_path / "games", "connect-four") as writer:
        writer.add(actions=[3, 2, 3, 2, 3, 2, 3], values=[0.5, -0.5, None, 0, 0, 0, 1])
    store = GameStore.open(tmp_path / "games")
    table = store.positions()
    for share, expected in ((0.0, [1, -1, 1]), (0.25, [0.875, -0.875, 1]), (1.0, [0.5, -0.5, 1])):
        batch = next(Sampler(store, table, value_mix=share).in_order())
        assert batch.value[:3].tolist() == expected
        assert batch.wdl[:3].tolist() == [0, 2, 0]
    with pytest.raises(InvalidConfig, match="value_mix"):
        Sampler(store, table, value_mix=1.5)
    plain = GameStore("connect-four", [3], [0, 1], [[0, 0]])
    with pytest.raises(InvalidConfig, match="no values of searches"):
        Sampler(plain, plain.positions(), value_mix=0.5)


WON = [3, 2, 3, 2, 3, 2, 3]
"""The first player wins in the middle column."""


@pytest.fixture
def writer(tmp_path):
    with StoreWriter(tmp_path / "games", "connect-four") as writer:
        yield writer


@pytest.mark.parametrize(
    ("game", "error", "message"),
    [
        ({"actions": [3, 7]}, InvalidConfig, "7 is no action"),
        ({"actions": [-1]}, InvalidConfig, "-1 is no action"),
        ({"actions": ["e2e4"]}, InvalidConfig, "whole numbers"),
        ({"actions": [0] * 7, "returns": [0, 0]}, CorruptRecord, "ply 6"),
        ({"actions": [*WON, 0], "returns": [1, -1]}, CorruptRecord, "ply 7"),
        ({"actions": [*WON, 0]}, InvalidConfig, "after its end .* leave out the actions"),
        ({"actions": WON, "returns": [-1, 1]}, CorruptRecord, "the game is over"),
        ({"actions": WON, "returns": [0, 0]}, CorruptRecord, "the game is over"),
        ({"actions": [3]}, InvalidConfig, "give returns"),
        ({"actions": WON, "returns": [1, -1, 0]}, InvalidConfig, "each of the 2 players"),
        ({"actions": WON, "returns": [2, -1]}, InvalidConfig, "from -1 to 1"),
        ({"actions": WON, "start": "44444444"}, CorruptRecord, "start position"),
        ({"actions": WON, "start": Nim()}, CorruptRecord, "Nim is no state"),
        ({"actions": WON, "start": "seed:x"}, CorruptRecord, "whole number after 'seed:'"),
        ({"actions": WON, "values": [0.5]}, InvalidConfig, "values: 1 entries"),
        ({"actions": WON, "values": [2] * 7}, InvalidConfig, "values: needed"),
        ({"actions": WON, "values": ["high"] * 7}, InvalidConfig, "values: needed"),
        ({"actions": WON, "surprises": [-1] * 7}, InvalidConfig, "surprises: needed"),
        ({"actions": WON, "surprises": [1e39] * 7}, InvalidConfig, "surprises: needed"),
        ({"actions": WON, "phases": [0.5] * 7}, InvalidConfig, "phases"),
        ({"actions": WON, "phases": [127] * 7}, InvalidConfig, "phases"),
        ({"actions": WON, "visits": [None]}, InvalidConfig, "visits: 1 entries"),
        ({"actions": WON, "visits": [[1, 2]] * 7}, InvalidConfig, "visits of ply 0"),
        ({"actions": WON, "visits": [[0.5] * 7] * 7}, InvalidConfig, "visits of ply 0"),
        ({"actions": WON, "visits": [{3: -1}] * 7}, InvalidConfig, "visits of ply 0"),
        ({"actions": WON, "visits": [{8: 1}] * 7}, InvalidConfig, "visits of ply 0"),
        ({"actions": WON, "visits": [{3: 1, "x": 1}] * 7}, InvalidConfig, "visits of ply 0"),
        ({"actions": [[3, 2], [3]]}, InvalidConfig, "one a ply"),
        ({"actions": WON, "players": ["\udc80", "x"]}, InvalidConfig, "no text of Unicode"),
        ({"actions": WON, "source": "\ud800"}, InvalidConfig, "no text of Unicode"),
        ({"actions": WON, "ratings": [float("inf"), 1]}, InvalidConfig, "ratings"),
        ({"actions": WON, "date": "\uff12\uff10\uff12\uff14.01.01"}, InvalidConfig, "YYYY.MM.DD"),
        ({"actions": WON, "visits": [{3: 2**31}] * 7}, InvalidConfig, "0 to 2147483647"),
        ({"actions": WON, "visits": [{3: 2**32 + 5}] * 7}, InvalidConfig, "0 to 2147483647"),
        ({"actions": [0] * 6, "returns": [0, 0], "visits": [None] * 5 + [{0: 1}]}, None, ""),
        ({"actions": [0] * 6 + [1], "visits": [None] * 6 + [{0: 1}]}, CorruptRecord, "not legal"),
        ({"actions": WON, "players": ["A"]}, InvalidConfig, "players"),
        ({"actions": WON, "players": "AB"}, InvalidConfig, "players"),
        ({"actions": WON, "ratings": [1, 40_000]}, InvalidConfig, "ratings"),
        ({"actions": WON, "ratings": ["x", 1]}, InvalidConfig, "ratings"),
        ({"actions": WON, "date": "2020-01-01"}, InvalidConfig, "date"),
        ({"actions": WON, "date": 2020}, InvalidConfig, "date"),
        ({"actions": WON, "visits": 5}, InvalidConfig, "visits"),
        ({"actions": WON, "returns": "no"}, InvalidConfig, "returns"),
    ],
)
def test_games_that_cannot_be_are_refused(writer, game, error, message):
    if error is None:
        writer.add(**game)
        return
    with pytest.raises(error, match=message):
        writer.add(**{"returns": None, **game} if "returns" not in game else game)
    assert len(writer) == 0


def test_what_is_known_of_games_is_kept(tmp_path):
    with StoreWriter(tmp_path / "games", "connect-four", metadata={"by": "me"}) as writer:
        known = {"date": "2024.05.??", "source": "a club", "players": ["A", None]}
        writer.add(actions=WON, **known, ratings=[1500, None])
        writer.add(actions=[0, 1], returns=[0, 0], salvaged=True, start="4453")
        state = games.make("connect-four").from_columns("11")
        writer.add(start=state, actions=[0], returns=[0.5, -0.5])
        writer.add(actions=[], returns=[0, 0])
    store = GameStore.open(tmp_path / "games")
    columns = store.columns
    assert store.metadata == {"by": "me"}
    assert columns.players.tolist() == [["A", None], *[[None, None]] * 3]
    assert columns.ratings.tolist() == [[1500, 0], *[[0, 0]] * 3]
    assert columns.dates.tolist() == [b"2024.05.??", b"", b"", b""]
    assert columns.sources.tolist() == ["a club", None, None, None]
    assert columns.salvaged.tolist() == [False, True, False, False]
    assert store.starts == {1: "4453", 2: "11"}
    assert store.returns.tolist() == [[1, -1], [0, 0], [0.5, -0.5], [0, 0]]
    assert np.diff(store.offsets).tolist() == [7, 2, 1, 0]


def test_a_folder_that_exists_is_refused_unless_games_are_added(tmp_path):
    folder = tmp_path / "new" / "games"
    with StoreWriter(folder, "connect-four") as writer:
        writer.add(actions=WON)
    for wrong in (tmp_path / "games.parquet", tmp_path / "file" / "games"):
        (tmp_path / "file").write_text("mine")
        with pytest.raises(StoreError):
            StoreWriter(wrong, "connect-four")
    with pytest.raises(StoreError, match="append=True"):
        StoreWriter(folder, "connect-four")
    with StoreWriter(folder, "connect-four", append=True) as writer:
        writer.add(actions=WON[:3], returns=[0, 0])
    assert np.diff(GameStore.open(folder).offsets).tolist() == [7, 3]
    with pytest.raises(StoreError, match="'connect-four'"):
        StoreWriter(folder, "chess", append=True)
    with (
        StoreWriter(folder, "connect-four", append=True),
        pytest.raises(RunDirectoryError, match="another process"),
    ):
        StoreWriter(folder, "connect-four", append=True)
    with pytest.raises(StoreError, match="closed"):
        writer.add(actions=WON)
    assert len(GameStore.open(folder)) == 2


def test_options_of_the_game_are_part_of_a_store(tmp_path):
    options = {"start": "dtm", "dtm": (1, 4)}
    with StoreWriter(tmp_path / "krk", "krk", **options) as writer:
        state = writer.game.initial_state(seed=3)
        writer.add(start="seed:3", actions=[state.legal_actions[0]], returns=[0, 0])
    store = GameStore.open(tmp_path / "krk")
    assert store.game == games.make("krk", **options)
    assert store.records.states(0)[0].fen == state.fen
    with pytest.raises(StoreError, match="uniform"):
        StoreWriter(tmp_path / "krk", "krk", append=True, start="uniform")
    with pytest.raises(InvalidConfig, match="no such option"):
        StoreWriter(tmp_path / "other", "krk", colour="red")
    with pytest.raises(UnknownGame):
        StoreWriter(tmp_path / "other", "go")
    assert not (tmp_path / "other").exists()


def test_an_exception_keeps_what_was_finished(tmp_path):
    def plays():
        with StoreWriter(tmp_path / "g", "connect-four") as writer:
            writer.add(actions=WON)
            writer.add(actions=[1 // 0])

    with pytest.raises(ZeroDivisionError):
        plays()
    assert len(GameStore.open(tmp_path / "g")) == 1


def test_games_that_did_not_fit_on_the_disk_are_kept_for_another_try(tmp_path, monkeypatch):
    def full(*_, **__):
        raise StoreError("the disk is full")

    with StoreWriter(tmp_path / "g", "connect-four") as writer:
        writer.add(actions=WON)
        with monkeypatch.context() as patched:
            patched.setattr(store_writer, "write_file", full)
            with pytest.raises(StoreError, match="the disk is full"):
                writer.flush()
        assert len(writer) == 1
    assert len(GameStore.open(tmp_path / "g")) == 1


def test_a_store_of_no_games_is_one(tmp_path):
    with StoreWriter(tmp_path / "games", "pommerman-ffa"):
        pass
    store = GameStore.open(tmp_path / "games")
    assert (len(store), store.game.name) == (0, "pommerman-ffa")
    assert len(store.positions()) == 0


KILLED = """
import sys
from phasezoo.training import StoreWriter

writer = StoreWriter(sys.argv[1], "connect-four", shard_games=50, append=True)
print("ready", flush=True)
while True:
    writer.add(actions=[3, 2, 3, 2, 3, 2, 3])
"""


def test_a_process_that_is_killed_loses_one_file_at_most(tmp_path):
    folder = tmp_path / "games"
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE
        )
        process.stdout.readline()
        before = len(list(folder.glob("*.parquet")))
        deadline = time.monotonic() + 60
        while len(list(folder.glob("*.parquet"))) < before + 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        files = len(list(folder.glob("*.parquet")))
        assert files >= before + 3
        assert len(GameStore.open(folder)) == 50 * files
    (folder / f".games-00099.parquet.{os.getpid()}.partial").write_bytes(b"cut")
    with StoreWriter(folder, "connect-four", append=True) as writer:
        writer.add(actions=WON)
    assert len(GameStore.open(folder)) == 50 * files + 1
    assert not list(folder.glob(".*.partial"))


@pytest.fixture
def folder(tmp_path):
    """Three files of two games each."""
    with StoreWriter(tmp_path / "games", "connect-four", shard_games=2) as writer:
        for plies in range(1, 7):
            writer.add(actions=WON[:plies], returns=[0, 0])
    return tmp_path / "games"


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped"])
def test_a_damaged_file_is_named_and_the_rest_used(folder, damage):
    file = sorted(folder.glob("*.parquet"))[1]
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[40] ^= 255
    file.write_bytes({"cut": whole[:-100], "empty": b"", "flipped": bytes(flipped)}[damage])
    with pytest.warns(UserWarning, match="games-00001"):
        store = GameStore.open(folder)
    assert np.diff(store.offsets).tolist() == [1, 2, 5, 6]
    assert len(store.damaged) == 1
    assert "games-00001" in store.damaged[0]
    for other in folder.glob("*.parquet"):
        other.write_bytes(b"")
    with pytest.raises(StoreError, match="every file of it is damaged"):
        GameStore.open(folder)


def test_files_of_different_games_are_refused(folder):
    GameStore("chess", [76], [0, 1], [[0, 0]]).save(folder / "other.parquet")
    with pytest.raises(StoreError, match=r"other\.parquet.*'chess'.*'connect-four'"):
        GameStore.open(folder)


def test_a_store_is_saved_as_a_folder_too(folder, tmp_path):
    store = GameStore.open(folder)
    store.save(tmp_path / "copy")
    assert_same(GameStore.open(tmp_path / "copy"), store)
    with pytest.raises(StoreError, match="exists already"):
        store.save(tmp_path / "copy")
    store.subset([0]).save(tmp_path / "copy", overwrite=True)
    assert len(GameStore.open(tmp_path / "copy")) == 1
    (tmp_path / "copy" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"notes\.txt"):
        store.save(tmp_path / "copy", overwrite=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match="is a file"):
        store.save(tmp_path / "file")


@pytest.mark.parametrize("name", ["chess", "pommerman-ffa", "nim"])
def test_stores_are_merged_and_added_to_others(tmp_path, name):
    rng = np.random.default_rng(1)
    for part, searched in (("a", True), ("b", False)):
        with StoreWriter(tmp_path / part, name) as writer:
            for _ in range(3):
                writer.add(**random_game(name, rng, searched=searched), players=None)
    one, other = (GameStore.open(tmp_path / part) for part in "ab")
    both = GameStore.merge([one, other])
    assert (len(both), both.has_visits, both.has_values) == (6, True, True)
    assert_same(both.subset([0, 1, 2]), one)
    tail = both.subset([3, 4, 5])
    assert np.isnan(tail.columns.values).all()
    assert len(tail.columns.visits.actions) == 0
    assert tail.starts == other.starts
    np.testing.assert_array_equal(tail.actions, other.actions)
    with StoreWriter(tmp_path / "c", name) as writer:
        writer.extend(one)
        writer.extend(other)
    assert_same(GameStore.open(tmp_path / "c"), both)
    with pytest.raises(StoreError, match="cannot be in one store"):
        GameStore.merge([one, GameStore("connect-four", [3], [0, 1], [[0, 0]])])
    with pytest.raises(StoreError, match="no stores to merge"):
        GameStore.merge([])


@pytest.mark.parametrize("name", NATIVE)
def test_states_are_starts_as_text(name):
    from phasezoo.data.starts import start_state, start_text

    game = games.make(name)
    rng = np.random.default_rng(4)
    from phasezoo.games.random_play import random_action

    state = game.initial_state(seed=5)
    for _ in range(8):
        text = start_text(game, state)
        assert start_state(game, text) == state
        state = state.play(random_action(state, rng))
    assert start_text(game, game.initial_state()) == ""
