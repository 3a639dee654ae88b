"""Networks that are told the phase: what they answer, what they settle on, what is refused."""

import copy

import numpy as np
import pytest
import torch

from phasezoo import networks
from phasezoo.data.batches import Batch
from phasezoo.errors import InvalidArray, InvalidConfig, InvalidNetwork
from phasezoo.networks import BodyAndHeads, ConditionedNetwork, NetworkOutput
from phasezoo.networks.blocks import fold_batch_norms
from phasezoo.networks.conditioned import ChangedLayer, RowsByPhase
from phasezoo.networks.phase_layers import BALANCE, RANK
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.steps import Steps

SHAPE, ACTIONS, PHASES, ROWS = (5, 4, 4), 32, 3, 9
PLAIN = "resnet-8x1"
HOW = ("planes", "heads", "policies", "film", "adapters", "blocks", "router")
TEXTS = [f"{PLAIN}:phase_{how}={PHASES}" for how in HOW]
KEEPS_TEXT = ("planes", "router")
"""Those that are told the phase still when it is fixed."""


@pytest.fixture
def planes() -> torch.Tensor:
    return torch.rand(ROWS, *SHAPE, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def phases() -> torch.Tensor:
    return torch.tensor([2, 0, 1, 1, 2, 0, 0, 2, 1])


def made(text: str, seed: int = 0) -> ConditionedNetwork:
    network = networks.make(text, SHAPE, ACTIONS, seed)
    assert isinstance(network, ConditionedNetwork)
    return network


def scattered(text: str) -> ConditionedNetwork:
    """With other weights in every part, as after a training."""
    network = made(text)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return network.eval()


def same(one: NetworkOutput, other: NetworkOutput) -> None:
    assert one.answered() == other.answered()
    for field in one.answered():
        torch.testing.assert_close(getattr(one, field), getattr(other, field), rtol=1e-4, atol=1e-4)


def rows_of(answer: NetworkOutput, rows: torch.Tensor) -> NetworkOutput:
    return NetworkOutput(**{name: getattr(answer, name)[rows] for name in answer.answered()})


OTHER = [
    "mlp-16x1:phase_heads=3",
    "mlp-16x1:phase_adapters=3",
    "mixer-8x1:phase_planes=3",
    "rise-8x1:phase_adapters=3",
    "levit-64x1:phase_adapters=3",
    "nextvit-96x2:phase_film=3",
    "vit-32x1:phase_film=3",
    "vit-32x1:geometric_bias=4,phase_adapters=3",
    "risex4-1x2:phase_blocks=3",
]


@pytest.mark.parametrize("text", [*TEXTS, *OTHER])
def test_it_is_a_network_like_any_other(text: str) -> None:
    network = made(text)
    assert networks.spec_of(network) == text
    assert "policy_logits" in networks.check(network, SHAPE, ACTIONS)


@pytest.mark.parametrize("text", [*TEXTS, *OTHER])
def test_what_it_settles_on_is_what_it_answers_of_that_phase(text, planes, phases) -> None:
    network = scattered(text)
    with torch.no_grad():
        whole = network(planes, phases)
        for phase in range(PHASES):
            settled = networks.fix_phase(network, phase).eval()
            own = (phases == phase).nonzero()[:, 0]
            same(settled(planes[own]), rows_of(whole, own))
    if "router" in text:  # chooses by the position alone
        same(network(planes), whole)
        return
    others = networks.fix_phase(network, 0).eval()(planes).policy_logits
    assert not torch.allclose(others, whole.policy_logits)


@pytest.mark.parametrize("text", TEXTS)
def test_what_it_settles_on_is_made_again_from_its_description(text, planes) -> None:
    settled = networks.fix_phase(scattered(text), 1).eval()
    spec = networks.spec_of(settled)
    assert spec == (text if any(how in text for how in KEEPS_TEXT) else PLAIN)
    again = networks.make(spec, SHAPE, ACTIONS)
    again.load_state_dict(settled.state_dict())
    same(again.eval()(planes), settled(planes))


def test_planes_are_ones_of_the_phase_after_those_of_the_game(planes, phases) -> None:
    network = scattered(TEXTS[0])
    shown = np.zeros((ROWS, PHASES, *SHAPE[1:]), dtype=np.float32)
    shown[np.arange(ROWS), phases.numpy()] = 1
    joined = torch.cat([planes, torch.from_numpy(shown)], dim=1)
    inside = networks.make(PLAIN, (SHAPE[0] + PHASES, *SHAPE[1:]), ACTIONS)
    inside.load_state_dict(
        {k.removeprefix("network."): v for k, v in network.state_dict().items() if k != "assumed"}
    )
    same(inside.eval()(joined), network(planes, phases))


@pytest.mark.parametrize("how", ["heads", "policies", "film", "adapters", "blocks"])
def test_every_phase_begins_as_the_network_without_phases(how, planes) -> None:
    plain = networks.make(PLAIN, SHAPE, ACTIONS, seed=4).eval()
    network = made(f"{PLAIN}:phase_{how}=3", seed=4).eval()
    for phase in range(PHASES):
        same(network(planes, torch.full((ROWS,), phase)), plain(planes))
    same(network(planes), plain(planes))


def test_a_head_learns_from_its_phase_alone(planes) -> None:
    network = made(TEXTS[1]).train()
    network(planes, torch.tensor([0] * 4 + [2] * 5)).policy_logits.sum().backward()
    learnt = [
        any(p.grad is not None and bool(p.grad.any()) for p in head.parameters())
        for head in network.policies
    ]
    assert learnt == [True, False, True]
    moved = [
        float(next(b for n, b in h.named_buffers() if "mean" in n).abs().sum()) > 0
        for h in network.policies
    ]
    assert moved == [True, False, True]


def test_one_value_head_learns_from_all_phases(planes, phases) -> None:
    network = scattered(f"{PLAIN}:phase_policies=3").train()
    answer = network(planes, phases)
    for other in (torch.zeros_like(phases), phases):
        torch.testing.assert_close(network(planes, other).wdl_logits, answer.wdl_logits)
    assert not torch.allclose(network(planes, 0 * phases).policy_logits, answer.policy_logits)


def test_film_scales_and_shifts_what_a_norm_answers(planes, phases) -> None:
    network = scattered(f"{PLAIN}:phase_film=3")
    stem = network.network.body[0]
    change = network.changes[0]
    with torch.no_grad():
        plain = stem.norm.layer(stem.conv(planes))
        expected = torch.stack(
            [
                plain[row] * (1 + change.scale[phase])[:, None, None]
                + change.shift[phase][:, None, None]
                for row, phase in enumerate(phases.tolist())
            ]
        )
        network._batch.phases, network._batch.rows = phases, RowsByPhase.of(phases, PHASES)
        torch.testing.assert_close(stem.norm(stem.conv(planes)), expected)


def test_adapters_add_a_matrix_of_low_rank(planes) -> None:
    network = scattered(f"{PLAIN}:phase_adapters=3")
    for phase in range(PHASES):
        settled = networks.fix_phase(network, phase)
        for name, layer in network.network.named_modules():
            if isinstance(layer, ChangedLayer):
                own = settled.get_submodule(name).weight - layer.layer.weight
                assert 0 < torch.linalg.matrix_rank(own.flatten(1), atol=1e-5) <= RANK
    plain = networks.make(PLAIN, SHAPE, ACTIONS)
    assert networks.parameter_counts(settled) == networks.parameter_counts(plain)


def test_a_router_takes_its_likeliest_block_and_is_kept_even(planes) -> None:
    network = scattered(f"{PLAIN}:phase_router=3").train()
    below = network.body(planes)
    answer = network(planes, torch.zeros(ROWS, dtype=torch.int64)).policy_logits
    loss = network.take_extra_loss()
    assert network.take_extra_loss() is None
    pooled = below.mean(dim=(2, 3))
    chances = torch.softmax(pooled @ network.router.weight.T + network.router.bias, dim=1)
    chosen = chances.argmax(dim=1)
    shares = torch.bincount(chosen, minlength=PHASES) / ROWS
    expected = (
        BALANCE
        * PHASES
        * sum(float(shares[k]) * chances[:, k].mean().item() for k in range(PHASES))
    )
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    features = torch.empty_like(below)
    for k in range(PHASES):
        own = chosen == k
        if own.any():
            moved = network.blocks[k](below[own]) - below[own]
            features[own] = below[own] + chances[own, k, None, None, None] * moved
    torch.testing.assert_close(network.policy(features), answer)
    loss = loss + answer.sum()
    loss.backward()
    assert bool(network.router.weight.grad.any())


@pytest.mark.parametrize("how", [how for how in HOW if how != "planes"])
def test_weights_of_the_network_without_phases_fit(how, planes, phases) -> None:
    plain = networks.make(PLAIN, SHAPE, ACTIONS, seed=7).eval()
    network = made(f"{PLAIN}:phase_{how}=3", seed=8).eval()
    network.load_state_dict(network.widened(plain.state_dict()))
    if how != "router":
        same(network(planes, phases), plain(planes))
    own = {name: tensor + 1 for name, tensor in network.state_dict().items()}
    assert network.widened(own).keys() == own.keys()


class _Squares(torch.nn.Module):
    """A body that takes squares for rows, or puts them first as transformers of PyTorch do."""

    def __init__(self, *, first: bool) -> None:
        super().__init__()
        self.first = first
        self.layer = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.LayerNorm(4, bias=False))

    def forward(self, planes):
        tokens = planes.flatten(2).permute(2, 0, 1) if self.first else planes.flatten(2).mT
        if self.first:
            return self.layer(tokens).mean(dim=0)
        return self.layer(tokens.flatten(0, 1)).unflatten(0, tokens.shape[:2]).mean(dim=1)


class _Halved(torch.nn.Conv2d):
    def forward(self, planes):
        return 0.5 * super().forward(planes)


def changing(how: str, body: torch.nn.Module, shape=SHAPE) -> ConditionedNetwork:
    """A network with a body of one's own that answers four numbers."""

    def factory(input_shape, num_actions):
        return BodyAndHeads(body, torch.nn.Linear(4, num_actions), _Wdl(4))

    network = networks.make(factory, shape, ACTIONS, **{f"phase_{how}": PHASES})
    assert isinstance(network, ConditionedNetwork)
    return network


@pytest.mark.parametrize("how", ["film", "adapters"])
@pytest.mark.parametrize("board", [(4, 4), (2, 2)])
@pytest.mark.parametrize("first", [True, False])
def test_rows_whose_phase_is_unknown_are_refused(how, board, first) -> None:
    """Even if there are as many as positions, as in a check with four of them."""
    network = changing(how, _Squares(first=first), (5, *board))
    with pytest.raises(InvalidNetwork, match="one row for each position"):
        networks.check(network, (5, *board), ACTIONS)


@pytest.mark.parametrize("how", ["film", "adapters"])
def test_layers_with_a_way_of_their_own_do_not_change(how, phases) -> None:
    """A subclass, or a layer with weights that are computed; others of the body do."""

    class Body(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.halved = _Halved(5, 4, 1)
            self.normed = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv2d(4, 4, 1))
            self.plain = torch.nn.Linear(4, 4)
            self.norm = torch.nn.LayerNorm(4, bias=False)

        def forward(self, planes):
            found = self.normed(self.halved(planes)).mean(dim=(2, 3))
            return self.norm(self.plain(found))

    torch.manual_seed(0)
    body = Body()
    planes = torch.rand(ROWS, *SHAPE)
    network = changing(how, body).eval()
    assert len(network.changes) == 1
    networks.check(network, SHAPE, ACTIONS)
    with torch.no_grad():
        for parameter in network.changes.parameters():
            parameter.add_(torch.randn_like(parameter))
        whole = network(planes, phases)
        for phase in range(PHASES):
            rows = (phases == phase).nonzero()[:, 0]
            same(networks.fix_phase(network, phase).eval()(planes[rows]), rows_of(whole, rows))


def test_layers_that_a_transformer_reads_itself_are_refused() -> None:
    layer = torch.nn.TransformerEncoderLayer(4, 1, 8, batch_first=True)
    for how in ("film", "adapters"):
        with pytest.raises(InvalidConfig, match="reads the weights of its layers itself"):
            changing(how, layer)


@pytest.mark.parametrize("text", [*TEXTS, "nextvit-96x2:phase_adapters=3"])
def test_batch_norms_are_folded_around_layers_that_change(text, planes, phases) -> None:
    network = scattered(text)
    with torch.no_grad():
        before = network(planes, phases)
        fold_batch_norms(network)
        same(network(planes, phases), before)


def batch_of(planes: torch.Tensor, phases: list[int], actions: list[int]) -> Batch:
    count = len(phases)
    return Batch(
        planes=planes[:count].numpy(),
        action=np.array(actions),
        value=np.zeros(count, np.float32),
        wdl=np.ones(count, np.int64),
        plies_left=np.ones(count, np.float32),
        phase=np.array(phases, np.int8),
        game=np.zeros(count, np.int32),
        weight=np.ones(count, np.float32),
    )


@pytest.mark.parametrize("text", TEXTS)
def test_a_phase_without_positions_does_not_stop_a_training(text, planes) -> None:
    """And a network can be copied after a step: it keeps nothing that was computed."""
    network = made(text)
    steps = Steps(network, SupervisedConfig(device="cpu"), SHAPE, 0, phases=PHASES)
    for number, seen in enumerate(([0, 0, 1, 1], [0, 1, 2, 2], [1, 1, 1, 1])):
        batch = batch_of(planes, seen, [0, 1, 2, 3])
        steps.take(number, batch, steps.no_losses(), 0.1, 0.9)
    network.train()(planes, torch.zeros(ROWS, dtype=torch.int64))
    networks.check(copy.deepcopy(network), SHAPE, ACTIONS)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("how", [None, *HOW])
def test_what_the_phase_alone_says_is_learned(how, seed) -> None:
    """The action is the phase: a guess costs 1.10 nats. Only who takes the phase learns it."""
    text = PLAIN if how is None else f"{PLAIN}:phase_{how}=3"
    config = SupervisedConfig(device="cpu", optimizer="adamw", weight_decay=0.0)
    steps = Steps(networks.make(text, SHAPE, ACTIONS, seed), config, SHAPE, seed, phases=PHASES)
    generator = torch.Generator().manual_seed(seed)
    phases = [0, 1, 2] * 8
    for number in range(120):
        same_of_all = torch.rand(8, *SHAPE, generator=generator).repeat_interleave(3, dim=0)
        sums = steps.no_losses()
        steps.take(number, batch_of(same_of_all, phases, phases), sums, 0.01, 0.9)
    loss = float(sums.means().policy)
    assert loss > 1.0 if how in (None, "router") else loss < 0.4


@pytest.mark.parametrize("text", [text for text in TEXTS if "router" not in text])
def test_untold_it_takes_all_phases_for_equally_likely(text, planes, phases) -> None:
    network = scattered(text)
    untold = network(planes)
    if "heads" in text:
        each = [network(planes, torch.full((ROWS,), k)).policy_logits for k in range(PHASES)]
        torch.testing.assert_close(untold.policy_logits, torch.stack(each).mean(dim=0))
    assert not torch.allclose(untold.policy_logits, network(planes, phases).policy_logits)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{PLAIN}:phase_planes=1", "a whole number from 2 to 64"),
        (f"{PLAIN}:phase_heads=x", "a whole number from 2 to 64"),
        (f"{PLAIN}:phase_heads=3,phase_planes=3", "give phase_heads or phase_planes, not both"),
        ("mixer-8x1:phase_heads=3", "BodyAndHeads"),
        ("mlp-8x1:phase_blocks=3", "towers of blocks"),
        ("mlp-8x1:phase_router=3", "towers of blocks"),
        (f"{PLAIN}:phase=3", "did you mean phase_"),
    ],
)
def test_texts_that_make_no_sense_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        networks.make(text, SHAPE, ACTIONS)


def test_phases_that_it_does_not_know_are_refused() -> None:
    for text in TEXTS:
        for phase in (-1, PHASES):
            with pytest.raises(InvalidArray, match="knows 3 phases"):
                networks.fix_phase(made(text), phase)
    with pytest.raises(InvalidConfig, match="takes the phase already"):
        networks.conditioned(TEXTS[0], "heads", 3)


def test_a_factory_of_ones_own_has_the_options_too() -> None:
    def mine(input_shape, num_actions, width: int = 4):
        body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(np.prod(input_shape), width))
        value = _Wdl(width)
        return BodyAndHeads(body, torch.nn.Linear(width, num_actions), value)

    networks.register("mine-told", mine)
    for text in ("mine-told:phase_heads=2", "mine-told:width=8,phase_planes=2"):
        assert networks.check(text, SHAPE, ACTIONS) == ("policy_logits", "wdl_logits")

    def taken(input_shape, num_actions, phase_heads: int = 2):
        raise InvalidNetwork

    with pytest.raises(InvalidConfig, match="every network"):
        networks.make(taken, SHAPE, ACTIONS)


class _Wdl(torch.nn.Linear):
    def __init__(self, width: int) -> None:
        super().__init__(width, 3)

    def forward(self, features):  # the fields of NetworkOutput after the policy
        return (super().forward(features),)
