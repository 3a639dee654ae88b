"""`phasezoo data show`, `stats` and `phases`, from the command line's view."""

import io
import json

import chess.pgn
import numpy as np
import pytest

from phasezoo.apps.cli import main
from phasezoo.data.store import GameStore

PGN = """[White "A"]
[Black "B"]
[WhiteElo "2400"]
[Date "2024.05.06"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0

[Result "0-1"]
[Date "2024.??.??"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 5 30"]

30... Kd7 31. e4 Kd6 0-1
"""


@pytest.fixture
def store(tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    target = tmp_path / "games"
    assert main(["data", "import", str(tmp_path / "games.pgn"), str(target)]) == 0
    return target


def shown(capsys, *arguments):
    capsys.readouterr()
    assert main(["data", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_game_is_shown_as_text(store, capsys):
    text = shown(capsys, "show", store, "--game", 0)
    assert "players: A, B" in text
    assert "ratings: 2400, unknown" in text
    assert "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6" in text
    assert "position after 5 plies" in text
    text = shown(capsys, "show", store, "--game", 1, "--gate", "lichess", "--ply", 0)
    assert "30... Kd7 (endgame) 31. e4 Kd6" in text
    assert "1 . . . . K . . ." in text


def test_a_folder_of_a_match_says_where_it_is_shown(capsys, tmp_path):
    (tmp_path / "games.jsonl").touch()
    assert main(["data", "show", str(tmp_path), "--game", "0"]) != 0
    assert "its report.html shows the match" in capsys.readouterr().err


def test_a_game_is_shown_as_pgn_svg_and_json(store, capsys, tmp_path):
    game = chess.pgn.read_game(
        io.StringIO(shown(capsys, "show", store, "--game", 1, "--format", "pgn"))
    )
    assert game.board().fen() == "4k3/8/8/8/8/8/4P3/4K3 b - - 5 30"
    assert [move.uci() for move in game.mainline_moves()] == ["e8d7", "e2e4", "d7d6"]
    assert shown(capsys, "show", store, "--game", 0, "--format", "svg").startswith("<svg")
    told = shown(capsys, "show", store, "--game", 0, "--format", "json", "--gate", "plies:2")
    about = json.loads(told)
    assert about["players"] == ["A", "B"]
    assert about["returns"] == [1.0, -1.0]
    assert about["actions"] == GameStore.open(store).actions[:6].tolist()
    assert about["phases"] == ["up to 2"] * 3 + ["over 2"] * 3
    out = tmp_path / "game.pgn"
    assert shown(capsys, "show", store, "--game", 0, "--format", "pgn", "--out", out) == ""
    assert "Bb5" in out.read_text()


def test_other_games_are_shown_by_their_actions(tmp_path, capsys):
    actions = np.array([3, 3, 2, 2], dtype=np.uint16)
    GameStore("connect-four", actions, [0, 4], [[0.0, 0.0]]).save(tmp_path / "four")
    text = shown(capsys, "show", tmp_path / "four", "--game", 0)
    assert "game: connect-four" in text
    assert "\n4 4 3 3\n" in text  # as columns are numbered below the board
    assert shown(capsys, "show", tmp_path / "four", "--game", 0, "--format", "svg").startswith(
        "<svg"
    )
    assert main(["data", "show", str(tmp_path / "four"), "--game", "0", "--format", "pgn"]) == 2
    assert "no PGN" in capsys.readouterr().err


def test_stats_tell_what_is_known(store, capsys):
    text = shown(capsys, "stats", store)
    for words in ("2 names", "2400 to 2400", "first wins 50.0%", "1 games"):
        assert words in text
    assert "2024.??.?? to 2024.05.06, of 2 games" in text


def test_phases_tell_shares_lengths_transitions_and_results(capsys, tmp_path):
    GameStore.sample("chess").subset(np.arange(40)).save(tmp_path / "games")
    text = shown(capsys, "phases", tmp_path / "games", "--gate", "material", "--fit", 3)
    for words in ("gate material:", "Next position", "first ply", "go back to an earlier phase"):
        assert words in text
    assert "…" not in text
    out = tmp_path / "pictures"
    shown(capsys, "phases", tmp_path / "games", "--out", out)
    names = {path.name for path in out.iterdir()}
    assert names == {
        "phases.png",
        "pieces.png",
        "mixedness.png",
        "whites-back-rank.png",
        "blacks-back-rank.png",
    }
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in out.iterdir())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "STORE", "--game", "2"], 2, "has 2 games"),
        (["show", "STORE", "--game", "0", "--ply", "6"], 2, "positions 0 to 5"),
        (["show", "STORE", "--game", "0", "--out", "no/such/file"], 1, "no such folder"),
        (["show", "nothing", "--game", "0"], 1, "nothing"),
        (["stats", "nothing"], 1, "nothing"),
        (["phases", "STORE", "--gate", "plies:3", "--fit", "2"], 2, "without them"),
        (["phases", "STORE", "--gate", "lichess", "--fit", "2"], 2, "gate of thresholds"),
        (
            ["phases", "STORE", "--gate", "plies", "--fit", "1"],
            2,
            "--fit 1: expected a whole number, 2 or more",
        ),
        (["import", "STORE", "new", "--test", "2020-01"], 2, "--split-by month"),
        (["import", "x.pgn", "new", "--from", "May"], 2, "YYYY-MM"),
        (
            ["import", "x.pgn", "new", "--top-players", "2"],
            2,
            "--top-players 2: expected a number above 0, to 1",
        ),
        (["import", "x.pgn", "new", "--game", "go"], 2, "go"),
    ],
)
def test_mistakes_are_one_line(store, arguments, code, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = [str(store) if word == "STORE" else word for word in arguments]
    capsys.readouterr()
    assert main(["data", *given]) == code
    err = capsys.readouterr().err.strip()
    assert message in err
    assert "\n" not in err


def test_games_in_the_package_are_named_by_sample(capsys):
    assert "1,350" not in shown(capsys, "stats", "sample:krk")
    assert "8,000" in shown(capsys, "stats", "sample:krk")
    assert "connect-four" in shown(capsys, "show", "sample:connect-four", "--game", 0)
    assert main(["data", "stats", "sample:go"]) != 0
    assert "go" in capsys.readouterr().err


def test_what_out_names_is_not_written_over_unless_asked_for(store, capsys, tmp_path):
    out = tmp_path / "game.pgn"
    out.write_text("mine")
    words = ["data", "show", str(store), "--game", "0", "--format", "pgn", "--out", str(out)]
    assert main(words) == 1
    assert "game.pgn exists already" in (told := capsys.readouterr().err)
    assert "--overwrite" in told
    assert out.read_text() == "mine"
    assert main([*words, "--overwrite"]) == 0
    assert "Bb5" in out.read_text()


@pytest.mark.parametrize("name", ["phases.png", "mixedness.png"])
def test_pictures_are_not_written_over_unless_asked_for(store, capsys, tmp_path, name):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / name).write_text("mine")
    (folder / "notes.txt").write_text("stays")
    words = ["data", "phases", str(store), "--out", str(folder)]
    assert main(words) == 1
    assert f"{name} exists already" in capsys.readouterr().err
    assert sorted(file.name for file in folder.iterdir()) == sorted([name, "notes.txt"])
    assert main([*words, "--overwrite"]) == 0
    assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert (folder / "notes.txt").read_text() == "stays"


@pytest.mark.parametrize(
    ("words", "size"), [(["phases"], 20_000), (["show", "--game", "0", "--format", "json"], 10)]
)
def test_a_full_disk_leaves_nothing_that_a_second_try_meets(
    words, size, store, capsys, tmp_path, full_disk
):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "made"
    folder.mkdir()
    out = folder if words[0] == "phases" else folder / "game.json"
    words = ["data", words[0], str(store), *words[1:], "--out", str(out)]
    with full_disk(size):
        assert main(words) == 1
    told = capsys.readouterr().err
    assert "nothing was changed: free some space" in told
    assert list(folder.iterdir()) == []
    assert main(words) == 0
    assert list(folder.iterdir())


def test_a_store_of_players_at_once_says_what_it_counts(capsys, tmp_path):
    from phasezoo.training import EpisodeStore

    episodes = EpisodeStore("pommerman-ffa", positions=500, seed=1)
    plies, rows = episodes.num_positions, len(episodes.positions("none"))
    assert plies < 500 <= rows
    assert f"{plies:,} plies of all players at once" in repr(episodes)
    assert repr(episodes).startswith("<EpisodeStore of ")
    episodes.save(tmp_path / "episodes")
    text = shown(capsys, "stats", tmp_path / "episodes")
    assert "total plies" in text
    assert "a position for every player" in text
    assert "positions>" in repr(GameStore.sample("krk"))
