"""Parts of the study of representations: towers, planes, gradients, endings."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from phasezoo import games, inference, networks
from phasezoo.agents import Limit
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import EngineFailed
from phasezoo.experiments.representation import (
    config,
    figures,
    measurements,
    positions,
    published,
)
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.measurements import Latency, Losses, LossRow
from phasezoo.experiments.representation.positions import Attribution, groups, read_endings
from phasezoo.experiments.timing import RESOLUTION, between_rounds, in_rounds
from phasezoo.networks.architectures import alphavile
from phasezoo.report.console import silent
from phasezoo.zoo.boards.planes import NEW

SHAPE = (52, 8, 8)

TOY = Path(__file__).parent.parent / "agents" / "engines" / "toy_engine.py"


def test_a_clock_that_stands_still_leaves_times_that_can_be_compared():
    shown = iter([9.0, 0.0, 0.0, 9.0, 0.0, 0.25])  # of each call the first is not counted
    assert in_rounds([lambda: next(shown)] * 2, 1, 0.0) == [[RESOLUTION], [0.25]]


@pytest.mark.parametrize("size", alphavile._PLANS)
def test_transformers_stand_where_the_published_towers_have_them(size):
    plan = alphavile._PLANS[size]
    found = alphavile.transformer_places(plan.blocks, len(plan.transformers))
    assert found == plan.transformers


@pytest.mark.parametrize("count", range(5))
@pytest.mark.parametrize("blocks", range(1, 12))
def test_a_tower_has_as_many_transformers_as_fit(blocks, count):
    places = alphavile.transformer_places(blocks, count)
    assert len(places) == min(blocks, count)
    assert all(0 <= place < blocks for place in places)


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.75, 1])
def test_wide_kernels_have_their_share(share):
    wide = [alphavile.is_wide(index, share) for index in range(16)]
    assert sum(wide) == 16 * share


def test_towers_differ_in_what_their_names_say():
    def kernels(text):
        network = networks.make(text, SHAPE, 4672)
        body = [m for m in network.body.modules() if isinstance(m, torch.nn.Conv2d)]
        return [conv.kernel_size[0] for conv in body[1:]]

    assert kernels("tower-8x2").count(5) == 0
    assert kernels("tower-8x2:wide=0.5").count(5) == 1
    assert kernels("tower-8x2:block=classical") == [3] * 4
    assert kernels("tower-32x1:block=next")[:2] == [3, 1]
    sizes = [networks.count(f"tower-16x2:expansion={n}", SHAPE, 4672) for n in (2, 3)]
    assert sizes[0].multiply_adds < sizes[1].multiply_adds


@pytest.mark.parametrize("game", ["chess", "atomic", "crazyhouse"])
@pytest.mark.parametrize("spec", ["v1", "v2"])
def test_every_plane_is_in_one_group(game, spec):
    found = sorted(plane for group in groups(game, spec).values() for plane in group)
    assert found == list(range(games.make(game).plane_shape(spec)[0]))
    assert len(set(NEW) & set(groups(game, spec))) == (len(NEW) if spec == "v2" else 0)


def test_groups_are_the_planes_of_their_names():
    chess = games.make("chess")
    states = [chess.from_fen(fen) for fen in (
        "8/2b1k3/8/1B1PP3/3K4/8/8/8 w - - 0 56",
        "8/2b1k3/8/1b1PP3/3K4/8/8/8 w - - 0 56",
    )]  # fmt: skip
    first, second = games.encode(states, "v2")
    found = {
        n for n, g in groups("chess", "v2").items() if (first[list(g)] != second[list(g)]).any()
    }
    assert found == {
        "own pieces", "their pieces", "piece masks", "material difference", "opposite bishops",
        "material",
    }  # fmt: skip
    white, black = games.encode(
        [
            chess.initial_state(),
            chess.from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 9"),
        ],
        "v1",
    )
    found = {
        n for n, g in groups("chess", "v1").items() if (white[list(g)] != black[list(g)]).any()
    }
    assert found == {"colour", "move number"}


class Smooth(torch.nn.Module):
    """A small network whose gradients change along every line."""

    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.first = torch.randn(12 * 64, 16, generator=generator) / 8
        self.value = torch.randn(16, generator=generator)
        self.policy = torch.randn(16, 5, generator=generator)

    def forward(self, planes):
        hidden = torch.tanh(planes.flatten(1) @ self.first.to(planes.dtype))
        scalar = torch.tanh(hidden @ self.value.to(planes.dtype))
        logits = hidden @ self.policy.to(planes.dtype)
        return networks.NetworkOutput(logits, scalar=scalar)


@pytest.mark.parametrize("answer", ["value", "policy"])
def test_attributions_are_complete_and_equal_a_plain_integral(answer):
    pytest.importorskip("captum")
    network = Smooth()
    generator = torch.Generator().manual_seed(2)
    planes = torch.rand(3, 12, 8, 8, generator=generator)
    baseline = torch.rand(1, 12, 8, 8, generator=generator)
    found = positions.integrated(network, planes, baseline, answer, steps=60)

    target = network(planes).policy_logits.argmax(dim=1)

    def explained(rows):
        output = network(rows)
        if answer == "value":
            return output.scalar
        return torch.log_softmax(output.policy_logits, 1).gather(1, target[:, None])[:, 0]

    change = explained(planes) - explained(baseline.expand_as(planes))
    sums = found.attributions.sum(axis=(1, 2, 3))
    np.testing.assert_allclose(sums, change.numpy(), atol=1e-4)
    assert np.abs(found.errors).max() < 1e-4

    # The midpoint rule in double precision knows nothing of captum.
    line = (planes - baseline).double()
    total = torch.zeros_like(line)
    steps = 150
    for step in range(steps):
        point = baseline.double() + (step + 0.5) / steps * line
        point.requires_grad_(requires_grad=True)
        (gradient,) = torch.autograd.grad(explained(point).sum(), point)
        total += gradient / steps
    np.testing.assert_allclose(found.attributions, (total * line).numpy(), atol=1e-5)


def test_attributions_of_a_real_network_are_complete(tmp_path):
    pytest.importorskip("captum")
    made = networks.make("resnet-8x1:policy=pointwise,value=wdlp", SHAPE, 4672, seed=3)
    inference.save(inference.TorchEvaluator(made, game="chess", planes="v2"), tmp_path / "net")
    network = positions.read_network(tmp_path / "net")
    chess = games.make("chess")
    states = [chess.from_fen(ending.fen) for ending in read_endings()[:3]]
    planes = torch.from_numpy(games.encode(states, "v2"))
    zero = torch.zeros_like(planes[:1])
    found = positions.integrated(network, planes, zero, "value", steps=200)
    with torch.no_grad():
        change = (network(planes).value() - network(zero).value()).numpy()
    np.testing.assert_allclose(found.attributions.sum(axis=(1, 2, 3)), change, atol=2e-3)
    blank = (planes == 0).numpy()
    assert (found.attributions[blank] == 0).all(), "nothing comes from where nothing is"


def test_endings_are_positions_of_opposite_bishops():
    chess = games.make("chess")
    endings = read_endings()
    assert [ending.row for ending in endings] == [*range(1, 16), *range(17, 21)]
    planes = games.encode([chess.from_fen(ending.fen) for ending in endings], "v2")
    opposite = groups("chess", "v2")["opposite bishops"][0]
    assert planes[:, opposite].all()
    for ending in endings:
        assert not chess.from_fen(ending.fen).is_terminal
    assert [ending.row for ending in endings if ending.mended] == [1, 17, 18]


def test_the_papers_means_are_those_of_its_rows():
    draws = [ending for ending in read_endings() if ending.outcome == "draws"]
    assert len(draws) == 15
    before, after = published.ENDINGS["draws"]
    assert np.mean([abs(e.default) for e in draws]) == pytest.approx(before, abs=5e-5)
    assert np.mean([abs(e.improved) for e in draws]) == pytest.approx(after, abs=5e-5)
    wins = [abs(e.default) for e in read_endings() if e.outcome == "wins"]
    assert (sum(wins) + 0.8304) / 5 == pytest.approx(published.ENDINGS["wins"][0], abs=5e-5)


def test_attributions_by_square_are_seen_from_whites_side():
    """A black queen on h1 is in the corner whoever is to move."""
    chess = games.make("chess")
    for side in "wb":
        state = chess.from_fen(f"7k/8/8/8/8/8/1K6/7q {side} - - 0 1")
        (planes,) = games.encode([state], "v2")
        queens = planes[4] + planes[10]
        view = queens if state.to_play == 0 else queens[::-1]
        assert np.flatnonzero(view.ravel()).tolist() == [7]


def test_an_engine_that_is_not_installed_is_said_to_be_so(monkeypatch):
    monkeypatch.setitem(config.ENGINE_NODES, "chess", ("no-such-engine", 10))
    engine, text = measurements.reference_of(RepresentationConfig())
    assert engine is None
    assert "no-such-engine" in text
    with pytest.raises(EngineFailed, match="no-such-engine"):
        measurements.reference_of(RepresentationConfig(engine="no-such-engine"))


def test_an_engine_plays_along_as_one_training(tmp_path):
    pytest.importorskip("chess")
    paths = []
    for seed in (1, 2):
        made = networks.make("resnet-8x1:policy=pointwise", SHAPE, 4672, seed=seed)
        path = tmp_path / f"net{seed}"
        inference.save(inference.TorchEvaluator(made, game="chess", planes="v2"), path)
        paths.append(path)
    config = RepresentationConfig(
        engine=f"{sys.executable} {TOY}", match_games=2, max_plies=8, threads=1, device="cpu"
    )
    engine, text = measurements.reference_of(config)
    assert "toy_engine, 1,000 nodes" in text
    log = tmp_path / "games.jsonl"
    found = measurements.play({"one": paths}, Limit(nodes=2), engine, log, config, silent())
    assert found.contenders == ["one", engine.name]
    assert found.trainings == {"one": 2, engine.name: 1}
    (duel,) = found.pairings
    assert duel.games == 2 * 2
    assert found.played == 3 * 2, "the two trainings met too"
    again = measurements.play({"one": paths}, Limit(nodes=2), engine, log, config, silent())
    assert again.pairings == found.pairings


def test_times_are_medians_between_their_ends():
    found = between_rounds([3.0, 1.0, 9.0, 2.0, 2.5, 2.2])
    assert (found.low, found.value, found.high) == (1.0, 2.35, 9.0)


@pytest.mark.parametrize(
    ("v1", "v2", "judgement"),
    [
        ((10.0, 9.9, 10.1), (10.3, 10.2, 10.4), "agrees"),
        ((10.0, 9.9, 10.1), (12.0, 11.9, 12.1), "disagrees"),
        ((10.0, 8.0, 12.0), (10.3, 9.0, 12.0), "not settled"),
    ],
)
def test_what_planes_cost_is_judged_by_the_rounds(v1, v2, judgement):
    rows = [
        Latency(arm, backend, batch, Interval(*times))
        for backend, batch, old, new in (
            ("onnx", 1, (1.0, 1.0, 1.0), (9.0, 9.0, 9.0)),  # smaller calls count not
            ("onnx", 64, (5.0, 4.9, 5.1), (5.0, 4.9, 5.1)),
            ("torch", 64, v1, v2),
        )
        for arm, times in (("v1-wdlp", old), ("v2-wdlp", new))
    ]
    assert published._cost(rows).judgement == judgement


@pytest.mark.parametrize(
    ("grid", "towers", "judgements"),
    [
        ("architectures", ("resnet-256x19", "rise-4x1", "patchvit-64x4"), ["agrees"]),
        ("architectures", ("tower-192x10:wide=0.5", "resnet-4x4", "patchvit-64x4"), []),
        ("kernels", ("tower-48x6:wide=0,policy=flat", "tower-48x6:wide=0.5"), ["disagrees"]),
        ("kernels", ("tower-48x6:policy=flat", "tower-48x6:wide=0.50"), ["disagrees"]),
        ("kernels", ("tower-48x6:wide=0.25", "tower-48x6:wide=0.5"), []),
        ("transformers", ("tower-9x4:transformers=0", "tower-9x4:transformers=1"), ["agrees"]),
        ("transformers", ("tower-9x4:transformers=2", "tower-9x4:transformers=1"), []),
        ("kernels", (), []),
    ],
)
def test_networks_are_judged_beside_the_one_that_the_claim_is_about(grid, towers, judgements):
    total = {"total": Interval(0.3, 0.2, 0.4)}
    rows = [LossRow(one, one, 3, 1, 1, total, total) for one in towers]
    settings = {**dict.fromkeys(config.GRIDS, ()), grid: towers}
    if grid == "architectures":
        settings["network"] = towers[0]
    found = published._networks(Losses({grid: rows}, []), RepresentationConfig(**settings))
    assert [one.judgement for one in found] == judgements


@pytest.mark.parametrize("preset", config.PRESETS)
def test_every_preset_sets_a_vision_transformer_beside_a_residual_tower(preset):
    first, *others = config.groups_of(config.PRESETS[preset])["architectures"]
    assert first.tower.startswith("resnet-")
    assert any(one.tower.startswith("patchvit-") for one in others)


@pytest.mark.parametrize(
    ("share", "judgement"),
    [((1.0, 0.8, 1.2), "agrees"), ((2.0, 1.2, 2.8), "not settled"), ((5.0, 2.7, 7.0), "disagrees")],
)
def test_little_is_half_of_an_even_share(share, judgement):
    """Of 39 planes the colour's even share is 2.6 %."""
    shares = {"colour": Interval(*(value / 100 for value in share))}
    one = Attribution("v1-wdlp", "value", shares, [1 / 39] * 39, {}, 0.0)
    assert published._little(one, "colour", "chess").judgement == judgement


@pytest.mark.parametrize(
    ("material", "judgement"),
    [((0.02, 0.01, 0.03), "agrees"), ((-0.02, -0.03, -0.01), "disagrees"),
     ((0.01, -0.01, 0.03), "not settled")],
)  # fmt: skip
def test_masks_must_have_more_than_every_other_new_group(material, judgement):
    shares = {"piece masks": Interval(0.2, 0.1, 0.3)}
    new = {
        "checkerboard": Interval(0.1, 0.05, 0.2),
        "material": Interval(*material),
    }
    one = Attribution("v2-wdlp", "value", shares, [1 / 52] * 52, new, 0.0)
    assert published._masks(one).judgement == judgement


def test_a_network_far_above_the_others_stands_at_the_edge_with_its_loss():
    losses = [3.1, 3.12, 3.15, 3.2, 3.16, 6.27]
    rows = [
        LossRow(f"net{n}", f"net{n}", 1, 1, 1, {"total": Interval(x, x - 0.03, x + 0.03)}, {})
        for n, x in enumerate(losses)
    ]
    unknown = LossRow("unknown", "unknown", 1, 1, 1, {"total": None}, {})
    times = [
        Latency(row.name, "onnx", 1, Interval(50.0 + n, 50.0, 60.0))
        for n, row in enumerate([*rows, unknown])
    ]
    found = Losses({"corners": [*rows, unknown]}, [])
    drawn = str(figures.latency(found, times, on_cpu=True).svg())
    assert ">6.27<" in drawn
    assert ">3.20<" in drawn
    assert ">5.0<" not in drawn
    figures.latency(Losses({"corners": [unknown]}, []), times[-1:], on_cpu=True).svg()
