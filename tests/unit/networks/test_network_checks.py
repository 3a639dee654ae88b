"""Networks that cannot be trained or played with are found out before anything is written."""

import pytest
import torch
from torch import nn

from phasezoo import networks
from phasezoo.errors import InvalidConfig, InvalidNetwork

SHAPE, ACTIONS = (3, 6, 7), 7


class Flawed(nn.Module):
    """Sound, unless ``flaw`` changes its answer."""

    def __init__(self, input_shape, num_actions, flaw=None):
        super().__init__()
        inputs = input_shape[0] * input_shape[1] * input_shape[2]
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(inputs, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.policy, self.wdl = nn.Linear(8, num_actions), nn.Linear(8, 3)
        self.plies = nn.Linear(8, 1)
        self.flaw = flaw

    def forward(self, planes):
        x = self.body(planes)
        output = networks.NetworkOutput(
            self.policy(x), self.wdl(x), torch.sigmoid(self.plies(x)).squeeze(1)
        )
        return output if self.flaw is None else self.flaw(output)


def check(flaw=None, **options):
    return networks.check(Flawed(SHAPE, ACTIONS, flaw), SHAPE, ACTIONS, **options)


def test_a_sound_network_tells_what_it_answers():
    assert check() == ("policy_logits", "wdl_logits", "plies")
    assert networks.check("rise-8x1:value=mse", SHAPE, ACTIONS) == ("policy_logits", "scalar")
    assert networks.check(
        "rise-8x1:value=players", SHAPE, ACTIONS, num_players=4, needs=["values"]
    ) == ("policy_logits", "values")


@pytest.mark.parametrize(
    ("flaw", "says"),
    [
        (tuple, "answered a tuple; expected phasezoo.networks.NetworkOutput"),
        (lambda o: o.policy_logits, r"answered float32\[4, 7\]"),
        (lambda o: o._replace(policy_logits=o.policy_logits[:, :6]), r"float32\[4, 6\].*\[4, 7\]"),
        (lambda o: o._replace(plies=o.plies[:, None]), r"plies is float32\[4, 1\].*\[4\]"),
        (lambda o: o._replace(wdl_logits=o.wdl_logits.long()), r"wdl_logits is int64\[4, 3\]"),
        (lambda o: o._replace(policy_logits=None), "policy_logits is None"),
        (lambda o: o._replace(values=o.wdl_logits), r"values is .*\[4, 2\]"),
        (lambda o: o._replace(plies=o.plies / 0), "plies has NaN or infinities"),
        (lambda o: o._replace(wdl_logits=None), "no value; one of wdl_logits, scalar, values"),
        (lambda o: o._replace(plies=None), r"2 of 10 parameters get no gradient \(plies.weight"),
        (lambda o: type(o)(*(t.detach() for t in o[:3])), "have no gradient"),
        (lambda o: o._replace(plies=o.plies - o.plies.mean()), "changes with the positions beside"),
        (lambda o: o.nothing, "raised AttributeError"),
    ],
)
def test_each_flaw_is_named_with_what_was_expected(flaw, says):
    with pytest.raises(InvalidNetwork, match=says):
        check(flaw)


def test_a_field_that_is_asked_for_and_not_answered_is_refused():
    flawed = Flawed(SHAPE, ACTIONS, lambda o: o._replace(plies=None))
    flawed.plies.requires_grad_(False)
    assert networks.check(flawed, SHAPE, ACTIONS) == ("policy_logits", "wdl_logits")
    with pytest.raises(InvalidNetwork, match="no plies, which is asked for"):
        networks.check(flawed, SHAPE, ACTIONS, needs=["wdl_logits", "plies"])


def test_a_network_without_anything_to_train_is_refused():
    network = Flawed(SHAPE, ACTIONS).requires_grad_(False)
    with pytest.raises(InvalidNetwork, match="nothing to train"):
        networks.check(network, SHAPE, ACTIONS)


def test_gradients_that_are_not_finite_are_refused():
    def flaw(output):
        return output._replace(plies=(output.plies - output.plies.detach()).sqrt())

    with pytest.raises(InvalidNetwork, match=r"gradient of .* is NaN"):
        check(flaw)


def test_networks_of_another_shape_are_refused():
    with pytest.raises(
        InvalidNetwork, match=r"raised RuntimeError on planes float32\[4, 5, 6, 7\]"
    ):
        networks.check(Flawed(SHAPE, ACTIONS), (5, 6, 7), ACTIONS)
    with pytest.raises(InvalidConfig, match="did you mean 'rise'"):
        networks.check("rose-8x1", SHAPE, ACTIONS)


def test_checking_leaves_everything_as_it_was():
    network = networks.make("rise-8x1:drop=0.5", SHAPE, ACTIONS)
    network.train()
    network.body[0].eval()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    parameter = next(network.parameters())
    parameter.grad = torch.ones_like(parameter)
    draws = torch.get_rng_state()
    networks.check(network, SHAPE, ACTIONS)
    assert torch.equal(torch.get_rng_state(), draws)
    assert all(torch.equal(before[n], t) for n, t in network.state_dict().items())
    assert bool((parameter.grad == 1).all())
    assert sum(p.grad is not None for p in network.parameters()) == 1
    assert network.training
    assert not network.body[0].training
