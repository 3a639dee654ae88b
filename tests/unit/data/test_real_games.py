"""Real games that a user does not have: counts and results against python-chess."""

import io

import chess.pgn
import pytest
import zstandard
from game_makers import actions_of, result_of

from phasezoo.data.importer import read_pgn

FILE = "data/chess/elo2000_2399.pgn.zst"


@pytest.fixture(scope="module")
def path(shared_dir):
    return shared_dir / FILE


@pytest.fixture(scope="module")
def store(path):
    store, report = read_pgn(path)
    assert report.games == len(store) + sum(report.skipped.values()) == 68_905
    assert not report.damaged
    return store


def test_the_first_games_are_those_that_python_chess_reads(path, store):
    with path.open("rb") as file:
        text = io.TextIOWrapper(
            zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8", errors="replace"
        )
        for index in range(300):
            game = chess.pgn.read_game(text)
            actions = store.actions[store.offsets[index] : store.offsets[index + 1]]
            assert actions.tolist() == actions_of(game)
            assert store.returns[index, 0] == result_of(game)
            assert store.columns.ratings[index, 0] == int(game.headers.get("WhiteElo", 0))


def test_all_games_replay_and_have_every_phase(store):
    table = store.positions("lichess")
    assert len(table) == store.num_positions
    assert (table.positions_per_phase() > 500_000).all()
