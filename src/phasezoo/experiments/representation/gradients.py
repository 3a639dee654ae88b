"""Integrated gradients of the networks, by plane and by square (Sundararajan et al. 2017).

Attributions of x along the straight line from a baseline x' add up to f(x) - f(x'): completeness,
which every result is checked by.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from phasezoo import arena, games, networks
from phasezoo.arena import stream
from phasezoo.arena.elo import Interval
from phasezoo.experiments.representation.arms import CORNERS, Arm
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.endings import ENDINGS_SHOWN, read_endings
from phasezoo.experiments.representation.planes import MASKS, groups, new_groups
from phasezoo.experiments.representation.preparation import Prepared
from phasezoo.experiments.representation.results import Attribution, BoardShown
from phasezoo.experiments.statistics import over_trainings
from phasezoo.inference.manifest import MODEL, Manifest
from phasezoo.inference.weights import build_network
from phasezoo.training.sampler import Sampler

__all__ = ["Answer", "Integrated", "attributed", "boards", "integrated", "read_network"]

Answer = Literal["value", "policy"]
"""What is explained: the value for the player to move, or the logarithm of the probability of the
likeliest action."""

ROWS = 512
"""Rows that the network is given at once."""


class Integrated(NamedTuple):
    """Attributions of some positions."""

    attributions: npt.NDArray[np.float64]
    """``float64[B, C, H, W]``."""
    errors: npt.NDArray[np.float64]
    """``float64[B]``: sum of attributions less f(x) - f(baseline)."""


def read_network(path: Path) -> nn.Module:
    """A trained network as a module, in eval mode.

    Raises:
        CheckpointError: A file is missing, truncated or changed.
    """
    manifest = Manifest.read(path)
    network: nn.Module = build_network(manifest, manifest.read_bytes(path), path / MODEL)
    return network.eval().requires_grad_(requires_grad=False)


def integrated(
    network: nn.Module, planes: Tensor, baseline: Tensor, answer: Answer, steps: int
) -> Integrated:
    """Integrate a network's gradients from a baseline to each position.

    Args:
        network: Answers ``NetworkOutput``; in eval mode.
        planes: ``float32[B, C, H, W]``.
        baseline: ``float32[1, C, H, W]``.
        answer: What is explained; the action is the likeliest of each position itself.
        steps: Points of the Gauss-Legendre quadrature.
    """
    from captum.attr import IntegratedGradients

    def explained(rows: Tensor) -> Tensor:
        output = network(rows)
        if answer == "value":
            value: Tensor = output.value()
            return value
        return torch.log_softmax(output.policy_logits, dim=1)

    target = None
    if answer == "policy":
        with torch.no_grad():
            target = network(planes).policy_logits.argmax(dim=1)
    attributions, errors = IntegratedGradients(explained).attribute(
        planes,
        baselines=baseline,
        target=target,
        n_steps=steps,
        internal_batch_size=max(ROWS, len(planes)),
        return_convergence_delta=True,
    )
    return Integrated(attributions.double().cpu().numpy(), errors.double().cpu().numpy())


def attributed(
    arms: Sequence[Arm],
    paths: Mapping[str, Sequence[Path]],
    prepared: Prepared,
    config: RepresentationConfig,
) -> list[Attribution]:
    """Attributions of the four combinations, with the mean of the inputs as baseline (Fig. 5).

    Args:
        arms: All arms of the run.
        paths: Networks of each arm.
        prepared: The run's positions.
        config: The settings.
    """
    device = networks.resolve_device(config.device)
    found = []
    for arm in (arm for arm in arms if arm.name in CORNERS):
        planes, mean = (one.to(device) for one in _validation(arm.planes, prepared, config))
        for answer in ("value", "policy"):
            every = [
                integrated(
                    read_network(path).to(device), planes, mean, answer, config.gradient_steps
                )
                for path in paths[arm.name]
            ]
            found.append(_attribution(arm, answer, every, config))
    return found


def _attribution(
    arm: Arm, answer: str, every: Sequence[Integrated], config: RepresentationConfig
) -> Attribution:
    sizes = np.stack([np.abs(one.attributions.sum(axis=(2, 3))) for one in every])  # [K, B, C]
    rng = np.random.default_rng(stream(config.seed, "gradients"))
    rows = sizes.shape[1]
    weights = rng.multinomial(rows, np.full(rows, 1 / rows), size=config.resamples) / rows
    means = sizes.mean(axis=1)  # [K, C]
    drawn = np.einsum("rb,kbc->rkc", weights, sizes)
    planes = groups(config.game, arm.planes)

    def share(group: range) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        return (means[:, group].sum(axis=1) / means.sum(axis=1),
                drawn[:, :, group].sum(axis=2) / drawn.sum(axis=2))  # fmt: skip

    shares = {name: share(group) for name, group in planes.items()}
    # Planes that are alike in all positions, such as those of chess960 in chess, explain nothing.
    constant = {name for name, group in planes.items() if not sizes[:, :, group].any()}
    new = {}
    for name in new_groups(arm.planes):
        if name == MASKS:
            continue
        more = [
            mask / len(planes[MASKS]) - other / len(planes[name])
            for mask, other in zip(shares[MASKS], shares[name], strict=True)
        ]
        new[name] = _known(over_trainings(more[0], more[1], games=rows))
    return Attribution(
        arm=arm.name,
        answer=answer,
        shares={
            name: Interval(0.0, 0.0, 0.0)
            if name in constant
            else _known(over_trainings(*both, games=rows))
            for name, both in shares.items()
        },
        planes=(means / means.sum(axis=1, keepdims=True)).mean(axis=0).tolist(),
        new=new,
        error=max(float(np.abs(one.errors).max()) for one in every),
    )


def _known(interval: Interval | None) -> Interval:
    assert interval is not None  # attributions are finite
    return interval


def _validation(
    spec: str, prepared: Prepared, config: RepresentationConfig
) -> tuple[Tensor, Tensor]:
    """Planes to explain, ``float32[B, C, H, W]``, and their mean over many validation positions."""
    table = prepared.validation
    rng = np.random.default_rng(stream(config.seed, "gradient positions"))
    count = min(len(table), max(config.gradient_positions, config.validation_positions))
    rows = table.select(np.sort(rng.permutation(len(table))[:count]))
    sampler = Sampler(prepared.splits.validation, rows, spec, threads=config.threads)
    planes = np.concatenate([batch.float_planes for batch in sampler.in_order()])
    shown = np.sort(rng.permutation(count)[: min(count, config.gradient_positions)])
    mean = planes.mean(axis=0, keepdims=True, dtype=np.float64).astype(np.float32)
    return torch.from_numpy(planes[shown]), torch.from_numpy(mean)


def boards(
    arms: Sequence[Arm], paths: Mapping[str, Sequence[Path]], config: RepresentationConfig
) -> list[BoardShown]:
    """Attributions of single positions with zero as baseline, by plane and square (Figs 7, 8)."""
    game = games.make(config.game)
    states = [game.from_fen(fen) for fen in config.positions_shown] or _usual(config)
    device = networks.resolve_device(config.device)
    found = []
    for arm in (arm for arm in arms if arm.name in (CORNERS[0], CORNERS[-1])):
        network = read_network(paths[arm.name][0]).to(device)
        planes = torch.from_numpy(games.encode(states, arm.planes)).to(device)
        zero = torch.zeros_like(planes[:1])
        one = integrated(network, planes, zero, "value", config.gradient_steps)
        with torch.no_grad():
            values = network(planes).value().tolist()
            baseline = float(network(zero).value())
        for state, value, attributions in zip(states, values, one.attributions, strict=True):
            squares = attributions.sum(axis=0)
            found.append(
                BoardShown(
                    fen=state.fen,
                    arm=arm.name,
                    value=value,
                    baseline=baseline,
                    planes={
                        name: float(attributions[list(group)].sum())
                        for name, group in groups(config.game, arm.planes).items()
                    },
                    squares=(squares if state.to_play == 0 else squares[::-1]).ravel().tolist(),
                )
            )
    return found


def _usual(config: RepresentationConfig) -> list[Any]:
    """The endings of the paper's figures in chess, two positions after openings elsewhere."""
    if config.game == "chess":
        endings = {ending.row: ending for ending in read_endings()}
        chess = games.make("chess")
        return [chess.from_fen(endings[row].fen) for row in ENDINGS_SHOWN]
    suite = arena.OpeningSuite.load(config.game)
    return [suite.state(index) for index in range(min(2, len(suite)))]
