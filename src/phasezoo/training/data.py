"""The positions of a training: which are learnt from, and which choose among checkpoints."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import _core, gating
from phasezoo.errors import StoreError
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.positions import PositionTable
from phasezoo.training.splits import PositionStore, Splits

__all__ = ["TrainingData", "rows_digest", "stream_seed"]

_VALIDATION = 3
"""Name of the random stream that draws validation positions."""


@dataclass(frozen=True)
class TrainingData:
    """The positions of a training."""

    train_store: PositionStore
    """Games to train on."""
    train: PositionTable
    """Positions of them."""
    validation_store: PositionStore
    """Games to choose a checkpoint by."""
    validation: PositionTable
    """Positions of them, as many as are looked at each time."""
    phase: str | None
    """The phase that all positions are of; None for all phases."""
    gate_fingerprint: str | None = None
    """What the gate of the phase answers, if it is a user's own."""

    @classmethod
    def of(
        cls,
        store: PositionStore,
        splits: Splits | None,
        gate: Any,
        phase: str | int | None,
        seed: int,
        config: SupervisedConfig,
    ) -> "TrainingData":
        """Split the games, label their positions, keep those of the phase.

        Raises:
            InvalidConfig: The gate has no such phase.
            StoreError: There are no positions to train or to validate on.
        """
        parts = store.split(seed) if splits is None else splits
        gate = gating.make(gate, store.variant)
        train = parts.train.positions(gate, threads=config.threads)
        validation = parts.validation.positions(gate, threads=config.threads)
        name = None
        if phase is not None:
            name = train.names[train.phase_index(phase)]
            train, validation = train.of_phase(name), validation.of_phase(name)
        for what, rows in (("training", train), ("validation", validation)):
            if len(rows) == 0:
                message = (
                    f"no {what} positions of phase {name or 'all'!r} (gate {rows.gate!r}, "
                    f"{len(store):,} games in all): use more games, another phase or another gate"
                )
                raise StoreError(message)
        count = min(len(validation), config.validation_positions)
        chosen = _core.permuted(len(validation), stream_seed(seed, _VALIDATION), 0, count)
        shown = validation.select(np.sort(chosen))
        own = name is not None and not isinstance(gate, gating.Gate)
        mark = gating.fingerprint(gate, store.variant) if own else None
        return cls(parts.train, train, parts.validation, shown, name, mark)


def rows_digest(rows: PositionTable) -> str:
    """The SHA-256 of a table: another one means other positions or other phases."""
    sha256 = hashlib.sha256()
    for column in (rows.game, rows.ply, rows.phase, rows.key):
        sha256.update(np.ascontiguousarray(column).data)
    return sha256.hexdigest()


def stream_seed(seed: int, name: int) -> int:
    """The seed of a named stream: 63 bits, so that every generator takes it."""
    words = np.random.SeedSequence([abs(seed), int(seed < 0), name])
    return int(words.generate_state(1, np.uint64)[0] >> np.uint64(1))
