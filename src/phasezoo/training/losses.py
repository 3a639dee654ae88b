"""What is minimised, and what is reported."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from phasezoo.networks import NetworkOutput
from phasezoo.training.batches import Batch
from phasezoo.training.config import SupervisedConfig

__all__ = ["POLICY_SHARE", "VALUE_SHARE", "RowLosses", "Targets", "row_losses", "training_loss"]

POLICY_SHARE = 0.99
VALUE_SHARE = 0.01
"""Reported total = 0.01 value + 0.99 policy, as the tables of M2CTS have it."""

PLIES_CAP = 100.0
"""Plies to the end are learnt as ``min(n, 100) / 100`` (M2CTS)."""


@dataclass(frozen=True)
class Targets:
    """What the heads should say of B positions, for the player to move."""

    action: Tensor
    """``int64[B]``: the action played."""
    value: Tensor
    """``float32[B]``: +1, 0 or -1."""
    wdl: Tensor
    """``int64[B]``: 0 won, 1 drawn, 2 lost."""
    plies: Tensor
    """``float32[B]`` in [0, 1]: plies to the end / 100, at most 1."""

    @classmethod
    def of(cls, batch: Batch, device: torch.device) -> "Targets":
        """The targets of a batch, on ``device``."""
        plies = torch.from_numpy(batch.plies_left).clamp(0, PLIES_CAP) / PLIES_CAP
        return cls(
            action=torch.from_numpy(batch.action).to(device),
            value=torch.from_numpy(batch.value).to(device),
            wdl=torch.from_numpy(batch.wdl).to(device),
            plies=plies.to(device),
        )


class RowLosses(NamedTuple):
    """Losses of each position, ``float32[B]``; the policy without legal masking."""

    policy: Tensor
    """Cross-entropy of the action played over all actions, in nats."""
    value: Tensor
    """Squared error of win minus loss."""
    wdl: Tensor
    """Cross-entropy of win, draw and loss, in nats."""
    plies: Tensor
    """Squared error of the plies left / 100."""
    correct: Tensor
    """1 if the likeliest action is the one played."""

    def reported(self) -> Tensor:
        """``float32[B]``: the total that tables show."""
        return POLICY_SHARE * self.policy + VALUE_SHARE * self.value


def row_losses(output: NetworkOutput, targets: Targets) -> RowLosses:
    """The losses of each position; arithmetic in float32 whatever the layers use."""
    logits = output.policy_logits.float()
    wdl_logits = output.wdl_logits.float()
    win, _, loss = torch.softmax(wdl_logits, dim=1).unbind(dim=1)
    with torch.no_grad():
        best = logits.argmax(dim=1)
    return RowLosses(
        policy=functional.cross_entropy(logits, targets.action, reduction="none"),
        value=(win - loss - targets.value).square(),
        wdl=functional.cross_entropy(wdl_logits, targets.wdl, reduction="none"),
        plies=(output.plies.float() - targets.plies).square(),
        correct=(best == targets.action).float(),
    )


def training_loss(losses: RowLosses, config: SupervisedConfig) -> Tensor:
    """The number that is minimised (M2CTS, Table X): a mean over positions."""
    return (
        config.policy_weight * losses.policy.mean()
        + config.value_weight * losses.value.mean()
        + config.wdl_weight * losses.wdl.mean()
        + config.plies_weight * losses.plies.mean()
    )
