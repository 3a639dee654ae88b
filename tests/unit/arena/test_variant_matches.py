"""Matches of the variants: starts, pairs, logs, and PGN that python-chess reads."""

import io

import chess.pgn
import chess.variant
import pytest

from phasezoo import agents, arena, games, inference
from phasezoo.errors import RunDirectoryError

KINDS = {
    "chess960": (chess.Board, "Chess960"),
    "atomic": (chess.variant.AtomicBoard, "Atomic"),
    "crazyhouse": (chess.variant.CrazyhouseBoard, "Crazyhouse"),
    "krk": (chess.Board, None),
}


@pytest.mark.parametrize("game", KINDS)
def test_whole_matches_replay_in_python_chess(game, tmp_path):
    searching = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=16), seed=1)
    path = tmp_path / "match.pgn"
    match = arena.play_match(searching, "random", game, 6, seed=2, pgn=path, max_plies=80)
    file = io.StringIO(path.read_text())
    for record in match.games:
        read = chess.pgn.read_game(file)
        assert read.errors == []
        kind, variant = KINDS[game]
        assert (type(read.board()), read.headers.get("Variant")) == (kind, variant)
        assert read.board().chess960 == (game == "chess960")
        moves = [move.uci() for move in read.mainline_moves()]
        assert moves == [*record.opening_moves, *record.moves]
        if record.start_fen is not None:
            assert read.board().fen() == record.start_fen
    assert chess.pgn.read_game(file) is None


@pytest.mark.parametrize("game", ["krk", "chess960", games.make("krk", start="dtm", dtm=(3, 4))])
def test_each_pair_has_a_drawn_start_of_its_own(game):
    match = arena.play_match("random", "random", game, 12, seed=5, max_plies=6)
    starts = [record.start_fen for record in match.games]
    assert starts[::2] == starts[1::2]
    assert len(set(starts)) == 6
    if not isinstance(game, str):
        assert {game.from_fen(fen).dtm for fen in starts} <= {3, 4}


def test_an_endgame_with_a_start_keeps_it():
    match = arena.play_match("tablebase", "tablebase", games.make("krk", start="fixed"), 4, seed=4)
    assert {record.start_fen for record in match.games} == {"8/8/8/4k3/8/8/8/K6R w - - 0 1"}
    assert [record.plies for record in match.games] == [29] * 4
    assert [record.score for record in match.games] == [1.0, 0.0] * 2


def test_openings_are_played_from_the_fixed_start():
    match = arena.play_match("random", "random", "krk", 2, openings=[["h1h5"]], max_plies=4)
    assert {record.start_fen for record in match.games} == {"8/8/8/4k3/8/8/8/K6R w - - 0 1"}


def test_a_log_belongs_to_the_starts_it_was_played_from(tmp_path):
    train, heldout = (games.make("krk", start=start) for start in ("train", "heldout"))
    log = tmp_path / "match.jsonl"
    first = arena.play_match("random", "random", train, 4, seed=1, max_plies=4, log=log)
    again = arena.play_match("random", "random", train, 4, seed=1, max_plies=4, log=log)
    assert again.games == first.games
    with pytest.raises(RunDirectoryError):
        arena.play_match("random", "random", heldout, 4, seed=1, max_plies=4, log=log)


def test_callables_see_what_the_environment_shows():
    differences = []

    def shortest(observation, info):
        assert info["dtm"] == info["state"].dtm
        # Of its own last move, which was perfect; None before it has moved.
        differences.append(info["dtm_difference"])
        return int(info["state"].best_actions[0])

    match = arena.play_match(shortest, "tablebase", "krk", 4, seed=1)
    assert match.group_scores == (0.5, 0.5)
    assert set(differences) == {None, 0.0}
