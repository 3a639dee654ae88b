"""The knobs of supervised training."""

import dataclasses
import difflib
import math
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from phasezoo.errors import InvalidConfig
from phasezoo.games.options import flag
from phasezoo.types import Dtype

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["SupervisedConfig", "check_fields", "make_config"]

_LOSS_PARTS = ("policy", "value", "wdl", "plies")


@dataclass(frozen=True)
class SupervisedConfig:
    """How a network learns from stored games. "Table X" is the M2CTS paper's.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    batch_size: int = 64
    """Training positions an update (1 to 65,536; Table X: 2048). The default is for small budgets:
    60,000 positions gave rise-32x4 validation losses of 3.19 in batches of 64, 3.27 of 128 and 3.56
    of 256, each at the best of two or three learning rates; a GPU wants larger ones."""
    optimizer: Literal["sgd", "adamw"] = "sgd"
    """What takes the steps: SGD with Nesterov momentum (Table X), or AdamW (Loshchilov and Hutter,
    2019; betas 0.9 and 0.999), whose momentum stays as it is. Both follow the learning rate's
    schedule."""
    max_lr: float = 0.1
    """Peak learning rate of the one-cycle schedule (above 0; Table X: 0.14, batches of 2048)."""
    min_lr: float = 1e-5
    """Learning rate at both ends of the schedule (0 to max_lr; Table X)."""
    max_momentum: float = 0.95
    """Nesterov momentum where the learning rate is least (min_momentum to below 1; Table X)."""
    min_momentum: float = 0.8
    """Nesterov momentum where the learning rate is highest (0 or more; Table X)."""
    weight_decay: float = 1e-4
    """L2 penalty on all parameters (0 or more; Table X)."""
    policy_weight: float = 0.988
    """Share of the policy's cross-entropy in the training loss (0 or more; Table X)."""
    value_weight: float = 0.01
    """Share of the value's squared error (0 or more; Table X)."""
    wdl_weight: float = 0.01
    """Share of the cross-entropy of win, draw and loss (0 or more; Table X)."""
    plies_weight: float = 0.002
    """Share of the squared error of the plies that are left (0 or more; Table X)."""
    value_mix: float = 0.0
    """Share of what searches expected in the values to learn, the rest is how the game ended (0 to
    1; for games that tell; 0 in the paper)."""
    gradient_clip: float | None = None
    """Largest norm of an update's gradient (above 0; none: not clipped, as in the paper)."""
    history_dropout: float = 0.0
    """Share of positions shown without their last moves (0 to 1)."""
    symmetries: bool | None = None
    """Whether each training position is turned by a symmetry of the board that is drawn for it, new
    in every epoch, as far as it has such; none: in games whose start has them all, as Pommerman's
    does, and chess' does not, in which castling tells left from right."""
    evaluate_every: int | None = None
    """Updates between two validations, each of which also saves a checkpoint (1 or more; none: a
    tenth of the training, 500 at most, which is the paper's)."""
    validation_positions: int = 2048
    """Validation positions looked at each time, the same ones always (1 or more)."""
    watched_positions: int = 0
    """Validation positions of each phase looked at as well, whatever phases are learnt: reported by
    phase, and no part of what chooses a checkpoint (0 or more; 0: the validation positions alone
    are)."""
    spike_factor: float = 1.5
    """A validation loss of more than this times the last one, or one that is not finite, takes the
    training back to its best checkpoint (above 1; Table X)."""
    spike_limit: int = 20
    """Spikes after which the training ends with its best checkpoint (0 or more; the published
    code's)."""
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
    threads: int | None = None
    """CPU threads of torch (1 or more; none: as torch has them)."""
    tensorboard: bool = True
    """Whether metrics are also written for TensorBoard, if it is installed."""
    wandb: str | None = None
    """Project of Weights & Biases that metrics are also sent to (extra `wandb`; none: not)."""

    def __post_init__(self) -> None:
        check_fields(self)
        above = {"max_lr": 0.0, "gradient_clip": 0.0, "spike_factor": 1.0}
        for name, bound in above.items():
            value = getattr(self, name)
            if value is not None and not bound < value < math.inf:
                message = f"{name}={value!r}: must be above {bound:g} and finite"
                raise InvalidConfig(message)
        if self.optimizer not in ("sgd", "adamw"):
            message = f"optimizer={self.optimizer!r}: expected 'sgd' or 'adamw'"
            raise InvalidConfig(message)
        if not self.max_momentum < 1:
            message = f"max_momentum={self.max_momentum!r}: must be below 1"
            raise InvalidConfig(message)
        ranges: dict[str, tuple[float, float]] = {
            **dict.fromkeys(("batch_size",), (1, 65_536)),
            **dict.fromkeys(("evaluate_every", "validation_positions", "threads"), (1, math.inf)),
            **dict.fromkeys((f"{part}_weight" for part in _LOSS_PARTS), (0, math.inf)),
            **dict.fromkeys(("weight_decay", "spike_limit", "watched_positions"), (0, math.inf)),
            "min_lr": (0, self.max_lr),
            "min_momentum": (0, self.max_momentum),
            "history_dropout": (0, 1),
            "value_mix": (0, 1),
        }
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if value is not None and not (low <= value <= high and value < math.inf):
                bounds = f"{low} or more" if high == math.inf else f"from {low} to {high}"
                message = f"{name}={value!r}: must be {bounds}"
                raise InvalidConfig(message)

    def evaluation_interval(self, updates: int) -> int:
        """Updates between two validations of a training of ``updates`` updates."""
        if self.evaluate_every is not None:
            return self.evaluate_every
        return max(1, min(500, math.ceil(updates / 10)))


def make_config(config: SupervisedConfig | None, overrides: dict[str, Any]) -> SupervisedConfig:
    """``config`` (default: all defaults) with some fields replaced.

    Raises:
        InvalidConfig: A field does not exist, or a value is out of range.
    """
    base = SupervisedConfig() if config is None else config
    known = [field.name for field in dataclasses.fields(base)]
    for name in overrides:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3)
            hint = f"did you mean {' or '.join(close)}?" if close else f"there are {known}"
            message = f"{name!r} is no option of supervised training; {hint}"
            raise InvalidConfig(message)
    return dataclasses.replace(base, **overrides)


def check_fields(config: "DataclassInstance") -> None:
    """Refuse settings of another kind than their fields': text in place of a number, say.

    Raises:
        InvalidConfig: A value has another kind; the message names the field.
    """
    for field in dataclasses.fields(config):
        _check_type(field.name, field.type, getattr(config, field.name))


def _check_type(name: str, annotation: Any, value: object) -> None:
    """Refuse text in place of a number or a truth, and fractions in place of a whole number.

    Raises:
        InvalidConfig: A value has another kind.
    """
    whole = (int, np.integer)
    allowed = {"int": whole, "float": (*whole, float, np.floating)}
    kinds = typing.get_args(annotation) or (annotation,)
    if bool in kinds and value is not None:
        flag(name, value)
    settings = next((kind for kind in kinds if dataclasses.is_dataclass(kind)), None)
    if settings is not None and not isinstance(value, typing.cast("type", settings)):
        message = f"{name}={value!r}: expected a {getattr(settings, '__name__', settings)}"
        raise InvalidConfig(message)
    numbers = [kind for kind in kinds if kind in (int, float)]
    if not numbers or (value is None and type(None) in kinds):
        return
    expected = numbers[0].__name__
    if isinstance(value, bool) or not isinstance(value, allowed[expected]):
        message = f"{name}={value!r}: must be a {'whole ' if expected == 'int' else ''}number"
        raise InvalidConfig(message)
