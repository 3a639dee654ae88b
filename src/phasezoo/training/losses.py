"""Losses: those that are minimised, and those that are reported."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from phasezoo.data.batches import Batch
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.networks import NetworkOutput, to_device
from phasezoo.training.config import SupervisedConfig

POLICY_SHARE = 0.99
VALUE_SHARE = 0.01
"""Reported total = 0.01 value + 0.99 policy, as the tables of M2CTS have it."""

PLIES_CAP = 100.0
"""Plies to the end are learned as ``min(n, 100) / 100`` (M2CTS)."""


class PaddedPolicy(NamedTuple):
    """A distribution over actions for each of B positions, filled up to K entries."""

    actions: Tensor
    """``int64[B, K]``."""
    probabilities: Tensor
    """``float32[B, K]``; 0 where there is no entry."""


@dataclass(frozen=True)
class Targets:
    """Targets of the heads for B positions, for the player to move."""

    action: Tensor
    """``int64[B]``: the action played."""
    value: Tensor
    """``float32[B]`` in [-1, 1]."""
    wdl: Tensor
    """``int64[B]``: 0 won, 1 drawn, 2 lost."""
    plies: Tensor
    """``float32[B]`` in [0, 1]: plies to the end / 100, at most 1."""
    weight: Tensor
    """``float32[B]``: what each position counts."""
    policy: PaddedPolicy | None = None
    """The distribution to learn; None: the action played, for certain."""
    values: Tensor | None = None
    """``float32[B, players]``: how the game ended for everybody, own first."""
    teacher: NetworkOutput | None = None
    """Answers of the network whose values are learned too; None: there is none."""

    @classmethod
    def of(cls, batch: Batch, device: torch.device) -> "Targets":
        """The targets of a batch, on ``device``."""
        plies = to_device(batch.plies_left, device).clamp(0, PLIES_CAP) / PLIES_CAP
        policy = None
        if batch.policy is not None:
            padded = batch.policy.padded()
            policy = PaddedPolicy(*(to_device(column, device) for column in padded))
        return cls(
            action=to_device(batch.action, device),
            value=to_device(batch.value, device),
            wdl=to_device(batch.wdl, device),
            plies=plies,
            weight=to_device(batch.weight, device),
            policy=policy,
            values=None if batch.values is None else to_device(batch.values, device),
        )


class RowLosses(NamedTuple):
    """Losses of each position, ``float32[B]``; the policy without legal masking.

    None are those of heads that a network does not have.
    """

    policy: Tensor
    """Cross-entropy of the action played, or of the distribution given, over all actions, in
    nats."""
    value: Tensor
    """Squared error of what the player to move is said to expect."""
    wdl: Tensor | None
    """Cross-entropy of win, draw and loss, in nats."""
    plies: Tensor | None
    """Squared error of the plies left / 100."""
    correct: Tensor
    """1 if the likeliest action is the one played."""
    players: Tensor | None = None
    """Squared error of what everybody is said to expect, a mean over the players, if that is the
    network's value (:meth:`~phasezoo.networks.NetworkOutput.value_field`)."""
    distilled: Tensor | None = None
    """Distance to the teacher's value: cross-entropy of win, draw and loss, in nats, or squared
    error; None without a teacher."""

    def first(self, count: int) -> "RowLosses":
        """Those of the first positions."""
        columns: list[Any] = [None if rows is None else rows[:count] for rows in self]
        return RowLosses(*columns)

    def reported(self) -> Tensor:
        """``float32[B]``: the total that tables show."""
        return POLICY_SHARE * self.policy + VALUE_SHARE * self.value


def row_losses(output: NetworkOutput, targets: Targets) -> RowLosses:
    """The losses of each position; arithmetic in float32 whatever the layers use."""
    exact = NetworkOutput(*(_exact(getattr(output, name, None)) for name in NetworkOutput._fields))
    head = exact.value_field()
    if head is None:
        message = (
            "the network answers no value: NetworkOutput needs wdl_logits, scalar or values "
            "besides policy_logits"
        )
        raise InvalidEvaluation(message)
    wdl = plies = players = None
    if exact.wdl_logits is not None:
        wdl = functional.cross_entropy(exact.wdl_logits, targets.wdl, reduction="none")
    if exact.plies is not None:
        plies = (exact.plies - targets.plies).square()
    if head == "values" and exact.values is not None:
        everybody = _values(targets, exact.values.shape[1])
        players = (exact.values - everybody).square().mean(dim=1)
    return RowLosses(
        policy=_policy_loss(exact.policy_logits, targets),
        value=(exact.value() - targets.value).square(),
        wdl=wdl,
        plies=plies,
        correct=_correct(exact.policy_logits, targets.action),
        players=players,
        distilled=None if targets.teacher is None else _distilled(exact, targets.teacher, head),
    )


def training_loss(
    losses: RowLosses,
    config: SupervisedConfig,
    weight: Tensor | None = None,
    own: int | None = None,
) -> Tensor:
    """The number that is minimised (M2CTS, Table X): a mean over positions.

    A network with a value for each player learns all of them with the value's weight.

    Args:
        losses: Of each position.
        config: The weights of the parts.
        weight: ``float32[B]``: what each position counts; None: all alike.
        own: Number of the first positions, which the policy learns from; None: all.
    """
    value = losses.value if losses.players is None else losses.players
    policy, first = losses.policy, weight
    if own is not None:
        policy, first = policy[:own], None if weight is None else weight[:own]
    total = config.policy_weight * _mean(policy, first)
    if config.weighted_losses == "policy":
        weight = None
    total = total + config.value_weight * _mean(value, weight)
    if losses.distilled is not None:
        share = config.distill_weight
        share = config.value_weight + config.wdl_weight if share is None else share
        total = total + share * _mean(losses.distilled, weight)
    for name, rows in (("wdl", losses.wdl), ("plies", losses.plies)):
        share = getattr(config, f"{name}_weight")
        if rows is not None:
            total = total + share * _mean(rows, weight)
        elif share > 0:
            message = (
                f"{name}_weight={share:g}: the network answers no {_HEADS[name]}, so there is "
                f"nothing to weigh; use {name}_weight=0, or a network that answers it"
            )
            raise InvalidConfig(message)
    return total


_HEADS = {"wdl": "wdl_logits (win, draw, loss)", "plies": "plies (left to the end)"}


def _mean(rows: Tensor, weight: Tensor | None) -> Tensor:
    return rows.mean() if weight is None else (rows * weight).mean()


def _policy_loss(logits: Tensor, targets: Targets) -> Tensor:
    if targets.policy is None:
        return functional.cross_entropy(logits, targets.action, reduction="none")
    # Only the entries are looked at: of 4,672 moves, thirty have a probability.
    likely = functional.log_softmax(logits, dim=1).gather(1, targets.policy.actions)
    return -(targets.policy.probabilities * likely).sum(dim=1)


def _distilled(output: NetworkOutput, teacher: NetworkOutput, head: str) -> Tensor:
    """``float32[B]``: distance between the values of two networks of one architecture."""
    own, known = getattr(output, head), getattr(teacher, head).float()
    if head == "wdl_logits":
        return functional.cross_entropy(own, known.softmax(dim=1), reduction="none")
    squares: Tensor = (own - known).square()
    return squares if squares.ndim == 1 else squares.mean(dim=1)


@torch.no_grad()
def _correct(logits: Tensor, action: Tensor) -> Tensor:
    """``float32[B]``: 1 if the likeliest action is ``action``, of equals the first.

    On a CPU the place of a maximum takes many times as long as the maximum, which is enough for
    all rows whose action is less likely than another.
    """
    if logits.device.type != "cpu":
        return (logits.argmax(dim=1) == action).float()
    played = logits.gather(1, action[:, None]).squeeze(1)
    correct = (played == logits.amax(dim=1)).float()
    rows = correct.nonzero().squeeze(1)
    correct[rows] = (logits[rows].argmax(dim=1) == action[rows]).float()
    return correct


def _exact(answer: Tensor | None) -> Any:
    """An answer in ``float32``; None if a network does not give it."""
    return None if answer is None else answer.float()


def _values(targets: Targets, players: int) -> Tensor:
    """``float32[B, players]``: what everybody got, own first."""
    if targets.values is not None and targets.values.shape[1] == players:
        return targets.values
    given = "none" if targets.values is None else f"those of {targets.values.shape[1]}"
    message = (
        f"the network answers values of {players} players, and the games have {given}: use a "
        "network with one value, or games that have the returns of every player"
    )
    raise InvalidConfig(message)
