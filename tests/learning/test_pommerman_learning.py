"""Networks do learn from Pommerman's episodes: actions and results of episodes not seen before."""

from pathlib import Path

import numpy as np

from phasezoo import inference
from phasezoo.training import POMMERMAN, EpisodeStore, evaluate_network, train_supervised


def test_actions_and_results_of_new_episodes_are_foreseen(tmp_path: Path) -> None:
    store = EpisodeStore("pommerman-ffa", 60_000, seed=1)
    splits = store.split(1, (0.6, 0.1, 0.3))
    result = train_supervised(
        store,
        network="risex4-8x2",
        positions=60_000,
        seed=1,
        out=tmp_path / "run",
        config=POMMERMAN,
        batch_size=64,
        threads=1,
        tensorboard=False,
        validation_positions=1000,
        splits=splits,
    )
    first = result.history[0]["validation/policy_loss"]
    assert first is not None
    assert abs(first - np.log(6)) < 0.1  # nothing is known at first
    test = splits.test
    rows = test.positions()
    every_seventh = rows.select(np.arange(0, len(rows), 7))
    losses = evaluate_network(inference.load(result.path), test, every_seventh).mean()
    batch = test.batch(every_seventh, np.arange(len(every_seventh)))
    most_common = np.bincount(batch.action).max() / len(batch)
    assert losses.accuracy > 1.25 * most_common
    assert losses.policy < 1.65  # 1.75 is the entropy of the actions' frequencies
    assert losses.value < 0.97 * batch.value.var()  # the best that one number for all can do
