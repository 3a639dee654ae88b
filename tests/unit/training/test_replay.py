"""The window of samples that a learner draws from."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import selfplay_games

from phasezoo import agents, games, inference, training
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.training import GameStore, Replay

selfplay_games.register()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    """Forty games in files of five, a quarter of whose searches were cheap."""
    folder = tmp_path_factory.mktemp("store") / "games"
    agent = agents.MCTSAgent(
        inference.Uniform(),
        limit=agents.Limit(nodes=20),
        cheap_search_prob=0.25,
        cheap_search_nodes=4,
    )
    return training.play_games(
        agent, game="connect-four", games=40, seed=1, out=folder, shard_games=5
    )


def folder_of(store: GameStore, path: Path) -> Path:
    """The store in a folder of its own, in files of five games."""
    with training.StoreWriter(path, game=store.game.name, shard_games=5) as writer:
        writer.extend(store)
    return path


def searched(store: GameStore) -> int:
    visits = store.columns.visits
    assert visits is not None
    return int((np.diff(visits.offsets) > 0).sum())


def test_samples_are_searched_decisions(store: GameStore) -> None:
    replay = Replay("connect-four")
    assert replay.add(store) == searched(store) == len(replay) < store.num_positions


def test_files_without_a_search_add_no_samples_to_a_store_with_searches(
    store: GameStore, tmp_path: Path
) -> None:
    folder = folder_of(store, tmp_path / "games")
    training.play_games(
        "random", game="connect-four", games=10, seed=2, out=folder, append=True, shard_games=5
    )
    opened, added = Replay.open(folder), Replay("connect-four")
    assert len(opened) == added.add(GameStore.open(folder)) == searched(store)
    assert len(Replay.open(folder, capacity=60)) == 60


def test_the_window_holds_the_newest_samples_and_no_more_games_than_it_needs(
    store: GameStore,
) -> None:
    replay = Replay("connect-four", capacity=100)
    for first in range(0, 40, 2):
        replay.add(store.subset([first, first + 1]))
        assert replay.num_games <= 12
    assert len(replay) == 100
    assert replay.generated == searched(store)
    kept, table = replay.samples()
    assert len(table) == 100
    whole = Replay("connect-four")
    whole.add(store)
    _, everything = whole.samples()
    assert table.key.tolist() == everything.key[-100:].tolist()
    assert table.ply.tolist() == everything.ply[-100:].tolist()
    assert kept.actions[-1] == store.actions[-1]


def test_one_large_store_leaves_no_more_games_than_are_needed(
    store: GameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Replay("connect-four")
    whole.add(store)
    _, everything = whole.samples()
    needed = len(set(everything.game[-60:].tolist()))
    monkeypatch.setattr("phasezoo.training.selfplay.replay._TOGETHER", 16)
    replay = Replay("connect-four", capacity=60)
    assert replay.add(store) == replay.generated == searched(store)
    assert replay.num_games == needed < 10
    opened = Replay.open(folder_of(store, tmp_path / "games"), capacity=60)
    for one in (replay, opened):
        assert one.num_games == needed
        kept, table = one.samples()
        assert table.key.tolist() == everything.key[-60:].tolist()
        assert kept.actions[-1] == store.actions[-1]


def test_reading_files_gives_the_same_window_as_adding_games(
    store: GameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(store, tmp_path / "games")
    read: list[str] = []
    from phasezoo.training.selfplay import replay as module

    whole = module.read_file

    def counted(path: Path) -> Any:
        read.append(path.name)
        return whole(path)

    monkeypatch.setattr(module, "read_file", counted)
    opened = Replay.open(folder, capacity=150)
    assert len(read) < 8  # the oldest files are not looked at
    added = Replay("connect-four", capacity=150)
    added.add(store)
    mine, other = opened.sampler(16, 3), added.sampler(16, 3)
    for index in range(4):
        one, two = mine.batch(index), other.batch(index)
        assert np.array_equal(one.float_planes, two.float_planes)
        assert np.array_equal(one.value, two.value)


@pytest.mark.parametrize("size", [2, 8])
def test_all_files_are_counted_if_every_one_is_asked_for(
    store: GameStore, tmp_path: Path, size: int
) -> None:
    for number, first in enumerate(range(0, len(store), size)):
        store.subset(np.arange(first, min(first + size, len(store)))).save(
            tmp_path / f"games-{number:05}.parquet"
        )
    files = sorted(tmp_path.iterdir())
    replay = Replay("connect-four", capacity=20)
    assert replay.read(files, every=True) == Replay("connect-four", capacity=10**6).read(files)
    assert len(replay) == 20


def test_a_file_that_is_cut_short_is_named_skipped_and_counted(
    store: GameStore, tmp_path: Path
) -> None:
    folder = folder_of(store, tmp_path / "games")
    broken = sorted(folder.glob("*.parquet"))[-2]
    broken.write_bytes(broken.read_bytes()[:200])
    with pytest.warns(UserWarning, match=broken.name):
        replay = Replay.open(folder)
    assert len(replay.skipped) == 1
    assert broken.name in replay.skipped[0]
    assert 0 < len(replay) < searched(store)
    for file in folder.glob("*.parquet"):
        file.write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="every file"):
        Replay.open(folder)


def test_drawing_is_even_or_by_age(store: GameStore) -> None:
    replay = Replay("connect-four", capacity=400)
    replay.add(store)
    even = replay.sampler(40, 1)
    drawn = np.concatenate([even.batch_rows(index) for index in range(10)])
    assert sorted(drawn) == list(range(400))  # each once before any twice
    aged = Replay("connect-four", capacity=400, half_life=100)
    aged.add(store)
    sampler = aged.sampler(400, 1)
    drawn = np.concatenate([sampler.batch_rows(index) for index in range(50)])
    counts = np.bincount(drawn // 100, minlength=4)
    expected = np.array([1, 2, 4, 8]) / 15 * len(drawn)
    assert counts == pytest.approx(expected, rel=0.08)
    assert np.array_equal(sampler.batch_rows(3), aged.sampler(400, 1).batch_rows(3))


def test_samples_are_weighed_by_their_games_and_by_plies_left(store: GameStore) -> None:
    replay = Replay("connect-four", counts="game")
    replay.add(store)
    sampler = replay.sampler(8, 1)
    batch = sampler.make(np.arange(len(replay)))
    sums = np.bincount(batch.game, weights=batch.weight)
    assert sums == pytest.approx(np.full(len(sums), sums[0]))
    assert batch.weight.mean() == pytest.approx(1)
    late = Replay("connect-four", discount=0.9)
    late.add(store)
    batch = late.sampler(8, 1).make(np.arange(len(late)))
    first = batch.take(np.flatnonzero(batch.game == 0))
    pairs = first.weight[1:] / first.weight[:-1]
    gaps = first.plies_left[:-1] - first.plies_left[1:]
    assert pairs == pytest.approx(0.9**-gaps, rel=1e-4)


def test_samples_are_turned_or_not(store: GameStore) -> None:
    plain = Replay("connect-four", symmetries=False)
    turned = Replay("connect-four", symmetries=True)
    for replay in (plain, turned):
        replay.add(store)
    one, two = plain.sampler(64, 1).batch(0), turned.sampler(64, 1).batch(0)
    mirrored = (one.float_planes != two.float_planes).any(axis=(1, 2, 3))
    assert 8 < mirrored.sum() < 56
    assert np.array_equal(one.float_planes[mirrored], two.float_planes[mirrored][..., ::-1])


def test_phases_and_values_of_searches(store: GameStore) -> None:
    replay = Replay("connect-four", gate="plies:10", value_mix=1.0)
    replay.add(store)
    kept, table = replay.samples("over 10")
    assert (table.ply > 10).all()
    batch = replay.sampler(32, 1, phase="over 10").batch(0)
    assert set(batch.phase.tolist()) == {1}
    expected = kept.columns.values
    assert expected is not None
    assert set(batch.value.tolist()) <= set(expected.tolist())
    weighed = replay.sampler(64, 1, weights=[1, 3]).batch(0)
    assert set(weighed.weight.tolist()) == {1.0, 3.0}


def test_values_have_a_share_of_later_searches(store: GameStore) -> None:
    """The lambda-return, as one sums it up: later values of the player by powers of lambda."""
    share, columns = 0.7, store.columns
    replay = Replay("connect-four", value_mix=1.0, value_lambda=share, symmetries=False)
    for first in range(0, len(store), 10):
        replay.add(store.subset(range(first, first + 10)))
    kept, table = replay.samples()
    batch = replay.sampler(8, 1).make(np.arange(len(table)))
    assert columns.values is not None
    assert len({int(table.player[row]) for row in range(len(table))}) == 2
    for row, (game, ply, player) in enumerate(
        zip(table.game.tolist(), table.ply.tolist(), table.player.tolist(), strict=True)
    ):
        own = columns.values[store.offsets[game] + ply : store.offsets[game + 1] : 2]
        own = own[~np.isnan(own)].astype(float)
        powers = share ** np.arange(len(own))
        expected = (1 - share) * powers @ own + share ** len(own) * store.returns[game, player]
        assert batch.value[row] == pytest.approx(expected, abs=1e-5)
    small = Replay("connect-four", capacity=60, value_mix=1.0, value_lambda=share)
    for first in range(0, len(store), 2):  # the oldest games are cut, and not mixed twice
        small.add(store.subset([first, first + 1]))
    values, rows = kept.columns.values, small.samples()[0].columns.values
    assert values is not None
    assert rows is not None
    np.testing.assert_array_equal(rows, values[-len(rows) :])


def test_later_values_of_players_who_move_at_once() -> None:
    both = GameStore(
        "pommerman-ffa",
        actions=np.zeros(3 * 4, int),
        offsets=[0, 2, 3],
        returns=[[1, -1, 0, 0.5], [-1, -1, -1, -1]],
        values=[0.5, 0, 0, 0, np.nan, -0.5, 0, 1, 0.25, 0, 0, 0],
    )
    replay = Replay("pommerman-ffa", value_mix=1.0, value_lambda=0.5)
    replay.add(both)
    mixed = replay.samples()[0].columns.values
    expected = [0.75, -0.375, 0, 0.375, np.nan, -0.75, 0, 0.75, -0.375, -0.5, -0.5, -0.5]
    np.testing.assert_allclose(mixed, expected)


def test_surprising_samples_are_drawn_more_often(store: GameStore) -> None:
    surprises = store.columns.surprises
    assert surprises is not None
    replay = Replay("connect-four", surprise=0.5)
    replay.add(store)
    _, table = replay.samples()
    own = surprises[store.offsets[table.game] + table.ply].astype(float)
    expected = np.zeros(len(table))
    for game in set(table.game.tolist()):
        of_game = table.game == game
        assert own[of_game].sum() > 0
        share = of_game.sum() / len(table)  # of all draws, as if all were alike
        expected[of_game] = share * (0.5 / of_game.sum() + 0.5 * own[of_game] / own[of_game].sum())
    sampler = replay.sampler(1000, 1)
    drawn = np.concatenate([sampler.batch_rows(index) for index in range(200)])
    counts = np.bincount(drawn, minlength=len(table))
    gaps = (counts - len(drawn) * expected) / np.sqrt(len(drawn) * expected)
    assert np.square(gaps).sum() < len(table) + 5 * np.sqrt(2 * len(table))  # chi-squared
    assert expected.max() > 1.5 * expected.min()
    unknown = GameStore.of(store.game, replace(store.columns, surprises=None))
    plain = Replay("connect-four", surprise=0.5)
    plain.add(unknown)
    drawn = plain.sampler(len(table), 1).batch_rows(0)
    assert np.bincount(drawn // 50).max() < 100  # all alike


def test_what_is_refused(store: GameStore, tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"capacity": 0},
        {"half_life": 0.0},
        {"counts": "ply"},
        {"discount": 0.0},
        {"value_mix": 2.0},
        {"value_lambda": 1.0, "value_mix": 1.0},
        {"value_lambda": 0.5},
        {"surprise": 1.5},
        {"size": 3},
    ]
    for changes in wrong:
        with pytest.raises(InvalidConfig, match=next(iter(changes))):
            Replay("connect-four", **changes)
    with pytest.raises(StoreError, match="empty"):
        Replay("connect-four").sampler()
    with pytest.raises(StoreError, match="connect-four"):
        Replay("chess").add(store)
    with pytest.raises(StoreError, match="no file of games"):
        Replay.open(tmp_path)


def test_a_store_without_searches_has_all_its_decisions_as_samples() -> None:
    krk = GameStore.sample("krk").subset(range(5))
    replay = Replay(games.make("krk"))
    assert replay.add(krk) == krk.num_positions
