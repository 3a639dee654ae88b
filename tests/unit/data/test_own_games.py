"""Stored games of a user's own: states replayed, symmetries, pickled starts, memory."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from played_games import Nim, random_game

from phasezoo import games, gating
from phasezoo.data import state_records as state_records_module
from phasezoo.errors import CorruptRecord, GameContract, StoreError
from phasezoo.training import GameStore, Sampler, StoreWriter

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
SQUARE = np.arange(9).reshape(3, 3)


def turned_by(turn):
    return lambda planes: turn(planes), np.argsort(turn(SQUARE[None])[0].ravel())


@dataclass(frozen=True)
class Ttt:
    """Tic-tac-toe with seven symmetries beside the identity, but for the last: see below."""

    cells: tuple = (0,) * 9

    @property
    def to_play(self):
        return sum(map(abs, self.cells)) % 2

    @property
    def ply(self):
        return sum(map(abs, self.cells))

    @property
    def winner(self):
        return next(
            (self.cells[a] for a, b, c in LINES if abs(sum(self.cells[i] for i in (a, b, c))) == 3),
            0,
        )

    @property
    def is_terminal(self):
        return self.winner != 0 or 0 not in self.cells

    @property
    def legal_actions(self):
        return np.flatnonzero((np.array(self.cells) == 0) & (not self.is_terminal))

    @property
    def returns(self):
        return np.array([self.winner, -self.winner], dtype=np.float32)

    def play(self, action):
        return Ttt((*self.cells[:action], 1 - 2 * self.to_play, *self.cells[action + 1 :]))

    def planes(self, spec, player=None):
        sign = 1 - 2 * (self.to_play if player is None else player)
        own = sign * np.array(self.cells).reshape(3, 3)
        return np.stack([own == 1, own == -1]).astype(np.float32)

    @property
    def symmetries(self):
        quarter = turned_by(lambda planes: np.rot90(planes, axes=(1, 2)))
        mirror = turned_by(lambda planes: planes[:, :, ::-1])
        # As a right to castle does, a stone in the middle takes the second away.
        return (quarter, None if self.cells[4] else mirror)


def register(state_type=Ttt):
    return games.register(
        "ttt",
        initial_state=state_type,
        num_players=2,
        num_actions=9,
        plane_specs={"default": (2, 3, 3)},
    )


@pytest.fixture
def store():
    game, rng = register(), np.random.default_rng(1)
    return GameStore.from_dataset(
        [{"moves": random_game("ttt", rng, searched=False)["actions"].ravel()} for _ in range(60)],
        game,
    )


def test_symmetries_turn_planes_actions_and_policies(tmp_path):
    register()
    rng = np.random.default_rng(2)
    with StoreWriter(tmp_path / "games", "ttt") as writer:
        for _ in range(40):
            writer.add(**random_game("ttt", rng))
    store = GameStore.open(tmp_path / "games")
    assert (store.num_symmetries, store.is_symmetric) == (3, True)
    table = store.positions("plies:3")
    rows = np.arange(len(table))
    plain = store.batch(table, rows, "default")
    for symmetry in (1, 2):
        chosen = np.full(len(rows), symmetry, dtype=np.uint8)
        batch = store.batch(table, rows, "default", symmetries=chosen)
        whole, policies = plain.policy.dense(9), batch.policy.dense(9)
        for row in rows:
            state = store.records.states(table.game[row])[table.ply[row]]
            pair = state.symmetries[symmetry - 1]
            if pair is None:
                pair = (lambda planes: planes), np.arange(9)
            turn, moved = pair
            np.testing.assert_array_equal(batch.planes[row], turn(plain.planes[row]))
            assert batch.action[row] == moved[plain.action[row]]
            np.testing.assert_array_equal(policies[row][moved], whole[row])
            # A stone on the turned action's cell is the turned state's.
            assert not batch.planes[row].reshape(2, 9)[:, batch.action[row]].any()
    drawn = Sampler(store, table, batch_size=300, symmetries=True).batch(0)
    same = Sampler(store, table, batch_size=300).batch(0)
    assert 0.2 < (drawn.planes == same.planes).all(axis=(1, 2, 3)).mean() < 0.7


def test_the_checker_looks_at_symmetries():
    assert games.check(register(), games=5)


def wrong(pairs):
    return type("Wrong", (Ttt,), {"symmetries": property(lambda self: pairs(self))})


def flipped(planes):
    return planes[:, :, ::-1]


@pytest.mark.parametrize(
    ("pairs", "contract"),
    [
        (lambda self: ((flipped, np.arange(9)),), "a turned position has the turned actions"),
        (lambda self: ((flipped, np.arange(8)),), "symmetries are pairs"),
        (lambda self: ((flipped, np.zeros(9, dtype=int)),), "symmetries are pairs"),
        (lambda self: (flipped,), "symmetries are pairs"),
        (lambda self: self.play, "symmetries are pairs"),  # a method in place of a property
        (
            lambda self: ((flipped, SQUARE[:, ::-1].ravel()),) * (1 + self.ply),
            "symmetries are pairs",
        ),
        (lambda self: ((lambda planes: planes[:, 1:], np.arange(9)),), "symmetries turn planes"),
        (lambda self: ((lambda planes: 1 / 0, np.arange(9)),), "symmetries turn planes"),
    ],
)
def test_symmetries_that_are_none_are_named(pairs, contract):
    kind = wrong(pairs)
    kind.play = lambda self, action: kind(Ttt.play(self, action).cells)
    report = games.check(register(kind), games=40)
    assert any(breach.contract.startswith(contract) for breach in report.breaches), report


def test_a_store_of_wrong_symmetries_is_refused():
    kind = wrong(lambda self: (flipped,))
    with pytest.raises(GameContract, match=r"symmetries\[0\]"):
        GameStore(register(kind), [0], [0, 1], [[0, 0]])


def test_gates_label_games_of_ones_own(store):
    states = [state for game in range(len(store)) for state in store.records.states(game)]
    table = store.positions("plies:2,5")
    assert table.phase.tolist() == [sum(s.ply > t for t in (2, 5)) for s in states]
    assert table.player.tolist() == [s.to_play for s in states]
    middle = gating.make(lambda state: int(state.cells[4] != 0), names=("empty", "taken"))
    assert store.positions(middle).phase.tolist() == [int(s.cells[4] != 0) for s in states]
    monotone = gating.make(lambda state: state.ply % 2, names=("even", "odd"), monotone=True)
    assert store.positions(monotone).phase.tolist() == [int(s.ply > 0) for s in states]
    keys = {key: s.cells for key, s in zip(table.key.tolist(), states, strict=True)}
    assert len(keys) == len({s.cells for s in states})


def test_splits_are_the_same_for_the_same_games(store):
    def train(store, seed):
        part = store.split(seed).train
        return {tuple(part.actions[slice(*part.offsets[g : g + 2])]) for g in range(len(part))}

    shuffled = store.subset(np.random.default_rng(0).permutation(len(store)))
    assert train(store, 5) == train(shuffled, 5) != train(store, 6)


def test_bad_games_are_named(store):
    actions = store.actions.copy()
    actions[store.offsets[7] + 1] = actions[store.offsets[7]]
    broken = GameStore(store.game, actions, store.offsets, store.returns)
    with pytest.raises(CorruptRecord, match=r"game 7, ply 1: action \d of player 1 is not legal"):
        broken.positions()


def test_a_states_own_error_is_told_with_its_place(store):
    class Fails(Ttt):
        def play(self, action):
            raise ValueError("mine")

    own = GameStore(register(Fails), [0], [0, 1], [[0, 0]])
    with pytest.raises(ValueError, match="mine") as raised:
        own.positions()
    assert "game 0 of the store, ply 0" in raised.value.__notes__[0]


def test_starts_are_pickled_only_if_asked_for(tmp_path):
    start = Nim(11)
    with StoreWriter(tmp_path / "plain", "nim") as writer:
        writer.add(start=Nim(), actions=[2, 2, 0])
        with pytest.raises(StoreError, match="pickle_starts=True"):
            writer.add(start=start, actions=[2, 2, 2, 1])
    assert GameStore.open(tmp_path / "plain").starts == {}
    with StoreWriter(tmp_path / "games", "nim", pickle_starts=True) as writer:
        writer.add(start=start, actions=[2, 2, 2, 1])
        writer.add(start="seed:2", actions=[2, 2, 0])
    with pytest.raises(StoreError, match="allow_pickle=True"):
        GameStore.open(tmp_path / "games")
    store = GameStore.open(tmp_path / "games", allow_pickle=True)
    assert [states[0].stones for states in map(store.records.states, range(2))] == [11, 7]
    assert isinstance(store.starts[0], bytes)
    assert len(store.positions()) == 7
    with (
        pytest.raises(StoreError, match="pickled starts"),
        StoreWriter(tmp_path / "other", "nim") as writer,
    ):
        writer.extend(store)
    damaged = {0: store.starts[0][:-3]}
    with pytest.raises(CorruptRecord, match="game 0: start position"):
        GameStore("nim", [0], [0, 1], [[0, 0]], starts=damaged)
    with pytest.raises(CorruptRecord, match="a Ttt is no state of 'nim'"):
        GameStore("nim", [0], [0, 1], [[0, 0]], starts={0: pickle.dumps(Ttt())})


def test_a_store_goes_to_another_process_without_the_states_it_keeps(store):
    table = store.positions()
    expected = Sampler(store, table, batch_size=200).batch(0)
    size = len(pickle.dumps(store))
    assert size == len(pickle.dumps(GameStore.of(store.game, store.columns)))
    other = pickle.loads(pickle.dumps(store))
    given = Sampler(other, other.positions(), batch_size=200).batch(0)
    np.testing.assert_array_equal(given.planes, expected.planes)


def test_few_states_are_kept_where_memory_is_short(store, monkeypatch):
    table = store.positions()
    expected = Sampler(store, table, batch_size=200).batch(0)
    monkeypatch.setattr(state_records_module, "KEPT_BYTES", 40_000)
    frugal = GameStore.of(store.game, store.columns)
    given = Sampler(frugal, table, batch_size=200).batch(0)
    np.testing.assert_array_equal(given.planes, expected.planes)
    kept = sum(len(states) for states in frugal.records._kept.values())
    assert kept < len(table) / 2


def test_a_store_of_a_game_that_is_not_registered_is_refused(store, tmp_path):
    from phasezoo.games import registry

    store.save(tmp_path / "games")
    assert len(GameStore.open(tmp_path / "games")) == 60
    ttt = registry.REGISTRY.own.pop("ttt")
    with pytest.raises(StoreError, match="registers it to be imported"):
        GameStore.open(tmp_path / "games")
    registry.REGISTRY.own["ttt"] = ttt
    games.register(
        "ttt",
        initial_state=Ttt,
        num_players=2,
        num_actions=10,
        plane_specs={"default": (2, 3, 3)},
    )
    with pytest.raises(StoreError, match="'flat-10'"):
        GameStore.open(tmp_path / "games")
