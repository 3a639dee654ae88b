"""Trains a gate: from another gate's labels, or end to end over frozen experts."""

import copy
import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from phasezoo import _core, gating
from phasezoo.arena.statistics.intervals import finite
from phasezoo.data.positions import PositionTable, without_seen
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import SPLITS, PositionStore, Splits
from phasezoo.errors import CheckpointError, InvalidConfig, InvalidGate, StoreError
from phasezoo.games.options import at_least, folder_path
from phasezoo.gating.callables import check_names
from phasezoo.gating.learned import LEARNED, MANIFEST, WEIGHTS, GateManifest, LearnedGate, Router
from phasezoo.gating.learning import Estimate, GateTraining
from phasezoo.inference.storage.files import write_directory
from phasezoo.runs.saved import digest
from phasezoo.training.data import stream_seed
from phasezoo.training.gates.config import GateConfig, gate_config, hidden_layers
from phasezoo.training.gates.experts import Answers, FrozenExperts, answers_of
from phasezoo.training.gates.network import GateNetwork
from phasezoo.training.resampling import over_trainings, resample_games
from phasezoo.training.steps import AdamW

_TRAIN, _VALIDATION, _TEST, _WEIGHTS, _ORDER, _RESAMPLING = 11, 12, 13, 14, 15, 16
"""Numbers of random streams."""

_HELD_OUT = 10_000
"""Largest number of positions of validation, and of the test."""

_SCALED_BY = 1024
"""Number of positions by which the channels of the planes are scaled."""

Columns = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Part:
    """Positions of one part of the games, with their targets."""

    store: PositionStore
    rows: PositionTable
    answers: Answers | None
    """Answers of the experts; None: the labels are the rows' phases."""

    def losses(self, logits: Tensor, rows: npt.NDArray[np.int64] | None = None) -> Tensor:
        """Return ``float32[B]``, the loss of some of the rows, or of all."""
        if self.answers is not None:
            return self.answers.losses(torch.softmax(logits, dim=1), rows)
        phases = self.rows.phase if rows is None else self.rows.phase[rows]
        labels = torch.from_numpy(phases.astype(np.int64))
        return functional.cross_entropy(logits, labels, reduction="none")

    def logits(self, router: Router) -> npt.NDArray[np.float32]:
        """Return ``float32[P, phases]``, the logits of a finished gate for all rows."""
        sampler = Sampler(self.store, self.rows, router.planes, 256)
        return np.concatenate([router.logits(batch.float_planes) for batch in sampler.in_order()])


def train_gate(
    store: PositionStore,
    *,
    out: str | Path,
    labels: Any,
    experts: Any,
    names: Sequence[str] | None,
    compare: Sequence[Any],
    network: str,
    planes: str | None,
    positions: int,
    seed: int,
    splits: Splits | None,
    config: Mapping[str, Any],
) -> GateTraining:
    """Train a gate; :func:`phasezoo.gating.train` explains the arguments and the errors."""
    began = time.perf_counter()
    options, hidden = gate_config(config), hidden_layers(network)
    if (labels is None) == (experts is None):
        message = "give either labels= (a gate to learn from) or experts= (to route to)"
        raise InvalidConfig(message)
    at_least("positions", positions, 1)
    directory = folder_path("out", out)
    _check_free(directory)
    game, spec = store.game.name, store.game.plane_spec(planes)
    frozen = None if experts is None else FrozenExperts.of(experts, names)
    labelled = gating.make("none" if labels is None else labels, game)
    phases = _phase_names(labelled, frozen, names)
    fixed = _fixed_gates(compare, frozen, game)
    parts = _parts(store, splits, labelled, frozen, positions, seed)
    best, untrained = _trained(parts, hidden, len(phases), spec, seed, options)
    test = parts["test"]
    router = best.router(game, spec)
    columns = _columns(test, router, untrained.router(game, spec), frozen, fixed)
    found = columns.pop("phases").astype(np.int64)
    metric = "accuracy" if frozen is None else "loss"
    scores, gains = _estimates(columns, test.rows.game, metric, seed)
    shares = np.bincount(found, minlength=len(phases)) / len(found)
    kept = {n: {end: finite(at) for end, at in vars(s).items()} for n, s in scores.items()}
    about = {
        "labels": None if frozen is not None else gating.spec_of(labelled),
        "experts": None if frozen is None else list(frozen.names),
        "positions": len(parts["train"].rows), "seed": seed, **dataclasses.asdict(options),
        "metric": metric, "scores": kept,
    }  # fmt: skip
    _write(directory, router, phases, network, about)
    return GateTraining(
        gate=LearnedGate(router, phases, f"{LEARNED}{out}"),
        directory=directory,
        metric=metric,
        scores=scores,
        gains=gains,
        shares=dict(zip(phases, shares.tolist(), strict=True)),
        positions=len(parts["train"].rows),
        held_out=len(test.rows),
        seconds=time.perf_counter() - began,
    )


def _check_free(directory: Path) -> None:
    """Refuse a directory that holds something other than a gate."""
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    try:
        GateManifest.read(directory)
        others = [path.name for path in directory.iterdir() if path.name not in (MANIFEST, WEIGHTS)]
    except InvalidGate:
        others = ["something other than a gate"]
    if others:
        message = f"{directory} holds {', '.join(others)}: choose a new or empty directory"
        raise CheckpointError(message)


def _phase_names(
    labels: Any, frozen: FrozenExperts | None, names: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the names of the phases of the new gate."""
    if frozen is not None:
        return check_names(frozen.names, "learned")
    own = tuple(labels.names)
    given = own if names is None else tuple(names)
    if len(given) != len(own) or len(own) < 2:
        message = (
            f"the gate {gating.spec_of(labels)!r} has the phases {list(own)}, names= has "
            f"{list(given)}: one for each is needed, and a gate to learn has two or more"
        )
        raise InvalidConfig(message)
    return check_names(given, "learned")


def _fixed_gates(
    compare: Sequence[Any], frozen: FrozenExperts | None, game: str
) -> dict[str, tuple[Any, list[int]]]:
    """Return the fixed gates to compare with, by their texts, with the experts of their phases."""
    own = [] if frozen is None or frozen.gate is None else [frozen.gate]
    gates = [gating.make(gate, game) for gate in [*own, *compare]]
    if frozen is None and gates:
        message = "compare= is for experts=: of labels, agreement is what is measured"
        raise InvalidConfig(message)
    found = {}
    for gate in gates:
        spec = gating.spec_of(gate)
        if frozen is None or sorted(gate.names) != sorted(frozen.names):
            message = f"gate {spec!r} has the phases {list(gate.names)}; experts have others"
            raise InvalidConfig(message)
        taken = ("soft", "exact", "untrained", "equal shares", *(f"only {n}" for n in frozen.names))
        if spec in found or spec in taken:
            message = f"compare={spec!r}: two results would have this name; give the gate another"
            raise InvalidConfig(message)
        found[spec] = (gate, [frozen.names.index(name) for name in gate.names])
    return found


def _parts(
    store: PositionStore,
    splits: Splits | None,
    labelled: Any,
    frozen: FrozenExperts | None,
    positions: int,
    seed: int,
) -> dict[str, Part]:
    """Return the positions of training, validation and test."""
    divided = store.split(seed) if splits is None else splits
    streams = dict(zip(SPLITS, (_TRAIN, _VALIDATION, _TEST), strict=True))
    tables: dict[str, PositionTable] = {}
    for name, stream in streams.items():
        table = getattr(divided, name).positions(labelled)
        if name == "test" and len(table):
            unseen, _ = without_seen(table, tables["train"])
            table = unseen if len(unseen) else table
        if len(table) == 0:
            message = f"no {name} positions among {len(store):,} games: use more games"
            raise StoreError(message)
        count = min(len(table), positions if name == "train" else _HELD_OUT)
        chosen = _core.permuted(len(table), stream_seed(seed, stream), 0, count)
        tables[name] = table.select(np.sort(chosen))
    found = {}
    for name, table in tables.items():
        part = getattr(divided, name)
        found[name] = Part(part, table, None if frozen is None else answers_of(frozen, part, table))
    return found


def _trained(
    parts: Mapping[str, Part],
    hidden: Sequence[int],
    phases: int,
    planes: str,
    seed: int,
    config: GateConfig,
) -> tuple[GateNetwork, GateNetwork]:
    """Return the network of the epoch with the least validation loss, and the untrained one."""
    part = parts["train"]
    size = min(config.batch_size, len(part.rows))
    sampler = Sampler(part.store, part.rows, planes, size, seed=stream_seed(seed, _ORDER))
    step = max(1, len(part.rows) // _SCALED_BY)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(stream_seed(seed, _WEIGHTS))
        network = GateNetwork(
            sampler.make(np.arange(len(part.rows))[::step]).float_planes, hidden, phases
        )
    untrained = copy.deepcopy(network)
    per_epoch = math.ceil(len(part.rows) / size)
    optimiser, schedule = _optimiser(network, config, per_epoch * config.epochs)
    best, least = untrained, _validation(network, parts["validation"], planes)
    for epoch in range(config.epochs):
        for index in range(epoch * per_epoch, (epoch + 1) * per_epoch):
            logits = network(torch.from_numpy(sampler.batch(index).float_planes))
            loss = part.losses(logits, sampler.batch_rows(index)).mean()
            if part.answers is not None and config.balance > 0:
                loss = loss + config.balance * _unevenness(logits)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule()
        now = _validation(network, parts["validation"], planes)
        if now < least:
            best, least = copy.deepcopy(network), now
    return best, untrained


def _optimiser(
    network: GateNetwork, config: GateConfig, updates: int
) -> tuple[torch.optim.Optimizer, Callable[[], None]]:
    decayed = list(network.decayed())
    free = [p for p in network.parameters() if not any(p is each for each in decayed)]
    groups: list[dict[str, Any]] = [{"params": decayed}, {"params": free, "weight_decay": 0.0}]
    optimiser = AdamW(groups, config.learning_rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, updates)
    return optimiser, schedule.step


def _unevenness(logits: Tensor) -> Tensor:
    """Return Fedus et al. 2022, equation 4 without its factor: 1 if the load is even."""
    probabilities = torch.softmax(logits, dim=1)
    experts = probabilities.shape[1]
    likeliest = torch.bincount(logits.argmax(dim=1), minlength=experts) / len(logits)
    return experts * (likeliest * probabilities.mean(dim=0)).sum()


@torch.no_grad()
def _validation(network: GateNetwork, part: Part, planes: str) -> float:
    """Return the mean loss on the validation positions."""
    logits = part.logits(network.router(part.store.game.name, planes))
    return float(part.losses(torch.from_numpy(logits)).mean())


def _columns(
    test: Part,
    router: Router,
    untrained: Router,
    frozen: FrozenExperts | None,
    fixed: Mapping[str, tuple[Any, list[int]]],
) -> Columns:
    """Return a score of each gate and mixture for each test position, and the gate's phases."""
    logits = test.logits(router)
    found = logits.argmax(axis=1)
    before = test.logits(untrained)
    if frozen is None:
        labels = test.rows.phase
        commonest = int(np.bincount(labels).argmax())
        hits = {
            "learned": found == labels,
            "untrained": before.argmax(axis=1) == labels,
            "most frequent phase": labels == commonest,
        }
        return {"phases": found, **{name: hit.astype(np.float64) for name, hit in hits.items()}}
    return {"phases": found, **_mixtures(test, frozen, fixed, logits, before)}


@torch.no_grad()
def _mixtures(
    test: Part,
    frozen: FrozenExperts,
    fixed: Mapping[str, tuple[Any, list[int]]],
    logits: npt.NDArray[np.float32],
    before: npt.NDArray[np.float32],
) -> Columns:
    """Return the losses of mixtures of the experts on each test position."""
    count = len(frozen.names)
    ones = np.eye(count, dtype=np.float32)
    weights: dict[str, Any] = {
        "soft": torch.softmax(torch.from_numpy(logits), dim=1).numpy(),
        "exact": ones[logits.argmax(axis=1)],
        "untrained": torch.softmax(torch.from_numpy(before), dim=1).numpy(),
        "equal shares": np.full_like(logits, 1 / count),
    }
    for number, name in enumerate(frozen.names):
        weights[f"only {name}"] = np.repeat(ones[[number]], len(logits), axis=0)
    for spec, (gate, order) in fixed.items():
        weights[spec] = ones[np.array(order)[_phases_of(gate, test)]]
    if test.answers is None:
        return {}
    losses = {name: test.answers.losses(torch.from_numpy(each)) for name, each in weights.items()}
    return {name: loss.numpy().astype(np.float64) for name, loss in losses.items()}


def _phases_of(gate: Any, part: Part) -> npt.NDArray[np.int64]:
    """Return the phases of a part's rows by another gate than the one that labelled them."""
    return part.store.positions(gate).matching(part.rows).phase.astype(np.int64)


def _estimates(
    columns: Columns, games: npt.NDArray[np.int32], metric: str, seed: int
) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Return means of the columns, and the gains of the first over each of the others."""
    names = list(columns)
    _, game_of = np.unique(games, return_inverse=True)
    table = np.stack([columns[name] for name in names], axis=1)
    sums = np.zeros((int(game_of.max()) + 1, len(names)))
    np.add.at(sums, game_of, table)
    counts = np.bincount(game_of).astype(np.float64)[:, None]
    rng = np.random.default_rng(stream_seed(seed, _RESAMPLING))
    drawn = resample_games(sums, counts, rng)
    sign = 1 if metric == "accuracy" else -1
    scores, gains = {}, {}
    for number, name in enumerate(names):
        mean = float(drawn.means[number])
        scores[name] = _estimate(mean, drawn.resampled[:, number], len(sums))
        if number > 0:
            mean = sign * float(drawn.means[0] - drawn.means[number])
            each = sign * (drawn.resampled[:, 0] - drawn.resampled[:, number])
            gains[name] = _estimate(mean, each, len(sums))
    return scores, gains


def _estimate(mean: float, resampled: npt.NDArray[np.float64], games: int) -> Estimate:
    found = over_trainings(np.array([mean]), resampled[:, None], games)
    return Estimate(mean, *((-math.inf, math.inf) if found is None else (found.low, found.high)))


def _write(
    directory: Path, router: Router, names: Sequence[str], network: str, about: dict[str, Any]
) -> None:
    """Write the gate: whole, or not at all."""
    from safetensors.numpy import save

    arrays: dict[str, npt.NDArray[np.float32]] = {}
    for number, (weight, bias) in enumerate(router.layers):
        arrays |= {f"{number}.weight": weight, f"{number}.bias": bias}
    data = save(arrays)
    manifest = GateManifest(
        game=router.game,
        planes=router.planes,
        input_shape=router.input_shape,
        names=tuple(names),
        network=network,
        files={WEIGHTS: digest(data)},
        training=about,
        phasezoo=version("phasezoo"),
    )
    write_directory(directory, {WEIGHTS: data, MANIFEST: manifest.to_json()})
