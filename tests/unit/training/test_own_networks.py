"""Networks of one's own learn: by name, by factory, without some heads; broken ones are refused."""

import functools
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import train

from phasezoo import games, inference, networks
from phasezoo.errors import InvalidConfig, InvalidNetwork
from phasezoo.networks import NetworkOutput, registry
from phasezoo.training import SupervisedConfig
from phasezoo.training.selfplay.config import self_play_settings
from phasezoo.training.selfplay.learner import Learner

SHAPE, ACTIONS = (12, 8, 8), 4672
SHORT: dict[str, Any] = {"positions": 32, "validation_positions": 16}


class Small(torch.nn.Module):
    """A layer, and the heads that it is asked for."""

    def __init__(
        self,
        input_shape: tuple[int, int, int],
        num_actions: int,
        width: int = 8,
        value: str = "wdl",
        plies: bool = True,
    ) -> None:
        super().__init__()
        inputs = int(np.prod(input_shape))
        self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(inputs, width))
        self.policy = torch.nn.Linear(width, num_actions)
        self.worth = torch.nn.Linear(width, {"wdl": 3, "scalar": 1, "values": 2}[value])
        self.plies = torch.nn.Linear(width, 1) if plies else None
        self.form = value

    def forward(self, planes: torch.Tensor) -> NetworkOutput:
        x = torch.relu(self.body(planes))
        worth = self.worth(x)
        return NetworkOutput(
            self.policy(x),
            worth if self.form == "wdl" else None,
            None if self.plies is None else torch.sigmoid(self.plies(x)).squeeze(1),
            scalar=torch.tanh(worth).squeeze(1) if self.form == "scalar" else None,
            values=torch.tanh(worth) if self.form == "values" else None,
        )


class Viewing(Small):
    """Relies on how planes lie in memory, as many networks do."""

    def forward(self, planes: torch.Tensor) -> NetworkOutput:
        return super().forward(planes.view(len(planes), -1))


class Broken(Small):
    def forward(self, planes: torch.Tensor) -> NetworkOutput:
        output = super().forward(planes)
        return output._replace(policy_logits=output.policy_logits * torch.nan)


class Narrow(Small):
    def forward(self, planes: torch.Tensor) -> NetworkOutput:
        output = super().forward(planes)
        return output._replace(policy_logits=output.policy_logits[:, 1:])


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry.REGISTRY, "own", dict(registry.REGISTRY.own))
    networks.register("small", Small)
    networks.register("broken", Broken)
    networks.register("narrow", Narrow)
    return


def test_a_network_may_rely_on_the_usual_layout(tmp_path: Path) -> None:
    result = train(tmp_path / "run", network=Viewing, **SHORT)
    assert result.updates > 0


@pytest.mark.parametrize("network", ["small", "small:width=4", "small:value=scalar,plies=false"])
def test_a_registered_network_learns_and_is_loaded(tmp_path: Path, network: str) -> None:
    result = train(tmp_path / "run", network=network, **SHORT)
    assert result.network == network
    evaluator = inference.load(tmp_path / "run", backend="torch")
    state = games.make("chess").initial_state()
    answer = evaluator.evaluate(games.encode([state], evaluator.plane_spec))
    assert answer.policy_logits is not None
    assert answer.policy_logits.shape == (1, ACTIONS)
    assert answer.values().shape == (1,)
    again = train(tmp_path / "run", network=network, **SHORT)
    assert again.metrics == result.metrics


def test_a_factory_in_a_module_needs_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("nets_of_mine")
    made = type("Mine", (Small,), {"__module__": "nets_of_mine"})
    module.Mine = made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nets_of_mine", module)
    train(tmp_path / "run", network=functools.partial(made, width=4), **SHORT)
    manifest = inference.load(tmp_path / "run", backend="torch").manifest
    assert manifest.network_factory == "nets_of_mine:Mine"
    assert manifest.network_options == {"width": 4}
    assert manifest.parameters["total"] == sum(
        p.numel() for p in made(SHAPE, ACTIONS, 4).parameters()
    )


def test_self_play_leaves_out_what_nobody_asked_for_too(tmp_path: Path) -> None:
    game = games.make("chess")
    learner = Learner(game, "small:value=scalar,plies=false")
    assert (learner.settings.wdl_weight, learner.settings.plies_weight) == (0, 0)
    assert learner.settings.value_weight == self_play_settings().value_weight > 0
    plain = Learner(game, "small:value=scalar", config=SupervisedConfig())
    assert plain.settings.wdl_weight == 0
    with pytest.raises(InvalidConfig, match=r"wdl_weight=0\.3.*no wdl_logits"):
        Learner(game, "small:value=scalar", config=self_play_settings(wdl_weight=0.3))


def test_losses_of_heads_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    result = train(tmp_path / "run", network="small:value=scalar,plies=false", **SHORT)
    assert all(row["train/wdl_loss"] is None for row in result.history)
    assert all(row["train/plies_mse"] is None for row in result.history)
    assert result.history[-1]["train/value_mse"] is not None


@pytest.mark.parametrize(
    ("network", "weight", "field"),
    [
        ("small:value=scalar", {"wdl_weight": 0.01}, "wdl_logits"),
        ("small:value=scalar", {"wdl_weight": 0.5}, "wdl_logits"),
        ("small:plies=false", {"plies_weight": 0.002}, "plies"),
    ],
)
def test_a_weight_that_is_given_needs_its_head(
    tmp_path: Path, network: str, weight: dict[str, float], field: str
) -> None:
    name = next(iter(weight))
    with pytest.raises(InvalidConfig, match=rf"{name}=.*no {field}"):
        train(tmp_path / "run", network=network, **SHORT, **weight)
    assert not (tmp_path / "run").exists()
    train(tmp_path / "run", network=network, **SHORT, **{name: 0.0})


@pytest.mark.parametrize(("network", "words"), [("broken", "NaN"), ("narrow", r"\[4, 4671\]")])
def test_a_broken_network_is_refused_before_the_directory_is_made(
    tmp_path: Path, network: str, words: str
) -> None:
    with pytest.raises(InvalidNetwork, match=words):
        train(tmp_path / "run", network=network, **SHORT)
    assert not (tmp_path / "run").exists()


def test_a_factory_that_nobody_could_find_again_is_refused(tmp_path: Path) -> None:
    def inside(input_shape: tuple[int, int, int], num_actions: int) -> torch.nn.Module:
        return Small(input_shape, num_actions)

    with pytest.raises(InvalidConfig, match=r"networks\.register\('inside', factory\)"):
        train(tmp_path / "run", network=inside, **SHORT)
    with pytest.raises(InvalidConfig, match="cannot be imported"):
        train(tmp_path / "run", network="no_such_module:Network", **SHORT)
    assert not (tmp_path / "run").exists()
    networks.register("inside", inside)
    train(tmp_path / "run", network=inside, **SHORT)
    assert inference.load(tmp_path / "run", backend="torch").manifest.network == "inside"
