"""Pommerman's episodes as training positions: stores, splits, batches, experts, trainings."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_runs import numbers

from phasezoo import games, gating, inference
from phasezoo.errors import (
    CheckpointError,
    CorruptRecord,
    InvalidConfig,
    InvalidGate,
    InvalidPlaneSpec,
    PhasezooError,
    StoreError,
    UnknownGame,
)
from phasezoo.training import (
    POMMERMAN,
    EpisodeStore,
    GameStore,
    Sampler,
    SupervisedConfig,
    evaluate_network,
    plan_experts,
    train_supervised,
    without_seen,
)
from phasezoo.training.data import TrainingData

ARGUMENTS: dict[str, Any] = {
    "network": "risex4-1x2",
    "positions": 24 * 16 + 5,
    "seed": 3,
    "batch_size": 16,
    "max_lr": 0.2,
    "evaluate_every": 6,
    "validation_positions": 64,
    "threads": 1,
    "device": "cpu",
    "tensorboard": False,
}


@pytest.fixture(scope="module")
def store() -> EpisodeStore:
    return EpisodeStore("pommerman-ffa", 9000, seed=1, threads=1)


def train(store: EpisodeStore, out: Path, **changes: Any) -> Any:
    return train_supervised(store, out=out, **{**ARGUMENTS, **changes})


# --- the store ---


def test_positions_are_those_of_the_living_who_act(store: EpisodeStore) -> None:
    table = store.positions("proximity")
    assert len(table) >= 9000
    assert store.num_positions == store.offsets[-1] == np.diff(store.offsets).sum()
    assert table.names == ("far", "near", "close")
    gate = gating.make("proximity", store.variant)
    made = games.make("pommerman-ffa")
    for game in range(0, len(store), 5):
        rows = np.flatnonzero(table.game == game)
        state = made.initial_state(seed=int(store.starts[game].removeprefix("seed:")))
        plies = slice(store.offsets[game] * 4, store.offsets[game + 1] * 4)
        seen = []
        for ply, joint in enumerate(store.actions[plies].reshape(-1, 4).tolist()):
            last = state
            for player in state.acting:
                seen.append((ply, player))
                if ply % 37 == 0:
                    row = rows[len(seen) - 1]
                    assert table.phase[row] == gate(state, player)
            state = state.play([joint[player] for player in state.acting])
        assert seen == list(zip(table.ply[rows].tolist(), table.player[rows].tolist(), strict=True))
        assert state.is_terminal
        won = (state.returns > 0).any()
        lost = [-1 if player not in last.acting else 0 for player in range(4)]
        assert store.returns[game].tolist() == (state.returns.tolist() if won else lost)
    assert "games of pommerman-ffa" in repr(store)


def test_a_batch_says_what_was_done_and_how_it_ended(store: EpisodeStore) -> None:
    table = store.positions("steps")
    rows = np.array([5, 4000, 17])
    batch = store.batch(table, rows, "standard")
    game, ply, player = table.game[rows], table.ply[rows], table.player[rows]
    assert batch.planes.shape == (3, 23, 11, 11)
    np.testing.assert_array_equal(batch.value, store.returns[game, player])
    np.testing.assert_array_equal(batch.wdl, 1 - np.sign(batch.value))
    np.testing.assert_array_equal(batch.plies_left, np.diff(store.offsets)[game] - ply)
    np.testing.assert_array_equal(batch.phase, table.phase[rows])
    np.testing.assert_array_equal(batch.game, game)
    actions = store.actions.reshape(-1, 4)[store.offsets[game] + ply, player]
    np.testing.assert_array_equal(batch.action, actions)
    for index, planes in enumerate(batch.planes):
        state = store.records.states(int(game[index]))[ply[index]]
        np.testing.assert_array_equal(planes, state.planes("standard", int(player[index])))


def test_a_store_of_episodes_is_one_as_any_other(store: EpisodeStore, tmp_path: Path) -> None:
    foggy = EpisodeStore("pommerman-team-radio", 500, fog=True, collapse=True)
    foggy.save(tmp_path / "episodes")
    opened = GameStore.open(tmp_path / "episodes")
    assert dict(opened.game.options) == {"fog": True, "collapse": True}
    table, again = foggy.positions(), opened.positions()
    np.testing.assert_array_equal(table.key, again.key)
    rows = np.arange(0, len(table), 7)
    one, other = (part.batch(table, rows, "standard") for part in (foggy, opened))
    np.testing.assert_array_equal(one.planes, other.planes)
    np.testing.assert_array_equal(one.value, other.value)
    joined = GameStore.merge([store.subset([0]), store.subset([1])])
    np.testing.assert_array_equal(joined.actions, store.subset([0, 1]).actions)


def test_a_subset_has_the_episodes_in_the_order_asked_for(store: EpisodeStore) -> None:
    part, whole = store.subset([7, 0, 7]), store.positions()
    assert len(part) == 3
    table = part.positions()
    expected = np.concatenate([np.flatnonzero(whole.game == game) for game in (7, 0, 7)])
    np.testing.assert_array_equal(table.key, whole.key[expected])
    for name in ("planes", "action", "value", "plies_left"):
        rows = np.arange(len(table))[::50]
        ours = getattr(part.batch(table, rows, "standard"), name)
        theirs = store.batch(whole, expected[rows], "standard")
        np.testing.assert_array_equal(ours, getattr(theirs, name))
    assert len(store.subset([])) == len(store.subset([]).positions()) == 0
    for wrong in ([len(store)], [-1]):
        with pytest.raises(CorruptRecord, match="no game"):
            store.subset(wrong)


@pytest.mark.parametrize("monotone", [False, True])
def test_a_gate_in_python_labels_as_the_same_one_of_the_core(
    store: EpisodeStore, monotone: bool
) -> None:
    part = store.subset([3, 1, 8])
    core = gating.make("proximity", store.variant)

    def nearest(states: Any, players: Any) -> Any:
        return core.batch(states, players)

    named = gating.make(nearest, store.variant, names=core.names, batched=True, monotone=monotone)
    expected = gating.make("proximity", store.variant, monotone=monotone)
    labelled = part.positions(named)
    np.testing.assert_array_equal(labelled.phase, part.positions(expected).phase)
    assert len(np.unique(labelled.phase)) > 1


# --- splits ---


def test_splits_share_no_episode_and_lose_none(store: EpisodeStore) -> None:
    splits = store.split(5, (0.5, 0.25, 0.25))
    parts = (splits.train, splits.validation, splits.test)
    names = [list(part.starts.values()) for part in parts]  # no two have the same start
    assert set.union(*map(set, names)) == set(store.starts.values())
    assert sum(map(len, names)) == len(set(store.starts.values())) == len(store)
    assert sum(len(part.positions()) for part in parts) == len(store.positions())
    again = store.split(5, (0.5, 0.25, 0.25)).train
    np.testing.assert_array_equal(again.actions, parts[0].actions)
    assert not np.array_equal(store.split(6, (0.5, 0.25, 0.25)).train.offsets, parts[0].offsets)
    with pytest.raises(InvalidConfig, match="fractions"):
        store.split(0, (0.8, 0.1))


def test_positions_that_were_trained_on_are_not_tested(store: EpisodeStore) -> None:
    splits = store.split(5)
    tables = splits.positions("steps")
    kept, removed = without_seen(tables["test"], tables["train"])
    assert not np.isin(kept.key, tables["train"].key).any()
    assert len(kept) + removed.sum() == len(tables["test"])
    twice = store.subset([0, 1, 2]).positions("steps")  # all of them are in train
    kept, removed = without_seen(twice, store.positions("steps"))
    assert len(kept) == 0
    np.testing.assert_array_equal(removed, twice.positions_per_phase())
    counts = splits.phase_table("steps")
    assert counts.count("all", "all").positions == len(store.positions())


def test_episodes_are_decided_by_the_seed(store: EpisodeStore) -> None:
    longer = EpisodeStore("pommerman-ffa", 12_000, seed=1, threads=2)
    assert len(longer) > len(store)
    np.testing.assert_array_equal(longer.actions[: len(store.actions)], store.actions)
    np.testing.assert_array_equal(longer.returns[: len(store)], store.returns)
    other = EpisodeStore("pommerman-ffa", 1000, seed=2)
    assert not np.isin(other.positions().key, store.positions().key).any()


# --- batches and symmetries ---


def test_batches_are_repeatable(store: EpisodeStore) -> None:
    rows = store.positions()
    one = Sampler(store, rows, batch_size=40, seed=7, symmetries=True)
    first = [one.batch(index) for index in range(6)]
    fresh = Sampler(store, rows, batch_size=40, seed=7, symmetries=True, threads=1)
    for index in (5, 0, 3):
        for name, column in vars(fresh.batch(index)).items():
            np.testing.assert_array_equal(column, getattr(first[index], name))
    other = Sampler(store, rows, batch_size=40, seed=8, symmetries=True).batch(0)
    assert not np.array_equal(first[0].planes, other.planes)


def test_symmetries_turn_board_and_action_together(store: EpisodeStore) -> None:
    table = store.positions()
    rows = np.random.default_rng(1).permutation(len(table))[:400]
    plain = store.batch(table, rows, "standard")
    # Up, down, left, right as steps of (row, column).
    steps = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
    seen = set()
    for symmetry in range(8):
        chosen = np.full(400, symmetry, np.uint8)
        turned = store.batch(table, rows, "standard", symmetries=chosen)
        shape = next(  # which turn and mirroring of the array this symmetry is
            (turns, mirrored)
            for turns in range(4)
            for mirrored in (False, True)
            if np.array_equal(turn(plain.planes, turns, mirrored)[:, :7], turned.planes[:, :7])
        )
        seen.add(shape)
        still = np.r_[0:7, 9:23]
        expected = turn(plain.planes, *shape)
        np.testing.assert_array_equal(turned.planes[:, still], expected[:, still])
        moving = np.abs(expected[:, 7:9]).sum(axis=1)
        np.testing.assert_array_equal(np.abs(turned.planes[:, 7:9]).sum(axis=1), moving)
        for before in range(6):
            after = np.unique(turned.action[plain.action == before])
            assert len(after) == 1
            if before not in steps:
                assert after[0] == before
                continue
            there = np.zeros((1, 1, 3, 3))
            there[0, 0, 1 + steps[before][0], 1 + steps[before][1]] = 1
            y, x = np.argwhere(turn(there, *shape)[0, 0])[0]
            assert steps[int(after[0])] == (y - 1, x - 1)
        for name in ("value", "wdl", "plies_left", "phase", "game"):
            np.testing.assert_array_equal(getattr(turned, name), getattr(plain, name))
    assert len(seen) == 8


def turn(planes: Any, turns: int, mirrored: bool) -> Any:
    flipped = planes[..., ::-1] if mirrored else planes
    return np.rot90(flipped, turns, axes=(2, 3))


def test_training_draws_all_symmetries_and_validation_none(store: EpisodeStore) -> None:
    data = TrainingData.of(store, None, "none", None, 3, SupervisedConfig())
    plain = Sampler(data.train_store, data.train, batch_size=256, seed=2)
    drawn = Sampler(data.train_store, data.train, batch_size=256, seed=2, symmetries=True)
    one, other = plain.batch(4), drawn.batch(4)
    np.testing.assert_array_equal(one.game, other.game)
    sums = [batch.planes[:, :7].sum(axis=(2, 3)) for batch in (one, other)]
    np.testing.assert_allclose(*sums, rtol=1e-5)
    same = (one.planes == other.planes).all(axis=(1, 2, 3)).mean()
    assert 0.05 < same < 0.25  # an eighth of them is not turned
    for given, shown in zip(drawn.in_order(100), plain.in_order(100), strict=True):
        np.testing.assert_array_equal(given.planes, shown.planes)


def test_games_that_castle_are_turned_only_if_asked_for(some_games: GameStore) -> None:
    assert (some_games.num_symmetries, some_games.is_symmetric) == (2, False)
    rows = some_games.positions()
    plain = Sampler(some_games, rows, batch_size=256).batch(0)
    turned = Sampler(some_games, rows, batch_size=256, symmetries=True).batch(0)
    same = (plain.planes == turned.planes).all(axis=(1, 2, 3))
    castling = plain.planes[:, 14:18].any(axis=(1, 2, 3))  # v2: rights of both sides
    assert same[castling].all()
    assert 0.3 < same[~castling].mean() < 0.7


# --- trainings ---


def test_experts_see_their_phase_alone(store: EpisodeStore, tmp_path: Path) -> None:
    rows = store.split(3).train.positions("steps")
    plan = plan_experts(rows, 300)
    assert [item.name for item in plan] == ["expert-up-to-40", "expert-over-40"]
    assert sum(item.positions for item in plan) == 300
    for item in plan:
        data = TrainingData.of(store, None, "steps", item.phase, 3, POMMERMAN)
        assert ((data.train.ply > 40) == (item.phase == "over 40")).all()
        result = train(
            store, tmp_path / item.name, gate=item.gate, phase=item.phase, positions=item.positions
        )
        evaluator = inference.load(result.path)
        assert (evaluator.gate, evaluator.phase) == ("steps:40", item.phase)
        assert evaluator.manifest.actions == "flat-6"


def test_the_reported_metrics_are_those_of_the_saved_network(
    store: EpisodeStore, tmp_path: Path
) -> None:
    result = train(store, tmp_path / "run", validation_positions=10**6, config=POMMERMAN)
    part = store.split(3).validation
    mean = evaluate_network(inference.load(result.path), part, part.positions()).mean()
    assert mean.total == pytest.approx(result.metrics["loss"], rel=1e-5)
    assert mean.value == pytest.approx(result.metrics["value_mse"], rel=1e-4)
    assert mean.accuracy == pytest.approx(result.metrics["policy_accuracy"])


@pytest.mark.parametrize(
    "changes",
    [
        {"network": "risex4-1x2"},
        {"network": "rise-8x1", "max_lr": 0.02},
        {"network": "risex4-8x2", "optimizer": "adamw", "max_lr": 0.01},
        # 6 or 7 spikes in each of six seeds.
        {"optimizer": "adamw", "max_lr": 1.0, "spike_factor": 1.001, "evaluate_every": 3},
    ],
)
def test_interrupted_and_resumed_is_uninterrupted(
    store: EpisodeStore, tmp_path: Path, changes: dict[str, Any]
) -> None:
    def interrupt(event: Any) -> None:
        if event.update == 17:
            raise KeyboardInterrupt

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = train(store, whole, **changes)
    assert result.spikes > 0 or "spike_factor" not in changes
    with pytest.raises(KeyboardInterrupt):
        train(store, parts, progress=interrupt, **changes)
    train(store, parts, **changes)
    assert numbers(parts) == numbers(whole)


def test_symmetries_and_optimiser_are_part_of_what_a_training_is(
    store: EpisodeStore, some_games: GameStore, tmp_path: Path
) -> None:
    def identity(out: Path) -> Any:
        return json.loads((out / "config.json").read_text())["config"]

    train(store, tmp_path / "on", positions=16)
    train(store, tmp_path / "off", positions=16, symmetries=False)
    assert identity(tmp_path / "on")["symmetries"] is True
    assert identity(tmp_path / "off")["symmetries"] is False
    train(store, tmp_path / "adam", positions=16, optimizer="adamw")
    assert identity(tmp_path / "adam")["optimizer"] == "adamw"
    arguments = {**ARGUMENTS, "network": "rise-8x1", "positions": 16}
    train_supervised(some_games, out=tmp_path / "chess", **arguments)
    # What changes no number there is no part of it.
    assert not {"symmetries", "optimizer"} & set(identity(tmp_path / "chess"))
    train_supervised(some_games, out=tmp_path / "chess", **arguments, symmetries=False)


# --- refusals ---


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"planes": "v2"}, InvalidPlaneSpec, "v2"),
        ({"gate": "lichess"}, InvalidGate, "lichess"),
        ({"gate": "steps", "phase": "late"}, InvalidConfig, "late"),
        ({"gate": "steps", "phase": 2}, InvalidConfig, "2"),
        ({"history_dropout": 0.1}, InvalidConfig, "show no last moves"),
        ({"optimizer": "adam"}, InvalidConfig, "adamw"),
        ({"network": "risex4-0x2"}, InvalidConfig, "CHANNELSxBLOCKS"),
    ],
)
def test_wrong_arguments_are_typed_errors_and_leave_no_directory(
    store: EpisodeStore,
    tmp_path: Path,
    changes: dict[str, Any],
    error: type[PhasezooError],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        train(store, tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


def test_a_network_of_another_game_is_nothing_to_start_from(
    store: EpisodeStore, some_games: GameStore, tmp_path: Path
) -> None:
    name = "rise-8x1:pool=global"
    arguments = {**ARGUMENTS, "network": name, "positions": 16}
    chess = train_supervised(some_games, out=tmp_path / "chess", **arguments)
    with pytest.raises(CheckpointError, match=f"of {name} do not fit"):
        train(store, tmp_path / "run", network=name, init=chess.path)
    assert not (tmp_path / "run").exists()


def test_a_phase_that_does_not_occur_is_a_typed_error(store: EpisodeStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no training positions of phase 'over 800'"):
        train(store, tmp_path / "run", gate="steps:800", phase=1)


def test_stores_that_cannot_be_are_typed_errors(store: EpisodeStore) -> None:
    with pytest.raises(UnknownGame, match="chess"):
        EpisodeStore("chess", 10)
    for options in ({"positions": 0}, {"seed": -1}, {"agent": "genius"}, {"threads": 0}):
        with pytest.raises(InvalidConfig):
            EpisodeStore("pommerman-ffa", **{"positions": 10, **options})
    rows = store.positions()
    small = store.subset([0])
    with pytest.raises(CorruptRecord, match="very store"):
        small.batch(rows, np.array([len(rows) - 1]), "standard")
    with pytest.raises(InvalidPlaneSpec, match="standard"):
        store.batch(rows, np.arange(2), "centred")
    with pytest.raises(InvalidConfig, match="hidden"):
        store.batch(rows, np.arange(2), "standard", hidden=np.zeros(2, bool))
