"""`phasezoo data import` and `phasezoo data phases`, from the command line's view."""

import gzip
import subprocess
import sys

import pytest
from game_makers import random_games, store_of

from phasezoo.apps.cli import main
from phasezoo.data.importer import import_pgn
from phasezoo.data.store import GameStore
from phasezoo.errors import StoreError


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "games.pgn"
    games = random_games(12, seed=8)
    text = "\n\n".join(map(str, games)) + '\n\n[Event "bad"]\n\n1. e5 1-0\n'
    path.write_text(text)
    return path


def test_import_and_phases(pgn, tmp_path, capsys):
    target = tmp_path / "games.parquet"
    assert main(["data", "import", str(pgn), str(target)]) == 0
    out = capsys.readouterr().out
    assert "line " in out
    assert "illegal move" in out
    assert "skipped 1 of 13 games: 1 illegal move" in out
    assert f"12 games with {GameStore.open(target).num_positions} positions" in out.replace(",", "")
    assert main(["data", "phases", str(target), "--gate", "material", "--seed", "3"]) == 0
    table = capsys.readouterr().out
    for word in ("over 10", "7–10", "up to 6", "train", "validation", "test", "100.0 %"):
        assert word in table
    assert main(["data", "phases", str(target), "--gate", "moves:3", "--monotone"]) == 0
    assert "monotone:moves:3" in capsys.readouterr().out


def test_the_sample_games_are_the_default(capsys):
    assert main(["data", "phases", "--gate", "hash:2"]) == 0
    assert "part 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["data", "import"], 2, "neither was given; expected are PGN files and, last, the store"),
        (["data", "import", "a.pgn"], 2, "a.pgn alone was given; expected are PGN files and, last"),
        (
            ["data", "import", "a.pgn", "--out", "x"],
            2,
            "words without an option are PATH ..., PGN files, then the st",
        ),
        (["data", "import", "no.pgn", "no.parquet"], 1, "no.pgn: no such file; give a PGN file"),
        (["data", "phases", "no.parquet"], 1, "no such file"),
        (["data", "phases", "--gate", "moves:0"], 2, "from 2 to 20; write moves:3"),
        (["data", "phases", "--gate", "unheard-of"], 2, "such as lichess, moves:3"),
    ],
)
def test_mistakes_are_one_line_and_an_exit_code(
    arguments, code, message, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == code
    err = capsys.readouterr().err.strip()
    assert message in err
    assert "\n" not in err
    assert not list(tmp_path.iterdir())


def test_a_store_is_not_overwritten_unless_asked_for(pgn, tmp_path, capsys):
    target = tmp_path / "games.parquet"
    store_of(random_games(2, seed=9)).save(target)
    assert main(["data", "import", str(pgn), str(target)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert len(GameStore.open(target)) == 2
    assert main(["data", "import", str(pgn), str(target), "--overwrite"]) == 0
    assert len(GameStore.open(target)) == 12


def test_long_lists_of_skipped_games_are_cut(tmp_path, capsys):
    path = tmp_path / "bad.pgn"
    path.write_text('[Event "x"]\n\n1. e5 1-0\n\n' * 30 + "1. e4 1-0\n")
    assert main(["data", "import", str(path), str(tmp_path / "x.parquet"), "--show", "5"]) == 0
    out = capsys.readouterr().out
    assert out.count("line ") == 5
    assert "… and 25 more" in out


def test_games_that_nobody_wanted_are_counted_and_not_named(tmp_path, capsys):
    path = tmp_path / "rated.pgn"
    rated = '[Event "x"]\n[WhiteElo "{0}"]\n[BlackElo "{0}"]\n\n1. {1} 1-0\n\n'
    path.write_text(rated.format(1500, "e4") * 9 + rated.format(2500, "e4") + "1. e5 1-0\n")
    target = str(tmp_path / "x.parquet")
    assert main(["data", "import", str(path), target, "--min-rating", "2200"]) == 0
    out = capsys.readouterr().out
    assert "rating too low" in out
    assert out.count("line ") <= 1  # the game with an illegal move, if it was looked at
    assert "more" not in out.splitlines()[0]


def games_of(path, *variants):
    text = "".join(
        f'[Event "x"]\n[Variant "{variant}"]\n\n1. e4 e5 1-0\n\n' for variant in variants
    )
    path.write_text(text)
    return str(path)


def test_files_of_another_variant_say_how_they_are_imported(tmp_path, capsys):
    path, target = games_of(tmp_path / "a.pgn", "Atomic", "Atomic"), str(tmp_path / "a.parquet")
    assert main(["data", "import", path, target]) == 1
    error = capsys.readouterr().err
    assert "there are 2 of atomic: --game atomic imports them" in error
    assert "PGN with results" not in error
    assert main(["data", "import", path, target, "--game", "atomic"]) == 0
    assert GameStore.open(target).game.name == "atomic"


def test_files_of_several_other_variants_name_each(tmp_path, capsys):
    path = games_of(tmp_path / "a.pgn", "Atomic", "Crazyhouse", "Crazyhouse")
    assert main(["data", "import", path, str(tmp_path / "a"), "--game", "chess"]) == 1
    error = capsys.readouterr().err
    assert "1 of atomic, 2 of crazyhouse: --game crazyhouse" in error
    assert "without --game" in error


def test_a_choice_that_leaves_nothing_is_told_as_one(tmp_path, capsys):
    path = games_of(tmp_path / "a.pgn", "Standard")
    assert main(["data", "import", path, str(tmp_path / "a"), "--min-rating", "1800"]) == 1
    assert "left out by the options" in capsys.readouterr().err


def test_salvaged_games_are_counted(tmp_path, capsys):
    path = tmp_path / "a.pgn"
    path.write_text('[Event "x"]\n\n1. e4 e5 2. Ke3 1-0\n\n[Event "y"]\n\n1. d4 d5 1-0\n')
    target = str(tmp_path / "games")
    assert main(["data", "import", str(path), target, "--salvage"]) == 0
    assert "1 of the games kept were salvaged" in capsys.readouterr().out
    assert main(["data", "stats", target]) == 0
    assert "1 games end before a fault" in capsys.readouterr().out
    assert main(["data", "import", str(path), target, "--overwrite"]) == 0
    assert "were salvaged" not in capsys.readouterr().out


@pytest.mark.parametrize("place", ["games", "games.parquet"])
@pytest.mark.parametrize("is_there", [False, True])
def test_ctrl_c_says_what_is_there(pgn, tmp_path, capsys, monkeypatch, place, is_there):
    target = tmp_path / place
    if is_there:
        store_of(random_games(2, seed=9)).save(target)

    def stop(store, path, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(GameStore, "save", stop)
    assert main(["data", "import", str(pgn), str(target), "--overwrite"]) == 130
    kept = f"{target} is as it was" if is_there else f"nothing was written to {target}"
    assert capsys.readouterr().err == f"\nStopped, and {kept}. The same command begins anew.\n"
    assert target.exists() == is_there


def test_ctrl_c_after_the_store_is_whole_says_so(pgn, tmp_path, capsys, monkeypatch):
    target = tmp_path / "games"
    save = GameStore.save

    def late(store, path, **options):
        save(store, path, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(GameStore, "save", late)
    assert main(["data", "import", str(pgn), str(target)]) == 130
    assert f"{target} was written whole" in capsys.readouterr().err
    assert len(GameStore.open(target)) == 12


def test_what_a_killed_import_left_is_told_and_put_right(pgn, tmp_path, capsys):
    """A process of that number has run and ended: it was this test's own child."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    target = tmp_path / "games"
    (tmp_path / f".games.{ended.pid}.partial").mkdir()
    (tmp_path / ".games.1.partial").mkdir()  # of a process that runs
    (tmp_path / f".games.parquet.{ended.pid}.partial").touch()  # of another store
    store_of(random_games(2, seed=9)).save(tmp_path / f".games.{ended.pid}.old")
    with (
        pytest.warns(UserWarning, match="killed") as told,
        pytest.raises(StoreError, match="exists already"),
    ):
        import_pgn(pgn, target)
    said = [str(warning.message) for warning in told]
    assert said[0].startswith(f"{target} is as it was before an import that was killed")
    assert said[1].startswith(f"removed .games.{ended.pid}.partial")
    assert len(GameStore.open(target)) == 2
    left = {path.name for path in tmp_path.iterdir()}
    others = {".games.1.partial", f".games.parquet.{ended.pid}.partial"}
    assert left == {"games", "games.pgn", *others}
    (tmp_path / f".games.{ended.pid}.old").mkdir()
    with pytest.warns(UserWarning, match="removed"):
        import_pgn(pgn, target, overwrite=True)
    assert not (tmp_path / f".games.{ended.pid}.old").exists()


def test_warnings_of_a_command_are_one_line(pgn, tmp_path):
    target = tmp_path / "games"
    (tmp_path / ".games.999999999.partial").mkdir()
    words = [sys.executable, "-m", "phasezoo", "data", "import", str(pgn), str(target)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert done.stderr == (
        "phasezoo: warning: removed .games.999999999.partial, left by an import that was killed\n"
    )


def test_a_wrong_checksum_puts_all_games_of_its_file_in_doubt(tmp_path, capsys):
    path = tmp_path / "a.pgn.gz"
    data = bytearray(gzip.compress(b'[Event "a"]\n\n1. e4 e5 1-0\n'))
    data[-8] ^= 1  # the checksum, four bytes before the length
    path.write_bytes(bytes(data))
    assert main(["data", "import", str(path), str(tmp_path / "store")]) == 0
    printed = "".join(capsys.readouterr())
    assert "any of its games may be altered" in printed
    assert "the games before that" not in printed
