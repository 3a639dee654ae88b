"""The sample games in the package: of every game that is played by turns, whole and legal."""

import re
from importlib import resources

import chess
import chess.variant
import numpy as np
import pytest

from phasezoo import games
from phasezoo.errors import StoreError
from phasezoo.training import GameStore

MAX_BYTES = {"chess": 4_000_000}
FILES = sorted(
    file.name.removesuffix("_games.parquet")
    for file in (resources.files("phasezoo") / "data" / "samples").iterdir()
    if file.name.endswith("_games.parquet")
)
BOARDS = {
    "chess": chess.Board,
    "chess960": chess.Board,
    "krk": chess.Board,
    "atomic": chess.variant.AtomicBoard,
    "crazyhouse": chess.variant.CrazyhouseBoard,
}


def test_a_game_names_its_sample_games_unless_it_has_other_rules():
    assert GameStore.sample(games.make("krk")).game.name == "krk"
    with pytest.raises(StoreError, match=r"'krk' with \{'both_move': True\}"):
        GameStore.sample(games.make("krk", both_move=True))
    with pytest.raises(StoreError, match="no sample games of 'pommerman-ffa'; there are"):
        GameStore.sample(games.make("pommerman-ffa"))


def test_these_games_have_sample_games():
    assert FILES == ["atomic", "chess", "chess960", "connect-four", "crazyhouse", "krk"]


@pytest.mark.parametrize("game", FILES)
def test_files_are_small_and_their_games_legal_and_different(game):
    file = resources.files("phasezoo") / "data" / "samples" / f"{game}_games.parquet"
    with resources.as_file(file) as path:
        assert path.stat().st_size <= MAX_BYTES.get(game, 2_000_000)
    store = GameStore.sample(game)
    assert store.game.name == game
    assert len(store) >= 400
    part = store.subset(np.arange(0, len(store), max(1, len(store) // 300)))
    table = part.positions()  # checks every action
    assert len(table) == part.num_positions
    assert len(np.unique(store.records.hashes(1))) == len(store)
    assert {-1.0, 1.0} <= set(store.returns.ravel().tolist())


@pytest.mark.parametrize("game", FILES)
def test_results_are_those_of_the_rules(game):
    store = GameStore.sample(game)
    ended = 0
    # Few games of chess end by the rules: players resign, and agree to a draw.
    for number in range(0, len(store), len(store) // 400):
        *_, last = store.records.states(number)
        actions = store.actions[store.offsets[number] : store.offsets[number + 1]]
        end = last.play(int(actions[-1]))
        if end.is_terminal:
            ended += 1
            assert list(end.returns) == store.returns[number].tolist(), number
    assert ended >= 10


@pytest.mark.parametrize("game", [game for game in FILES if game in BOARDS])
def test_python_chess_plays_them_too(game):
    store, handle = GameStore.sample(game), games.make(game)
    for number in range(0, len(store), len(store) // 15):
        states = store.records.states(number)
        board = BOARDS[game](states[0].fen, chess960=game == "chess960")
        actions = store.actions[store.offsets[number] : store.offsets[number + 1]]
        for state, action in zip(states, actions.tolist(), strict=True):
            move = chess.Move.from_uci(state.uci(action))
            assert board.is_legal(move), (game, number, state.fen)
            board.push(move)
        after = handle.from_fen(states[-1].fen).play(int(actions[-1]))
        assert told(after.fen) == told(board.fen())


def told(fen):
    """Pieces, player and castling rights; pockets in one order, which FENs leave open."""
    sort = re.sub(r"\[(.*)\]", lambda pocket: "".join(sorted(pocket[1])), fen)
    return sort.split()[:3]


def test_chess_games_have_the_phases_and_draws_of_human_games():
    # In human games 31.6 % of positions are endgames, and 40 % of games are drawn.
    store = GameStore.sample("chess")
    counts = store.phase_table("lichess").counts
    endgames = sum(
        count.positions for count in counts if (count.split, count.phase) == ("all", "endgame")
    )
    assert endgames / store.num_positions == pytest.approx(0.316, abs=0.05)
    assert (store.returns[:, 0] == 0).mean() == pytest.approx(0.40, abs=0.05)
