"""Answers of frozen experts on positions, and the losses of their mixtures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from phasezoo.data.batches import Batch
from phasezoo.data.positions import PositionTable
from phasezoo.data.sampler import Sampler
from phasezoo.data.splits import PositionStore
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.games.varlen import entries_of, offsets_of
from phasezoo.inference.evaluator import Evaluation, name_of
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.storage.experts import Experts, load_experts
from phasezoo.training.losses import POLICY_SHARE, VALUE_SHARE

_BATCH = 256
"""Number of positions that experts evaluate at once."""

_LEAST = 1e-30
"""Least probability of an action in a mixture, so that its logarithm exists."""


@dataclass(frozen=True)
class FrozenExperts:
    """The experts of a mixture, in the order of its phases."""

    names: tuple[str, ...]
    """Names of the phases."""
    evaluators: tuple[Any, ...]
    """Evaluator of each phase."""
    gate: Any = None
    """Fixed gate that they come with, if any."""

    @classmethod
    def of(cls, given: Any, names: Sequence[str] | None) -> "FrozenExperts":
        """Return frozen experts from those that a user gives.

        Args:
            given: A mapping of names, a mixture, a folder of experts, or the loaded experts.
            names: The order of the phases; default that of ``given``.
        """
        if isinstance(given, str | Path):
            given = load_experts(given)
        mixture = given.mixture() if isinstance(given, Experts) else given
        if isinstance(mixture, MixtureOfExperts):
            known = dict(zip(mixture.names, mixture.experts, strict=True))
            gate = mixture.gate
        elif isinstance(mixture, Mapping):
            known, gate = dict(mixture), None
        else:
            message = (
                f"experts={given!r}: expected a mapping of names to evaluators, a mixture, or "
                "what train_experts gave"
            )
            raise InvalidConfig(message)
        order = tuple(known) if names is None else tuple(names)
        if len(known) < 2 or sorted(order) != sorted(known):
            message = (
                f"experts {list(known)}, names {list(order)}: a gate needs two experts or more, "
                "and names= all of them once"
            )
            raise InvalidConfig(message)
        return cls(order, tuple(known[name] for name in order), gate)


@dataclass(frozen=True)
class Answers:
    """Answers of K experts on P positions, as far as losses need them."""

    offsets: npt.NDArray[np.int64]
    """``int64[P + 1]``: index of the first target action of each position."""
    wanted: npt.NDArray[np.float32]
    """``float32[T]``: probability of each target action."""
    given: npt.NDArray[np.float32]
    """``float32[T, K]``: its probability by each expert, over all actions, legal or not."""
    values: npt.NDArray[np.float32]
    """``float32[P, K]``: value by each expert."""
    result: npt.NDArray[np.float32]
    """``float32[P]``: result of the game."""

    def losses(self, weights: Tensor, rows: npt.NDArray[np.int64] | None = None) -> Tensor:
        """Return ``float32[B]``, the reported total loss of the mixture on each position.

        ``0.99 * -sum_a w(a) log sum_k g_k p_k(a) + 0.01 * (sum_k g_k v_k - z)^2``

        Args:
            weights: ``float32[B, K]``: weight of each expert; rows sum to 1.
            rows: ``int64[B]``: the positions; None: all.
        """
        chosen = np.arange(len(self.result)) if rows is None else rows
        offsets, entries = entries_of(self.offsets, chosen)
        row_of = torch.from_numpy(np.repeat(np.arange(len(chosen)), np.diff(offsets)))
        mixed = (weights[row_of] * torch.from_numpy(self.given[entries])).sum(dim=1)
        each = torch.from_numpy(self.wanted[entries]) * torch.log(mixed.clamp_min(_LEAST))
        policy = -torch.zeros(len(chosen)).index_add(0, row_of, each)
        value = (weights * torch.from_numpy(self.values[chosen])).sum(dim=1)
        error = (value - torch.from_numpy(self.result[chosen])).square()
        return POLICY_SHARE * policy + VALUE_SHARE * error


def answers_of(experts: FrozenExperts, store: PositionStore, rows: PositionTable) -> Answers:
    """Evaluate every position once by every expert; experts share equal planes."""
    specs = [getattr(evaluator, "plane_spec", None) for evaluator in experts.evaluators]
    if None in specs:
        name = experts.names[specs.index(None)]
        message = f"the expert {name!r} wants no planes: a gate cannot be learned for it"
        raise InvalidConfig(message)
    given: dict[int, list[npt.NDArray[np.float32]]] = {k: [] for k in range(len(specs))}
    values: dict[int, list[npt.NDArray[np.float32]]] = {k: [] for k in range(len(specs))}
    batches: list[Batch] = []
    for spec in dict.fromkeys(specs):
        batches = []
        for batch in Sampler(store, rows, spec, _BATCH).in_order():
            for number in [k for k, own in enumerate(specs) if own == spec]:
                answer = experts.evaluators[number].evaluate(batch.float_planes.copy())
                found = _read(answer, batch, experts.names[number], experts.evaluators[number])
                given[number].append(found[0])
                values[number].append(found[1])
            batches.append(_without_planes(batch))
    targets = [_targets(batch) for batch in batches]
    counts = np.concatenate([np.diff(offsets) for offsets, _, _ in targets])
    return Answers(
        offsets=offsets_of(counts),
        wanted=np.concatenate([wanted for _, _, wanted in targets]),
        given=np.stack([np.concatenate(parts) for parts in given.values()], axis=1),
        values=np.stack([np.concatenate(parts) for parts in values.values()], axis=1),
        result=np.concatenate([batch.value for batch in batches]),
    )


def _without_planes(batch: Batch) -> Batch:
    kept = vars(batch) | {"planes": np.empty((len(batch), 0, 0, 0), dtype=np.float32)}
    return Batch(**kept)


def _targets(
    batch: Batch,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any], npt.NDArray[np.float32]]:
    """Return offsets, actions and probabilities of the policy targets."""
    if batch.policy is not None:
        return batch.policy.offsets, batch.policy.actions, batch.policy.probabilities
    count = len(batch)
    return np.arange(count + 1), batch.action, np.ones(count, dtype=np.float32)


def _read(
    answer: Evaluation, batch: Batch, name: str, evaluator: Any
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return an expert's probabilities of the target actions, and its values."""
    who = f"the expert {name!r} ({name_of(evaluator)})"
    logits = answer.policy_logits
    offsets, actions, _ = _targets(batch)
    if logits is None or logits.ndim != 2 or len(logits) != len(batch):
        shape = "none" if logits is None else str(list(logits.shape))
        message = f"{who}: policy_logits {shape}, expected float32[{len(batch)}, A]"
        raise InvalidEvaluation(message)
    if logits.shape[1] <= int(actions.max(initial=0)):
        message = f"{who}: {logits.shape[1]} policy logits, action {actions.max()} was played"
        raise InvalidEvaluation(message)
    shares = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(np.float64))
    shares /= shares.sum(axis=1, keepdims=True)
    row_of = np.repeat(np.arange(len(batch)), np.diff(offsets))
    probabilities = shares[row_of, actions].astype(np.float32)
    values = np.asarray(answer.values(), dtype=np.float32)
    finite = np.isfinite(probabilities).all() and np.isfinite(values).all()
    if values.shape != (len(batch),) or not finite:
        message = f"{who}: values {list(values.shape)}, expected finite float32[{len(batch)}]"
        raise InvalidEvaluation(message)
    return probabilities, values
