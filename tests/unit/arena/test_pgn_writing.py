import io
import json
import os
import re

import chess.pgn
import numpy as np
import pytest
import toy_games

from phasezoo import arena
from phasezoo.arena.pgn import PgnFile, pgn_of
from phasezoo.data.importer import read_games
from phasezoo.errors import CorruptRecord, InvalidConfig, RunDirectoryError

NAMES = ('a "quoted" \\ name', "second\nline")


def a_record(**changes):
    fields = {
        "number": 3,
        "group": 1,
        "sides": (1, 0),
        "opening": 7,
        "start_fen": None,
        "opening_moves": ("f2f3", "e7e5"),
        "moves": ("g2g4", "d8h4"),
        "returns": (-1.0, 1.0),
        "reason": "checkmate",
        "ending": "rules",
        "seeds": (11, 12),
    }
    return arena.GameRecord(**fields | changes)


def read(text):
    game = chess.pgn.read_game(io.StringIO(text))
    assert game.errors == []
    return game


def test_python_chess_reads_what_we_write():
    game = read(pgn_of(a_record(), NAMES))
    assert game.headers["White"] == "second line"
    # Escaped as the standard asks; python-chess does not take the escapes back.
    assert game.headers["Black"] == 'a \\"quoted\\" \\\\ name'
    assert (game.headers["Result"], game.headers["Round"]) == ("0-1", "2.2")
    assert [move.uci() for move in game.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert game.end().board().is_checkmate()
    assert pgn_of(a_record(), NAMES).endswith("1. f3 e5 2. g4 Qh4# 0-1\n\n")


def test_games_from_a_position_of_black_to_move():
    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 3 7"
    record = a_record(start_fen=fen, opening_moves=(), moves=("g8f6", "f1b5"), ending="max_plies")
    text = pgn_of(record, NAMES)
    assert "7... Nf6 8. Bb5 0-1" in text
    game = read(text)
    assert game.board().fen() == fen
    assert game.headers["SetUp"] == "1"
    assert game.headers["Termination"] == "unterminated"


@pytest.mark.parametrize("openings_as", ["moves", "fen"])
def test_whole_matches_replay_in_python_chess(tmp_path, openings_as):
    path = tmp_path / "games.pgn"
    match = arena.play_match(
        "random", "random", games=10, seed=4, max_plies=160, pgn=path, openings_as=openings_as
    )
    text = io.StringIO(path.read_text())
    for record in match.games:
        game = chess.pgn.read_game(text)
        assert game.errors == []
        moves = [move.uci() for move in game.mainline_moves()]
        assert moves == [*record.opening_moves, *record.moves]
        assert game.headers["Result"] == record.result
        assert int(game.headers["PlyCount"]) == record.plies == len(moves)
        board = game.end().board()
        if record.ending == "rules":
            assert board.outcome(claim_draw=True) is not None
        assert all(
            len(line) <= 80 for line in str(path.read_text()).splitlines() if line[:1] != "["
        )
    assert chess.pgn.read_game(text) is None


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="cannot be written"):
        PgnFile(tmp_path / "file" / "games.pgn", NAMES)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RunDirectoryError, match="a device, a pipe or a socket"):
        PgnFile(tmp_path / "pipe", NAMES)


def test_a_full_disk_leaves_whole_games(tmp_path, full_disk):
    path = tmp_path / "games.pgn"
    with PgnFile(path, NAMES) as file:
        file.append(a_record())
        one = path.read_bytes()
        told = "games written before are safe: free some space"
        with full_disk(len(one) + 40), pytest.raises(RunDirectoryError, match=told):
            file.append(a_record())
        assert path.read_bytes() == one
        with full_disk(len(one) + 40), pytest.raises(RunDirectoryError, match=told):
            file.rewrite([a_record()] * 2)
        assert [each.read_bytes() for each in tmp_path.iterdir()] == [one]
        file.append(a_record())
        assert path.read_bytes() == one + one


def test_records_survive_json():
    record = a_record()
    assert arena.GameRecord.from_dict(record.to_dict()) == record
    assert (record.score, record.plies, record.result) == (1.0, 4, "0-1")


@pytest.mark.parametrize(
    "change", [{"returns": ()}, {"sides": (0, 0)}, {"moves": None}, {"colour": "white"}]
)
def test_damaged_records_are_refused(change):
    with pytest.raises(CorruptRecord, match="not the record of a game"):
        arena.GameRecord.from_dict(a_record().to_dict() | change)


def test_side_statistics_survive_json():
    side = arena.SideStats(
        "one", "50 nodes", "lichess:classic", "hash:3", "exact", moves=4, nodes=200
    )
    side.counts.off_phase_rows, side.counts.regated_rows = 20, 50
    side.counts.rows = 400  # two networks answer each position
    assert arena.SideStats.from_dict(side.to_dict()) == side
    assert (side.off_phase_share, side.regated_share, side.nodes_per_move) == (0.1, 0.25, 50)
    with pytest.raises(CorruptRecord):
        arena.SideStats.from_dict({"name": "one"})


def test_games_without_san_have_no_pgn():
    toy_games.register()
    with pytest.raises(InvalidConfig, match="no SAN"):
        PgnFile("nowhere.pgn", NAMES, "toy-heap")


def test_what_agents_said_stands_in_comments():
    thoughts = (arena.Thought(-0.5, 800, 6), arena.Thought(1.0, 7, 0))
    text = pgn_of(a_record(thoughts=thoughts), NAMES)
    assert "2. g4 {[%eval -2.06,6] [%nodes 800]} 2... Qh4# {[%eval -99.99]" in text.replace(
        "\n", " "
    )
    last = read(text).end()
    assert last.parent.eval().white().score() == -206
    assert last.parent.eval_depth() == 6
    assert last.eval().white().score() == -9999
    for thought, words in [
        (arena.Thought(None, 5, 0), "{[%nodes 5]}"),
        (arena.Thought(0.0, 0, 0), "{[%eval 0.00]}"),
        (arena.Thought(None, 5, 0, 2), "{[%nodes 5] [%phase 2]}"),
    ]:
        assert words in pgn_of(a_record(thoughts=(None, thought)), NAMES)


def test_all_that_agents_said_is_read_back(tmp_path):
    """No line ends inside a command, wherever the 80 columns of the line end."""
    path = tmp_path / "games.pgn"
    match = arena.play_match(
        "mcts:nodes=6", "mcts:nodes=3", games=4, seed=1, max_plies=60, pgn=path
    )
    text = path.read_text()
    assert not re.search(r"\[%[^]]*\n", text)
    assert max(map(len, text.splitlines())) <= 80
    said = [thought.value for record in match.games for thought in record.thoughts]
    kept = read_games(path, evals=True, min_plies=0, salvage=True)[0]["chess"].columns.values
    assert np.count_nonzero(~np.isnan(kept)) == len(said) > 150


def test_thoughts_come_back_from_json():
    record = a_record(thoughts=(None, arena.Thought(0.25, 9, 2)))
    again = arena.GameRecord.from_dict(json.loads(json.dumps(record.to_dict())))
    assert again == record
    with pytest.raises(CorruptRecord):
        arena.GameRecord.from_dict({**record.to_dict(), "thoughts": [[1, 2]]})


def test_matches_keep_the_phases_of_searches():
    match = arena.play_match(
        "mcts:nodes=2,gate='plies:9,11'", "mcts:nodes=2", games=2, seed=1, max_plies=16
    )
    for record in match.games:
        for ply, thought in enumerate(record.thoughts, len(record.opening_moves)):
            is_gated = ply % 2 == record.sides.index(0)
            assert thought.phase == ((ply > 9) + (ply > 11) if is_gated else None)


def test_matches_keep_what_was_said():
    match = arena.play_match("mcts:nodes=8", "random", games=2, seed=1, max_plies=14)
    for record in match.games:
        own = [t for t in record.thoughts if t is not None]
        assert len(record.thoughts) == len(record.moves)
        assert sum(t.nodes for t in own) > 0
        searched = record.sides.index(0)
        first = len(record.opening_moves)
        for ply, thought in enumerate(record.thoughts, first):
            assert (thought is not None) == (ply % 2 == searched)


def test_a_match_that_goes_on_rewrites_its_own_games_alone(tmp_path):
    """Also if the last one was cut short, or was appended by hand."""
    log, pgn, other = (tmp_path / name for name in ("log.jsonl", "own.pgn", "other.pgn"))

    def play(pgn):
        sides = "random", "random"
        return arena.play_match(*sides, games=4, seed=4, max_plies=20, log=log, pgn=pgn)

    play(pgn)
    whole = pgn.read_bytes()
    second = whole.index(b"[Event", 1)
    for there in (whole, *(whole[:cut] for cut in range(0, len(whole), 37)), whole[: second + 3]):
        pgn.write_bytes(there)
        play(pgn)
        assert pgn.read_bytes() == whole
    own = '[Event "mine"]\n\n1. e4 e5 *\n\n'
    for text in (own, "notes", whole.decode() + own):
        other.write_text(text)
        with pytest.raises(RunDirectoryError, match="exists: choose another path"):
            play(other)
        assert other.read_text() == text
