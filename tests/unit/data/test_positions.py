"""Position tables: labels against python-chess, counts, and what was seen in training."""

import chess
import numpy as np
import pytest
from game_makers import boards_of, random_games, store_of

from phasezoo import gating
from phasezoo.data.positions import PositionTable, count_phases, without_seen
from phasezoo.data.store import GameStore
from phasezoo.errors import CorruptRecord, InvalidArray, InvalidConfig, InvalidGate

GAMES = random_games(40, seed=2)


@pytest.fixture(scope="module")
def store():
    return store_of(GAMES)


def officers(board):
    kinds = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    return sum(len(board.pieces(kind, color)) for kind in kinds for color in chess.COLORS)


def test_rows_are_the_positions_before_every_move(store):
    table = store.positions("material:12,8,3")
    row = 0
    for index, game in enumerate(GAMES):
        for ply, (board, _) in enumerate(boards_of(game)):
            assert (table.game[row], table.ply[row]) == (index, ply)
            assert table.phase[row] == sum(officers(board) <= t for t in (12, 8, 3))
            row += 1
    assert row == len(table)
    assert (table.gate, table.names) == ("material:12,8,3", ("over 12", "9–12", "4–8", "up to 3"))


def test_phases_are_drawn_for_whole_games(store):
    table = store.positions("hash:3")
    divided = table.divided_by_game()
    parts = [np.unique(divided.phase[table.game == game]) for game in range(len(GAMES))]
    assert all(len(part) == 1 for part in parts)
    assert sorted(np.bincount(np.concatenate(parts)).tolist()) == [13, 13, 14]
    drawn = np.concatenate(parts)  # neither the first games nor every third one
    assert (drawn[3:] != drawn[:-3]).any()
    assert (np.diff(drawn) < 0).any()
    assert not np.array_equal(divided.phase, table.phase)
    assert (divided.names, divided.gate, len(divided)) == (table.names, "hash:3", len(table))
    none = table.select(np.zeros(0, np.int64)).divided_by_game()
    assert len(none) == 0


def test_keys_are_equal_exactly_where_fide_calls_positions_equal(store):
    table = store.positions()
    identities = [
        (
            board.board_fen(),
            board.turn,
            board.clean_castling_rights(),
            board.has_legal_en_passant() and board.ep_square,
        )
        for game in GAMES
        for board, _ in boards_of(game)
    ]
    assert len(set(identities)) == len(set(zip(identities, table.key.tolist(), strict=True)))
    assert len(set(identities)) == table.num_unique()


@pytest.mark.parametrize("spec", ["mixedness:100,200,300", "hash:4"])
def test_monotone_gates_take_the_largest_phase_so_far(store, spec):
    markov, monotone = store.positions(spec), store.positions(f"monotone:{spec}")
    for game in range(len(store)):
        rows = markov.game == game
        expected = np.maximum.accumulate(markov.phase[rows])
        np.testing.assert_array_equal(monotone.phase[rows], expected)
    assert (markov.phase != monotone.phase).any()


def test_python_gates_give_the_same_as_native_ones(store):
    native = gating.make("mixedness:60,150,300")
    one = gating.make(lambda state: native(state), names=("a", "b", "c", "d"))
    many = gating.make(native.batch, names=("a", "b", "c", "d"), batched=True)
    expected = store.positions(native)
    for gate in (one, many):
        table = store.positions(gate)
        np.testing.assert_array_equal(table.phase, expected.phase)
        np.testing.assert_array_equal(table.key, expected.key)
    monotone = store.positions(gating.make(many, monotone=True))
    np.testing.assert_array_equal(
        monotone.phase, store.positions("monotone:mixedness:60,150,300").phase
    )


def test_a_python_gate_sees_states_with_their_history(store):
    seen = []

    def watch(state):
        seen.append((state.start_fen, state.ply, len(state.moves)))
        return 0

    store.subset([2]).positions(gating.make(watch, names=("all",)))
    plies = int(np.diff(store.offsets)[2])
    assert seen == [(store.starts.get(2), ply, ply) for ply in range(plies)]


def test_bad_gates_and_bad_games_are_named(store):
    with pytest.raises(InvalidGate, match="moves:0"):
        store.positions("moves:0")
    with pytest.raises(InvalidGate, match="answer is 5"):
        store.positions(gating.make(lambda state: 5, names=("a", "b")))
    actions = store.actions.copy()
    actions[store.offsets[30]] = 0
    broken = GameStore("chess", actions, store.offsets, store.returns, starts=store.starts)
    with pytest.raises(CorruptRecord, match="game 30, ply 0"):
        broken.positions("lichess")


def test_threads_change_nothing(store):
    one, two = store.positions("lichess", threads=1), store.positions("lichess", threads=3)
    np.testing.assert_array_equal(one.phase, two.phase)
    np.testing.assert_array_equal(one.key, two.key)


def test_phases_are_chosen_by_index_or_name(store):
    table = store.positions("lichess")
    endgame = table.of_phase("endgame")
    assert len(endgame) == table.positions_per_phase()[2] == len(table.of_phase(2))
    assert set(endgame.phase.tolist()) <= {2}
    for wrong in ("end", 3, -1, True, None):
        with pytest.raises(InvalidConfig, match="'opening', 'middlegame', 'endgame'"):
            table.of_phase(wrong)


def test_the_phase_table_counts_games_and_positions(store):
    table = store.phase_table("lichess", seed=4)
    splits = store.split(4).positions("lichess")
    for split, rows in splits.items():
        for index, name in enumerate(rows.names):
            chosen = rows.phase == index
            count = table.count(split, name)
            assert (count.positions, count.games) == (chosen.sum(), len(set(rows.game[chosen])))
        assert table.count(split, "all").positions == len(rows)
    assert table.count("all", "all").positions == store.num_positions
    assert table.count("all", "all").games == len(store)
    assert table.splits == ("train", "validation", "test", "all")
    with pytest.raises(InvalidConfig, match="splits are"):
        table.count("dev", "all")


def test_a_gate_of_one_phase_has_one_row_a_split(store):
    table = store.phase_table("none")
    assert [(c.split, c.phase) for c in table.counts] == [(s, "all") for s in table.splits]


def test_empty_stores_have_empty_tables():
    empty = GameStore("chess", np.empty(0, np.uint16), [0], np.empty((0, 2), np.float32))
    assert len(empty.positions("lichess")) == 0
    assert empty.phase_table("lichess").count("all", "all").positions == 0
    assert len(empty.split(0).train) == 0


def test_test_positions_that_were_trained_on_are_removed_and_counted(store):
    splits = store.split(0, (0.6, 0.2, 0.2)).positions("lichess")
    train, test = splits["train"], splits["test"]
    rest, removed = without_seen(test, train)
    known = set(train.key.tolist())
    assert [key for key in test.key.tolist() if key not in known] == rest.key.tolist()
    assert removed.sum() == len(test) - len(rest) > 0
    assert removed.tolist() == [
        sum(key in known for key in test.of_phase(phase).key.tolist()) for phase in range(3)
    ]
    again, none = without_seen(rest, train)
    assert len(again) == len(rest)
    assert none.tolist() == [0, 0, 0]


def test_columns_must_have_one_length():
    with pytest.raises(InvalidArray, match="different lengths"):
        PositionTable(
            np.zeros(2, np.int32),
            np.zeros(3, np.int32),
            np.zeros(2, np.int8),
            np.zeros(2, np.int8),
            np.zeros(2, np.uint64),
        )


def test_counts_of_splits_add_up(store):
    tables = store.split(0).positions("moves:3")
    table = count_phases(tables)
    for phase in (*table.names, "all"):
        parts = [table.count(split, phase) for split in tables]
        whole = table.count("all", phase)
        assert whole.positions == sum(part.positions for part in parts)
        assert whole.games == sum(part.games for part in parts)
