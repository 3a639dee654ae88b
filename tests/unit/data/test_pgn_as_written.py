"""PGN as real files hold it: archives, encodings, faults that cost one game, useless files."""

import io
import os
import tarfile
import zipfile

import pytest

from phasezoo import _core
from phasezoo.apps.cli import main
from phasezoo.data.importer import read_games, read_pgn
from phasezoo.data.starts import evenly_by_ply, playable_states
from phasezoo.errors import InvalidFen, InvalidPgn
from phasezoo.games import make

GAME = '[Event "a"]\n[White "Žižka"]\n\n1. e4 e5 1-0\n\n'


def read(tmp_path, text, game=None, name="games.pgn"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_games(path, game)


def zipped(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def tarred(members, kind="w", layout=tarfile.PAX_FORMAT):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=kind, format=layout) as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


LONG = "folder/" * 30 + "c.pgn"
MEMBERS = {
    "readme.txt": "1. d4 1-0\n",
    "a.pgn": GAME * 3,
    "sub/B.PGN": '[Event "b"]\n\n1. e5 1-0\n\n' + GAME,
    "sub/.hidden.pgn": GAME,
    LONG: GAME,
    "empty.pgn": "",
}


@pytest.mark.parametrize(
    "packed",
    [
        zipped(MEMBERS),
        tarred(MEMBERS),
        tarred(MEMBERS, layout=tarfile.GNU_FORMAT),
        tarred(MEMBERS, "w:gz"),
        tarred(MEMBERS, "w:xz"),
    ],
    ids=["zip", "tar", "tar of GNU", "tar.gz", "tar.xz"],
)
def test_members_of_archives_that_are_pgn_are_read(tmp_path, packed):
    stores, report = read(tmp_path, packed, name="games")
    assert (report.games, report.kept) == (6, 5)
    assert sorted(set(stores["chess"].columns.sources[slice(None)])) == [
        "B.PGN",
        "c.pgn",
        "games: a.pgn",
    ]
    [skipped] = report.named
    assert (skipped.path, skipped.line) == (f"{tmp_path / 'games'}: sub/B.PGN", 1)


def test_members_of_zip_archives_are_read_or_say_how_they_are_compressed(tmp_path):
    for method, name in ((zipfile.ZIP_BZIP2, "bz.zip"), (zipfile.ZIP_LZMA, "lzma.zip")):
        with zipfile.ZipFile(tmp_path / name, "w", method) as archive:
            archive.writestr("a.pgn", GAME)
    assert read_games(tmp_path / "bz.zip")[1].kept == 1
    with pytest.raises(InvalidPgn, match=r"'?a.pgn.* is compressed .*: unpack it first"):
        read_games(tmp_path / "lzma.zip")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({"a.txt": GAME}), r"a zip archive without a member .* \.pgn .*'?a.txt"),
        (tarred({"a.txt": GAME}), r"a tar archive without a member"),
        (zipped({}), "it is empty"),
        (zipped({"a.pgn": GAME})[:40], "a damaged zip archive"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(40), "a 7z archive: unpack it"),
        (b"Rar!\x1a\x07\x01\x00" + bytes(40), "a rar archive: unpack it"),
        (b"\x04\x22\x4d\x18" + bytes(40), "compressed by lz4"),
        ("1. e4 1-0".encode("utf-16"), "UTF-16"),
    ],
)
def test_files_that_are_not_read_are_named(tmp_path, data, words):
    with pytest.raises(InvalidPgn, match=words):
        read(tmp_path, data)


def test_a_damaged_member_gives_the_games_before_the_damage(tmp_path):
    text = "".join(GAME.replace('"a"', f'"{os.urandom(20).hex()}"') for _ in range(3000))
    packed = bytearray(zipped({"a.pgn": text, "b.pgn": GAME}))
    packed[60_000:60_010] = bytes(10)
    _, report = read(tmp_path, bytes(packed))
    assert len(report.damaged) == 1
    assert "a.pgn: damaged after" in report.damaged[0]
    assert report.kept > 1


def test_what_has_no_end_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(InvalidPgn, match="named pipe"):
            read_games(path)
        with pytest.raises(InvalidPgn, match="named pipe"):
            _core.read_text(path)


def test_a_pipe_of_the_shell_is_read():
    reading, writing = os.pipe()
    os.write(writing, GAME.encode())
    os.close(writing)
    assert read_pgn(f"/dev/fd/{reading}")[1].kept == 1
    os.close(reading)


def test_names_in_other_encodings_stay_apart(tmp_path, capsys):
    names = "".join(f'[White "{name}"]\n\n1. e4 1-0\n\n' for name in ("Pérez", "Pàrez", "Weiß –"))
    stores, report = read(tmp_path, names.encode("cp1252") + GAME.encode())
    players = [stores["chess"].columns.players[game][0] for game in range(4)]
    assert players == ["Pérez", "Pàrez", "Weiß –", "Žižka"]
    [note] = report.notes
    assert "Windows-1252" in note
    assert ": 3, the first in" in note
    assert main(["data", "import", str(tmp_path / "games.pgn"), str(tmp_path / "store")]) == 0
    assert capsys.readouterr().out.count("Windows-1252") == 1


@pytest.mark.parametrize("written", ["0-0-0", "0-0", "2.0-0-0", "2...0-0", "O-O", "2.Kd3"])
def test_an_illegal_move_is_shown_as_it_is_written(tmp_path, capsys, written):
    path = tmp_path / "games.pgn"
    path.write_text(f"1. e4 e5 {written} 1-0\n")
    assert main(["data", "import", str(path), str(tmp_path / "store")]) == 1
    move = written.removeprefix("2").lstrip(".")
    assert f"illegal move: 2. {move} is not a legal move" in capsys.readouterr().err


@pytest.mark.parametrize("show", ["0", "20"])
def test_a_file_of_no_use_says_where_and_why(tmp_path, capsys, show):
    path = tmp_path / "games.pgn"
    path.write_text('[Variant "Horde"]\n\n1. e4 1-0\n\n[Event "x"]\n\n1. e4 e5 2. Kd3 1-0\n')
    arguments = ["data", "import", str(path), str(tmp_path / "store"), "--show", show]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert "line 5: illegal move: 2. Kd3" in error
    assert '1 of "Horde"' in error
    assert not (tmp_path / "store").exists()


def test_a_game_of_chess960_without_the_tag(tmp_path, capsys):
    fen = "rkbbqnnr/pppppppp/8/8/8/8/PPPPPPPP/RKBBQNNR w KQkq - 0 1"
    text = f'[FEN "{fen}"]\n\n1. e4 e5 1-0\n'
    for game in (None, "chess960"):
        stores, report = read(tmp_path, text, game)
        assert list(stores) == ["chess960"]
        assert "read as chess960: 1" in report.notes[0]
    with pytest.raises(InvalidPgn, match="--game chess960"):
        read(tmp_path, text, "chess")
    with pytest.raises(InvalidPgn, match="a start of chess960, from which atomic is not played"):
        read(tmp_path, f'[Variant "Atomic"]\n{text}')


def test_pockets_of_a_position():
    house = make("crazyhouse")
    board = "4k3/8/8/8/8/8/8/4K3"
    counted = house.from_fen(f"{board}[2N3pB] w - - 0 1")
    assert counted == house.from_fen(f"{board}[NNpppB] w - - 0 1")
    assert house.from_fen(f"{board}[-] w - - 0 1") == house.from_fen(f"{board}[] w - - 0 1")
    for pockets in ("[N2]", "[65P]", "[2-]", "[0x]"):
        with pytest.raises(InvalidFen):
            house.from_fen(f"{board}{pockets} w - - 0 1")


def test_games_go_on_after_a_draw_that_nobody_claimed(tmp_path):
    there_and_back = "Nf3 Nf6 Ng1 Ng8 " * 3
    stores, report = read(tmp_path, f'[Event "x"]\n\n{there_and_back} Nc3 1-0\n')
    assert report.kept == 1
    records = stores["chess"].records
    assert records.states(0)[8].is_terminal
    assert records.last(0).fen.split()[0].endswith("/2N5/PPPPPPPP/R1BQKBNR")
    # Nobody can be asked for a move where the game is over.
    rows = stores["chess"].positions()
    assert [place for place, _ in playable_states(stores["chess"], rows)] == list(range(8))
    assert len(evenly_by_ply(stores["chess"], 20, 0)) < 8


@pytest.mark.parametrize("number", [2, 17, 2**32 - 1, 2**32 + 1, 10**30])
def test_moves_that_begin_late_need_a_position(tmp_path, number):
    moves = f"{number}. e4 {number}... e5 1-0"
    _, report = read(tmp_path, f'{GAME}[Event "late"]\n\n{moves}\n')
    assert report.kept == 1
    assert "begin with number" in str(report)
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 17"
    _, report = read(tmp_path, f'[FEN "{fen}"]\n\n17. e4 e5 1-0\n')
    assert report.kept == 1


def test_brackets_by_the_thousand(tmp_path):
    bad = "1. e4 " + "{" * 200_000 + "(" * 200_000 + " ) } [x" * 50_000 + '[a "' * 50_000
    path = tmp_path / "games.pgn"
    worst = ['[a "' * 800_000, "[pgn " * 700_000, "{}[b] " * 500_000, '[c "d" ' * 500_000]
    parts = [f'[Event "b"]\n\n{bad}', f'[Site "{bad}', *worst]
    path.write_text("\n\n".join([GAME, *parts, GAME]))
    _, report = read_games(path, evals=True)
    assert report.kept == 2
