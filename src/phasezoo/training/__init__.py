"""Training: games stores, batches made from them, supervised learning, phase experts.

Reading, splitting and labelling games needs no torch; what trains networks is imported when it is
first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phasezoo._torch import let_idle_threads_sleep, require_torch
from phasezoo.data.batches import Batch, SparsePolicy as SparsePolicy
from phasezoo.data.positions import PositionTable, without_seen as without_seen
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import Splits
from phasezoo.data.store import GameStore
from phasezoo.data.store_writer import StoreWriter

if TYPE_CHECKING:
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
    from phasezoo.training.experts.phase_experts import train_experts
    from phasezoo.training.experts.planned import TrainedNetwork
    from phasezoo.training.experts.plans import (
        plan_baseline as plan_baseline,
        plan_experts as plan_experts,
    )
    from phasezoo.training.experts.result import Experts
    from phasezoo.training.experts.strategies import (
        Strategy,
        phase_weights as phase_weights,
        plan_strategy as plan_strategy,
    )
    from phasezoo.training.experts.tables import LossTable
    from phasezoo.training.loggers import Logger, TensorBoardLogger, WandbLogger
    from phasezoo.training.probes.probe import Probe, Probed as Probed, Score
    from phasezoo.training.selfplay.config import SelfPlayConfig, Watching as Watching
    from phasezoo.training.selfplay.learner import Learner
    from phasezoo.training.selfplay.loop import SelfPlay
    from phasezoo.training.selfplay.outcome import SelfPlayOutcome
    from phasezoo.training.selfplay.playing import play_games
    from phasezoo.training.selfplay.replay import Replay, ReplayRules as ReplayRules
    from phasezoo.training.supervised import TrainingResult, Trial, train_supervised

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
    "Trial",
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

_WITHOUT_TORCH = {
    "data.importer": ("import_pgn", "read_games"),
    "training.callbacks": ("Callback", "Progress", "TrainingStart", "progress_bar"),
    "training.catalogue": ("EpisodeStore", "POMMERMAN"),
    "training.config": ("SupervisedConfig",),
    "training.experts.plans": ("plan_baseline", "plan_experts"),
    "training.loggers": ("Logger", "TensorBoardLogger", "WandbLogger"),
    "training.probes.probe": ("Probe", "Probed", "Score"),
    "training.selfplay.config": ("SelfPlayConfig", "Watching"),
    "training.selfplay.outcome": ("SelfPlayOutcome",),
    "training.selfplay.playing": ("play_games",),
    "training.selfplay.replay": ("Replay", "ReplayRules"),
    "training.experts.strategies": ("Strategy", "phase_weights", "plan_strategy"),
}
_WITH_TORCH = {
    "training.evaluation": (
        "MeanLosses",
        "PositionLosses",
        "evaluate_network",
        "evaluate_networks",
        "mixture_losses",
    ),
    "training.experts.tables": ("LossTable",),
    "training.experts.phase_experts": ("train_experts",),
    "training.experts.planned": ("TrainedNetwork",),
    "training.experts.result": ("Experts",),
    "training.selfplay.learner": ("Learner",),
    "training.selfplay.loop": ("SelfPlay",),
    "training.supervised": ("TrainingResult", "Trial", "train_supervised"),
}
_LAZY = {name: module for module, names in (_WITHOUT_TORCH | _WITH_TORCH).items() for name in names}

let_idle_threads_sleep()  # the modules below import torch before anything of ours


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        if _LAZY[name] in _WITH_TORCH:
            require_torch()
        return getattr(import_module(f"phasezoo.{_LAZY[name]}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
