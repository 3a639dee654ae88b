"""Trains a baseline and an expert for each phase, by any strategy, and measures all of them."""

import contextlib
import dataclasses
import functools
import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import gating, inference, networks
from phasezoo.data.positions import without_seen
from phasezoo.data.splits import SPLITS, PositionStore, Splits
from phasezoo.errors import InvalidConfig, about
from phasezoo.games.options import flag, folder_path
from phasezoo.inference.storage.experts import ValueSource
from phasezoo.inference.storage.files import write_file
from phasezoo.inference.storage.manifest import EXPERTS, Manifest
from phasezoo.networks.registry import Factory
from phasezoo.runs import jsonable
from phasezoo.specs import PositiveInt, check_value
from phasezoo.training.body_outputs import FOLDER
from phasezoo.training.callbacks import (
    Callback,
    OnProgress,
    Progress,
    lines_of_progress,
)
from phasezoo.training.config import SupervisedConfig, make_config
from phasezoo.training.data import LabelledSplits, rows_digest, stream_seed, targets_digest
from phasezoo.training.distributed import Team, in_team
from phasezoo.training.evaluation import PositionLosses, evaluate_networks, mixture_losses
from phasezoo.training.experts.planned import Recipe, TrainedNetwork, train_planned
from phasezoo.training.experts.plans import PlannedTraining
from phasezoo.training.experts.result import LOSSES, NETWORKS, Experts
from phasezoo.training.experts.strategies import (
    Budget,
    Strategy,
    StrategyPlan,
    check_freeze,
    plan_strategy,
)
from phasezoo.training.experts.tables import BASELINE, MIXTURE, LossTable, loss_table
from phasezoo.training.fresh_network import Beginning
from phasezoo.training.loggers import Logger
from phasezoo.training.preparation import INCIDENTAL, LEFT_OUT, TARGETS, Ready
from phasezoo.training.run_files import RunDetails, check_same, claimed
from phasezoo.training.supervised import Hooks, TrainingResult

KIND = "training of experts"

_DEFAULTS = {
    "value": "own",
    "phases": None,
    "freeze_baseline": False,
    "learning_rates": None,
    "value_games_sha256": None,
    "settings": LEFT_OUT,
}
"""Options that records of earlier versions lack."""

_TEST_GAMES, _RESAMPLING = 4, 5
"""Names of random streams."""


def train_experts(
    store: PositionStore,
    gate: Any,
    strategy: str | Strategy = "separated",
    *,
    network: str | Factory = "rise-32x4",
    planes: str | None = None,
    history: int | None = None,
    positions: int,
    seed: int = 0,
    out: str | Path,
    config: SupervisedConfig | None = None,
    order: str | Sequence[str] | None = None,
    budget: Budget = "equal",
    value: ValueSource = "own",
    phases: Sequence[str] | None = None,
    freeze_baseline: bool = False,
    learning_rates: Sequence[float] | None = None,
    splits: Splits | None = None,
    value_games: PositionStore | None = None,
    test_games: int | None = 300,
    resume: bool = True,
    progress: OnProgress | None = None,
    callbacks: Sequence[Callback] = (),
    loggers: Sequence[Logger] = (),
    **overrides: Any,
) -> Experts:
    """Train a baseline and an expert for each phase of a gate, and test all on every phase.

    All networks start from the same weights, or from networks that did. Calling it again with the
    same arguments continues what was interrupted, to the same numbers, and returns what has ended.
    ``docs/definitions/strategies.md`` says what each strategy and budget is.

    Args:
        store: The games, split by game into train, validation and test with ``seed``.
        gate: Names the phases.
        strategy: ``"separated"``: every expert learns from its phase alone. ``"staged"``: from all
            phases first and its own last. ``"weighted:4"``: from all phases at once, and positions
            of its own count four times as much. ``"planes"``, ``"heads"``, ``"policies"``,
            ``"film"``, ``"adapters"``, ``"blocks"``: all experts are one network that receives the
            phase, by input planes or by parts of its own for each phase; ``"router"``: one network
            whose parts are chosen by what it learns, as a control.
        network: What every network is made from, or the trained network that all begin with (see
            :func:`train_supervised`).
        planes: Input planes; None: the game's default, or those of the trained network.
        history: How many of the last moves they show; None: all that they have room for.
        positions: Training positions that the baseline sees.
        seed: Decides the split, the initial weights and the order of positions, of all networks.
        out: A new or empty directory, or that of these very trainings.
        config: The knobs of every training; None: the defaults. ``freeze`` is for experts that
            begin with a trained network: ``"body"`` trains heads on the body of the one they start
            from, while networks of all phases learn whole.
        order: Stages of staged experts: None: a network of all phases, then the own phase.
            ``"farthest-first"``, or all phases in some order: phase after phase, the own one last.
        budget: ``"equal"``: the mixture sees the baseline's number of positions. ``"study"``:
            the M2CTS paper's amounts, where every weighted or stage-wise expert sees ``positions``.
        value: Origin of the mixture's values. ``"own"``: each phase's expert. ``"shared"``: the one
            network, for all phases. ``"distilled"``: each phase's expert, which learns the one
            network's answers beside results (``distill_weight``). ``"all"``: each phase's expert,
            whose value loss counts positions of every phase and its policy loss those of its own.
        phases: The phases that get an expert; None: all. The one network answers for the others.
        freeze_baseline: Whether ``freeze`` holds for networks of all phases too, if they begin with
            a trained one: the baseline, and what staged experts start from.
        learning_rates: Peak learning rates that every network is trained with; the one of the least
            validation loss is taken, for each network by itself. None: that of ``config`` alone.
        splits: The split to use in place of one by ``seed``.
        value_games: Games whose results every network learns from and whose moves it does not; an
            expert, those of positions of its phase (see :func:`train_supervised`).
        test_games: Games of the test split that networks are measured on; None: all.
        resume: Whether ``out`` may hold these trainings already.
        progress: Called after every update of every training; its events carry the network's name.
            None: standard error gets a line after ten seconds and one a minute.
        callbacks: Receive the events of every training (see :func:`train_supervised`).
        loggers: Take the numbers of every training.
        **overrides: Fields of ``config`` to replace.

    Raises:
        CheckpointError: Files in ``out`` are truncated or changed, or the disk is full.
        CorruptRecord: A game cannot be replayed.
        InvalidConfig: An option does not exist or does not fit, or there are too few positions.
        InvalidGate: The gate does not exist or does not fit the game.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
        RunDirectoryError: ``out`` belongs to other trainings or cannot be written.
        StoreError: A phase has no positions to train or validate on.
    """
    positions = check_value("positions", PositiveInt, positions)
    seed = check_value("seed", int, seed)
    begun = Beginning.of(network, planes)
    settings = begun.settings(make_config(config, overrides), overrides)
    made = strategy if isinstance(strategy, Strategy) else Strategy.parse(strategy)
    test_games = check_value("test_games", PositiveInt | None, test_games)
    freeze_baseline = flag("freeze_baseline", freeze_baseline)
    _check_beginning(made, begun, settings, value, freeze_baseline)
    Hooks.of(callbacks, progress, loggers)  # or refuse them before anything is written
    rates = _checked_rates(learning_rates, settings)
    labelled = LabelledSplits.of(store, splits, gate, seed, settings.threads, value_games)
    from_new = settings.freeze is not None and begun.weights is None
    plan = plan_strategy(
        labelled.train, made, positions, budget, order, value, phases, freezes=from_new
    )
    out = folder_path("out", out)
    plans = {each.name: dataclasses.replace(each, seed=seed) for each in plan.trainings}
    recipe = Recipe(
        labelled.splits,
        begun.network,
        settings,
        begun.planes,
        history,
        frozenset(overrides),
        begun.weights,
        freeze_baseline,
        rates,
    )
    folder = out / NETWORKS
    _check_trainings(plans.values(), recipe, labelled, folder)
    identity: dict[str, Any] = {
        "game": store.variant,
        "gate": labelled.train.gate,
        "strategy": str(made),
        "budget": budget,
        "order": order if order is None or isinstance(order, str) else list(order),
        "network": networks.spec_of(begun.network),
        "planes": begun.planes,
        "history": history,
        "positions": positions,
        "seed": seed,
        "test_games": test_games,
        "train_sha256": rows_digest(labelled.train),
        TARGETS: targets_digest(*(getattr(labelled.splits, part) for part in SPLITS)),
        "settings": {k: v for k, v in vars(settings).items() if k not in INCIDENTAL},
        "value": value,
        "phases": list(plan.experts) if plan.has_fallback else None,
        "freeze_baseline": freeze_baseline,
        "learning_rates": list(rates) or None,
        "value_games_sha256": labelled.value_digest,
    }
    if begun.weights is not None:
        identity["weights_sha256"] = dict(Manifest.read(begun.weights).files)
    defaults = {**_DEFAULTS, TARGETS: identity[TARGETS]}
    details = RunDetails({}, {"training": seed}, settings.threads or 0)
    resume = flag("resume", resume)
    with contextlib.ExitStack() as stack:
        place = networks.resolve_device(settings.device)
        team, _ = stack.enter_context(in_team(place, settings.batch_size))
        files = claimed(out, identity, details, resume=resume, kind=KIND, defaults=defaults)
        team.first(lambda: stack.enter_context(files))

        results = _trained(plans, recipe, labelled, folder, team, callbacks, progress, loggers)

        def finish() -> None:
            if not (out / EXPERTS).is_file():
                table = _measured(out, labelled, plan, settings, seed, test_games)
                write_file(out / LOSSES, jsonable.dumps(table).encode())
                write_file(out / "losses.csv", table.to_csv().encode())
                networks_of = [
                    TrainedNetwork.of(plans[name], each) for name, each in results.items()
                ]
                _experts(out, labelled, plan, networks_of, identity).save()
                shutil.rmtree(folder / FOLDER, ignore_errors=True)

        team.first(finish)
    own = None if isinstance(labelled.gate, gating.Gate) else labelled.gate
    experts = Experts.open(out, own)
    check_same(out / EXPERTS, experts.training.get("identity"), identity, defaults)
    return experts


def _check_beginning(
    strategy: Strategy,
    begun: Beginning,
    settings: SupervisedConfig,
    value: ValueSource,
    freeze_baseline: bool,
) -> None:
    """Refuse options that do not fit what the networks begin with, or one another."""
    if value != "distilled" and settings.distill_weight is not None:
        message = f"distill_weight: is for value='distilled', and value={value!r} is given"
        raise InvalidConfig(message)
    if begun.weights is not None and strategy.phase_input == "planes":
        message = (
            f"strategy={str(strategy)!r} trains one network that receives the phase, which "
            f"network={begun.weights} has not learned to; choose heads, separated, staged or "
            "weighted:FACTOR"
        )
        raise InvalidConfig(message)
    has_frozen_start = settings.freeze is not None and begun.weights is not None
    if freeze_baseline and not has_frozen_start:
        message = (
            "freeze_baseline=True: is for a trained network= of which freeze= names a part; give "
            "both, or leave it out"
        )
        raise InvalidConfig(message)
    check_freeze(strategy, settings.freeze, is_trained=settings.freeze is None or has_frozen_start)


def _check_trainings(
    plans: Iterable[PlannedTraining], recipe: Recipe, labelled: LabelledSplits, folder: Path
) -> None:
    """Refuse now what a later training would be refused for."""
    for each in plans:
        if each.is_part:
            continue
        data, task = recipe.task(each, labelled, folder)
        if each.start is None:  # what others start from is not there yet
            own_settings = recipe.settings_of(each)
            Ready.of(data, dataclasses.replace(task, teacher=None), own_settings)


def _trained(
    plans: Mapping[str, PlannedTraining],
    recipe: Recipe,
    labelled: LabelledSplits,
    folder: Path,
    team: Team,
    callbacks: Sequence[Callback],
    progress: OnProgress | None,
    loggers: Sequence[Logger],
) -> dict[str, TrainingResult]:
    """Train every network, or finish its training."""
    lines, names = lines_of_progress(), [n for n, each in plans.items() if not each.is_part]
    results = {}
    for name, each in plans.items():
        title = name if each.is_part else f"{name} ({names.index(name) + 1} of {len(names)})"
        show = _named(lines, title) if progress is None else _named(progress, name)
        hooks = Hooks.of(callbacks, show, loggers)
        train = functools.partial(train_planned, each, recipe, folder, labelled, hooks)
        results[name] = team.first(train) if each.is_part else train()
    return results


def _checked_rates(rates: Sequence[float] | None, settings: SupervisedConfig) -> tuple[float, ...]:
    """Learning rates to choose among."""
    if rates is None:
        return ()
    given = tuple(rates) if isinstance(rates, tuple | list) else ()
    if not given or len(set(map(str, given))) < len(given):
        message = (
            f"learning_rates={rates!r}: expected a list of different numbers, such as "
            "(0.03, 0.1, 0.3), or None for max_lr alone"
        )
        raise InvalidConfig(message)
    with about(f"learning_rates={rates!r}", InvalidConfig):
        return tuple(dataclasses.replace(settings, max_lr=rate).max_lr for rate in given)


def _named(progress: OnProgress, name: str) -> OnProgress:
    def show(event: Progress) -> None:
        progress(dataclasses.replace(event, name=name))

    return show


def _measured(
    out: Path,
    labelled: LabelledSplits,
    plan: StrategyPlan,
    settings: SupervisedConfig,
    seed: int,
    test_games: int | None,
) -> LossTable:
    """Every network on the test positions of every phase."""
    test = labelled.splits.test
    rows = test.positions(labelled.gate, threads=settings.threads)
    if test_games is not None and test_games < len(test):
        drawn = np.random.default_rng(stream_seed(seed, _TEST_GAMES)).permutation(len(test))
        rows = rows.select(np.isin(rows.game, drawn[:test_games]))
    rows, removed = without_seen(rows, *labelled.learned)
    names = [plan.baseline.name, *plan.experts.values()]
    if len(rows):
        evaluators = {
            name: inference.load_network(
                out / NETWORKS / name,
                backend="torch",
                device=settings.device,
                threads=settings.threads,
            )
            for name in names
        }
        found = evaluate_networks(evaluators, test, rows, threads=settings.threads)
    else:
        found = {name: PositionLosses.of_nothing(rows) for name in names}
    baseline = found[plan.baseline.name]
    experts = {phase: found[name] for phase, name in plan.experts.items()}
    answering = {k: experts.get(phase, baseline) for k, phase in enumerate(rows.names)}
    mixture = mixture_losses(answering, baseline if plan.value == "shared" else None)
    measured = {BASELINE: baseline, **experts, MIXTURE: mixture}
    return loss_table(rows.names, measured, removed.tolist(), stream_seed(seed, _RESAMPLING))


def _experts(
    out: Path,
    labelled: LabelledSplits,
    plan: StrategyPlan,
    trained: Sequence[TrainedNetwork],
    identity: dict[str, Any],
) -> inference.Experts:
    training = {
        "budget": plan.budget,
        "work": {"baseline": plan.baseline.positions, "mixture": plan.work},
        "networks": trained,
        "identity": identity,
        "phasezoo": version("phasezoo"),
    }
    baseline = f"{NETWORKS}/{plan.baseline.name}"
    return inference.Experts(
        out,
        game=labelled.splits.train.variant,
        gate=str(gating.spec_of(labelled.gate)),
        experts={phase: f"{NETWORKS}/{name}" for phase, name in plan.experts.items()},
        baseline_folder=baseline,
        strategy=str(plan.strategy),
        fallback=baseline if plan.has_fallback else None,
        value=plan.value,
        training=jsonable.plain(training),
    )
