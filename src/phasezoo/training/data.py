"""Positions of a training: those to train on, and those that choose among checkpoints."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo import _core, gating
from phasezoo.data.columns import GameColumns
from phasezoo.data.positions import PositionTable
from phasezoo.data.splits import SPLITS, PositionStore, Splits, seed_words
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.games.options import instance_of
from phasezoo.training.config import SupervisedConfig

PhaseWeights: TypeAlias = Mapping[str, float] | Sequence[float]
"""Weights of positions by phase: by name (1 for those left out), or in the gate's order."""

_VALIDATION, _WATCHED = 3, 7
"""Names of the random streams that draw validation positions."""


@dataclass(frozen=True)
class LabelledSplits:
    """A store in three parts, of which a gate has labelled those that trainings look at."""

    splits: Splits
    """Train, validation, test."""
    gate: Any
    """The gate."""
    train: PositionTable
    """All training positions."""
    validation: PositionTable
    """All validation positions."""
    values: PositionTable | None = None
    """All positions of the games that values alone are learned from; None: there are none."""

    @classmethod
    def of(
        cls,
        store: PositionStore,
        splits: Splits | None,
        gate: Any,
        seed: int,
        threads: int | None = None,
        value_games: PositionStore | None = None,
        tables: Mapping[str, PositionTable] | None = None,
    ) -> "LabelledSplits":
        """Split the games, by ``seed`` unless ``splits`` are given, and label their positions.

        ``tables`` are those of ``train`` and ``validation``, if the gate was asked before.
        """
        _check_store("store", store)
        parts = store.split(seed) if splits is None else instance_of("splits", splits, Splits)
        if value_games is not None:
            _check_store("value_games", value_games)
            parts = replace(parts, value_games=value_games)
        made = gating.make(gate, store.variant)
        given, values = parts.value_games, None
        if given is not None:
            there, here = (
                f"{part.variant!r}"
                + "".join(f" {name}={value}" for name, value in part.game.options.items())
                for part in (given, parts.train)
            )
            if there != here:
                message = f"value_games of {there}: give games of {here}"
                raise InvalidConfig(message)
            values = given.positions(made, threads=threads)
        if tables is not None:
            return cls(parts, made, tables["train"], tables["validation"], values)
        train = parts.train.positions(made, threads=threads)
        return cls(parts, made, train, parts.validation.positions(made, threads=threads), values)

    def divided_by_game(self) -> "LabelledSplits":
        """Return them with phases that are drawn for whole games."""
        names = ("train", "validation") + ("values",) * (self.values is not None)
        return replace(self, **{name: getattr(self, name).divided_by_game() for name in names})

    @property
    def learned(self) -> tuple[PositionTable, ...]:
        """All positions that networks learn from."""
        return (self.train,) if self.values is None else (self.train, self.values)

    @cached_property
    def value_digest(self) -> str | None:
        """Positions and results of the games that values alone are learned from."""
        return value_digest(self.splits.value_games, self.values)

    @cached_property
    def fingerprint(self) -> str | None:
        """Answers of the gate, if it is a user's own."""
        if isinstance(self.gate, gating.Gate):
            return None
        return gating.fingerprint(self.gate, self.splits.train.variant)


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
    """The phase whose expert is trained; None for a network of all phases."""
    gate_fingerprint: str | None = None
    """Answers of the phase's gate, if it is a user's own."""
    weights: tuple[float, ...] | None = None
    """Weights of positions of each phase, all of which are then seen; None: those of
    :attr:`phase` alone are."""
    watched: PositionTable | None = None
    """Positions of every phase, of the games to choose a checkpoint by, that are measured beside;
    None: none are."""
    value_store: PositionStore | None = None
    """Games that values alone are learned from; None: there are none."""
    values: PositionTable | None = None
    """Positions of them."""

    @cached_property
    def value_digest(self) -> str | None:
        """Positions and results of them."""
        return value_digest(self.value_store, self.values)

    @classmethod
    def of(
        cls,
        store: PositionStore,
        splits: Splits | None,
        gate: Any,
        phase: str | int | None,
        seed: int,
        config: SupervisedConfig,
        weights: PhaseWeights | None = None,
        value_games: PositionStore | None = None,
    ) -> "TrainingData":
        """Split the games, label their positions, keep those of the phase."""
        labelled = LabelledSplits.of(store, splits, gate, seed, config.threads, value_games)
        return cls.select(labelled, phase, seed, config, weights)

    @classmethod
    def select(
        cls,
        labelled: LabelledSplits,
        phase: str | int | None,
        seed: int,
        config: SupervisedConfig,
        weights: PhaseWeights | None = None,
    ) -> "TrainingData":
        """The positions of one phase, or those of all phases if they have ``weights``."""
        train, validation, values = labelled.train, labelled.validation, labelled.values
        name = None if phase is None else train.names[train.phase_index(phase)]
        weighed = None if weights is None else _checked_weights(weights, train)
        if name is not None and weighed is None:
            train, validation = train.of_phase(name), validation.of_phase(name)
            values = None if values is None else values.of_phase(name)
        if values is not None and len(values) == 0:
            raise no_value_positions(name or "all", values.gate)
        for what, rows in (("training", train), ("validation", validation)):
            if len(rows) == 0:
                games = sum(len(getattr(labelled.splits, part)) for part in SPLITS)
                message = (
                    f"no {what} positions of phase {name or 'all'!r} (gate {rows.gate!r}, "
                    f"{games:,} games together): use more games, another phase or another gate"
                )
                raise StoreError(message)
        count = min(len(validation), config.validation_positions)
        chosen = _core.permuted(len(validation), stream_seed(seed, _VALIDATION), 0, count)
        shown = validation.select(np.sort(chosen))
        for what, rows in (("training", train), ("looked-at validation", shown)):
            if weighed is not None and not np.asarray(weighed)[rows.phase].any():
                message = (
                    f"phase_weights={weights!r}: no {what} position has a weight above 0; give "
                    "more games, more validation_positions, or other weights"
                )
                raise StoreError(message)
        mark = None if name is None else labelled.fingerprint
        splits = labelled.splits
        watched = _watched(labelled.validation, config.watched_positions, seed)
        return cls(
            splits.train, train, splits.validation, shown, name, mark, weighed, watched,
            splits.value_games, values,
        )  # fmt: skip


def no_value_positions(phase: str, gate: str) -> StoreError:
    """Return the error of games for values alone that have no position of a phase."""
    return StoreError(
        f"value_games: have no positions of phase {phase!r} (gate {gate!r}); give games that do, "
        "or leave them out"
    )


def _check_store(name: str, given: Any) -> None:
    if not hasattr(given, "split") or isinstance(given, (str, bytes)):
        text = repr(str(given)) if isinstance(given, (str, Path)) else "'games'"
        message = f"{name}={given!r}: expected games, such as training.GameStore.open({text})"
        raise InvalidConfig(message)


def _watched(rows: PositionTable, count: int, seed: int) -> PositionTable | None:
    """As many positions of every phase, or all of a phase that has fewer; None: none are wanted."""
    if count == 0:
        return None
    if len(rows.names) == 1:
        message = (
            f"watched_positions={count}: the gate {rows.gate!r} has one phase alone; give "
            "another gate, or 0"
        )
        raise InvalidConfig(message)
    drawn, stream = [], stream_seed(seed, _WATCHED)
    for phase in range(len(rows.names)):
        own = np.flatnonzero(rows.phase == phase)
        drawn.append(own[_core.permuted(len(own), stream, 0, min(len(own), count))])
    return rows.select(np.sort(np.concatenate(drawn)))


def _checked_weights(weights: PhaseWeights, rows: PositionTable) -> tuple[float, ...]:
    """One weight for each phase, in the gate's order."""
    if isinstance(weights, Mapping):
        unknown = [name for name in weights if name not in rows.names]
        given = [] if unknown else [weights.get(name, 1.0) for name in rows.names]
    else:
        given = list(weights) if isinstance(weights, Sequence | np.ndarray) else []
    numbers = [isinstance(w, int | float | np.number) and 0 <= w < np.inf for w in given]
    if len(given) != len(rows.names) or not all(numbers) or not any(w > 0 for w in given):
        message = (
            f"phase_weights={weights!r}: expected a number from 0 on for each of the phases "
            f"{', '.join(map(repr, rows.names))} of the gate {rows.gate!r}, one of them above 0"
        )
        raise InvalidConfig(message)
    return tuple(float(weight) for weight in given)


def rows_digest(rows: PositionTable) -> str:
    """The SHA-256 of a table: another one means other positions or other phases."""
    sha256 = hashlib.sha256()
    for column in (rows.game, rows.ply, rows.phase, rows.key):
        sha256.update(np.ascontiguousarray(column).data)
    return sha256.hexdigest()


def targets_digest(*stores: PositionStore) -> str:
    """The SHA-256 of what is learned of positions: results, moves, and what searches found."""
    sha256 = hashlib.sha256()
    for store in stores:
        arrays: list[npt.NDArray[Any]] = [store.returns]
        columns = getattr(store, "columns", None)
        if isinstance(columns, GameColumns):
            visits = () if columns.visits is None else vars(columns.visits).values()
            values = () if columns.values is None else (columns.values,)
            arrays += [columns.actions, *visits, *values]
        for array in arrays:
            sha256.update(f"{array.dtype}{array.shape}".encode())
            sha256.update(np.ascontiguousarray(array).data)
    return sha256.hexdigest()


def value_digest(store: PositionStore | None, rows: PositionTable | None) -> str | None:
    """The SHA-256 of positions and of the results of all games; None without games."""
    if store is None or rows is None:
        return None
    results = np.ascontiguousarray(store.returns)
    return hashlib.sha256(rows_digest(rows).encode() + results.tobytes()).hexdigest()


def stream_seed(seed: int, name: int) -> int:
    """The seed of a named stream: 63 bits, so that every generator takes it."""
    words = np.random.SeedSequence([*seed_words(seed), name])
    return int(words.generate_state(1, np.uint64)[0] >> np.uint64(1))
