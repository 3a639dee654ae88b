"""Networks of one's own by name, their options, and the way back from a description."""

import functools
import re
import sys
import textwrap
import warnings

import pytest
import torch
from hypothesis import given, settings, strategies as st

from phasezoo import networks
from phasezoo.errors import InvalidConfig, InvalidNetwork
from phasezoo.networks import registry
from phasezoo.networks.architectures.sizes import MAX_BLOCKS, MAX_CHANNELS
from phasezoo.networks.making import described

SHAPE, ACTIONS = (3, 6, 7), 7


class Small(torch.nn.Module):
    def __init__(self, input_shape, num_actions, width=16, *, rate: float = 0.5, deep=False):
        super().__init__()
        inputs = input_shape[0] * input_shape[1] * input_shape[2]
        self.options = (width, rate, deep)
        self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(inputs, width))
        self.policy = torch.nn.Linear(width, num_actions)
        self.wdl = torch.nn.Linear(width, 3)

    def forward(self, planes):
        features = torch.relu(self.body(planes))
        return networks.NetworkOutput(self.policy(features), self.wdl(features))


def sized(input_shape, num_actions, width: int, layers: int, *, num_players=2):
    network = Small(input_shape, num_actions, width)
    network.told = (layers, num_players)
    return network


@pytest.fixture(autouse=True)
def _own_names(monkeypatch):
    monkeypatch.setattr(registry.REGISTRY, "own", {})


def test_a_registered_network_is_made_with_the_options_of_its_text():
    assert networks.register("small", Small) is Small
    assert networks.make("small", SHAPE, ACTIONS).options == (16, 0.5, False)
    network = networks.make("small:width=32,deep=true,rate=1", SHAPE, ACTIONS)
    assert network.options == (32, 1.0, True)
    assert isinstance(network.options[1], float)


def test_the_object_itself_may_have_any_name():
    class Own(Small):
        def __init__(this, input_shape, num_actions, width: int = 4):  # noqa: N805
            super().__init__(input_shape, num_actions, width)

    networks.register("own", Own)
    assert networks.make("own:width=8", SHAPE, ACTIONS).options[0] == 8


def test_a_decorator_registers_too():
    @networks.register("decorated")
    def factory(input_shape, num_actions):
        return Small(input_shape, num_actions, 4)

    assert networks.make("decorated", SHAPE, ACTIONS).options[0] == 4
    assert "decorated" in networks.names()


def test_options_without_a_default_are_the_size_in_the_name():
    networks.register("mine", sized)
    network = networks.make("mine-8x3", SHAPE, ACTIONS, num_players=4)
    assert (network.options[0], network.told) == (8, (3, 4))
    assert described("mine-8x3").name == "mine-8x3"
    assert str(described("mine:layers=3,width=8")) == "mine-8x3"
    for text in ("mine", "mine-8", "mine-8x3x1", "mine-8x", "mine-08x3", "mine-8x3:width=8"):
        with pytest.raises(InvalidConfig, match="mine"):
            networks.make(text, SHAPE, ACTIONS)


def test_the_same_seed_gives_a_users_network_the_same_weights():
    first, second, other = (networks.make(Small, SHAPE, ACTIONS, seed) for seed in (1, 1, 2))
    assert torch.equal(first.policy.weight, second.policy.weight)
    assert not torch.equal(first.policy.weight, other.policy.weight)


class Lazy(Small):
    """Layers that learn their sizes from the first planes."""

    def __init__(self, input_shape, num_actions):
        super().__init__(input_shape, num_actions)
        self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(16))


def test_layers_that_wait_for_planes_are_shown_some():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch's, that lazy modules are new
        first, second = (networks.make(Lazy, SHAPE, ACTIONS, seed=1) for _ in range(2))
    assert first.body[1].weight.shape == (16, 126)
    assert torch.equal(first.body[1].weight, second.body[1].weight)
    assert first.training
    assert networks.check(first, SHAPE, ACTIONS) == ("policy_logits", "wdl_logits")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("small:widht=3", "did you mean width="),
        ("small:heads=3", "width: a whole number; rate: a number; deep: true or false"),
        ("small:width=3.5", "expected a whole number"),
        ("small:width=true", "expected a whole number"),
        ("small:rate=fast", "expected a number"),
        ("small:rate=nan", "expected a number"),
        ("small:deep=1", "expected true or false"),
        ("small:width", "'width' has no key"),
        ("small:width=3,width=4", "twice"),
        ("small:", "a value is missing"),
        ("smal:width=3", "did you mean 'small'"),
        ("rise-32x4:value=wdlq", "expected one of wdlp, wdl, mse, players"),
        ("rise-32x4:drop=2", "drop=2.0: expected a number from 0 to 0.9"),
        ("rise-32x4:num_players=3", "num_players=: network .* has no such option"),
        ("rise-32x4:channels=32", "channels is said by the name already"),
    ],
)
def test_what_no_option_allows_is_refused_by_name(text, says):
    networks.register("small", Small)
    with pytest.raises(InvalidConfig, match=says):
        described(text)


def test_names_of_the_package_and_no_names_are_refused():
    for name in ("rise", "rise-32x4", "a:b", "a,b", "", " a"):
        with pytest.raises(InvalidConfig):
            networks.register(name, Small)


def test_factories_that_cannot_be_called_are_refused():
    with pytest.raises(InvalidConfig, match=r"factory\(input_shape, num_actions"):
        networks.register("one", lambda input_shape: None)
    with pytest.raises(InvalidConfig, match="give its class"):
        networks.register("made", Small(SHAPE, ACTIONS))
    with pytest.raises(InvalidConfig, match="give its class"):
        networks.make(Small(SHAPE, ACTIONS), SHAPE, ACTIONS)
    with pytest.raises(InvalidConfig, match="or a factory"):
        networks.make(3, SHAPE, ACTIONS)
    with pytest.raises(InvalidNetwork, match=r"expected a torch\.nn\.Module"):
        networks.make(lambda shape, actions: None, SHAPE, ACTIONS)
    with pytest.raises(InvalidNetwork, match="raised ZeroDivisionError"):
        networks.make(lambda shape, actions: shape[0] / 0, SHAPE, ACTIONS)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A user's module on Python's path."""
    (tmp_path / "their_networks.py").write_text(
        textwrap.dedent("""
        import torch
        from phasezoo.networks import NetworkOutput

        class Tiny(torch.nn.Module):
            def __init__(self, input_shape, num_actions, *, bias=True):
                super().__init__()
                inputs = input_shape[0] * input_shape[1] * input_shape[2]
                self.policy = torch.nn.Linear(inputs, num_actions, bias=bias)
                self.returns = torch.nn.Linear(inputs, 1)

            def forward(self, planes):
                x = planes.flatten(1)
                return NetworkOutput(self.policy(x), scalar=self.returns(x).tanh().squeeze(1))

        def wide(input_shape, num_actions, width: int, *, bias=True):
            return Tiny(input_shape, num_actions, bias=bias)
        """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield "their_networks"
    sys.modules.pop("their_networks", None)


def test_a_description_leads_back_by_name_and_then_by_import_path(module):
    import their_networks

    networks.register("theirs", their_networks.Tiny)
    spec = described("theirs:bias=false")
    assert spec == networks.NetworkSpec("theirs", {"bias": False}, "their_networks:Tiny")
    registry.REGISTRY.own.clear()
    network = networks.make(spec, SHAPE, ACTIONS)
    assert type(network).__name__ == "Tiny"
    assert network.policy.bias is None
    networks.register("theirs", Small)
    with pytest.raises(InvalidConfig, match=r"bias=: network .* has no such option"):
        networks.make(spec, SHAPE, ACTIONS)


def test_the_size_of_a_name_survives_the_way_back(module):
    import their_networks

    networks.register("theirs", their_networks.wide)
    spec = described("theirs-7")
    registry.REGISTRY.own.clear()
    assert networks.make(spec, SHAPE, ACTIONS).policy.bias is not None
    assert described(spec) == spec


def test_factories_are_described_by_their_import_path(module):
    import their_networks

    fixed = functools.partial(their_networks.Tiny, bias=False)
    for factory, options in ((their_networks.Tiny, {}), (fixed, {"bias": False})):
        spec = described(factory)
        assert spec == networks.NetworkSpec("their_networks:Tiny", options, "their_networks:Tiny")
        assert described(str(spec)) == spec
        assert networks.make(spec, SHAPE, ACTIONS).policy.in_features == 3 * 42


def test_what_cannot_be_imported_is_refused_with_what_helps(module):
    import their_networks  # noqa: F401

    local = described(lambda shape, actions: Small(shape, actions))
    assert local.factory is None
    with pytest.raises(InvalidConfig, match=r"networks\.register"):
        networks.make(local, SHAPE, ACTIONS)
    for path, says in (
        ("no_such_module:Small", "there is no module no_such_module"),
        ("their_networks:Large", "defines no network Large"),
    ):
        spec = networks.NetworkSpec("gone", {}, path)
        with pytest.raises(InvalidConfig, match=says):
            networks.make(spec, SHAPE, ACTIONS)


def test_a_network_may_be_named_by_its_import_path(module):
    network = networks.make("their_networks:Tiny:bias=false", SHAPE, ACTIONS)
    assert network.policy.bias is None


def test_options_are_put_into_a_text(module):
    their = networks.spec_of("their_networks:Tiny", bias=False)
    assert their == "their_networks:Tiny:bias=false"
    assert networks.spec_of("resnet-16x2", value="mse") == "resnet-16x2:value=mse"
    with pytest.raises(InvalidConfig, match="has value too: give it once"):
        networks.spec_of("resnet-16x2:value=mse", value="wdlp")


@pytest.mark.parametrize("text", ["rise-32x4", "resnet-16x2:value=mse", "risex4-1x2:drop=0.1"])
def test_texts_and_descriptions_are_the_same(text):
    spec = described(text)
    assert str(spec) == text
    assert described(spec) == spec
    assert spec.factory is not None


@given(st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_the_parser(name: str) -> None:
    try:
        spec = described(name)
    except InvalidConfig:
        return
    assert described(str(spec)) == spec
    if size := re.fullmatch(r"(.*)-(\d+)x(\d+)", spec.name):  # others are whole names
        family, channels, blocks = size[1], int(size[2]), int(size[3])
        assert family in registry.REGISTRY
        assert blocks >= 1
        if family in {"rise", "risev2", "resnet", "risex4"}:
            assert (1 if family == "risex4" else 8) <= channels <= MAX_CHANNELS
            assert blocks <= MAX_BLOCKS
