"""How far the answers of two backends are from each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Difference", "difference"]


@dataclass(frozen=True)
class Difference:
    """Between answers to the same positions."""

    value: float
    """Largest difference of a value."""
    policy: float
    """Largest difference of a probability of a legal action."""
    equal_top: float
    """Share of positions in which the same action is liked best."""


def difference(found: Mapping[str, Any], reference: Mapping[str, Any]) -> Difference:
    """Compare two sets of answers.

    Args:
        found: ``value``, ``logits`` of the legal actions of all positions, and ``offsets``, where
            those of each begin.
        reference: The same of another backend.
    """
    offsets = reference["offsets"]
    ours, theirs = (probabilities(each["logits"], offsets) for each in (found, reference))
    same = top_actions(found["logits"], offsets) == top_actions(reference["logits"], offsets)
    return Difference(
        value=float(np.abs(found["value"] - reference["value"]).max()),
        policy=float(np.abs(ours - theirs).max()),
        equal_top=float(same.mean()),
    )


def probabilities(logits: npt.NDArray[Any], offsets: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The softmax over the legal actions of each position."""
    counts, starts = np.diff(offsets), offsets[:-1]
    powers = np.exp(
        logits.astype(np.float64) - np.repeat(np.maximum.reduceat(logits, starts), counts)
    )
    shares: npt.NDArray[np.float64] = powers / np.repeat(np.add.reduceat(powers, starts), counts)
    return shares


def top_actions(logits: npt.NDArray[Any], offsets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The place of the largest logit of each position, counted from its first."""
    return np.array([int(logits[start:end].argmax()) for start, end in pairwise(offsets)])
