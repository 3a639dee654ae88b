"""The networks of a run: trained, finished if an earlier attempt left them, and what each got."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from phasezoo import gating
from phasezoo.errors import InvalidPlaneSpec
from phasezoo.experiments.m2cts.cards import Curve, NetworkCard
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.games import Game
from phasezoo.report.console import Console, Task
from phasezoo.training.phase_parts import take_part
from phasezoo.training.progress import Progress
from phasezoo.training.supervised import TrainingResult, train_supervised

_REFRESH_SECONDS = 0.2


def check_networks(
    names: Sequence[str], game: Game, planes: str | None
) -> tuple[tuple[int, int, int], int]:
    """Refuse networks and planes that do not exist, before the first network is trained.

    Args:
        names: Architectures.
        game: The game.
        planes: Their input planes; None: the game's own.

    Returns:
        The shape of the planes and the size of the policy.

    Raises:
        InvalidConfig: There is no such architecture.
        InvalidPlaneSpec: The game has no such planes.
    """
    from phasezoo import networks

    spec = planes or game.default_planes
    try:
        sizes = game.plane_shape(spec), game.policy_size(spec)
    except InvalidPlaneSpec as error:
        message = f"--planes {spec}: {error}"
        raise InvalidPlaneSpec(message) from error
    for name in names:
        networks.spec_of(name)
    return sizes


def train(
    network: PlannedNetwork, recipe: Mapping[str, Any], out: Path, console: Console
) -> NetworkCard:
    """Train a network, or finish its training, or take it from the one that it is a part of.

    Args:
        network: What to train.
        recipe: What else :func:`phasezoo.training.train_supervised` takes: store, architecture,
            splits, settings.
        out: Its directory.
        console: Where progress is shown.

    Raises:
        CheckpointError: A file of the training is damaged, or the disk is full.
    """
    if network.is_part:
        return _card_of(network, _part(network, recipe, out))
    with console.task(f"Training {network.name}", network.positions) as task:
        result = train_supervised(
            gate=network.gate,
            phase=network.phase,
            positions=network.positions,
            seed=network.seed,
            out=out,
            init=None if network.start is None else out.parent / network.start,
            phase_weights=network.weights,
            progress=_shown_on(task),
            **recipe,
        )
    return _card_of(network, result)


def _part(network: PlannedNetwork, recipe: Mapping[str, Any], out: Path) -> TrainingResult:
    phase, shared = str(network.phase), out.parent / str(network.start)
    gate = gating.make(network.gate, recipe["store"].variant)
    return take_part(shared, out, gate, phase, gate.names.index(phase))


def _shown_on(task: Task) -> Callable[[Progress], None]:
    """What :func:`train_supervised` calls: shows speed and losses a few times a second."""
    first: Progress | None = None
    started = last = time.perf_counter()

    def show(progress: Progress) -> None:
        nonlocal first, last
        first = first or progress
        now = time.perf_counter()
        if now - last < _REFRESH_SECONDS and progress.update < progress.updates:
            return
        last = now
        speed = (progress.positions - first.positions) / max(now - started, 1e-9)
        parts = [f"{speed:,.0f} positions/s"]
        if progress.train_loss is not None:
            parts.append(f"loss {progress.train_loss:.3f}")
        if progress.validation_loss is not None:
            parts.append(f"validation {progress.validation_loss:.3f}")
        task.update(progress.positions, ", ".join(parts))

    return show


def _card_of(network: PlannedNetwork, result: TrainingResult) -> NetworkCard:
    """What one network got, from the result of its training."""
    best = result.metrics.get("loss", math.nan)
    return NetworkCard(
        name=network.name,
        role=network.role,
        training=network.training,
        phase=network.phase,
        gate=result.gate,
        architecture=result.network,
        parameters=result.parameters,
        positions=result.positions,
        unique_positions=result.unique_positions,
        epochs=result.epochs,
        updates=result.updates,
        seconds=result.seconds,
        best_validation=best if math.isfinite(best) else None,
        curve=curve_of(result.history),
    )


def curve_of(history: Sequence[Mapping[str, float | None]]) -> Curve:
    """Losses while training, from the rows of its log."""
    train, validation = _column(history, "train/loss"), _column(history, "validation/loss")
    measured = [p for p, _ in validation]
    return Curve(
        positions=[p for p, _ in train],
        train=[loss for _, loss in train],
        validation_positions=measured,
        validation=[loss for _, loss in validation],
        phase_loss=_by_phase(history, "loss", measured),
        phase_accuracy=_by_phase(history, "accuracy", measured),
    )


def _by_phase(
    history: Sequence[Mapping[str, float | None]], what: str, positions: Sequence[int]
) -> dict[str, list[float | None]]:
    """What validations tell of every phase, where they tell the phases apart."""
    begin, end = "phase/", f"/{what}"
    columns = [name for row in history[:1] for name in row]
    found = {}
    for name in columns:
        if name.startswith(begin) and name.endswith(end):
            known = dict(_column(history, name))
            found[name.removeprefix(begin).removesuffix(end)] = [known.get(p) for p in positions]
    return found


def _column(history: Sequence[Mapping[str, float | None]], name: str) -> list[tuple[int, float]]:
    # A training that was killed between a row and its checkpoint has written the row twice.
    found: dict[int, float] = {}
    for row in history:
        positions, loss = row.get("positions"), row.get(name)
        if positions is not None and loss is not None and math.isfinite(loss):
            found[int(positions)] = loss
    return list(found.items())
