"""PGN into a store: round trips with python-chess, bad games, compression."""

import bz2
import gzip
import lzma
import os
import random

import chess.pgn
import numpy as np
import pytest
import zstandard
from game_makers import actions_of, date_of, random_games, result_of, start_of

from phasezoo import _core
from phasezoo.data.importer import (
    TopPlayers,
    VariantCount,
    import_pgn,
    read_games,
    read_pgn,
)
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig, InvalidPgn, StoreError, UnknownGame

GAMES = random_games(80, seed=5)
COMPRESS = {
    "pgn": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def text_of(games):
    return "\n\n".join(map(str, games)) + "\n"


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(text_of(GAMES))
    return path


def assert_holds(store, games):
    assert len(store) == len(games)
    for index, game in enumerate(games):
        actions = store.actions[store.offsets[index] : store.offsets[index + 1]]
        assert actions.tolist() == actions_of(game)
        assert store.returns[index].tolist() == [result_of(game), -result_of(game)]
        assert store.starts.get(index) == start_of(game)
        assert store.columns.ratings[index, 0] == int(game.headers.get("WhiteElo", 0))
        assert store.columns.dates[index] == date_of(game)
    assert (store.columns.ratings[:, 1] == 0).all()


def test_games_of_python_chess_come_back(pgn):
    store, report = read_pgn(pgn)
    assert_holds(store, GAMES)
    assert (report.games, report.kept, report.positions) == (80, 80, store.num_positions)
    assert not report.skipped
    assert not report.named
    assert not report.damaged
    assert report.text_bytes == pgn.stat().st_size
    assert store.metadata["source"]["files"] == ["games.pgn"]


COMMENTS = ("good [%clk 0:01:02]", "1. e4 *", '[Event "x"]', "a\n\nb", "é½")


def decorated(game, seed):
    """The same game with comments, glyphs, variations and long lines broken anyhow."""
    draw = random.Random(seed)
    node = game
    while node.variations:
        if draw.random() < 0.2:
            other = draw.choice(list(node.board().legal_moves))
            if other != node.variations[0].move:
                side = node.add_variation(other, comment="or (this) [not] 1-0 ; {")
                if side.board().legal_moves:
                    side.add_variation(next(iter(side.board().legal_moves)), nags=[4])
        node = node.variations[0]
        if draw.random() < 0.3:
            node.comment = draw.choice(
                ("good [%clk 0:01:02]", "1. e4 *", '[Event "x"]', "a\n\nb", "é½")
            )
        if draw.random() < 0.3:
            node.nags.add(draw.randint(1, 255))
    exporter = chess.pgn.StringExporter(columns=draw.choice((None, 10, 80)))
    return game.accept(exporter)


def test_comments_glyphs_and_variations_are_dropped(tmp_path):
    games = random_games(60, seed=6)
    expected = [actions_of(game) for game in games]
    path = tmp_path / "decorated.pgn"
    path.write_text("\n\n".join(decorated(game, i) for i, game in enumerate(games)))
    store, report = read_pgn(path)
    assert not report.skipped, report.named
    offsets = store.offsets
    found = [store.actions[offsets[i] : offsets[i + 1]].tolist() for i in range(len(store))]
    assert found == expected


@pytest.mark.parametrize("kind", COMPRESS)
def test_every_compression_is_read_by_its_bytes(tmp_path, kind):
    path = tmp_path / "games.anything"
    whole = text_of(GAMES).encode()
    path.write_bytes(COMPRESS[kind](whole[:5000]) + COMPRESS[kind](whole[5000:]))
    store, report = read_pgn(path)
    assert_holds(store, GAMES)
    assert report.text_bytes == len(whole)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_a_truncated_file_gives_the_games_before_the_damage(tmp_path, kind):
    few = random_games(30, seed=7, longest=40)
    games = few * 60
    # A long random tag makes the text hard to compress, so that it fills several blocks.
    draw = random.Random(1)
    text = "\n\n".join(
        str(game).replace('[Site "?"]', f'[Site "{draw.randbytes(600).hex()}"]') for game in games
    )
    packed = COMPRESS[kind](text.encode())
    path = tmp_path / "cut"
    path.write_bytes(packed[: len(packed) * 3 // 4])
    store, report = read_pgn(path)
    assert len(games) // 4 < len(store) < len(games)
    assert_holds(store.subset(np.arange(30)), few)
    again = np.flatnonzero(np.arange(len(store)) % 30 == 3)
    hashes = store.records.hashes(0)
    assert len(set(hashes[again].tolist())) == 1
    assert len(set(hashes.tolist())) == len(set(hashes[:30].tolist()))
    assert len(report.damaged) == 1
    assert str(path) in report.damaged[0]
    path.write_bytes(packed[:12])
    with pytest.raises(InvalidPgn, match="damaged after 0 bytes"):
        read_pgn(path)


BAD = """[Event "one"]
[White "A"]
[Black "B"]
[Date "2020.02.03"]
[Result "1-0"]

1. e4 e5 2. Ke3 1-0

[Event "two"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "three"]
[Variant "Crazyhouse"]

1. e4 1-0

[Event "four"]

1. e4 e5 *

[Event "five"]
[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]

1. e4 1-0

[Event "six"]
[Result "1-0"]

1. d4 0-1

[Event "seven"]

1-0

[Event "eight"]

1. e4 {never closed

[Event "nine"]
[WhiteElo "2300"]
[BlackElo "2100"]

1. d4 d5 1/2-1/2

[Event "ten"]

1. e4 e5 2. N
"""


def test_bad_games_are_counted_and_named_with_their_lines(tmp_path):
    path = tmp_path / "bad.pgn"
    path.write_text(BAD)
    store, report = read_pgn(path)
    assert store.returns[:, 0].tolist() == [-1, 0]
    assert (report.games, report.kept, sum(report.skipped.values())) == (10, 2, 8)
    lines = BAD.splitlines()
    found = {}
    for skipped in report.named:
        assert lines[skipped.line - 1].startswith("[Event")
        found[lines[skipped.line - 1].split('"')[1]] = skipped.reason
    assert found == {
        "one": "illegal move",
        "three": "another variant",
        "four": "no result",
        "five": "invalid start position",
        "six": "contradictory results",
        "seven": "no moves",
        "eight": "unreadable text",
        "ten": "not a move",
    }
    first = report.named[0]
    assert first.title == "A – B, one, 2020.02.03"
    assert "2. Ke3" in first.message
    assert str(first).startswith(f"{path}, line 1 (A – B, one, 2020.02.03): illegal move: ")


def test_the_options_choose_games(tmp_path):
    path = tmp_path / "bad.pgn"
    path.write_text(BAD * 2)
    assert len(read_pgn(path)[0]) == 4
    assert len(read_pgn(path, min_plies=3)[0]) == 2
    assert len(read_pgn(path, min_rating=2100)[0]) == 2
    with pytest.raises(InvalidPgn, match="rating too low"):
        read_pgn(path, min_rating=2101)
    store, report = read_pgn([path, path], deduplicate=True)
    assert (len(store), report.skipped["duplicate"]) == (2, 6)
    assert len(read_pgn(path, max_named=3)[1].named) == 3
    for options in (
        {"min_plies": -1},
        {"min_moves": -1},
        {"max_named": -1},
        {"min_rating": -1},
        {"threads": 0},
        {"top_players": 0.0},
        {"top_players": 1.5},
        {"from_month": "2020-13"},
        {"to_month": "May"},
        {"from_month": "2020-02", "to_month": "2020-01"},
        {"salvage": "yes"},
    ):
        with pytest.raises(InvalidConfig):
            read_pgn(path, **options)
    with pytest.raises(TypeError, match="min_ratng"):
        read_pgn(path, min_ratng=3)


def played(white, black, moves, **tags):
    """A game between players whose ratings stand behind their names, as ``"a 2400"``."""
    names = {"White": white, "Black": black}
    tags |= {color: name.split()[0] for color, name in names.items()}
    tags |= {f"{color}Elo": name.split()[1] for color, name in names.items()}
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{head}\n{moves} 1-0\n\n"


def test_filters_by_length_termination_month_and_players(tmp_path):
    path = tmp_path / "games.pgn"
    two = "1. e4 e5 2. d4"
    path.write_text(
        played("a 2500", "b 2400", two, Termination="Normal", UTCDate="2020.01.31")
        + played("b 2400", "c 1900", two, Termination="Time forfeit", UTCDate="2020.02.01")
        + played("b 2400", "a 2500", "1. e4 e5", Termination="Normal", Date="2020.03.??")
    )

    def kept(**options):
        store, report = read_pgn(path, **options)
        return store.columns.ratings[:, 0].tolist(), dict(report.skipped)

    assert kept(min_moves=2) == ([2500, 2400], {"too short": 1})
    assert kept(min_moves=1)[0] == [2500, 2400, 2400]
    assert kept(termination="normal") == ([2500, 2400], {"another termination": 1})
    assert kept(from_month="2020-02", to_month="2020-02")[1] == {"outside the months": 2}
    assert kept(top_players=0.5) == ([2500, 2400], {"not both top players": 1})
    _, report = read_pgn(path, top_players=0.5)
    assert report.top_players == {"chess": TopPlayers(2400.0, 2, 3)}
    assert report.variants == {"chess": VariantCount(3, 2, {"not both top players": 1})}


def test_values_of_comments_belong_to_the_moves_before_them(tmp_path):
    path = tmp_path / "games.pgn"
    black = "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"
    path.write_text(
        '[Event "a"]\n[Result "*"]\n\n1. e4 {[%eval 9]} e5 *\n\n'
        "1. d4 d5 1-0\n\n"
        '[Event "b"]\n[Result "1-0"]\n\n1. e4 {[%eval 0.00,3] [%nodes 8]} e5\n'
        "2. Nf3 {a comment} (2. d4 {[%eval 7]}) Nc6 {[%eval -2.06]} 3. Bb5 {[%eval #3]} 1-0\n\n"
        f'[Variant "Atomic"]\n[FEN "{black}"]\n\n1... Kd7 {{[%eval 2.06]}} 2. Ra7+ 1-0\n'
    )
    stores, _ = read_games(path, evals=True)
    values = stores["chess"].columns.values
    np.testing.assert_allclose(values[2:], [0, np.nan, np.nan, 0.5, 1], atol=1e-3)
    assert np.isnan(values[:2]).all()
    np.testing.assert_allclose(stores["atomic"].columns.values, [-0.5, np.nan], atol=1e-3)
    assert read_games(path)[0]["chess"].columns.values is None
    path.write_text("1. d4 d5 1-0\n")
    assert read_games(path, evals=True)[0]["chess"].columns.values is None


def test_salvage_keeps_the_moves_before_a_fault(tmp_path):
    path = tmp_path / "cut.pgn"
    path.write_text("1. e4 e5 2. N 1-0\n\n1. d4 d5 2. Qd8 0-1\n\n1. c4 1-0\n")
    assert np.diff(read_pgn(path)[0].offsets).tolist() == [1]
    store, _ = read_pgn(path, salvage=True)
    assert np.diff(store.offsets).tolist() == [2, 2, 1]
    assert store.columns.salvaged.tolist() == [True, True, False]


def test_several_files_go_into_one_store_and_lines_are_per_file(tmp_path, pgn):
    bad = tmp_path / "bad.pgn"
    bad.write_text(BAD)
    store, report = read_pgn([pgn, bad])
    assert len(store) == 82
    assert {skipped.path for skipped in report.named} == {str(bad)}
    assert report.named[0].line == 1


def test_bytes_that_are_no_utf8_do_no_harm(tmp_path):
    path = tmp_path / "latin.pgn"
    path.write_bytes(
        '[Event "Málaga"]\n[White "Müller"]\n\n1. e4 {schön} e5 1-0\n\n'.encode("latin-1")
        + '[White "Jiří"]\n\n1. e4 e4 1-0\n'.encode("latin-1", "replace")
        + b"\n\xff\xfe\x00\n1. d4 1-0\n"
    )
    store, report = read_pgn(path)
    assert len(store) >= 1
    assert report.games == len(store) + sum(report.skipped.values())


def test_files_that_cannot_be_read_at_all(tmp_path):
    for name, content, message in (
        ("empty", b"", "no game at all"),
        ("text", b"hello world\n" * 50, "is this PGN"),
        ("utf16", "1. e4 1-0".encode("utf-16"), "UTF-16"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InvalidPgn, match=message) as raised:
            read_pgn(path)
        assert str(path) in str(raised.value)
    with pytest.raises(InvalidPgn, match="cannot be read"):
        read_pgn(tmp_path / "missing.pgn")
    with pytest.raises(InvalidPgn):
        read_pgn(tmp_path)
    with pytest.raises(UnknownGame):
        read_pgn(tmp_path / "text", "go")


def test_progress_is_told_and_may_stop_the_reading(pgn):
    told = []
    read_pgn(pgn, progress=lambda *numbers: told.append(numbers))
    assert told[-1][0] == pgn.stat().st_size

    class Enough(Exception):
        pass

    def stop(text_bytes, games):
        raise Enough

    with pytest.raises(Enough):
        read_pgn(pgn, progress=stop)


def test_import_writes_a_store_once_it_is_whole(pgn, tmp_path):
    target = tmp_path / "games.parquet"
    report = import_pgn([pgn], target, deduplicate=True)
    store = GameStore.open(target)
    assert (len(store), store.num_positions) == (report.kept, report.positions)
    before = target.read_bytes()
    with pytest.raises(StoreError, match="exists already"):
        import_pgn(pgn, target)
    bad = tmp_path / "nothing.pgn"
    bad.write_text("nothing")
    with pytest.raises(InvalidPgn):
        import_pgn(bad, target, overwrite=True)
    assert target.read_bytes() == before
    import_pgn(pgn, target, overwrite=True, min_plies=50)
    assert len(GameStore.open(target)) < 80


def test_a_file_whose_name_is_no_text_is_read(pgn, tmp_path):
    odd = os.fsdecode(b"B\xfccher.pgn")
    try:
        pgn.rename(tmp_path / odd)
    except OSError:
        pytest.skip("names of files are Unicode here")
    import_pgn(tmp_path / odd, tmp_path / "store")
    store = GameStore.open(tmp_path / "store")
    assert set(store.columns.sources[np.arange(len(store))]) == {"B\ufffdcher.pgn"}


def test_threads_change_nothing(pgn):
    one, two = (read_pgn(pgn, threads=count)[0] for count in (1, 3))
    np.testing.assert_array_equal(one.actions, two.actions)
    np.testing.assert_array_equal(one.offsets, two.offsets)


def test_imported_moves_are_all_legal(pgn):
    store, _ = read_pgn(pgn)
    columns = store.records.label(_core.Gate("none"))
    assert {len(column) for column in columns} == {store.num_positions}
