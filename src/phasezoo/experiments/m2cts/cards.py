"""What every network of a run got, as plain data."""

from dataclasses import dataclass, field

__all__ = ["Curve", "NetworkCard"]


@dataclass(frozen=True)
class Curve:
    """Losses while training, by training positions seen so far."""

    positions: list[int] = field(default_factory=list)
    train: list[float] = field(default_factory=list)
    validation_positions: list[int] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    phase_loss: dict[str, list[float | None]] = field(default_factory=dict)
    """Total loss on validation positions of each phase, at ``validation_positions``; empty if
    phases were not watched."""
    phase_accuracy: dict[str, list[float | None]] = field(default_factory=dict)
    """Share of them whose likeliest action is the one played."""


@dataclass(frozen=True)
class NetworkCard:
    """What one network got.

    Attributes:
        name: Its directory under ``networks/``.
        role: ``baseline``, ``expert`` or ``placebo``.
        training: Index of the training, from 0.
        phase: What it was trained on; None for all positions.
        gate: The gate that named the phase.
        architecture: Network name.
        parameters: Numbers that training adjusts.
        positions: Training positions seen.
        unique_positions: Different training positions among them.
        epochs: Times that its training positions were gone through.
        updates: Optimiser steps.
        seconds: Time spent in training.
        best_validation: Lowest validation loss, of the checkpoint that is kept; None if none was
            measured.
        curve: Losses while training.
    """

    name: str
    role: str
    training: int
    phase: str | None
    gate: str
    architecture: str
    parameters: int
    positions: int
    unique_positions: int
    epochs: float
    updates: int
    seconds: float
    best_validation: float | None
    curve: Curve
