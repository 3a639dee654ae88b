"""Batches: equal to the states played one by one, seekable, each position once an epoch."""

from itertools import islice

import chess
import numpy as np
import pytest
from game_makers import boards_of, random_games, result_of, start_of, store_of

from phasezoo import games
from phasezoo.data.sampler import Sampler
from phasezoo.data.store import GameStore
from phasezoo.errors import CorruptRecord, InvalidConfig, InvalidPlaneSpec, StoreError

GAMES = random_games(30, seed=3)
CHESS = games.make("chess")


@pytest.fixture(scope="module")
def store():
    return store_of(GAMES)


def actions_of(moves):
    positions = [CHESS.from_fen(chess.STARTING_FEN, moves[:ply]) for ply in range(len(moves))]
    return [state.parse_uci(move) for state, move in zip(positions, moves, strict=True)]


@pytest.fixture(scope="module")
def rows(store):
    return store.positions("lichess")


def state_at(game, ply):
    moves = [move.uci() for move in game.mainline_moves()][:ply]
    return CHESS.from_fen(start_of(game) or chess.STARTING_FEN, moves)


@pytest.mark.parametrize("planes", ["v1", "v2", "minimal", "lc0", "lc0-canonical-v2"])
def test_rows_equal_the_states_played_one_by_one(store, rows, planes):
    sampler = Sampler(store, rows, planes, batch_size=300, seed=1)
    batch, index = sampler.batch(2), sampler.batch_rows(2)
    assert batch.planes.dtype == np.float32
    assert batch.planes.shape == (300, *CHESS.plane_shape(planes))
    for row, (number, ply) in enumerate(zip(rows.game[index], rows.ply[index], strict=True)):
        game = GAMES[number]
        state = state_at(game, ply)
        np.testing.assert_array_equal(batch.planes[row], state.planes(planes))
        moves = [move.uci() for move in game.mainline_moves()]
        assert state.uci(int(batch.action[row])) == moves[ply]
        result = result_of(game) * (1 if state.to_play == 0 else -1)
        assert batch.value[row] == result
        assert batch.wdl[row] == {1: 0, 0: 1, -1: 2}[result]
        assert batch.plies_left[row] == len(moves) - ply
        assert (batch.phase[row], batch.game[row]) == (rows.phase[index[row]], number)


def test_planes_show_as_many_of_the_last_moves_as_asked_for(store, rows):
    full = Sampler(store, rows, "v2", batch_size=100, seed=1)
    short = Sampler(store, rows, "v2", batch_size=100, seed=1, history=3)
    assert short.plane_spec == "v2:history=3"
    expected = full.batch(0).planes
    assert expected[:, 26:36].any()
    expected[:, 26:36] = 0
    np.testing.assert_array_equal(short.batch(0).planes, expected)
    with pytest.raises(InvalidPlaneSpec, match="show no moves"):
        Sampler(store, rows, "minimal", history=3)


def test_every_game_gives_its_last_move_too(store, rows):
    batch = Sampler(store, rows, batch_size=len(rows)).batch(0)
    assert (batch.plies_left == 1).sum() == len(store)
    assert batch.plies_left.min() == 1


def test_every_position_comes_once_an_epoch_and_batches_run_on(store, rows):
    sampler = Sampler(store, rows, batch_size=97, seed=4)
    count = -(-2 * len(rows) // 97)
    order = np.concatenate([sampler.batch_rows(i) for i in range(count)])
    for epoch in range(2):
        part = order[epoch * len(rows) : (epoch + 1) * len(rows)]
        assert sorted(part.tolist()) == list(range(len(rows)))
    assert not np.array_equal(order[: len(rows)], order[len(rows) : 2 * len(rows)])
    assert sampler.epochs(count) == pytest.approx(2, abs=0.1)


def test_batches_are_seekable_and_fixed_by_the_seed(store, rows):
    sampler = Sampler(store, rows, batch_size=50, seed=7, history_dropout=0.3)
    first = list(islice(sampler, 40))
    fresh = Sampler(store, rows, batch_size=50, seed=7, history_dropout=0.3, threads=1)
    for index in (39, 3, 17, 0):
        again = fresh.batch(index)
        for name in ("planes", "action", "value", "wdl", "plies_left", "phase", "game"):
            np.testing.assert_array_equal(getattr(again, name), getattr(first[index], name))
    other = Sampler(store, rows, batch_size=50, seed=8).batch_rows(0)
    assert not np.array_equal(sampler.batch_rows(0), other)


def test_a_batch_may_be_larger_than_the_data(store, rows):
    few = rows.select(np.arange(5))
    sampler = Sampler(store, few, batch_size=12)
    assert len(sampler.batch(3)) == 12
    assert np.bincount(sampler.batch_rows(0), minlength=5).min() >= 2


def test_history_dropout_hides_the_last_moves_and_nothing_else(store, rows):
    plain = Sampler(store, rows, batch_size=200, seed=1)
    for share in (0.0, 0.5, 1.0):
        sampler = Sampler(store, rows, batch_size=200, seed=1, history_dropout=share)
        batch, full = sampler.batch(1), plain.batch(1)
        index = sampler.batch_rows(1)
        late = rows.ply[index] > 0
        hidden = (batch.planes[:, 20:36] == 0).all(axis=(1, 2, 3)) & late
        assert abs(hidden[late].mean() - share) < 0.15
        others = np.r_[0:20, 36:52]
        np.testing.assert_array_equal(batch.planes[:, others], full.planes[:, others])
        np.testing.assert_array_equal(batch.planes[~hidden], full.planes[~hidden])
        row = int(np.flatnonzero(late)[0])
        state = state_at(GAMES[batch.game[row]], int(rows.ply[index[row]]))
        expected = state.without_history() if hidden[row] else state
        np.testing.assert_array_equal(batch.planes[row], expected.planes("v2"))


def test_positions_in_order_come_once_with_their_history(store, rows):
    sampler = Sampler(store, rows, batch_size=64, history_dropout=1.0)
    batches = list(sampler.in_order(1000))
    assert [len(batch) for batch in batches[:-1]] == [1000] * (len(batches) - 1)
    action = np.concatenate([batch.action for batch in batches])
    game = np.concatenate([batch.game for batch in batches])
    np.testing.assert_array_equal(game, rows.game)
    assert len(action) == len(rows)
    np.testing.assert_array_equal(
        batches[0].planes[3], state_at(GAMES[0], int(rows.ply[3])).planes("v2")
    )


def test_repetitions_survive_long_shuffling():
    # The knights go out and back: positions recur long after the start, all moves reversible.
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 4
    store = GameStore("chess", actions_of(moves), [0, 16], [[0, 0]])
    rows = store.positions()
    for planes in ("v2", "lc0", "lc0-canonical", "lc0-canonical-v2"):
        batch = next(iter(Sampler(store, rows, planes, batch_size=16).in_order()))
        for ply in range(16):
            state = CHESS.from_fen(chess.STARTING_FEN, moves[:ply])
            assert state.occurrences == ply // 4
            np.testing.assert_array_equal(batch.planes[ply], state.planes(planes), planes)


@pytest.mark.parametrize("batch_size", [10**10, 10**30])
def test_a_batch_that_memory_cannot_hold_is_refused_at_once(store, rows, batch_size):
    with pytest.raises(InvalidConfig, match=f"batch_size={batch_size}"):
        Sampler(store, rows, batch_size=batch_size)


def test_bad_options_are_refused(store, rows):
    bad: list[dict[str, object]] = [
        {"batch_size": 0},
        {"history_dropout": 1.5},
        {"history_dropout": float("nan")},
        {"symmetries": "no"},
    ]
    for options in bad:
        with pytest.raises(InvalidConfig):
            Sampler(store, rows, **options)
    with pytest.raises(InvalidPlaneSpec):
        Sampler(store, rows, planes="v9")
    with pytest.raises(StoreError, match="no positions to sample"):
        Sampler(store, rows.select(np.zeros(len(rows), bool)))
    with pytest.raises(InvalidConfig, match="counted from 0"):
        Sampler(store, rows).batch(-1)


def test_rows_of_another_store_are_refused(store, rows):
    small = store.subset([0])
    with pytest.raises(CorruptRecord):
        Sampler(small, rows, batch_size=64).batch(0)


def test_all_reference_boards_are_covered(rows):
    assert len(rows) == sum(1 for game in GAMES for _ in boards_of(game))


def test_phases_are_weighed(store, rows):
    weights = [0.25, 2.5, 0.25]
    sampler = Sampler(store, rows, batch_size=200, seed=1, weights=weights)
    batch, plain = sampler.batch(0), Sampler(store, rows, batch_size=200, seed=1).batch(0)
    np.testing.assert_array_equal(batch.weight, np.float32(weights)[batch.phase])
    assert len(set(batch.weight.tolist())) == 2
    assert batch.weight.dtype == np.float32
    assert (plain.weight == 1).all()
    np.testing.assert_array_equal(batch.planes, plain.planes)
    for wrong in ([1, 2], [1, 2, -1], [1, 2, np.nan], 1):
        with pytest.raises(InvalidConfig, match="'opening', 'middlegame', 'endgame'"):
            Sampler(store, rows, weights=wrong)
