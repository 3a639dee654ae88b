"""Compiled networks and networks in bfloat16 answer as they did, and train."""

import pytest
import torch
from test_onnx_parity import TINY

from phasezoo import networks
from phasezoo.errors import InvalidConfig
from phasezoo.networks import precision
from phasezoo.networks.blocks import fold_batch_norms

SHAPE = (52, 8, 8)


def planes(rows=8, shape=SHAPE):
    return torch.rand(rows, *shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["rise-8x1:drop=0.2", "mlp-16x1"])
def test_a_traced_network_answers_and_is_saved_as_before(name):
    """The tracer of torch.compile without its compiler, which takes long."""
    network = networks.make(name, SHAPE, seed=1).eval()
    with torch.no_grad():
        expected = network(planes())
        names = list(network.state_dict())
        weights = {n: t.clone() for n, t in network.state_dict().items()}
        assert networks.compiled(network, SHAPE, training=True, backend="aot_eager") is network
        assert not network.training
        assert list(network.state_dict()) == names
        assert all(torch.equal(weights[n], t) for n, t in network.state_dict().items())
        for rows in (8, 3):
            answer = network(planes()[:rows])
            torch.testing.assert_close(answer[0], expected[0][:rows], atol=1e-5, rtol=1e-5)
    torch.compiler.reset()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("training", [False, True])
def test_a_compiled_network_answers_and_learns(training):
    network = networks.make("rise-16x2", SHAPE, seed=1).train(training)
    same = networks.make("rise-16x2", SHAPE, seed=1).train(training)
    networks.compiled(network, SHAPE, training=training)
    with torch.set_grad_enabled(training):
        one, other = network(planes()), same(planes())
    torch.testing.assert_close(one[0], other[0], atol=1e-4, rtol=1e-3)
    if training:
        for output in (one, other):
            (output.policy_logits.square().mean() + sum(t.sum() for t in output[1:3])).backward()
        for first, second in zip(network.parameters(), same.parameters(), strict=True):
            torch.testing.assert_close(first.grad, second.grad, atol=1e-3, rtol=1e-2)
    torch.compiler.reset()


def test_what_cannot_be_compiled_is_refused_and_left_as_it_was():
    network = networks.make("mlp-16x1", SHAPE, seed=1).eval()
    with pytest.raises(InvalidConfig, match="cannot be compiled here"):
        networks.compiled(network, SHAPE, backend="no_such_backend")
    assert network(planes()).policy_logits.shape == (8, 4672)


@pytest.mark.parametrize("name", TINY)
def test_every_family_works_in_bfloat16(name):
    failure = precision.probe("bfloat16", "cpu")
    if failure is not None:
        pytest.skip(f"bfloat16 on this CPU: a trial {failure}")
    shape = (112, 8, 8) if name.startswith("lc0") else SHAPE
    network, shown = networks.make(name, shape, seed=1), planes(shape=shape)
    with networks.autocast("bfloat16", torch.device("cpu")):
        output = network(shown)
    (output.policy_logits.float().square().mean() + output.value().float().mean()).backward()
    assert all(bool(p.grad.isfinite().all()) for p in network.parameters() if p.grad is not None)
    network.eval()
    with torch.no_grad():
        expected = network(shown)
        fold_batch_norms(network)
        answer = network.to(torch.bfloat16)(shown.to(torch.bfloat16))
    for one, other in zip(answer, expected, strict=True):
        if one is not None:
            assert one.dtype == torch.bfloat16
            spread = float(other.abs().max()) + 0.1
            assert float((one.float() - other).abs().max()) < 0.05 * spread


def test_float32_is_not_cast():
    with networks.autocast("float32", torch.device("cpu")):
        assert networks.make("mlp-8x1").eval()(planes(2)).policy_logits.dtype == torch.float32


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_training_may_be_compiled(tmp_path):
    from phasezoo import training

    store = training.GameStore.sample("chess")
    losses = []
    for compile_it in (False, True):
        result = training.train_supervised(
            store,
            network="mlp-16x1",
            positions=1_000,
            seed=1,
            out=tmp_path / str(compile_it),
            compile=compile_it,
            threads=1,
        )
        losses.append(result.metrics["loss"])
    assert losses[1] == pytest.approx(losses[0], abs=0.01)
    torch.compiler.reset()
