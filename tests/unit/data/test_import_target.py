"""Where imported games go: one store, a folder of stores, parts by month."""

import shutil

import numpy as np
import pytest

from phasezoo.data.import_target import MonthSplit, months_of
from phasezoo.data.importer import import_pgn, read_games
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig, StoreError


def game(moves, **tags):
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{head}\n{moves} 1-0\n\n"


MONTHS = ("2012.09.01", "2012.09.30", "2012.10.05", "2017.05.09", "2018.??.??")
MIXED = (
    "".join(game("1. e4 e5", Date=month) for month in MONTHS)
    + game("1. Nf3 f6", Variant="Atomic", Date="2017.05.01", White="A", Black="B", WhiteElo="2100")
    + game("1. e4 d5 2. exd5 Qxd5 3. P@e4", Variant="Crazyhouse")
)


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "mixed.pgn"
    path.write_text(MIXED)
    return path


def test_a_file_of_mixed_variants_gives_one_store_a_game(pgn, tmp_path):
    target = tmp_path / "games"
    report = import_pgn(pgn, target)
    places = {name: target / name for name in ("chess", "atomic", "crazyhouse")}
    assert report.stores == {
        str(places["chess"]): 5,
        str(places["atomic"]): 1,
        str(places["crazyhouse"]): 1,
    }
    stores = {name: GameStore.open(place) for name, place in places.items()}
    assert {name: store.variant for name, store in stores.items()} == {n: n for n in stores}
    atomic = stores["atomic"]
    assert atomic.columns.players[0] == ["A", "B"]
    assert atomic.columns.ratings.tolist() == [[2100, 0]]
    assert atomic.columns.sources[0] == "mixed.pgn"
    assert len(atomic.records.states(0)) == 2
    assert [
        s.uci(a)
        for s, a in zip(
            stores["crazyhouse"].records.states(0),
            stores["crazyhouse"].actions.tolist(),
            strict=True,
        )
    ] == ["e2e4", "d7d5", "e4d5", "d8d5", "P@e4"]


def test_stores_of_several_games_are_there_already(pgn, tmp_path):
    target = tmp_path / "games"
    import_pgn(pgn, target)
    with pytest.raises(StoreError, match=r"games exists already: .*--overwrite"):
        import_pgn(pgn, target)
    import_pgn(pgn, target, overwrite=True)


def test_one_game_makes_the_target_the_store(pgn, tmp_path):
    report = import_pgn(pgn, tmp_path / "atomic", "atomic")
    assert report.skipped == {"another variant": 6}
    assert len(GameStore.open(tmp_path / "atomic")) == 1
    import_pgn(pgn, tmp_path / "chess.parquet")
    assert len(GameStore.open(tmp_path / "chess.parquet")) == 5


def test_named_months_are_validation_and_test(pgn, tmp_path):
    split = MonthSplit(validation=("2012-09",), test=("2017-05",))
    import_pgn(pgn, tmp_path / "parts", "chess", split=split)
    dates = {
        part: sorted(GameStore.open(tmp_path / "parts" / part).columns.dates.tolist())
        for part in ("train", "validation", "test")
    }
    assert dates == {
        "train": [b"2012.10.05", b"2018.??.??"],
        "validation": [b"2012.09.01", b"2012.09.30"],
        "test": [b"2017.05.09"],
    }
    with pytest.raises(InvalidConfig, match="no game of chess of 2001-01"):
        import_pgn(pgn, tmp_path / "no", "chess", split=MonthSplit(test=("2001-01",)))
    assert not (tmp_path / "no").exists()


def test_a_part_whose_files_are_all_damaged_is_not_left_out(pgn, tmp_path):
    split = MonthSplit(validation=("2012-09",), test=("2017-05",))
    import_pgn(pgn, tmp_path / "parts", "chess", split=split)
    (file,) = (tmp_path / "parts" / "test").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(StoreError, match=r"test: every file of it is damaged"):
        GameStore.open(tmp_path / "parts")
    shutil.rmtree(file.parent)
    with pytest.raises(StoreError, match=r"open one of the stores inside it: .*train"):
        GameStore.open(tmp_path / "parts")


def test_without_named_months_every_month_is_a_store(pgn, tmp_path):
    report = import_pgn(pgn, tmp_path / "months", split=MonthSplit())
    chess = {f"chess/{m}" for m in ("2012-09", "2012-10", "2017-05", "undated")}
    found = {place.removeprefix(f"{tmp_path}/months/") for place in report.stores}
    assert found == chess | {"atomic/2017-05", "crazyhouse/undated"}


def test_months_that_are_none_are_refused():
    for bad in ({"validation": ("2012",)}, {"validation": ("2012-09",), "test": ("2012-09",)}):
        with pytest.raises(InvalidConfig):
            MonthSplit(**bad)
    dates = [b"2012.09.01", b"2012.0?.01", b"", b"2012", b"2012.00.10", b"2012.13.01"]
    assert months_of(np.array(dates, dtype="S10")).tolist() == ["2012-09", *[""] * 5]


def test_what_is_there_stays_unless_it_is_stores_that_may_be_replaced(pgn, tmp_path):
    target = tmp_path / "games"
    import_pgn(pgn, target)
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    with pytest.raises(StoreError, match="games"):
        import_pgn(pgn, target)
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before
    import_pgn(pgn, target, overwrite=True)
    assert len(GameStore.open(target / "chess")) == 5
    (target / "notes.txt").write_text("mine")
    with pytest.raises(StoreError):
        import_pgn(pgn, target, overwrite=True)
    assert (target / "notes.txt").read_text() == "mine"
    with pytest.raises(StoreError, match="one file"):
        import_pgn(pgn, tmp_path / "x.parquet", split=MonthSplit())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["games", "mixed.pgn"]


def test_an_interrupted_import_loses_nothing(pgn, tmp_path, monkeypatch):
    target = tmp_path / "games"
    import_pgn(pgn, target)
    before = {path: path.read_bytes() for path in target.rglob("*.parquet")}

    saved = GameStore.save
    calls = []

    def stopped(store, path, **options):
        calls.append(path)
        if len(calls) == 2:
            raise KeyboardInterrupt
        saved(store, path, **options)

    monkeypatch.setattr(GameStore, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        import_pgn(pgn, target, overwrite=True)
    assert {path: path.read_bytes() for path in target.rglob("*.parquet")} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["games", "mixed.pgn"]


def test_a_month_that_no_calendar_has_is_unknown(tmp_path):
    file = tmp_path / "games.pgn"
    dates = ("2015.00.00", "2015.13.01", "2015.01.00")
    file.write_text("".join(f'[Date "{date}"]\n\n1. e4 e5 1-0\n\n' for date in dates))
    stores, _ = read_games(file)
    kept = [date.decode() for date in stores["chess"].columns.dates]
    assert kept == ["2015.??.??", "2015.??.??", "2015.01.??"]
    stores, report = read_games(file, from_month="2015-01", to_month="2015-01")
    assert (len(stores["chess"]), report.skipped) == (1, {"outside the months": 2})
