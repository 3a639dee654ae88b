"""What is no store or no number of positions is told in a sentence, before anything is done."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasezoo import training
from phasezoo.data.columns import Visits
from phasezoo.errors import InvalidArray, InvalidConfig, RunDirectoryError, StoreError


@pytest.mark.parametrize("store", ["runs/games", Path("runs/games"), None, 3])
def test_a_path_is_no_store(store: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"expected games, such as training\.GameStore\.open"):
        training.train_supervised(store, positions=10, out=tmp_path / "run")
    with pytest.raises(InvalidConfig, match=r"training\.GameStore\.open"):
        training.train_experts(store, "plies:10", positions=10, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("positions", [1e3, "100", 0, True, None])
def test_positions_are_a_whole_number(positions: Any, tmp_path: Path) -> None:
    store = training.GameStore.sample("connect-four")
    with pytest.raises(InvalidConfig, match=r"positions=.*whole number"):
        training.train_supervised(store, positions=positions, out=tmp_path / "run")
    with pytest.raises(InvalidConfig, match=r"positions=.*whole number"):
        training.EpisodeStore("pommerman-ffa", positions)
    assert not (tmp_path / "run").exists()


def test_episodes_have_no_samples() -> None:
    with pytest.raises(StoreError, match=r"EpisodeStore\('pommerman-ffa', positions="):
        training.EpisodeStore.sample()


def test_a_folder_of_stores_names_them(tmp_path: Path) -> None:
    store = training.GameStore.sample("connect-four").subset(np.arange(5))
    (tmp_path / "all").mkdir()
    store.save(tmp_path / "all" / "train")
    with pytest.raises(StoreError, match=r"open one of the stores inside it: .*all/train"):
        training.GameStore.open(tmp_path / "all")


def test_a_search_has_visited_something(tmp_path: Path) -> None:
    with (
        training.StoreWriter(tmp_path / "games", game="connect-four") as writer,
        pytest.raises(InvalidConfig, match="give None where nobody searched"),
    ):
        writer.add(actions=[3], returns=[0, 0], visits=[[0] * 7])


def connect_four(games: int = 200) -> training.GameStore:
    return training.GameStore.sample("connect-four").subset(np.arange(games))


LITTLE: dict[str, Any] = {"network": "resnet-8x1", "positions": 320, "seed": 1}


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    given = {"positions": np.int64(320), "seed": np.int64(1), "network": "resnet-8x1"}
    one = training.train_supervised(connect_four(), out=tmp_path / "one", **given)
    same = training.train_supervised(connect_four(), out=tmp_path / "one", resume=True, **LITTLE)
    assert one.metrics == same.metrics
    for seed in ("x", 1.5, True):
        with pytest.raises(InvalidConfig, match=r"seed=.*whole number"):
            training.train_supervised(connect_four(), out=tmp_path / "b", **LITTLE | {"seed": seed})
        with pytest.raises(InvalidConfig, match=r"seed=.*whole number"):
            connect_four().split(seed)


@pytest.mark.parametrize("changed", ["returns", "visits"])
def test_games_that_tell_something_else_are_another_training(changed: str, tmp_path: Path) -> None:
    store = connect_four()
    moves = store.actions
    searched = Visits.of((np.arange(len(moves) + 1), moves, np.ones(len(moves), np.int32)))
    other = {"returns": -store.returns, "visits": searched}[changed]
    columns = dataclasses.replace(store.columns, **{changed: other})
    changed_games = training.GameStore.of(store.game, columns, store.metadata)
    training.train_supervised(store, out=tmp_path / "run", **LITTLE)
    with pytest.raises(RunDirectoryError, match="another training"):
        training.train_supervised(changed_games, out=tmp_path / "run", **LITTLE)
    given = LITTLE | {"test_games": 10}
    training.train_experts(store, "plies:14", out=tmp_path / "experts", **given)
    with pytest.raises(RunDirectoryError, match="another training"):
        training.train_experts(changed_games, "plies:14", out=tmp_path / "experts", **given)


def test_a_record_of_an_earlier_version_is_of_these_games(tmp_path: Path) -> None:
    store, out = connect_four(), tmp_path / "run"
    one = training.train_supervised(store, out=out, **LITTLE)
    for name in ("config.json", "manifest.json"):
        text = (out / name).read_text()
        assert '"targets_sha256"' in text
        lines = [line for line in text.splitlines() if '"targets_sha256"' not in line]
        (out / name).write_text("\n".join(lines).replace(",\n}", "\n}"))
    assert training.train_supervised(store, out=out, **LITTLE).metrics == one.metrics


def test_weights_that_no_position_has_are_refused(tmp_path: Path) -> None:
    given = LITTLE | {"gate": "plies:36", "validation_positions": 32, "seed": 4}
    with pytest.raises(StoreError, match="looked-at validation position has a weight above 0"):
        training.train_supervised(
            connect_four(), phase_weights=[0, 1], out=tmp_path / "run", **given
        )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("positions", "batch_size"), [(1, 8), (3, 2), (5, 1)])
def test_updates_on_one_position_are_refused_where_they_cannot_be(
    positions: int, batch_size: int, tmp_path: Path
) -> None:
    given = {"positions": positions, "batch_size": batch_size, "out": tmp_path / "run"}
    with pytest.raises(InvalidConfig, match="an update would show one position"):
        training.train_supervised(connect_four(), network="mlp-16x1", **given)
    assert not (tmp_path / "run").exists()
    training.train_supervised(connect_four(), network="resnet-8x1", **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"config": {"batch_size": 3}}, "config=.*expected a SupervisedConfig"),
        ({"callbacks": [3]}, "callbacks: 3 has not all of start, update"),
        ({"callbacks": training.Callback()}, "callbacks=.*expected a list"),
        ({"loggers": [3]}, "loggers: 3 has not all of start, add, close"),
        ({"progress": 3}, "progress=3: expected a function"),
        ({"splits": (1, 2, 3)}, "splits=.*expected a Splits"),
        ({"distill_weight": 0.5}, "nobody teaches one network"),
        ({"config": training.SupervisedConfig(distill_weight=0.5)}, "nobody teaches"),
        (dict.fromkeys(("policy_weight", "value_weight", "wdl_weight", "plies_weight"), 0)
         | {"distill_weight": 1.0}, "nothing is learned"),
    ],
)  # fmt: skip
def test_arguments_of_other_kinds_are_told_before_a_file_is_written(
    given: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidConfig, match=words):
        training.train_supervised(connect_four(), out=tmp_path / "run", **LITTLE | given)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("order", [3, ["over 10", 3], [None]])
def test_an_order_that_is_none_is_told(order: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="order="):
        training.train_experts(
            connect_four(), "plies:10", "staged", order=order, out=tmp_path / "run", **LITTLE
        )
    assert not (tmp_path / "run").exists()


def test_splits_samplers_and_batches_take_numbers_in_their_range() -> None:
    store = connect_four(20)
    rows = store.positions("plies:10")
    fractions: Any
    for fractions in ("abc", 3, (0.5, 0.5)):
        with pytest.raises(InvalidConfig, match=r"fractions=.*three shares"):
            store.split(1, fractions)
    seed: Any
    for seed in (None, "a", 1.5):
        with pytest.raises(InvalidConfig, match=r"seed=.*whole number"):
            training.Sampler(store, rows, None, 4, seed).batch(0)
    for wrong in (len(rows), -1, 10**7):
        with pytest.raises(InvalidArray, match=f"the table has the rows 0 to {len(rows) - 1}"):
            store.batch(rows, np.array([0, wrong]), "default")
    with pytest.raises(InvalidConfig, match=r"value_mix=3\.0"):
        store.batch(rows, np.array([0]), "default", value_mix=3.0)
    with pytest.raises(InvalidConfig, match="one of them above 0"):
        training.Sampler(store, rows, None, 4, weights=[0.0, 0.0])


def test_what_is_no_store_and_no_weights_is_told(tmp_path: Path) -> None:
    no_store: Any = 3
    for stores in ([connect_four(2), no_store], no_store):
        with pytest.raises(StoreError, match="an int is no store to merge"):
            training.GameStore.merge(stores)
    weights: Any = 3
    with pytest.raises(InvalidConfig, match="phase_weights=3: expected a number"):
        training.train_supervised(
            connect_four(), gate="plies:14", phase_weights=weights, out=tmp_path / "run", **LITTLE
        )
