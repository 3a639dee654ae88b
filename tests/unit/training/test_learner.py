"""One network that learns from a replay."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from phasezoo import agents, games, inference, training
from phasezoo.errors import CheckpointError, GameMismatch, InvalidConfig, InvalidNetwork, StoreError
from phasezoo.training import Learner, Replay
from phasezoo.training.schedules import drops_of
from phasezoo.training.selfplay.config import self_play_settings

NETWORK = "resnet-8x1"


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=20))
    folder = tmp_path_factory.mktemp("store") / "games"
    training.play_games(agent, game="connect-four", games=20, seed=1, out=folder)
    return Replay.open(folder, gate="plies:10")


def learner(**options: Any) -> Learner:
    settings = self_play_settings(threads=1, batch_size=32, **options.pop("settings", {}))
    return Learner("connect-four", NETWORK, config=settings, seed=1, **options)


def weights(one: Learner) -> list[Any]:
    return [tensor.numpy().copy() for tensor in one.network.state_dict().values()]


def same(one: list[Any], two: list[Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_the_losses_fall(replay: Replay) -> None:
    one = learner(settings={"max_lr": 0.01})
    rows = [one.learn(replay, 32 * 20) for _ in range(4)]
    assert rows[-1]["policy_loss"] < rows[0]["policy_loss"]
    assert rows[-1]["value_mse"] < 0.85 * rows[0]["value_mse"]
    assert one.rounds == 4
    assert one.counters.update == 80
    assert one.counters.positions == 4 * 640


@pytest.mark.parametrize("schedule", ["one-cycle", "constant", "0:0.01,25:0.001"])
@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_a_restored_learner_goes_on_to_the_same_numbers(
    replay: Replay, tmp_path: Path, schedule: str, optimizer: str
) -> None:
    knobs = {"settings": {"optimizer": optimizer, "max_lr": 0.01}, "schedule": schedule}
    one = learner(**knobs)
    one.learn(replay, 32 * 10 + 7)
    one.save(tmp_path / "kept", version=1)
    one.learn(replay, 32 * 10)
    two = learner(**knobs)
    assert two.restore(tmp_path / "kept") == {"version": 1}
    two.learn(replay, 32 * 10)
    assert same(weights(one), weights(two))
    assert two.counters.update == one.counters.update


def test_nothing_to_restore(tmp_path: Path) -> None:
    assert learner().restore(tmp_path / "none") is None


def test_rounds_draw_differently_and_rates_follow_the_schedule(replay: Replay) -> None:
    still = learner(schedule="0:0.001,10:1e-9", settings={"weight_decay": 0.0})
    still.learn(replay, 320)
    before = weights(still)
    still.learn(replay, 320)
    moved = [np.abs(a - b).max() for a, b in zip(before, weights(still), strict=True)]
    trainable = [name for name, _ in still.network.named_parameters()]
    names = list(still.network.state_dict())
    assert max(m for name, m in zip(names, moved, strict=True) if name in trainable) < 1e-6


def test_a_published_network_is_what_the_learner_has(replay: Replay, tmp_path: Path) -> None:
    one = learner()
    one.learn(replay, 320)
    one.publish(tmp_path / "v1", version=1)
    planes = games.encode([games.make("connect-four").initial_state()])
    loaded = inference.load(tmp_path / "v1", backend="torch").evaluate(planes)
    live = one.evaluator().evaluate(planes)
    assert np.allclose(loaded.policy_logits, live.policy_logits, atol=1e-6)
    again = Learner("connect-four", initial=tmp_path / "v1", seed=9)
    assert again.manifest.network_text == one.manifest.network_text
    assert same(weights(again), weights(one))


def test_a_network_of_the_package_is_started_from_by_its_name() -> None:
    name = "phasezoo/connect-four-small"
    one = Learner("connect-four", initial=name)
    planes = games.encode([games.make("connect-four").initial_state()])
    expected = inference.load(name, backend="torch").evaluate(planes)
    found = one.evaluator().evaluate(planes)
    assert np.allclose(found.policy_logits, expected.policy_logits, atol=1e-6)
    with pytest.raises(CheckpointError, match="phasezoo/connect-four-smal"):
        Learner("connect-four", initial=name[:-1])


def test_experts_say_whose_they_are(replay: Replay, tmp_path: Path) -> None:
    one = learner(gate="plies:10", phase="over 10")
    one.learn(replay, 64, phase="over 10")
    expert = inference.load(one.publish(tmp_path / "expert"), backend="torch")
    assert (expert.manifest.gate, expert.manifest.phase) == ("plies:10", "over 10")
    two = learner(gate="plies:10", phase="up to 10")
    two.start_from(one)
    assert same(weights(one), weights(two))
    two.learn(replay, 64, weights=[3.0, 1.0])
    assert not same(weights(one), weights(two))


def test_a_round_that_ends_in_nan_is_taken_back(
    replay: Replay, caplog: pytest.LogCaptureFixture
) -> None:
    one = learner(settings={"optimizer": "sgd", "max_lr": 1e30, "min_lr": 1e-5, "spike_limit": 1})
    before = weights(one)
    one.learn(replay, 320)
    assert same(before, weights(one))
    assert one.counters.spikes == 1
    assert "NaN or infinite" in caplog.text
    with pytest.raises(InvalidNetwork, match="max_lr"):
        one.learn(replay, 320)
    assert all(torch.isfinite(each).all() for each in one.network.state_dict().values())


def test_what_is_refused(replay: Replay, tmp_path: Path) -> None:
    for wrong in ("0:0.1,100:0", "5:0.1", "0:0.1,0:0.2", "linear", "0:nan"):
        with pytest.raises(InvalidConfig, match="schedule"):
            learner(schedule=wrong)
    with pytest.raises(InvalidConfig, match="samples=0"):
        learner().learn(replay, 0)
    with pytest.raises(StoreError, match="empty"):
        learner().learn(Replay("connect-four"), 10)
    with pytest.raises(CheckpointError):
        learner(initial=tmp_path / "missing")
    one = Learner("krk", NETWORK, planes="minimal", seed=1)
    with pytest.raises(GameMismatch, match="krk"):
        learner(initial=one.publish(tmp_path / "krk"))
    assert drops_of("0:0.2,10:0.1", 0.9).lr(10) == 0.1


def test_settings_with_which_nothing_would_be_learned_are_refused(
    replay: Replay, tmp_path: Path
) -> None:
    with pytest.raises(InvalidConfig, match="begins with new weights, which have to learn"):
        learner(settings={"freeze": "body"})
    begun = learner(initial=learner().publish(tmp_path / "net"), settings={"freeze": "body"})
    before = {name: value.clone() for name, value in begun.network.state_dict().items()}
    begun.learn(replay, 64)
    for name, value in begun.network.state_dict().items():
        assert torch.equal(value, before[name]) == name.startswith("body."), name
    for name, value in (("distill_weight", 3.0), ("value_share", 2.0)):
        with pytest.raises(InvalidConfig, match=f"{name}=.*leave it out"):
            learner(settings={name: value})
    with pytest.raises(InvalidConfig, match="one of them above 0"):
        learner().learn(replay, 64, weights=[0.0, 0.0])


def test_updates_on_one_position_are_refused_before_a_step(replay: Replay) -> None:
    def of_batches(size: int) -> Learner:
        return Learner("connect-four", "mlp-16x1", config=self_play_settings(batch_size=size))

    with pytest.raises(InvalidConfig, match="an update would show one position"):
        of_batches(1)
    with pytest.raises(InvalidConfig, match="an update would show one position"):
        of_batches(2).learn(replay, 3)
    assert Learner("connect-four", NETWORK, config=self_play_settings(batch_size=1)).rounds == 0


def test_a_learner_starts_from_one_that_is_alike() -> None:
    other: Any
    for other in (3, Learner("connect-four", "resnet-16x1", seed=1)):
        with pytest.raises(InvalidConfig, match="other"):
            learner().start_from(other)
