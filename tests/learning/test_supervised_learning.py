"""Networks do learn: the loss falls on real games, and a few positions can be learnt by heart.

Trainings give other numbers on other processors: the margins are those of six seeds on one thread,
named at each test.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasezoo import games, inference
from phasezoo.training import (
    GameStore,
    Splits,
    SupervisedConfig,
    evaluate_network,
    train_experts,
    train_supervised,
)
from phasezoo.training.data import TrainingData
from phasezoo.training.preparation import Task
from phasezoo.training.supervised import train_on


def test_the_loss_falls_on_games_that_were_not_seen(tmp_path: Path) -> None:
    """Six seeds: to 0.50 to 0.55 of the first loss; policy 1.19 to 1.31 times the random one's."""
    store = GameStore.sample("chess").subset(range(300))
    result = train_supervised(
        store,
        network="rise-16x2",
        planes="minimal",
        positions=12_000,
        seed=1,
        out=tmp_path / "run",
        batch_size=128,
        max_lr=0.3,
        threads=1,
        tensorboard=False,
        validation_positions=1000,
    )
    first = result.history[0]["validation/loss"]
    assert first is not None
    assert first == pytest.approx(0.99 * np.log(4672), rel=0.05)  # nothing is known at first
    assert result.metrics["loss"] < 0.75 * first
    legal_at_random = np.log(35)  # what choosing among about 35 legal moves costs
    assert result.metrics["policy_loss"] < 1.75 * legal_at_random


@pytest.mark.slow
def test_a_game_is_learnt_by_heart(tmp_path: Path) -> None:
    """Six seeds: accuracy 1, policy loss at most 0.001, value loss 0.024 to 0.041, no spike.

    At a learning rate of 0.2 one seed in six jumped at first and was taken back.
    """
    store = GameStore.sample("chess")
    # The first game of 60 to 70 moves by either side: about 64 positions.
    plies = np.diff(store.offsets)
    game = store.subset([int(np.flatnonzero((plies >= 60) & (plies <= 70))[0])])
    result = train_supervised(
        game,
        network="rise-32x2",
        positions=64 * 300,
        seed=1,
        out=tmp_path / "run",
        splits=Splits(train=game, validation=game, test=game),
        batch_size=32,
        max_lr=0.05,
        weight_decay=0.0,
        threads=1,
        tensorboard=False,
    )
    losses = evaluate_network(inference.load(result.path), game, game.positions("none")).mean()
    assert losses.accuracy > 0.95
    assert losses.policy < 0.3
    assert losses.value < 0.2  # one number for both players: 1


PIECES = {
    "q": "rnb{black}kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB{white}KBNR w KQkq - 0 1",
    "b": "r2{black}k1nr/pppppppp/8/8/8/8/PPPPPPPP/R2{white}K1NR w - - 0 1",
    "r": "8/3k4/4{black}3/8/8/4{white}3/3K4/8 w - - 0 1",
}
"""Starts of an opening, a middlegame and an endgame, in which one side has a piece more."""


def games_that_a_piece_decides(seed: int, count: int = 300, plies: int = 8) -> GameStore:
    """Random moves; the side with a queen, bishop or rook more wins."""
    rng, chess = np.random.default_rng(seed), games.make("chess")
    actions: list[int] = []
    offsets, returns, starts = [0], [], {}
    for number in range(count):
        piece, fen = list(PIECES.items())[number % 3]
        white = bool(rng.integers(2))
        own = {"white": piece.upper() if white else "1", "black": "1" if white else piece}
        starts[number] = fen.format(**own)
        state = chess.from_fen(starts[number])
        for _ in range(plies):
            if state.is_terminal:
                break
            actions.append(int(rng.choice(state.legal_actions)))
            state = state.play(actions[-1])
        offsets.append(len(actions))
        won = 1 if white else -1
        returns.append([won, -won])
    return GameStore("chess", actions, offsets, returns, starts=starts)


LEARNING: dict[str, Any] = {
    "batch_size": 64,
    "optimizer": "adamw",
    "threads": 1,
    "device": "cpu",
    "tensorboard": False,
    "test_games": None,
}


@pytest.mark.slow
def test_values_of_all_phases_are_right_in_other_phases(tmp_path: Path) -> None:
    """Seven seeds: value losses 0.95 to 1.27 for own values, at most 0.05 for those of all phases.

    The endgame's expert has never met a queen, which decides the openings.
    """
    loss = {}
    for value in ("own", "all"):
        experts = train_experts(
            games_that_a_piece_decides(seed=1),
            "lichess",
            "separated",
            network="resnet-8x1:policy=pointwise",
            planes="minimal",
            positions=6144,
            seed=1,
            out=tmp_path / value,
            value=value,
            budget="study",
            phases=("endgame",),
            max_lr=0.01,
            value_weight=0.5,
            wdl_weight=0.5,
            **LEARNING,
        )
        measured = experts.losses.cell("endgame", "opening", "value").value
        assert measured is not None
        loss[value] = measured
    assert loss["own"] > 0.75
    assert loss["all"] < 0.4


@pytest.mark.slow
def test_a_value_is_learned_from_a_teacher_where_results_say_nothing(tmp_path: Path) -> None:
    """Six seeds: value losses 0.90 to 1.23 without the teacher, 0.17 to 0.34 with it."""
    store = games_that_a_piece_decides(seed=1)
    drawn = np.random.default_rng(1).choice([-1, 1], size=(len(store), 1))
    by_chance = np.concatenate([drawn, -drawn], axis=1)
    lottery = GameStore("chess", store.actions, store.offsets, by_chance, starts=store.starts)
    options = {name: value for name, value in LEARNING.items() if name != "test_games"}
    config = SupervisedConfig(
        max_lr=0.01, value_weight=0.1, wdl_weight=0.1, distill_weight=2.0, **options
    )
    network, planes = "resnet-8x1:policy=pointwise", "minimal"
    teacher = train_supervised(
        store, network=network, planes=planes, positions=6144, seed=1, out=tmp_path / "teacher",
        config=replace(config, distill_weight=None),
    )  # fmt: skip
    test = store.split(1).test
    losses = []
    for name, path in (("alone", None), ("taught", teacher.path)):
        data = TrainingData.of(lottery, None, "none", None, 2, config)
        task = Task(network, planes, None, 6144, 2, tmp_path / name, teacher=path)
        learned = inference.load(train_on(data, task, config).path)
        losses.append(evaluate_network(learned, test, test.positions("none")).mean().value)
    alone, taught = losses
    assert alone > 0.75
    assert taught < 0.6
