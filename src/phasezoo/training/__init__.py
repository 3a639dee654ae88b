"""Training: games stores, batches made from them, supervised learning, phase experts.

Reading, splitting and labelling games needs no torch; what trains networks is imported when it is
first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phasezoo._torch import let_idle_threads_sleep, require_torch
from phasezoo.training.batches import Batch, SparsePolicy
from phasezoo.training.positions import (
    PhaseCount,
    PhaseTable,
    PositionTable,
    count_phases,
    without_seen,
)
from phasezoo.training.sampler import Sampler
from phasezoo.training.splits import PositionStore, Splits
from phasezoo.training.store import GameStore
from phasezoo.training.store_writer import StoreWriter

if TYPE_CHECKING:
    from phasezoo.training.callbacks import Callback, TrainingStart
    from phasezoo.training.catalogue import POMMERMAN, EpisodeStore
    from phasezoo.training.config import SupervisedConfig
    from phasezoo.training.evaluation import (
        MeanLosses,
        PositionLosses,
        evaluate_network,
        evaluate_networks,
        mixture_losses,
    )
    from phasezoo.training.expert_tables import LossCell, LossTable
    from phasezoo.training.experts import PlannedTraining, plan_baseline, plan_experts
    from phasezoo.training.import_target import MonthSplit
    from phasezoo.training.importer import import_pgn, read_games
    from phasezoo.training.loggers import (
        LoggedRun,
        Logger,
        TensorBoardLogger,
        WandbLogger,
    )
    from phasezoo.training.phase_experts import Experts, TrainedNetwork, train_experts
    from phasezoo.training.probes.probe import Probe, Probed
    from phasezoo.training.progress import Progress, progress_bar
    from phasezoo.training.score import Score
    from phasezoo.training.selfplay.config import SelfPlayConfig
    from phasezoo.training.selfplay.learner import Learner
    from phasezoo.training.selfplay.loop import SelfPlay
    from phasezoo.training.selfplay.outcome import SelfPlayOutcome
    from phasezoo.training.selfplay.playing import play_games
    from phasezoo.training.selfplay.replay import Replay
    from phasezoo.training.selfplay.replay_sampler import ReplayRules
    from phasezoo.training.selfplay.watching import Watching
    from phasezoo.training.strategies import Strategy, StrategyPlan, phase_weights, plan_strategy
    from phasezoo.training.supervised import TrainingResult, train_supervised

__all__ = [
    "POMMERMAN",
    "Batch",
    "Callback",
    "EpisodeStore",
    "Experts",
    "GameStore",
    "Learner",
    "LoggedRun",
    "Logger",
    "LossCell",
    "LossTable",
    "MeanLosses",
    "MonthSplit",
    "PhaseCount",
    "PhaseTable",
    "PlannedTraining",
    "PositionLosses",
    "PositionStore",
    "PositionTable",
    "Probe",
    "Probed",
    "Progress",
    "Replay",
    "ReplayRules",
    "Sampler",
    "Score",
    "SelfPlay",
    "SelfPlayConfig",
    "SelfPlayOutcome",
    "SparsePolicy",
    "Splits",
    "StoreWriter",
    "Strategy",
    "StrategyPlan",
    "SupervisedConfig",
    "TensorBoardLogger",
    "TrainedNetwork",
    "TrainingResult",
    "TrainingStart",
    "WandbLogger",
    "Watching",
    "count_phases",
    "evaluate_network",
    "evaluate_networks",
    "import_pgn",
    "mixture_losses",
    "phase_weights",
    "plan_baseline",
    "plan_experts",
    "plan_strategy",
    "play_games",
    "progress_bar",
    "read_games",
    "train_experts",
    "train_supervised",
    "without_seen",
]

_LAZY = {
    "EpisodeStore": "catalogue",
    "POMMERMAN": "catalogue",
    "SupervisedConfig": "config",
    "MeanLosses": "evaluation",
    "PositionLosses": "evaluation",
    "evaluate_network": "evaluation",
    "evaluate_networks": "evaluation",
    "MonthSplit": "import_target",
    "import_pgn": "importer",
    "read_games": "importer",
    "mixture_losses": "evaluation",
    "PlannedTraining": "experts",
    "plan_baseline": "experts",
    "plan_experts": "experts",
    "Callback": "callbacks",
    "Experts": "phase_experts",
    "LoggedRun": "loggers",
    "Logger": "loggers",
    "TensorBoardLogger": "loggers",
    "TrainingStart": "callbacks",
    "WandbLogger": "loggers",
    "LossCell": "expert_tables",
    "LossTable": "expert_tables",
    "Probe": "probes.probe",
    "Probed": "probes.probe",
    "Progress": "progress",
    "Score": "score",
    "Watching": "selfplay.watching",
    "Strategy": "strategies",
    "StrategyPlan": "strategies",
    "TrainedNetwork": "phase_experts",
    "phase_weights": "strategies",
    "plan_strategy": "strategies",
    "train_experts": "phase_experts",
    "progress_bar": "progress",
    "Learner": "selfplay.learner",
    "Replay": "selfplay.replay",
    "ReplayRules": "selfplay.replay_sampler",
    "SelfPlay": "selfplay.loop",
    "SelfPlayConfig": "selfplay.config",
    "SelfPlayOutcome": "selfplay.outcome",
    "play_games": "selfplay.playing",
    "TrainingResult": "supervised",
    "train_supervised": "supervised",
}

_WITH_TORCH = (
    "callbacks",
    "evaluation",
    "expert_tables",
    "phase_experts",
    "selfplay.learner",
    "selfplay.loop",
    "supervised",
)

let_idle_threads_sleep()  # the modules below import torch before anything of ours


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        if _LAZY[name] in _WITH_TORCH:
            require_torch()
        return getattr(import_module(f"phasezoo.training.{_LAZY[name]}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
