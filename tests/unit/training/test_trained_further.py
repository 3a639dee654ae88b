"""Trainings that begin with a trained network, named by its folder or by a file of lc0's."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from phasezoo import games, inference, networks, training
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.training import body_outputs

SMALL = {
    "positions": 256, "seed": 1, "batch_size": 32, "evaluate_every": 8, "threads": 1,
    "tensorboard": False, "validation_positions": 64, "device": "cpu",
}  # fmt: skip


@pytest.fixture(scope="module")
def store():
    return training.GameStore.sample("chess").subset(range(60))


@pytest.fixture
def tower(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    network = networks.make("lc0-8x1", games.make("chess").plane_shape("lc0"), 4672, seed=3)
    inference.save(network, tmp_path / "begun.pb.gz", game="chess", planes="lc0")
    return tmp_path / "begun.pb.gz"


def weights(path):
    """The weights as they are kept: an evaluator's have batch norms folded into them."""
    return load_file(inference.load(path, backend="torch").source / "model.safetensors")


def test_an_attention_body_is_trained_further_and_written_back(store, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shape = games.make("chess").plane_shape("lc0")
    network = networks.make("lc0-attention-16x1:heads=2,smolgen=2", shape, 4672, seed=3)
    begun = tmp_path / "attention.pb.gz"
    inference.save(network, begun, game="chess", planes="lc0")
    result = training.train_supervised(store, network=str(begun), out=tmp_path / "run", **SMALL)
    before, after = weights(begun), weights(result.path)
    assert before.keys() == after.keys()
    moved = float(
        (after["body.embed.layer.weight"] - before["body.embed.layer.weight"]).abs().max()
    )
    assert 0 < moved < 0.005
    tuned = inference.load(result.path, backend="torch")
    inference.save(tuned, tmp_path / "tuned.pb.gz")
    planes = games.encode([games.make("chess").initial_state()], "lc0")
    again = inference.load(tmp_path / "tuned.pb.gz", backend="torch").evaluate(planes)
    np.testing.assert_allclose(again.values(), tuned.evaluate(planes).values(), atol=1e-3)


def test_a_file_of_lc0_is_trained_further_and_written_back(store, tower, tmp_path):
    result = training.train_supervised(store, network=str(tower), out=tmp_path / "run", **SMALL)
    manifest = inference.load(result.path, backend="torch").manifest
    assert (manifest.network, manifest.planes) == ("lc0-8x1", "lc0")
    identity = manifest.training["identity"]
    assert (identity["optimizer"], identity["max_lr"]) == ("adamw", 1e-4)
    before, after = weights(tower), weights(result.path)
    moved = {
        n: float((after[n] - w).abs().max()) for n, w in before.items() if w.is_floating_point()
    }
    # A few small steps from where it began, and not from new weights.
    assert 0 < moved["body.0.conv.weight"] < 0.005
    again = training.train_supervised(store, network=str(tower), out=tmp_path / "run", **SMALL)
    assert again.path == result.path
    network = inference.load(result.path, backend="torch")
    inference.save(network, tmp_path / "tuned.pb.gz")
    planes = games.encode([games.make("chess").initial_state()], "lc0")
    tuned = inference.load(tmp_path / "tuned.pb.gz", backend="torch").evaluate(planes)
    np.testing.assert_allclose(tuned.values(), network.evaluate(planes).values(), atol=1e-3)


@pytest.mark.parametrize("keeps", [None, False])
def test_batch_norms_of_a_trained_network_keep_what_they_know(store, tower, tmp_path, keeps):
    result = training.train_supervised(
        store, network=str(tower), out=tmp_path / "run", keep_statistics=keeps, **SMALL
    )
    before, after = weights(tower), weights(result.path)
    names = [name for name in before if name.endswith(("running_mean", "running_var"))]
    assert names
    same = [bool(torch.equal(before[name], after[name])) for name in names]
    assert all(same) if keeps is None else not any(same)
    # What they scale by learns all the same.
    scales = [n for n, w in before.items() if w.ndim == 1 and n.endswith("bias")]
    assert any(not torch.equal(before[name], after[name]) for name in scales)


def test_experts_of_every_strategy_begin_with_it(store, tower, tmp_path):
    for strategy in ("separated", "staged", "weighted:4"):
        learned = training.train_experts(
            store,
            "lichess",
            strategy,
            network=str(tower),
            out=tmp_path / strategy,
            test_games=1,
            **{**SMALL, "positions": 128},
        )
        begun = weights(tower)["body.0.conv.weight"]
        for name in ("baseline", *(f"expert-{phase}" for phase in learned.phases)):
            own = weights(tmp_path / strategy / "networks" / name)["body.0.conv.weight"]
            # At most four steps of 1e-4; new weights are 0.03 away.
            assert float((own - begun).abs().max()) < 0.005
        assert learned.mixture(backend="torch").plane_spec == "lc0"


def test_settings_that_are_given_stay(store, tower, tmp_path):
    result = training.train_supervised(
        store, network=str(tower), out=tmp_path / "run", max_lr=0.01, **SMALL
    )
    identity = inference.load(result.path, backend="torch").manifest.training["identity"]
    assert identity["max_lr"] == 0.01
    assert identity.get("optimizer", "sgd") == "sgd"


def test_what_cannot_be_trained_further_is_refused(store, tower, tmp_path):
    with pytest.raises(InvalidConfig, match="leave out init"):
        training.train_supervised(
            store, network=str(tower), init=tmp_path, out=tmp_path / "run", **SMALL
        )
    with pytest.raises(CheckpointError, match=r"nowhere\.pb\.gz"):
        training.train_supervised(
            store, network=str(tmp_path / "nowhere.pb.gz"), out=tmp_path / "run", **SMALL
        )
    for strategy, words in (
        ("planes", "receives the phase"),
        ("heads", "BodyAndHeads"),
        ("blocks", "BodyAndHeads"),
    ):
        with pytest.raises(InvalidConfig, match=words):
            training.train_experts(
                store, "lichess", strategy, network=str(tower), out=tmp_path / "run", **SMALL
            )
    pytest.importorskip("onnxruntime")

    class Own(torch.nn.Module):
        def forward(self, planes):
            flat = planes.flatten(1)
            return flat[:, :4672], flat[:, 0]

    inference.save(Own(), tmp_path / "kept", game="chess", planes="lc0")
    with pytest.raises(InvalidConfig, match="kept as ONNX"):
        training.train_supervised(
            store, network=str(tmp_path / "kept"), out=tmp_path / "run", **SMALL
        )
    assert not (tmp_path / "run").exists()


def parts_that_moved(before, after):
    """First names of the weights that differ in any bit."""
    return {name.split(".")[0] for name, old in before.items() if not torch.equal(old, after[name])}


@pytest.mark.parametrize(("freeze", "moved"), [("body", {"policy", "value"}), ("heads", {"body"})])
def test_a_frozen_part_stays_to_the_bit(store, tower, tmp_path, freeze, moved):
    options = {"network": str(tower), "freeze": freeze, "max_lr": 1e-3, **SMALL}
    result = training.train_supervised(store, out=tmp_path / "run", **options)
    assert parts_that_moved(weights(tower), weights(result.path)) == moved
    identity = inference.load(result.path, backend="torch").manifest.training["identity"]
    assert identity["freeze"] == freeze


@pytest.mark.parametrize("strategy", ["heads", "separated"])
def test_heads_by_phase_begin_with_a_network_and_keep_its_body(store, tmp_path, strategy):
    first = training.train_supervised(
        store, network="resnet-8x1", planes="minimal", out=tmp_path / "first", **SMALL
    )
    for freeze_baseline in (False, True):
        out = tmp_path / f"run-{freeze_baseline}"
        learned = training.train_experts(
            store, "lichess", strategy, network=str(first.path), freeze="body", out=out,
            freeze_baseline=freeze_baseline, test_games=1, max_lr=0.01, **SMALL,
        )  # fmt: skip

        def moved(name, out=out):
            return parts_that_moved(weights(first.path), weights(out / "networks" / name))

        heads = {"policy", "value"}
        assert {part for phase in learned.phases for part in moved(f"expert-{phase}")} == heads
        assert moved("baseline") == (heads if freeze_baseline else {"body", *heads})


def test_freezing_the_baseline_takes_a_part_and_a_trained_network(store, tower, tmp_path):
    options = {"out": tmp_path / "run", "freeze_baseline": True, **SMALL}
    for given in ({"network": str(tower)}, {"network": "resnet-8x1", "freeze": "body"}):
        with pytest.raises(InvalidConfig, match="freeze_baseline=True"):
            training.train_experts(store, "lichess", "staged", **given, **options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("strategy", ["adapters", "film"])
def test_changes_by_phase_learn_on_a_network_that_stays(store, tower, tmp_path, strategy):
    """Of a published network too; what is settled in a phase is such a network again."""
    learned = training.train_experts(
        store, "lichess", strategy, network=str(tower), freeze="body", out=tmp_path / "run",
        test_games=1, max_lr=0.01, keep_statistics=True, **SMALL,
    )  # fmt: skip
    folder = tmp_path / "run/networks"
    begun, shared = weights(tower), weights(folder / "shared")
    kept = {name: tensor for name, tensor in shared.items() if name.startswith("network.body.")}
    for name, tensor in kept.items():
        plain = name.removeprefix("network.").replace(".layer.", ".")
        assert torch.equal(begun.get(plain, begun.get(name.removeprefix("network."))), tensor)
    assert any(bool(tensor.any()) for name, tensor in shared.items() if name.startswith("changes."))
    text = inference.load(tower, backend="torch").manifest.network_text
    for phase in learned.phases:
        assert learned.expert(phase).manifest.network_text == text
        assert "body" in parts_that_moved(begun, weights(folder / f"expert-{phase}"))


@pytest.mark.parametrize("budget", ["equal", "study"])
@pytest.mark.parametrize("strategy", ["heads", "staged"])
def test_a_body_learns_once_and_is_shared(store, tmp_path, strategy, budget):
    learned = training.train_experts(
        store, "lichess", strategy, network="resnet-8x1", freeze="body", budget=budget,
        out=tmp_path / "run", test_games=1, planes="minimal", **SMALL,
    )  # fmt: skip
    folder = tmp_path / "run/networks"
    begun = weights(folder / ("start" if budget == "equal" else "baseline"))
    for phase in learned.phases:
        assert parts_that_moved(begun, weights(folder / f"expert-{phase}")) == {"policy", "value"}
    assert learned.work["mixture"] == SMALL["positions"] * (1 + (budget == "study"))


def test_heads_learn_on_a_frozen_body(tmp_path):
    """Five trainings, each of which gets better than where it began (by 0.56 to 0.72 in ten)."""
    games_of = training.GameStore.sample("krk")
    first = training.train_supervised(
        games_of, network="resnet-8x1", out=tmp_path / "first", **{**SMALL, "positions": 32}
    )
    for seed in range(5):
        result = training.train_supervised(
            games_of, network=str(first.path), freeze="body", optimizer="adamw", max_lr=0.01,
            out=tmp_path / f"heads-{seed}", **{**SMALL, "seed": seed, "positions": 1024},
        )  # fmt: skip
        assert result.metrics["loss"] < result.history[0]["validation/loss"] - 0.3


@pytest.mark.parametrize("strategy", ["separated", "weighted:4", "planes"])
def test_new_weights_are_not_frozen(store, tmp_path, strategy):
    options = {"network": "resnet-8x1", "freeze": "body", "out": tmp_path / "run", **SMALL}
    with pytest.raises(InvalidConfig, match="new weights"):
        training.train_experts(store, "lichess", strategy, **options)
    with pytest.raises(InvalidConfig, match="new weights"):
        training.train_supervised(store, **options)
    assert not (tmp_path / "run").exists()


def history(result):
    timed = {"seconds", "time/positions_per_second", "time/waiting"}
    return [{k: v for k, v in row.items() if k not in timed} for row in result.history]


def test_outputs_of_a_frozen_body_are_computed_once(store, tower, tmp_path, monkeypatch):
    """Two epochs and a bit; the smaller limit keeps 100 of the positions."""
    few = store.subset(range(10))
    table = few.split(1).train.positions("none")
    assert len(table) > 300
    options = {
        "network": str(tower), "freeze": "body", "max_lr": 1e-3, **SMALL,
        "positions": 2 * len(table) + 40,
    }  # fmt: skip
    without = training.train_supervised(few, out=tmp_path / "without", body_cache_gb=0, **options)
    asked = []
    computed = torch.nn.Sequential.forward

    def counted(body, planes):
        asked.append(len(planes) if planes.ndim == 4 and planes.shape[1] == 112 else 0)
        return computed(body, planes)

    monkeypatch.setattr(torch.nn.Sequential, "forward", counted)
    for limit, computed_again in ((1e9, 0), (100 * 8 * 64 * 4, len(table) - 100)):
        asked.clear()
        out = tmp_path / f"{limit:.0f}"
        result = training.train_supervised(few, out=out, body_cache_gb=limit / 1e9, **options)
        for one, other in zip(history(without), history(result), strict=True):
            assert one == pytest.approx(other, abs=1e-5)
        # Once each, the validation positions too; few rows are filled up to sixteen.
        most = len(table) + computed_again * 1.1 + 2 * SMALL["validation_positions"] + 16 * 10
        assert len(table) <= sum(asked) <= most
        assert not (out / "body").exists()


def test_a_killed_training_goes_on_with_the_outputs_that_are_kept(store, tower, tmp_path):
    class Stop(training.Callback):
        def update(self, progress):
            if progress.update == 22:
                raise KeyboardInterrupt

    options = {
        "network": str(tower), "freeze": "body", "max_lr": 1e-3, **SMALL, "positions": 32 * 45,
    }  # fmt: skip
    few = store.subset(range(8))
    assert 10 < len(few.split(1).train.positions("none")) / 32 < 20  # stopped in the second epoch
    whole = training.train_supervised(few, out=tmp_path / "whole", **options)
    with pytest.raises(KeyboardInterrupt):
        training.train_supervised(few, out=tmp_path / "parts", callbacks=[Stop()], **options)
    assert len(list((tmp_path / "parts/body").iterdir())) == 2
    again = training.train_supervised(few, out=tmp_path / "parts", **options)
    assert not parts_that_moved(weights(whole.path), weights(again.path))
    assert history(whole) == history(again)


def test_experts_of_all_phases_share_outputs(store, tower, tmp_path, monkeypatch):
    made = []
    reserve = body_outputs._reserve
    monkeypatch.setattr(
        body_outputs, "_reserve", lambda path, size: (made.append(path), reserve(path, size))
    )
    training.train_experts(
        store, "lichess", "weighted:4", network=str(tower), freeze="body", out=tmp_path / "run",
        test_games=1, **SMALL,
    )  # fmt: skip
    assert len(made) == 1  # the first expert's, which the others find
    assert not made[0].parent.exists()
