"""The networks of a run: what mixtures are put together from, and how they do on positions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo.data.positions import PositionTable, without_seen
from phasezoo.data.splits import PositionStore
from phasezoo.errors import StoreError
from phasezoo.experiments.two_player.preparation import Prepared, load
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, Variant
from phasezoo.report.console import Console
from phasezoo.training.evaluation import PositionLosses, evaluate_networks

Array: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]

TrainedNetworks: TypeAlias = Mapping[str, Sequence[Path]]
"""Directories of the networks of one training by role: the ``baseline``, and of every variant one
for each phase of its gate, in the gate's order."""


@dataclass(frozen=True)
class Mixture:
    """The networks of a mixture, and the gates that choose among them."""

    experts: Mapping[str, Path]
    """Directory of each phase's network; one that is the only one answers in every phase."""
    gate: str
    """Names the phases."""
    shared: Mapping[str, Path] = field(default_factory=dict)
    """That of the network whose ``policy`` or ``value`` counts in every phase, if there is one."""
    search_gate: str | None = None
    """Chooses among the experts; None: the gate does."""

    @classmethod
    def of(cls, prepared: Prepared, variant: Variant, trained: TrainedNetworks) -> Self:
        """Return the mixture of a variant by one training."""
        names = prepared.labelled[variant.gate]["train"].names
        own, one = variant.options.own, trained[BASELINE][0]
        experts = dict(zip(names, trained[variant.networks or variant.role], strict=True))
        found = {
            name: path if own is None or name in own else one for name, path in experts.items()
        }
        return cls(found, variant.gate, dict.fromkeys(variant.options.shared, one))

    @property
    def answering(self) -> Sequence[Sequence[Path]]:
        """The directories of the networks that answer in each phase, one or two."""
        return [
            tuple(dict.fromkeys(self.shared.get(part, path) for part in ("policy", "value")))
            for path in self.experts.values()
        ]

    def loaded(self, load: Callable[[Path], Any]) -> dict[str, Any]:
        """Return its experts, or what they answer and what one network does."""
        loaded: Any = {phase: load(path) for phase, path in self.experts.items()}
        if not self.shared:
            return {"experts": loaded}
        shared = {part: load(path) for part, path in self.shared.items()}
        return dict.fromkeys(("policy", "value"), loaded) | shared


class TestedNetworks:
    """The networks of every training, and how they do on all test positions.

    Several tables of a run are made of their answers, and asking takes as long as training small
    networks: each training is asked once in a process.

    Args:
        prepared: The run's games and settings.
        trainings: Directories of the networks of each training.
        console: Where progress is shown.

    Raises:
        StoreError: No test position is left in the games drawn for testing.
    """

    __test__ = False  # not a test, whatever its name

    def __init__(
        self, prepared: Prepared, trainings: Sequence[TrainedNetworks], console: Console
    ) -> None:
        self.prepared = prepared
        self.trainings = trainings
        self.console = console
        self.rows = drawn(prepared, "test")
        self._kept: dict[tuple[Path, ...], tuple[PositionLosses, list[PositionLosses]]] = {}

    def of(self, networks: TrainedNetworks) -> tuple[PositionLosses, list[PositionLosses]]:
        """The answers of one training: its one network's, and each phase's expert's."""
        paths = (*networks[BASELINE], *networks[EXPERT])
        if paths not in self._kept:
            self._kept[paths] = self.asked(networks, self.rows)
        return self._kept[paths]

    def asked(
        self, networks: TrainedNetworks, rows: PositionTable
    ) -> tuple[PositionLosses, list[PositionLosses]]:
        """The same on other positions of the test games."""
        paths = (*networks[BASELINE], *networks[EXPERT])
        one, *experts = evaluate(self.prepared, paths, self.prepared.splits.test, rows)
        return one, experts

    @cached_property
    def known(self) -> PositionTable:
        """The positions of the same games that occur in training games too."""
        table = self.prepared.tables["test"]
        whole = table.select(np.isin(table.game, self.rows.game))
        return whole.select(~np.isin(whole.key, self.rows.key))

    @cached_property
    def shares_of_results(self) -> Array:
        """``float64[n, 3]``: shares of won, drawn and lost training positions of each phase.

        They are for to_play, and what is said without a network: the constants beside every value.
        """
        store: Any = self.prepared.splits.train
        rows = self.prepared.tables["train"]
        result = store.returns[rows.game, rows.player]
        happened = np.stack([result > 0, result == 0, result < 0], axis=1)
        return np.stack([happened[rows.phase == k].mean(axis=0) for k in range(len(rows.names))])

    def rng(self, stream: str) -> np.random.Generator:
        """Return what draws test games for the intervals of a table."""
        return np.random.default_rng(self.prepared.seed(stream))


def drawn(prepared: Prepared, split: Literal["test", "validation"]) -> PositionTable:
    """The positions of games drawn from a split, as many as are tested, without those in train."""
    everything = prepared.test
    if split == "validation":
        everything, _ = without_seen(prepared.tables[split], *prepared.learned)
    games, wanted = len(getattr(prepared.splits, split)), prepared.config.test_games
    if wanted is None or wanted >= games:
        return everything
    rng = np.random.default_rng(prepared.seed(f"{split} games"))
    chosen = rng.permutation(games)[:wanted]
    rows = everything.select(np.isin(everything.game, chosen))
    if len(rows) == 0 and split == "test":
        message = (
            f"--test-games {wanted}: none of their positions is new; ask for more, or use other "
            "games"
        )
        raise StoreError(message)
    return rows


def evaluate(
    prepared: Prepared, paths: Sequence[Path], store: PositionStore, rows: PositionTable
) -> list[PositionLosses]:
    """How networks do on positions, with the backend of the run."""
    if len(rows) == 0:
        return [PositionLosses.of_nothing(rows) for _ in paths]
    config = prepared.config
    evaluators = {str(path): load(config, path) for path in paths}
    found = evaluate_networks(evaluators, store, rows, threads=config.threads)
    return [found[str(path)] for path in paths]


def placed(values: Array, phase: Indices) -> Array:
    """``[P, ...]``: of ``[n, P, ...]`` those of each position's own phase."""
    chosen: Array = values[phase, np.arange(len(phase))]
    return chosen
