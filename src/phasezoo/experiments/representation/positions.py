"""Networks on single positions: integrated gradients, and endings of opposite bishops.

Integrated gradients (Sundararajan et al. 2017) are taken by plane and by square. Attributions of x
along the straight line from a baseline x' add up to f(x) - f(x'): completeness, which every result
is checked by. Planes are grouped by what they show.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from phasezoo import arena, games, inference, networks
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.arena import stream
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import PositionStore
from phasezoo.experiments.representation.config import CORNERS, RepresentationConfig
from phasezoo.experiments.statistics import resample_weights
from phasezoo.inference.storage.manifest import MODEL, Manifest
from phasezoo.inference.storage.weights import build_network
from phasezoo.training.resampling import over_trainings
from phasezoo.zoo.boards.planes import MASKS, NEW, groups_of_planes

Answer: TypeAlias = Literal["value", "policy"]
"""Output to explain: the value for the player to move, or the logarithm of the probability of the
likeliest action."""

ANSWERS: tuple[Answer, ...] = ("value", "policy")

ROWS = 512
"""Rows that the network is given at once."""

OUTCOMES = ("draws", "wins")
"""Outcomes of endings, whoever wins."""


def groups(game: str, spec: str) -> dict[str, list[int]]:
    """Return the planes of each group, every plane in one of them."""
    return groups_of_planes(games.make(game).names_of_planes(spec))


@dataclass(frozen=True)
class Attribution:
    """Integrated gradients of a network, with the mean of the validation inputs as baseline."""

    arm: str
    answer: str
    """Explained output: ``value`` or ``policy``."""
    shares: dict[str, Interval]
    """Share of all absolute attribution by group of planes, over trainings and positions."""
    planes: list[float]
    """The same of each plane, mean over trainings."""
    new: dict[str, Interval]
    """By group of planes that are new in v2 but for the masks: how much larger the masks' share
    is, plane for plane."""
    error: float
    """Largest difference between the sum of attributions and f(x) - f(baseline)."""


@dataclass(frozen=True)
class BoardShown:
    """One position's attributions with zero as baseline, of the value."""

    fen: str
    """The position."""
    arm: str
    """Network whose first training answers."""
    value: float
    """Its value for the player to move."""
    baseline: float
    """Its value of planes that are all zero."""
    planes: dict[str, float]
    """Sum of attributions by group of planes."""
    squares: list[float]
    """``[64]``: the same by square, a1 first, from White's view."""


@dataclass(frozen=True)
class Gradients:
    """Integrated gradients."""

    average: list[Attribution]
    """Over many positions."""
    boards: list[BoardShown]
    """Of single positions."""


ENDINGS_SHOWN = {2: "Fig. 7", 20: "Fig. 8"}
"""Rows of Table 11 whose planes and squares are attributed, and the figures that show them."""


@dataclass(frozen=True)
class Ending:
    """A row of Table 11 that is a position."""

    row: int
    """Its place in the table, from 1."""
    fen: str
    """The position, mended if it was not printed whole."""
    outcome: str
    """``draws`` or ``wins``, whoever wins."""
    default: float
    """Value of the network without v2 and wdlp, for the player to move."""
    improved: float
    """Value of the network with both."""
    mended: str
    """Text that was missing and put in; empty if nothing was."""


def read_endings() -> list[Ending]:
    """Return the rows of Table 11 that are positions, in their order.

    Row 16 is left out: a rank and a square of another are missing, and it is not known which.
    """
    text = resources.files(__package__).joinpath("endings.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [
        Ending(
            row=int(row["row"]),
            fen=row["fen"],
            outcome="draws" if row["truth"] == "draw" else "wins",
            default=float(row["default"]),
            improved=float(row["improved"]),
            mended=row["mended"] or "",
        )
        for row in csv.DictReader(lines, delimiter="\t")
    ]


@dataclass(frozen=True)
class EndingRow:
    """A network's mean |value| over endings of one outcome."""

    arm: str
    outcome: str
    """One of :data:`OUTCOMES`."""
    alone: Interval
    """Of the network alone, over trainings and positions."""
    searched: Interval
    """Of its search."""


@dataclass(frozen=True)
class Endings:
    """The endings of opposite bishops."""

    nodes: int
    """Nodes of a search."""
    values: dict[str, list[list[float]]]
    """By network: ``[training][ending]``, the network's value for the player to move."""
    searched: dict[str, list[list[float]]]
    """The same of the search."""
    rows: list[EndingRow]
    differences: dict[str, Interval]
    """v2-wdlp less v1-mse of mean |value|: by outcome, alone; over trainings and positions."""


class Integrated(NamedTuple):
    """Attributions of some positions."""

    attributions: npt.NDArray[np.float64]
    """``float64[B, C, H, W]``."""
    errors: npt.NDArray[np.float64]
    """``float64[B]``: sum of attributions less f(x) - f(baseline)."""


def read_network(path: Path) -> nn.Module:
    """Return a trained network as a module, in eval mode."""
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
    paths: Mapping[str, Sequence[Path]],
    store: PositionStore,
    table: PositionTable,
    config: RepresentationConfig,
) -> list[Attribution]:
    """Return attributions of the four combinations, with the mean input as baseline (Fig. 5)."""
    device = networks.resolve_device(config.device)
    found = []
    for name in CORNERS:
        spec = name.partition("-")[0]
        planes, mean = (one.to(device) for one in _validation(spec, store, table, config))
        for answer in ANSWERS:
            every = [
                integrated(
                    read_network(path).to(device), planes, mean, answer, config.gradient_steps
                )
                for path in paths[name]
            ]
            found.append(_attribution(name, answer, every, config))
    return found


def _attribution(
    name: str, answer: Answer, every: Sequence[Integrated], config: RepresentationConfig
) -> Attribution:
    sizes = np.stack([np.abs(one.attributions.sum(axis=(2, 3))) for one in every])  # [K, B, C]
    rng = np.random.default_rng(stream(config.seed, "gradients"))
    rows = sizes.shape[1]
    weights = resample_weights(rng, rows, config.resamples)
    means = sizes.mean(axis=1)  # [K, C]
    drawn = np.einsum("rb,kbc->rkc", weights, sizes)
    spec = name.partition("-")[0]
    planes = groups(config.game, spec)

    def share(group: list[int]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        return (means[:, group].sum(axis=1) / means.sum(axis=1),
                drawn[:, :, group].sum(axis=2) / drawn.sum(axis=2))  # fmt: skip

    def over(values: npt.NDArray[np.float64], resampled: npt.NDArray[np.float64]) -> Interval:
        found = over_trainings(values, resampled, games=rows)
        assert found is not None  # attributions are finite
        return found

    shares = {group: share(which) for group, which in planes.items()}
    # Planes that are alike in all positions, such as those of chess960 in chess, explain nothing.
    constant = {group for group, which in planes.items() if not sizes[:, :, which].any()}
    new = {}
    for group in NEW:
        if group in planes and group != MASKS:
            values, resampled = (
                mask / len(planes[MASKS]) - other / len(planes[group])
                for mask, other in zip(shares[MASKS], shares[group], strict=True)
            )
            new[group] = over(values, resampled)
    return Attribution(
        arm=name,
        answer=answer,
        shares={
            group: Interval(0.0, 0.0, 0.0) if group in constant else over(*both).of_share()
            for group, both in shares.items()
        },
        planes=(means / means.sum(axis=1, keepdims=True)).mean(axis=0).tolist(),
        new=new,
        error=max(float(np.abs(one.errors).max()) for one in every),
    )


def _validation(
    spec: str, store: PositionStore, table: PositionTable, config: RepresentationConfig
) -> tuple[Tensor, Tensor]:
    """Planes to explain, ``float32[B, C, H, W]``, and their mean over many validation positions."""
    rng = np.random.default_rng(stream(config.seed, "gradient positions"))
    count = min(len(table), max(config.gradient_positions, config.validation_positions))
    rows = table.select(np.sort(rng.permutation(len(table))[:count]))
    sampler = Sampler(store, rows, spec, threads=config.threads)
    planes = np.concatenate([batch.float_planes for batch in sampler.in_order()])
    shown = np.sort(rng.permutation(count)[: min(count, config.gradient_positions)])
    mean = planes.mean(axis=0, keepdims=True, dtype=np.float64).astype(np.float32)
    return torch.from_numpy(planes[shown]), torch.from_numpy(mean)


def boards(paths: Mapping[str, Sequence[Path]], config: RepresentationConfig) -> list[BoardShown]:
    """Return attributions of single positions with zero as baseline (Figs 7, 8)."""
    game = games.make(config.game)
    states = [game.from_fen(fen) for fen in config.positions_shown or _usual(config)]
    device = networks.resolve_device(config.device)
    found = []
    for name in (CORNERS[0], CORNERS[-1]):
        spec = name.partition("-")[0]
        network = read_network(paths[name][0]).to(device)
        planes = torch.from_numpy(games.encode(states, spec)).to(device)
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
                    arm=name,
                    value=value,
                    baseline=baseline,
                    planes={
                        group: float(attributions[list(which)].sum())
                        for group, which in groups(config.game, spec).items()
                    },
                    squares=(squares if state.to_play == 0 else squares[::-1]).ravel().tolist(),
                )
            )
    return found


def _usual(config: RepresentationConfig) -> list[str]:
    """Return the paper's endings in chess, two positions after openings elsewhere, as FENs."""
    if config.game == "chess":
        endings = {ending.row: ending for ending in read_endings()}
        return [endings[row].fen for row in ENDINGS_SHOWN]
    suite = arena.OpeningSuite.load(config.game)
    return [suite.state(index).fen for index in range(min(2, len(suite)))]


def ending_values(path: Path, config: RepresentationConfig) -> tuple[list[float], list[float]]:
    """Return every ending's value for the player to move, by a network and by a search with it."""
    chess = games.make("chess")
    states = [chess.from_fen(ending.fen) for ending in read_endings()]
    evaluator = inference.load(path, device=config.device, threads=config.threads)
    alone = evaluator.evaluate(games.encode(states, evaluator.plane_spec)).values()
    agent = MCTSAgent(
        evaluator,
        limit=Limit(nodes=config.ending_nodes),
        batch_size=config.search_batch,
        game="chess",
        seed=stream(config.seed, "endings"),
        threads=config.threads,
    )
    return [float(value) for value in alone], [float(agent.search(s).value) for s in states]


def endings(
    values: Mapping[str, Sequence[tuple[list[float], list[float]]]], config: RepresentationConfig
) -> Endings:
    """Return means of |value| by network and outcome, from every training's values."""
    rows, differences = [], {}
    for outcome in OUTCOMES:
        which = [i for i, ending in enumerate(read_endings()) if ending.outcome == outcome]
        rng = np.random.default_rng(stream(config.seed, "endings", outcome))
        weights = resample_weights(rng, len(which), config.resamples)
        sizes = {
            name: np.abs(np.array(found))[:, :, which] for name, found in values.items()
        }  # float64[K, 2, endings]
        for name, size in sizes.items():
            alone, searched = (_mean(size[:, place], weights) for place in (0, 1))
            rows.append(EndingRow(name, outcome, alone.of_share(), searched.of_share()))
        first, last = (sizes[name][:, 0] for name in (CORNERS[0], CORNERS[-1]))
        pairs = min(len(first), len(last))
        difference = _mean(last[:pairs] - first[:pairs], weights)
        differences[outcome] = difference.of_share(least=-1.0)
    return Endings(
        nodes=config.ending_nodes,
        values={name: [list(one[0]) for one in found] for name, found in values.items()},
        searched={name: [list(one[1]) for one in found] for name, found in values.items()},
        rows=rows,
        differences=differences,
    )


def _mean(sizes: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> Interval:
    """Return the mean over trainings and endings, of ``float64[K, endings]``."""
    found = over_trainings(sizes.mean(axis=1), weights @ sizes.T, games=sizes.shape[1])
    assert found is not None  # values are finite
    return found
