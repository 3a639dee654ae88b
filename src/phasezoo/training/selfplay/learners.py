"""The learners of a run: one network, or an expert for each phase of a gate."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasezoo import gating, inference
from phasezoo.errors import CheckpointError, InvalidConfig, StoreError
from phasezoo.games import Game
from phasezoo.inference.storage.manifest import EXPERTS, MANIFEST
from phasezoo.networks.registry import Factory
from phasezoo.specs import changed_among
from phasezoo.training.experts.plans import training_names
from phasezoo.training.experts.strategies import Strategy, check_learns_by_play, phase_weights
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.learner import Learner
from phasezoo.training.selfplay.outcome import Row
from phasezoo.training.selfplay.replay import Replay

ALL = "all"
"""Name of the network of all phases, which staged experts begin from; or of the only one."""


@dataclass(frozen=True)
class _Draw:
    """Samples that a learner draws in a round."""

    samples: int
    phase: str | None = None
    weights: tuple[float, ...] | None = None
    start: str | None = None


class Learners:
    """The learners of a run, and their shares of a replay's samples.

    Without a gate there is one. ``docs/definitions/self_play.md#experts`` defines the shares.

    Args:
        game: The game.
        network: Architecture of every network; None: that of ``initial``.
        gate: Gate of the phases; None: one network for all.
        config: Settings of the run.
        seed: Seed of the first weights, which all networks share, and of what is drawn.
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
        """Numbers of learners that have done the next round already."""
        self.gate = None if gate is None else gating.make(gate, game.name)
        self._least = max(2, config.learning.batch_size // 2)
        self.strategy = Strategy.parse(config.strategy)
        check_learns_by_play(self.strategy, f"strategy={config.strategy!r}")
        shared = {"config": config.learning, "schedule": config.schedule, "seed": seed, **options}
        if self.gate is None:
            for name in changed_among(config, "value", "strategy", "routing"):
                message = (
                    f"{name}={getattr(config, name)!r}: is for experts, and without a gate one "
                    "network learns; give a gate too"
                )
                raise InvalidConfig(message)
            self.by_name = {ALL: Learner(game, network, **shared)}
            return
        if len(self.gate.names) < 2:
            message = f"gate {gating.spec_of(self.gate)!r} has one phase: experts need two or more"
            raise InvalidConfig(message)
        phases = tuple(self.gate.names)
        self._folders = dict(zip(phases, training_names("expert", phases), strict=True))
        self.by_name = {}
        self._value = config.value
        if self.strategy.kind == "staged" or self._value == "shared":
            self.by_name[ALL] = Learner(game, network, **shared)
        for phase, name in self._folders.items():
            self.by_name[name] = Learner(game, network, gate=self.gate, phase=phase, **shared)

    def learn(self, replay: Replay, samples: int, folder: Path, update: int) -> Row:
        """Train every learner on its share of the samples, and save it in ``folder``.

        Learners that have done this round before a kill are left as they are.
        """
        rows: dict[str, Row] = {}
        for name, draw in self._draws(replay, samples).items():
            learner = self.by_name[name]
            if name in self._done:
                rows[name] = self._done.pop(name)
                continue
            if draw.start is not None:
                learner.start_from(self.by_name[draw.start])
            row: Row = {}
            if draw.samples:
                row = learner.learn(replay, draw.samples, phase=draw.phase, weights=draw.weights)
            row["samples"], row["spikes"] = draw.samples, learner.counters.spikes
            learner.save(folder / name, update=update, row=row)
            rows[name] = row
        if self.gate is None:
            return rows[ALL]
        return {f"{name}/{key}": value for name, row in rows.items() for key, value in row.items()}

    def restore(self, folder: Path, update: int, learned: int) -> None:
        """Restore the learners after round ``update``, or after the next, which was cut short."""
        for name, learner in self.by_name.items():
            known = learner.restore(folder / name)
            found = 0 if known is None else known.get("update")
            if found not in (update, update + 1):
                message = (
                    f"{folder / name}: a checkpoint after {found} rounds, and updates.jsonl has "
                    f"{update}; put both back as they were, or begin anew in another directory"
                )
                raise CheckpointError(message)
            if known is not None and found == update + 1:
                self._done[name] = known["row"]
        total = sum(learner.counters.positions for learner in self.by_name.values())
        if not self._done and total != learned:
            message = (
                f"{folder}: learners after {total:,} samples, and the rounds had {learned:,}; put "
                "both back as they were, or begin anew in another directory"
            )
            raise CheckpointError(message)

    def publish(self, folder: Path, update: int) -> None:
        """Write the networks as :func:`phasezoo.inference.load` reads them; those there stay."""
        if is_published(folder):
            return
        if self.gate is None:
            self.by_name[ALL].publish(folder, update=update)
            return
        for name, learner in self.by_name.items():
            learner.publish(folder / "networks" / name, update=update)
        inference.Experts(
            folder,
            game=self._game.name,
            gate=str(gating.spec_of(self.gate)),
            experts={phase: f"networks/{name}" for phase, name in self._folders.items()},
            baseline_folder=f"networks/{ALL}" if ALL in self.by_name else None,
            strategy=str(self.strategy),
            value=self._value,
            training={"update": update},
        ).save()

    def _draws(self, replay: Replay, samples: int) -> Mapping[str, _Draw]:
        """Return the samples of every learner, in the order of training."""
        if samples == 0:
            return dict.fromkeys(self.by_name, _Draw(0))
        if self.gate is None:
            return {ALL: _Draw(samples)}
        names = tuple(self.gate.names)
        common = {ALL: _Draw(max(samples // 2, self._least))} if ALL in self.by_name else {}
        own = samples - samples // 2 if common else samples
        start = ALL if self.strategy.kind == "staged" else None
        shares = zip(names, _shared(own, replay, names, self._least), strict=True)
        draws = {name: _Draw(share, phase=name, start=start) for name, share in shares}
        if self.strategy.kind == "weighted":
            factor = self.strategy.factor or 1.0
            for index, name in enumerate(names):
                weights = tuple(phase_weights(len(names), index, factor).tolist())
                draws[name] = _Draw(draws[name].samples, weights=weights)
        return common | {self._folders[name]: draw for name, draw in draws.items()}


def is_published(folder: Path) -> bool:
    """Return True if a version is whole."""
    return any((folder / name).is_file() for name in (MANIFEST, EXPERTS))


def _shared(samples: int, replay: Replay, phases: tuple[str, ...], least: int) -> list[int]:
    """Share samples among phases as the replay does; 0 for a phase without samples.

    Not fewer than ``least``: over a few positions the statistics of a batch norm are poor.
    """
    try:
        counts = replay.table().positions_per_phase()
    except StoreError:
        return [0] * len(phases)
    shares = counts * samples // max(int(counts.sum()), 1)
    return [max(int(n), least) if count else 0 for n, count in zip(shares, counts, strict=True)]
