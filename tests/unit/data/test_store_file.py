"""The games store on disk: round trips, damage, and never half a file."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from game_makers import assert_same, random_games, store_of
from hypothesis import HealthCheck, given, settings, strategies as st

from phasezoo.data import store_file
from phasezoo.data.store import GameStore
from phasezoo.errors import CorruptRecord, StoreError

STORE = store_of(random_games(60, seed=4))
FORMAT_2 = Path(__file__).parent / "files" / "format2_games.parquet"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.parquet"


def test_what_is_saved_is_opened(path):
    STORE.metadata["generator"] = {"seed": 3}
    STORE.save(path)
    opened = GameStore.open(path)
    assert_same(opened, STORE)
    assert opened.metadata == {"generator": {"seed": 3}}
    assert opened.variant == "chess"
    assert opened.damaged == ()
    assert list(path.parent.iterdir()) == [path]


def test_the_file_has_the_columns_and_the_description_of_format_2(path):
    STORE.save(path)
    schema = pq.read_schema(path)
    assert schema.names == [
        *("start", "actions", "return_0", "return_1", "player_0", "player_1"),
        *("rating_0", "rating_1", "date", "source", "salvaged"),
    ]
    assert schema.field("actions").type.value_type == pa.uint16()
    about = json.loads(schema.metadata[b"phasezoo"])
    assert about == {
        "format_version": 2,
        "kind": "games",
        "game": "chess",
        "options": {},
        "actions": "planes-73",
        "num_actions": 4672,
        "num_players": 2,
        "actions_a_ply": 1,
        "games": 60,
        "plies": STORE.num_positions,
        "metadata": {"generator": {"seed": 3}},
    }
    table = pq.read_table(path)
    assert table["start"].null_count == 60 - len(STORE.starts)
    assert table["rating_0"].null_count == int((STORE.columns.ratings[:, 0] == 0).sum())
    assert table["date"].null_count == int((STORE.columns.dates == b"").sum())


def test_a_file_of_format_1_is_refused_with_what_converts_it(path):
    STORE.save(path)
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[b"phasezoo"]) | {"format_version": 1}
    pq.write_table(table.replace_schema_metadata({"phasezoo": json.dumps(about)}), path)
    with pytest.raises(StoreError, match=r"version 1; .* version 2\. Version 0\.2\.0 converts it"):
        GameStore.open(path)


def test_a_file_of_version_0_2_0_is_read():
    opened = GameStore.open(FORMAT_2)
    assert opened.metadata == {"generator": {"seed": 12}}
    expected = store_of(random_games(12, seed=12, longest=40))
    ratings = expected.columns.ratings.copy()
    ratings[:, 1] = np.arange(12) * 100
    assert_same(opened, expected, {"ratings": ratings})
    assert len(opened.positions("lichess")) == opened.num_positions


def test_many_row_groups_and_none(path):
    many = STORE.subset(np.tile(np.arange(60), 300))
    many.save(path)
    assert pq.ParquetFile(path).num_row_groups > 1
    opened = GameStore.open(path)
    assert_same(opened, many)
    STORE.subset([]).save(path, overwrite=True)
    assert len(GameStore.open(path)) == 0


def test_nothing_is_overwritten_unless_asked_for(path):
    STORE.save(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="exists already"):
        STORE.subset([0]).save(path)
    assert path.read_bytes() == before
    STORE.subset([0]).save(path, overwrite=True)
    assert len(GameStore.open(path)) == 1


@pytest.mark.parametrize("name", ["games.parquet", "games"])
def test_games_that_appear_meanwhile_are_not_overwritten(name, tmp_path, monkeypatch):
    path, real = tmp_path / name, store_file.table_of

    def late(*args):
        monkeypatch.setattr(store_file, "table_of", real)
        other = tmp_path / f"other-{name}"
        STORE.subset([0]).save(other)
        other.rename(path)  # as another process does
        return real(*args)

    monkeypatch.setattr(store_file, "table_of", late)
    with pytest.raises(StoreError, match="exists already"):
        STORE.save(path)
    assert len(GameStore.open(path)) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written_are_named(path, tmp_path):
    with pytest.raises(StoreError, match="does not exist"):
        STORE.save(tmp_path / "no" / "games.parquet")
    path.mkdir()
    with pytest.raises(StoreError, match="is a folder"):
        STORE.save(path)


def test_a_full_disk_leaves_what_was_there(path, full_disk):
    STORE.subset([0, 1]).save(path)
    before = path.read_bytes()
    told = r"games\.parquet cannot be written .*nothing was changed there: free some space"
    with full_disk(2_000), pytest.raises(StoreError, match=told):
        STORE.save(path, overwrite=True)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_files_that_are_none_are_refused(path, tmp_path):
    with pytest.raises(StoreError, match="no such file"):
        GameStore.open(path)
    with pytest.raises(StoreError, match="no file of games"):
        GameStore.open(tmp_path)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="cannot be read as Parquet"):
        GameStore.open(path)
    path.write_text("1. e4 e5 1-0\n" * 100)
    with pytest.raises(StoreError, match="cannot be read as Parquet"):
        GameStore.open(path)
    pq.write_table(pa.table({"x": [1, 2]}), path)
    with pytest.raises(StoreError, match="no games store"):
        GameStore.open(path)


def table_with(path, **changes):
    """The store's file with columns or the description replaced."""
    STORE.save(path, overwrite=True)
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[b"phasezoo"])
    about |= changes.pop("about", {})
    for name, column in changes.items():
        index = table.schema.get_field_index(name)
        table = (
            table.remove_column(index) if column is None else table.set_column(index, name, column)
        )
    pq.write_table(table.replace_schema_metadata({b"phasezoo": json.dumps(about).encode()}), path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"about": {"format_version": 3}}, "format version 3"),
        ({"about": {"kind": "openings"}}, "'openings'"),
        ({"about": {"game": "go"}}, "'go': no such game"),
        ({"about": {"options": {"colour": 1}}}, "colour=: .* has no such option"),
        ({"about": {"game": "crazyhouse"}}, "with actions 'planes-73'"),
        ({"about": {"num_actions": 100}}, "'planes-73' .100."),
        ({"about": {"more": 1}}, "description was changed"),
        ({"about": {"options": 0.5}}, "description was changed"),
        ({"about": {"metadata": 3}}, "description was changed"),
        ({"about": {"num_players": 2.0}}, "description was changed"),
        ({"about": {"num_players": 2**62}}, "1 actions a ply of 4611686018427387904 players"),
        ({"about": {"num_players": 0}}, "1 actions a ply of 0 players"),
        ({"about": {"actions_a_ply": 0}}, "0 actions a ply of 2 players"),
        ({"actions": None}, "actions are missing"),
        ({"return_1": None}, "return_1 are missing"),
        ({"return_0": pa.array([1] * 60)}, "return_0 are missing, unknown or"),
        ({"actions": pa.array([[1]] * 60, pa.list_(pa.int32()))}, "actions are missing, unk"),
        ({"actions": pa.array([[1], None] * 30, pa.list_(pa.uint16()))}, "damaged"),
        ({"actions": pa.array([[1, None]] * 60, pa.list_(pa.uint16()))}, "damaged"),
        ({"actions": pa.array([[9_999]] * 60, pa.list_(pa.uint16()))}, "action 9999"),
        ({"return_0": pa.array([None] * 60, pa.float32())}, "damaged"),
        ({"return_0": pa.array([7] * 60, pa.float32())}, "returns"),
        ({"start": pa.array(["x"] * 60)}, "start position"),
        ({"salvaged": pa.array([None] * 60, pa.bool_())}, "damaged"),
    ],
)
def test_stores_of_another_kind_are_refused(path, changes, message):
    table_with(path, **changes)
    with pytest.raises(StoreError, match=message) as raised:
        GameStore.open(path)
    assert str(path) in str(raised.value)


SAVED: list[bytes] = []
relaxed = settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def whole_file(path):
    if not SAVED:
        STORE.save(path, overwrite=True)
        SAVED.append(path.read_bytes())
    return SAVED[0]


@relaxed
@given(data=st.data())
def test_truncated_files_are_refused(path, data):
    whole = whole_file(path)
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(StoreError):
        GameStore.open(path)


@relaxed
@given(data=st.data())
def test_damaged_files_are_refused_or_hold_legal_games(path, data):
    damaged = bytearray(whole_file(path))
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(damaged)
    try:
        store = GameStore.open(path)
        assert len(store.positions("lichess")) == store.num_positions
    except (StoreError, CorruptRecord):
        pass


def test_a_column_of_another_name_is_not_passed_over(path):
    searched().save(path)
    table = pq.read_table(path)
    names = ["valuse" if name == "values" else name for name in table.column_names]
    pq.write_table(table.rename_columns(names).replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(StoreError, match="valuse are missing, unknown or of another type"):
        GameStore.open(path)


def test_no_footer_ends_the_process(tmp_path):
    """pyarrow does so of itself when it is asked about a column of some damaged footers."""
    GameStore("connect-four", [3, 3, 2], [0, 3], [[1.0, -1.0]]).save(tmp_path / "games.parquet")
    program = """
import sys
from pathlib import Path
from phasezoo.data.store import GameStore
from phasezoo.errors import CorruptRecord, StoreError
path = Path(sys.argv[1])
whole = path.read_bytes()
refused = 0
for place in range(len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"), len(whole)):
    damaged = bytearray(whole)
    damaged[place] ^= 1 << 6
    path.write_bytes(damaged)
    try:
        GameStore.open(path)
    except (StoreError, CorruptRecord):
        refused += 1
print(refused)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, tmp_path / "games.parquet"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500


def searched() -> GameStore:
    """Three games of 2, 1 and 3 plies with what searches said of each."""
    counts = np.array([1, 2, 1, 0, 3, 1])
    return GameStore(
        "connect-four",
        actions=np.arange(6),
        offsets=[0, 2, 3, 6],
        returns=np.zeros((3, 2)),
        values=np.linspace(-0.5, 0.5, 6),
        surprises=np.linspace(0, 2, 6),
        phases=np.zeros(6, int),
        visits=(
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([np.arange(count) for count in counts]),
            np.ones(counts.sum(), int),
        ),
    )


@pytest.mark.parametrize("rows", [100, 2])
@pytest.mark.parametrize(
    "name", ["values", "surprises", "phases", "visit_lengths", "visit_actions", "visit_counts"]
)
def test_lists_that_belong_to_other_games_are_refused(path, name, rows):
    store = searched()
    store.save(path)
    assert_same(GameStore.open(path), store)
    table = pq.read_table(path)
    lists = table[name].to_pylist()
    flat = [number for one in lists for number in one]
    ends = np.cumsum([0, len(lists[0]) - 1, len(lists[1]) + 1, len(lists[2])])  # the total stays
    moved = [flat[low:high] for low, high in pairwise(ends)]
    at = table.column_names.index(name)
    column = pa.array(moved, table.schema.field(name).type)
    pq.write_table(
        table.set_column(at, table.schema.field(name), column), path, row_group_size=rows
    )
    with pytest.raises(StoreError, match=rf"{name}: game 0 of its rows has"):
        GameStore.open(path)


def test_dates_that_no_file_has_are_refused():
    dates = np.array(["2020.ä".encode()], dtype="S10")
    with pytest.raises(CorruptRecord, match="dates"):
        GameStore("connect-four", [1], [0, 1], np.zeros((1, 2)), dates=dates)


def test_a_column_that_is_there_twice_is_refused(path):
    STORE.save(path)
    table = pq.read_table(path)
    for place in (0, 3, len(table.column_names)):
        for name in ("return_0", "source", "notes"):
            twice = table.add_column(place, name, pa.array([0.0] * len(table), pa.float32()))
            if name == "notes":  # of which a file without any knows nothing
                twice = twice.add_column(0, name, twice[name])
            pq.write_table(twice, path)
            with pytest.raises(StoreError, match=f"the columns {name} are there twice"):
                GameStore.open(path)


def with_column(path, name, column):
    """A store of as many games as the column has rows, of which one column is this."""
    STORE.save(path)
    table = pq.read_table(path).take(pa.array(np.zeros(len(column), np.int64)))
    place = table.schema.get_field_index(name)
    field = table.schema.field(name).with_type(column.type)
    pq.write_table(table.set_column(place, field, column), path, compression="zstd")


def zeros(count, kind):
    flat = pa.array(np.zeros(count, kind))
    offsets = pa.array([0, count], pa.int32())
    element = pa.field("element", flat.type, nullable=False)
    return pa.ListArray.from_arrays(offsets, flat, type=pa.list_(element))


def same_text(count, length, kind):
    codes = pa.array(np.zeros(count, np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array(["8" * length])).cast(kind)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("actions", lambda: zeros(9_000_000, np.uint16)),
        ("start", lambda: same_text(900, 700_000, pa.string())),
        ("start", lambda: same_text(900, 700_000, pa.large_string())),
        ("date", lambda: same_text(1_200, 500_000, pa.string())),
    ],
    ids=["actions", "start", "large start", "date"],
)
def test_small_files_that_ask_for_much_memory_are_refused(path, name, column, monkeypatch):
    room = 536_870_912
    if name == "actions":  # a file of so many takes long to make
        room >>= 4
        monkeypatch.setattr(store_file, "_ALWAYS_READ", room)
    with_column(path, name, column())
    assert path.stat().st_size < 100_000
    # As Arrow counts its own; what it reads before the file is refused is a part of the limit.
    before = pa.total_allocated_bytes()
    with pytest.raises(StoreError, match=f"bytes of memory, and {room:,} are allowed"):
        GameStore.open(path)
    assert pa.total_allocated_bytes() - before < 1 << 24


def test_texts_that_many_rows_share_are_read(path):
    many = STORE.subset(np.zeros(3000, np.int64))
    many.save(path)
    table = pq.read_table(path)
    dates = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(3000, np.int32)), pa.array(["2024.05.06"])
    )
    place = table.schema.get_field_index("date")
    pq.write_table(table.set_column(place, "date", dates.cast(pa.string())), path)
    opened = GameStore.open(path)
    assert set(opened.columns.dates.tolist()) == {b"2024.05.06"}
    np.testing.assert_array_equal(opened.actions, many.actions)


@pytest.mark.parametrize("name", ["source", "player_1"])
@pytest.mark.parametrize("code", [1, -1, 2**31 - 1])
def test_codes_without_a_text_are_refused(path, monkeypatch, name, code):
    # A writer looks at codes, so the reader is given what a damaged file comes to.
    STORE.save(path)
    table = pq.read_table(path)
    codes = pa.array([0] * (len(table) - 1) + [code], pa.int32())
    wrong = pa.DictionaryArray.from_arrays(codes, pa.array(["one"]), safe=False)
    wrong = table.set_column(table.column_names.index(name), name, wrong)
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", lambda *_, **__: wrong)
    with pytest.raises(StoreError, match=r"cannot be read as Parquet .*out of bounds"):
        GameStore.open(path)


def test_a_store_does_not_take_the_place_of_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.parquet")
    with pytest.raises(StoreError, match="a device, a pipe or a socket"):
        GameStore.sample("krk").save(tmp_path / "pipe.parquet", overwrite=True)
    assert (tmp_path / "pipe.parquet").is_fifo()
