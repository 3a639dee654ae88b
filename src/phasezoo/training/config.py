"""The knobs of supervised training."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Gt, Interval

from phasezoo.errors import InvalidConfig
from phasezoo.games.options import instance_of
from phasezoo.specs import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    PositiveUInt16,
    Share,
    changed,
    check,
)
from phasezoo.types import Dtype

WEIGHTS = ("policy_weight", "value_weight", "wdl_weight")
"""The settings that say how much policy and value count."""


@dataclass(frozen=True)
class SupervisedConfig:
    """How a network learns from stored games. "Table X" is the M2CTS paper's.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    batch_size: Annotated[int, Interval(ge=1, le=65_536)] = 64
    """Training positions an update (M2CTS, Table X: 2048). The default is for small budgets: 60,000
    positions gave rise-32x4 validation losses of 3.19 in batches of 64, 3.27 of 128 and 3.56 of
    256, each at the best of two or three learning rates; a GPU wants larger ones."""
    optimizer: Literal["sgd", "adamw"] = "sgd"
    """Optimiser: SGD with Nesterov momentum (Table X), or AdamW (Loshchilov and Hutter,
    2019; betas 0.9 and 0.999), whose momentum stays as it is. Both follow the learning rate's
    schedule."""
    max_lr: PositiveFloat = 0.1
    """Peak learning rate of the one-cycle schedule (M2CTS, Table X: 0.14, batches of 2048)."""
    min_lr: NonNegativeFloat = 1e-5
    """Learning rate at both ends of the schedule (to max_lr; Table X)."""
    max_momentum: Annotated[float, Interval(ge=0, lt=1)] = 0.95
    """Nesterov momentum where the learning rate is least (Table X)."""
    min_momentum: NonNegativeFloat = 0.8
    """Nesterov momentum where the learning rate is highest (Table X)."""
    weight_decay: NonNegativeFloat = 1e-4
    """L2 penalty on all parameters (Table X)."""
    policy_weight: NonNegativeFloat = 0.988
    """Share of the policy's cross-entropy in the training loss (Table X)."""
    value_weight: NonNegativeFloat = 0.01
    """Share of the value's squared error (Table X)."""
    wdl_weight: NonNegativeFloat = 0.01
    """Share of the cross-entropy of win, draw and loss (Table X)."""
    plies_weight: NonNegativeFloat = 0.002
    """Share of the squared error of the plies that are left (Table X)."""
    weighted_losses: Literal["all", "policy"] = "all"
    """Losses that weights of positions by phase multiply: all, or the policy's alone, so that
    values are learned from positions of every phase."""
    distill_weight: NonNegativeFloat | None = None
    """Share of the distance to the values of a network that teaches (its probabilities of win, draw
    and loss by cross-entropy, other values by squared error); none: that of value and win, draw and
    loss together, so that its answers count as much as results."""
    value_share: Annotated[float, Interval(gt=0, le=16)] = 0.25
    """Positions of games that values alone are learned from, if there are such, for each other
    training position: so many more are in every batch."""
    value_mix: Share = 0.0
    """Share of what searches expected in the values to learn, the rest is how the game ended (for
    games that tell; 0 in the paper)."""
    freeze: Literal["body", "heads"] | None = None
    """Part of a trained network that stays as it is, statistics of its batch norms included: the
    body, or the policy and value heads (none: all of it learns)."""
    body_cache_gb: NonNegativeFloat = 4.0
    """Gigabytes of outputs of a frozen body that are kept while heads train on a CPU, so that every
    position passes through it once (0: none)."""
    keep_statistics: bool | None = None
    """Whether batch norms use the means and variances that they have, as in play, and not each
    batch's (none: they do in what begins with a trained network that was named as ``network``).
    Batches of one phase differ from those that these come from: with the batches' own, a published
    network lost 0.1 in the endgame at once, and more than half of it still after 21,000 positions.
    """
    gradient_clip: PositiveFloat | None = None
    """Largest norm of an update's gradient (none: not clipped, as in the paper)."""
    history_dropout: Share = 0.0
    """Share of positions shown without their last moves."""
    symmetries: bool | None = None
    """Whether each training position is turned by a symmetry of the board that is drawn for it, new
    in every epoch, as far as it has such; none: in games whose start has them all, as Pommerman's
    does, and chess' does not, in which castling differs between the sides."""
    evaluate_every: PositiveInt | None = None
    """Updates between two validations, each of which also saves a checkpoint (none: a tenth of the
    training, 500 at most, which is the paper's)."""
    validation_positions: PositiveInt = 2048
    """Validation positions looked at each time, the same ones always."""
    watched_positions: NonNegativeInt = 0
    """Validation positions of each phase looked at as well, whatever is trained on: reported by
    phase, and no part of what chooses a checkpoint (0: the validation positions alone are)."""
    spike_factor: Annotated[float, Gt(1)] = 1.5
    """A validation loss of more than this times the last one, or one that is not finite, takes the
    training back to its best checkpoint (Table X)."""
    spike_limit: NonNegativeInt = 20
    """Spikes after which the training ends with its best checkpoint (the published code's)."""
    init_seed: int | None = None
    """Seed of the initial weights; none: derived from the training's seed, so that networks trained
    with one seed start alike."""
    device: str | None = None
    """Where to train, such as cpu or cuda; none: a GPU if there is one."""
    dtype: Dtype = "float32"
    """Number format of the layers that allow a choice (float32 or bfloat16); bfloat16 is tried in a
    child process before it is used."""
    compile: bool = False
    """Whether ``torch.compile`` makes a program of the network first (a minute; GPUs gain)."""
    threads: PositiveUInt16 | None = None
    """CPU threads of torch (none: all that the process may use, or OMP_NUM_THREADS)."""
    tensorboard: bool = True
    """Whether metrics are also written for TensorBoard, if it is installed."""
    wandb: str | None = None
    """Project of Weights & Biases that metrics are also sent to (extra `wandb`; none: not)."""

    def __post_init__(self) -> None:
        check(self)
        for name, most in (("min_lr", self.max_lr), ("min_momentum", self.max_momentum)):
            value = getattr(self, name)
            if value > most:
                message = f"{name}={value!r}: expected a number from 0 to {most:g}"
                raise InvalidConfig(message)
        teaching = (*WEIGHTS, "plies_weight")
        if not any(getattr(self, name) for name in teaching):
            message = f"{', '.join(teaching)}: all are 0, so nothing is learned; give one of them"
            raise InvalidConfig(message)

    def evaluation_interval(self, updates: int) -> int:
        """Updates between two validations of a training of ``updates`` updates."""
        if self.evaluate_every is not None:
            return self.evaluate_every
        return max(1, min(500, math.ceil(updates / 10)))


def make_config(config: SupervisedConfig | None, overrides: dict[str, Any]) -> SupervisedConfig:
    """``config`` (default: all defaults) with some fields replaced."""
    base = SupervisedConfig() if config is None else instance_of("config", config, SupervisedConfig)
    return changed(base, overrides, "supervised training")
