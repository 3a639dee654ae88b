"""Training: games stores, batches made from them, supervised learning, phase experts.

Reading, splitting and labelling games needs no torch; what trains networks is imported when it is
first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phasezoo._torch import let_idle_threads_sleep, require_torch
from phasezoo.data.batches import Batch, SparsePolicy as SparsePolicy
from phasezoo.data.positions import (
    PhaseCount as PhaseCount,
    PhaseTable as PhaseTable,
    PositionTable,
    count_phases as count_phases,
    without_seen as without_seen,
)
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import PositionStore as PositionStore, Splits
from phasezoo.data.store import GameStore
from phasezoo.data.store_writer import StoreWriter

if TYPE_CHECKING:
    from phasezoo.data.import_target import MonthSplit as MonthSplit
    from phasezoo.data.importer import import_pgn, read_games
    from phasezoo.training.callbacks import (
        Callback,
        Progress,
        TrainingStart as TrainingStart,
        progress_bar,
    )
    from phasezoo.training.catalogue import POMMERMAN, EpisodeStore
    from phasezoo.training.config import SupervisedConfig
    from phasezoo.training.evaluation import (
        MeanLosses as MeanLosses,
        PositionLosses,
        evaluate_network,
        evaluate_networks,
        mixture_losses as mixture_losses,
    )
    from phasezoo.training.expert_tables import LossCell as LossCell, LossTable
    from phasezoo.training.experts import (
        PlannedTraining as PlannedTraining,
        plan_baseline as plan_baseline,
        plan_experts as plan_experts,
    )
    from phasezoo.training.loggers import (
        LoggedRun as LoggedRun,
        Logger,
        TensorBoardLogger,
        WandbLogger,
    )
    from phasezoo.training.phase_experts import Experts, train_experts
    from phasezoo.training.planned import TrainedNetwork
    from phasezoo.training.probes.probe import Probe, Probed as Probed, Score
    from phasezoo.training.selfplay.config import SelfPlayConfig, Watching as Watching
    from phasezoo.training.selfplay.learner import Learner
    from phasezoo.training.selfplay.loop import SelfPlay
    from phasezoo.training.selfplay.outcome import SelfPlayOutcome
    from phasezoo.training.selfplay.playing import play_games
    from phasezoo.training.selfplay.replay import Replay, ReplayRules as ReplayRules
    from phasezoo.training.strategies import (
        Strategy,
        StrategyPlan as StrategyPlan,
        phase_weights as phase_weights,
        plan_strategy as plan_strategy,
    )
    from phasezoo.training.supervised import TrainingResult, train_supervised

__all__ = [
    "POMMERMAN",
    "Batch",
    "Callback",
    "EpisodeStore",
    "Experts",
    "GameStore",
    "Learner",
    "Logger",
    "LossTable",
    "PositionLosses",
    "PositionTable",
    "Probe",
    "Progress",
    "Replay",
    "Sampler",
    "Score",
    "SelfPlay",
    "SelfPlayConfig",
    "SelfPlayOutcome",
    "Splits",
    "StoreWriter",
    "Strategy",
    "SupervisedConfig",
    "TensorBoardLogger",
    "TrainedNetwork",
    "TrainingResult",
    "WandbLogger",
    "evaluate_network",
    "evaluate_networks",
    "import_pgn",
    "play_games",
    "progress_bar",
    "read_games",
    "train_experts",
    "train_supervised",
]

_LAZY = {
    "EpisodeStore": "phasezoo.training.catalogue",
    "POMMERMAN": "phasezoo.training.catalogue",
    "SupervisedConfig": "phasezoo.training.config",
    "MeanLosses": "phasezoo.training.evaluation",
    "PositionLosses": "phasezoo.training.evaluation",
    "evaluate_network": "phasezoo.training.evaluation",
    "evaluate_networks": "phasezoo.training.evaluation",
    "MonthSplit": "phasezoo.data.import_target",
    "import_pgn": "phasezoo.data.importer",
    "read_games": "phasezoo.data.importer",
    "mixture_losses": "phasezoo.training.evaluation",
    "PlannedTraining": "phasezoo.training.experts",
    "plan_baseline": "phasezoo.training.experts",
    "plan_experts": "phasezoo.training.experts",
    "Callback": "phasezoo.training.callbacks",
    "Experts": "phasezoo.training.phase_experts",
    "LoggedRun": "phasezoo.training.loggers",
    "Logger": "phasezoo.training.loggers",
    "TensorBoardLogger": "phasezoo.training.loggers",
    "TrainingStart": "phasezoo.training.callbacks",
    "WandbLogger": "phasezoo.training.loggers",
    "LossCell": "phasezoo.training.expert_tables",
    "LossTable": "phasezoo.training.expert_tables",
    "Probe": "phasezoo.training.probes.probe",
    "Probed": "phasezoo.training.probes.probe",
    "Progress": "phasezoo.training.callbacks",
    "Score": "phasezoo.training.probes.probe",
    "Watching": "phasezoo.training.selfplay.config",
    "Strategy": "phasezoo.training.strategies",
    "StrategyPlan": "phasezoo.training.strategies",
    "TrainedNetwork": "phasezoo.training.planned",
    "phase_weights": "phasezoo.training.strategies",
    "plan_strategy": "phasezoo.training.strategies",
    "train_experts": "phasezoo.training.phase_experts",
    "progress_bar": "phasezoo.training.callbacks",
    "Learner": "phasezoo.training.selfplay.learner",
    "Replay": "phasezoo.training.selfplay.replay",
    "ReplayRules": "phasezoo.training.selfplay.replay",
    "SelfPlay": "phasezoo.training.selfplay.loop",
    "SelfPlayConfig": "phasezoo.training.selfplay.config",
    "SelfPlayOutcome": "phasezoo.training.selfplay.outcome",
    "play_games": "phasezoo.training.selfplay.playing",
    "TrainingResult": "phasezoo.training.supervised",
    "train_supervised": "phasezoo.training.supervised",
}

_WITH_TORCH = (
    "phasezoo.training.evaluation",
    "phasezoo.training.expert_tables",
    "phasezoo.training.phase_experts",
    "phasezoo.training.planned",
    "phasezoo.training.selfplay.learner",
    "phasezoo.training.selfplay.loop",
    "phasezoo.training.supervised",
)

let_idle_threads_sleep()  # the modules below import torch before anything of ours


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        if _LAZY[name] in _WITH_TORCH:
            require_torch()
        return getattr(import_module(_LAZY[name]), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
