"""The networks that a run teaches: one, or an expert for each phase of a gate."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasezoo import gating, inference
from phasezoo.errors import CheckpointError, InvalidConfig, StoreError
from phasezoo.games import Game
from phasezoo.inference.storage.manifest import MANIFEST
from phasezoo.networks.registry import Factory
from phasezoo.training.experts import training_names
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.learner import Learner
from phasezoo.training.selfplay.outcome import Row
from phasezoo.training.selfplay.replay import Replay
from phasezoo.training.strategies import Strategy, check_learns_by_play, phase_weights

__all__ = ["Students"]

ALL = "all"
"""The network of all phases, which staged experts begin from; or the only one."""


@dataclass(frozen=True)
class _Lesson:
    """What a learner gets of a round's samples."""

    samples: int
    phase: str | None = None
    weights: tuple[float, ...] | None = None
    start: str | None = None


class Students:
    """The learners of a run, and how they share a replay's samples.

    Without a gate there is one. ``docs/definitions/self_play.md#experts`` says what experts get.

    Args:
        game: What is played.
        network: What every network is made from; None: what ``initial`` is.
        gate: Names the phases; None: one network for all.
        config: The knobs.
        seed: Of first weights, which all networks share, and of what is drawn.
        options: ``planes``, ``history`` and ``initial`` of every :class:`Learner`.

    Raises:
        PhasezooError: See :class:`Learner`.
    """

    def __init__(
        self,
        game: Game,
        network: str | Factory | None,
        gate: Any,
        config: SelfPlayConfig,
        seed: int,
        **options: Any,
    ) -> None:
        self._game = game
        self._done: dict[str, Row] = {}
        """What learners told of the next round, which they have done already."""
        self.gate = None if gate is None else gating.make(gate, game.name)
        self._least = max(2, config.learning.batch_size // 2)
        self.strategy = Strategy.parse(config.strategy)
        check_learns_by_play(self.strategy, f"strategy={config.strategy!r}")
        shared = {"config": config.learning, "schedule": config.schedule, "seed": seed, **options}
        if self.gate is None:
            self.learners = {ALL: Learner(game, network, **shared)}
            return
        if len(self.gate.names) < 2:
            message = f"gate {gating.spec_of(self.gate)!r} has one phase: experts need two or more"
            raise InvalidConfig(message)
        phases = tuple(self.gate.names)
        self._folders = dict(zip(phases, training_names("expert", phases), strict=True))
        self.learners = {}
        if self.strategy.kind == "staged":
            self.learners[ALL] = Learner(game, network, **shared)
        for phase, name in self._folders.items():
            self.learners[name] = Learner(game, network, gate=self.gate, phase=phase, **shared)

    def learn(self, replay: Replay, samples: int, folder: Path, update: int) -> Row:
        """A round: every learner gets its part of the samples, and is saved in ``folder``.

        Learners that were found to have done this very round are left as they are.

        Raises:
            InvalidNetwork: A learner had too many rounds that ended in NaN.
        """
        told: dict[str, Row] = {}
        for name, lesson in self._lessons(replay, samples).items():
            learner = self.learners[name]
            if name in self._done:
                told[name] = self._done.pop(name)
                continue
            if lesson.start is not None:
                learner.start_from(self.learners[lesson.start])
            row: Row = {}
            if lesson.samples:
                row = learner.learn(
                    replay, lesson.samples, phase=lesson.phase, weights=lesson.weights
                )
            row["samples"], row["spikes"] = lesson.samples, learner.counters.spikes
            learner.save(folder / name, update=update, row=row)
            told[name] = row
        if self.gate is None:
            return told[ALL]
        return {f"{name}/{key}": value for name, row in told.items() for key, value in row.items()}

    def restore(self, folder: Path, update: int) -> None:
        """Go on from what was saved after round ``update``, or after the next one, which was cut.

        Raises:
            CheckpointError: Something else is there, or nothing where something has to be.
        """
        for name, learner in self.learners.items():
            known = learner.restore(folder / name)
            found = 0 if known is None else int(known.get("update", -1))
            if found not in (update, update + 1):
                message = (
                    f"{folder / name}: a checkpoint after {found} rounds, and {update} have ended; "
                    "it was changed: choose another directory"
                )
                raise CheckpointError(message)
            if known is not None and found == update + 1:
                self._done[name] = known["row"]

    def publish(self, folder: Path, update: int) -> None:
        """Write the networks as :func:`phasezoo.inference.load` reads them, unless they are there.

        Raises:
            CheckpointError: They cannot be written.
        """
        if is_published(folder):
            return
        if self.gate is None:
            self.learners[ALL].publish(folder, update=update)
            return
        for name, learner in self.learners.items():
            learner.publish(folder / "networks" / name, update=update)
        inference.Experts(
            folder,
            game=self._game.name,
            gate=str(gating.spec_of(self.gate)),
            experts={phase: f"networks/{name}" for phase, name in self._folders.items()},
            baseline_folder=f"networks/{ALL}" if ALL in self.learners else None,
            strategy=str(self.strategy),
            training={"update": update},
        ).save()

    def _lessons(self, replay: Replay, samples: int) -> Mapping[str, _Lesson]:
        """What every learner gets, in the order in which they learn; nothing of no samples."""
        if samples == 0:
            return dict.fromkeys(self.learners, _Lesson(0))
        if self.gate is None:
            return {ALL: _Lesson(samples)}
        names = tuple(self.gate.names)
        if self.strategy.kind == "weighted":
            factor = self.strategy.factor or 1.0
            shares = _shared(samples, replay, names, self._least)
            return {
                self._folders[name]: _Lesson(
                    shares[index],
                    weights=tuple(phase_weights(len(names), index, factor).tolist()),
                )
                for index, name in enumerate(names)
            }
        staged = self.strategy.kind == "staged"
        own = samples - samples // 2 if staged else samples
        start = ALL if staged else None
        shares = _shared(own, replay, names, self._least)
        experts = {
            self._folders[name]: _Lesson(shares[index], phase=name, start=start)
            for index, name in enumerate(names)
        }
        return {ALL: _Lesson(max(samples // 2, self._least)), **experts} if staged else experts


def is_published(folder: Path) -> bool:
    """Whether a version is whole."""
    return any((folder / name).is_file() for name in (MANIFEST, inference.experts.EXPERTS))


def _shared(samples: int, replay: Replay, phases: tuple[str, ...], least: int) -> list[int]:
    """Samples by phase, as large a part of them as the phase is of the replay; 0 without any.

    Not fewer than ``least``: over a few positions the statistics of a batch norm are poor.
    """
    try:
        counts = replay.table().positions_per_phase()
    except StoreError:
        return [0] * len(phases)
    shares = counts * samples // max(int(counts.sum()), 1)
    return [max(int(n), least) if count else 0 for n, count in zip(shares, counts, strict=True)]
