"""The comparison of two searches, stage by stage: data, training, losses, games, report."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from phasezoo import games, gating
from phasezoo.arena import planned_width
from phasezoo.data.splits import Splits
from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.experiments.networks import budget
from phasezoo.experiments.two_player import (
    boundary,
    cost,
    exact,
    losses,
    overfitting,
    preparation,
    report,
    report_games,
    report_losses,
    report_mixtures,
    report_values,
)
from phasezoo.experiments.two_player.boundary import Boundaries
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import Cost
from phasezoo.experiments.two_player.exact import Exact
from phasezoo.experiments.two_player.losses import ALL, Division, GateCard, Losses
from phasezoo.experiments.two_player.matches import LearnedGates, Matches, Results, VariantRow
from phasezoo.experiments.two_player.overfitting import Overfitting
from phasezoo.experiments.two_player.playing import PlayingRun
from phasezoo.experiments.two_player.preparation import Dataset, Prepared, label_digest, prepare
from phasezoo.experiments.two_player.tested import TestedNetworks
from phasezoo.experiments.two_player.variants import (
    BASELINE,
    EXPERT,
    STARTED,
    Options,
    Variant,
    mixture_name,
    plan_variant,
)
from phasezoo.report.console import Console
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.experts.planned import Recipe, TrainedNetwork
from phasezoo.training.experts.plans import PlannedTraining, plan_baseline
from phasezoo.training.fresh_network import Beginning

_PARTS = {
    "reading and labelling games": ["prepare", "data"],
    "learning gates": ["gates/"],
    "measuring losses": ["losses", "overfitting", "seam", "cost", "prices", "exact", "division"],
    "playing games": ["matches/"],
}
"""Parts of a run by the beginnings of their stages' names."""


class TwoPlayerRun(PlayingRun):
    """M2CTS against MCTS with one network, in a game of two players with stored games."""

    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: M2ctsConfig, console: Console) -> Prepared:
        """Load, split and label the games; see :func:`~.preparation.prepare`."""
        return prepare(config, console)

    def work(self) -> Results:
        """Do every stage that is not done."""
        data = self._dataset()
        self.table(report.dataset_table(data))
        self.console.note(f"Games: {data.source}.")
        self._note_planned_width()
        planned = self._plan()
        seeds = self._seeds(planned)
        self.same("seeds.json", seeds)
        cards = self.train(planned)
        self.table(report.networks_table([card for card in cards if card.training == 0], 0))
        gates = self._gates()
        measured = self._measured(cards, gates)
        parts = {name: of for name, of in _PARTS.items() if gates or name != "learning gates"}
        return Results(
            **self.head(),
            seeds=seeds,
            dataset=data,
            networks=cards,
            **measured,
            **self._played(measured["losses"], measured["boundaries"], gates),
            seconds=self.times(cards, parts) | {"playing games": self.directory.busy("matches/")},
        )

    def _measured(
        self, cards: Sequence[TrainedNetwork], gates: Sequence[GateCard]
    ) -> dict[str, Any]:
        """Ask the networks about positions, and return what that gives of the results."""
        specs = [losses.spec_of(path) for path in self._paths(gates)]
        lost = self.once(
            "losses",
            Losses,
            lambda: losses.measure(self._tested),
            heading="Losses on test positions",
        )
        self.directory.write_text("losses.csv", lost.to_csv())
        self.table(report_losses.losses_table(lost))
        fitted = self.once(
            "overfitting",
            Overfitting,
            lambda: overfitting.measure(self._tested, self.planned, self.networks, self.recipe),
            heading="Losses on positions learned from",
        )
        boundaries = self.once(
            "seam", Boundaries, lambda: boundary.measure(self._tested), heading="Where phases meet"
        )
        priced = self.once(
            "cost",
            Cost,
            lambda: cost.measure(self._tested, cards, specs[0] if specs else None),
            heading="Memory and time of experts",
        )
        found = {"losses": lost, "overfitting": fitted, "boundaries": boundaries, "cost": priced}
        if not exact.is_solved(self.prepared):
            return {**found, "exact": None}
        judged = self.once(
            "exact",
            Exact,
            lambda: exact.measure(self._tested, specs),
            heading="Moves by perfect play",
        )
        self.table(report_values.exact_table(judged))
        return {**found, "exact": judged}

    def _played(
        self, lost: Losses, boundaries: Boundaries, gates: Sequence[GateCard]
    ) -> dict[str, Any]:
        """Play all games, and return what they give of the results."""
        played = self.matches()
        together = played[EXPERT]
        alone = self.alone()
        from_phases = self.from_phases()
        searches = self.searches(boundaries, together)
        learned = self._learned(gates) if gates else None
        written = [path for path in self.pgns if path.exists()]
        if written:  # a game without SAN has none
            all_pgn = "".join(path.read_text(encoding="utf-8") for path in written)
            self.directory.write_text("games.pgn", all_pgn)
        whole = {**vars(together), "total": together.total, "spread": together.spread}
        self.directory.write_json("match.json", whole)
        variants = [
            self._variant_row(variant, lost, played.get(variant.role))
            for variant in self.prepared.variants
        ]
        self.table(
            report_games.match_table(together),
            report_mixtures.variants_table(variants),
            *([report_mixtures.alone_table(alone)] if alone else []),
            *([report_mixtures.phase_suites_table(from_phases)] if from_phases else []),
            *([report_mixtures.searches_table(searches)] if searches else []),
            *([report_mixtures.learned_table(learned.division)] if learned is not None else []),
        )
        return {
            "matches": together,
            "variants": variants,
            "alone": alone,
            "from_phases": from_phases,
            "searches": searches,
            "learned": learned,
        }

    def _note_planned_width(self) -> None:
        """Say what the run's games can tell, before it trains for them."""
        trainings, games = self.config.trainings, self.prepared.games_a_pairing
        if trainings == 2:
            self.console.note(
                "Planned: two trainings a side leave no interval, as pairings of a training with "
                "itself are left out; three have one."
            )
        if trainings < 3:
            return
        width = planned_width(trainings, games)
        reach = f"±{width:,.0f} Elo" if math.isfinite(width) else "no end"
        self.console.note(
            f"Planned: {trainings} trainings a side and {games} games a pairing leave {reach} from "
            "games alone, if none is drawn; the spread between trainings comes on top "
            "(arena.planned_width)."
        )

    @cached_property
    def _learning(self) -> Callable[[str], tuple[Beginning, SupervisedConfig]]:
        """How networks begin that are made from a text, and learn; worked out once for each."""
        return cache(self._learning_of)

    def _learning_of(self, network: str) -> tuple[Beginning, SupervisedConfig]:
        config = self.config
        begun = Beginning.of(network, config.planes)
        preset = self.study.presets.get(config.preset, config)
        given: dict[str, Any] = {"optimizer": config.optimizer, "max_lr": config.learning_rate}
        usual = {"optimizer": preset.optimizer, "max_lr": preset.learning_rate}
        # Those of the preset are for new weights.
        named = {} if begun.is_tuning and given == usual else given
        settings = SupervisedConfig(
            **named,
            batch_size=config.training_batch,
            validation_positions=config.validation_positions,
            value_share=config.value_share,
            device=config.device,
            threads=config.threads,
        )
        if config.value_weight is not None:
            settings = replace(settings, **preparation.weights_of(config, begun))
        return begun, begun.settings(settings, named)

    def recipe(self, network: PlannedTraining) -> Recipe:
        """All networks learn the same way from the training games."""
        mine = (v.options for v in self.prepared.variants if v.role == _variant_of(network))
        options = next(mine, Options())
        begun, settings = self._learning(options.network or self.config.network)
        watches = network.gate == self.prepared.gate
        rate = settings.max_lr if options.learning_rate is None else options.learning_rate
        settings = replace(
            settings,
            max_lr=rate,
            freeze=None if network.phase is None else options.freeze,
            watched_positions=self.config.watched_positions if watches else 0,
        )
        gate = gating.make(network.gate, self.config.game)
        # The core labels positions sooner than their phases are sent to another process.
        is_fast = isinstance(gate, gating.Gate) and games.make(self.config.game).native
        tables = None if is_fast else self.prepared.tables_of(network.gate)
        return Recipe(
            self.prepared.splits,
            begun.network,
            settings,
            begun.planes,
            weights=begun.weights,
            tables=tables,
        )

    def _dataset(self) -> Dataset:
        data = self.once(
            "data",
            Dataset,
            lambda: preparation.describe(self.prepared),
            file="dataset.json",
            same="the games have",
        )
        if data.sha256 != self.prepared.sha256:
            files = [self.config.games or "the sample games", self.config.value_games]
            shown = " or ".join(str(file) for file in files if file is not None)
            message = f"{shown}: changed since this run began; start a new run with --out"
            raise StoreError(message)
        self._check_labels()
        if data.openings_digest != self.prepared.openings.digest():
            message = (
                f"{self.path}: begun with other openings than this version of phasezoo has; "
                "finish it with the version in config.json, or start a new run with --out"
            )
            raise RunDirectoryError(message)
        return data

    def _check_labels(self) -> None:
        """Refuse gates that name other phases than those that the run was begun with.

        A gate of the user's own may be another function under the name that it had.
        """
        labels = {gate: label_digest(tables) for gate, tables in self.prepared.labelled.items()}
        begun = self.once("labels", dict[str, str], lambda: labels, same="a gate has")
        for gate, digest in labels.items():
            if begun.get(gate) != digest:
                message = (
                    f"{self.path}: the gate {gate!r} names other phases now than when this run "
                    "was begun; go on with that gate, or start a new run with --out"
                )
                raise RunDirectoryError(message)

    def _plan(self) -> list[PlannedTraining]:
        """The experts of every variant together see as many positions as the baseline."""
        config = self.config
        seen = budget(config.positions, config.epochs, len(self.prepared.tables["train"]))
        one = plan_baseline(seen, gate=self.prepared.gate)
        groups: list[tuple[str, Sequence[PlannedTraining]]] = [(BASELINE, [one])]
        for variant in self.prepared.variants:
            begun, experts = plan_variant(
                variant, self.prepared.labelled[variant.gate]["train"], seen
            )
            groups += [(variant.role + STARTED, begun), (variant.role, experts)]
        return [
            plan.repeated(role, training, self.seed)
            for training in range(config.trainings)
            for role, plans in groups
            for plan in plans
        ]

    def _seeds(self, planned: Sequence[PlannedTraining]) -> dict[str, int]:
        trainings = range(self.config.trainings)
        pairs = [(i, j) for i in trainings for j in trainings]
        return {
            "run": self.config.seed,
            **{name: self.seed(name) for name in ("split", "test games", "resampling")},
            **{f"initial weights {k + 1}": self.seed("initial weights", k) for k in trainings},
            **{f"order {n.name}": n.seed for n in planned},
            **{
                f"gate {k + 1}": self.seed("gate", k) for k in trainings if self.config.learned_gate
            },
            **{f"match {i + 1} v {j + 1}": self.seed("match", i, j) for i, j in pairs},
        }

    @cached_property
    def _tested(self) -> TestedNetworks:
        return TestedNetworks(self.prepared, self.trained, self.console)

    def _gates(self) -> list[GateCard]:
        """A gate for each training's experts, if the settings ask for them."""
        if not self.config.learned_gate:
            return []
        self.console.heading("Learning to choose among experts")
        return [self._gate(training) for training in range(self.config.trainings)]

    def _gate(self, training: int) -> GateCard:
        """Train a gate to choose among frozen experts (:func:`phasezoo.gating.train`)."""
        config, splits = self.config, self.prepared.splits
        name = f"gates/gate-{training + 1}"

        def train() -> GateCard:
            learn, choose = preparation.games_of_gates(splits, self.seed("games of gates"))
            experts = self.mixtures()[training].experts
            found = gating.train(
                splits.validation,
                out=self.path / name,
                experts={one: preparation.load(config, path) for one, path in experts.items()},
                planes=config.planes,
                positions=config.gate_positions,
                seed=self.seed("gate", training),
                splits=Splits(learn, choose, splits.test),
            )
            return GateCard(f"gate-{training + 1}", training, found.positions, found.seconds)

        return self.once(name, GateCard, train)

    def _paths(self, gates: Sequence[GateCard]) -> list[Path]:
        """Return the directories of learned gates."""
        return [self.path / "gates" / gate.name for gate in gates]

    def _learned(self, gates: Sequence[GateCard]) -> LearnedGates:
        """The phase mixture's experts by learned gates, beside the gate under study."""
        paths = self._paths(gates)
        division = self.once(
            "division",
            Division,
            lambda: losses.measure_division(self._tested, paths),
            heading="Learned gates",
        )
        played = self.against_all(
            "learned",
            "mixture by learned gate",
            [
                replace(mixture, search_gate=losses.spec_of(path))
                for mixture, path in zip(self.mixtures(), paths, strict=True)
            ],
        )
        return LearnedGates(list(gates), division, played)

    def _variant_row(self, variant: Variant, lost: Losses, played: Matches | None) -> VariantRow:
        name = mixture_name(variant.role)
        entry = next(one for one in lost.entries if one.name == name)
        labelled = self.prepared.labelled[variant.gate]["train"]
        phases = variant.options.own
        own = [
            n
            for n in self.planned
            if n.training == 0
            and _variant_of(n) == (variant.networks or variant.role)
            and (phases is None or n.phase is None or n.phase in phases)
        ]
        return VariantRow(
            name=name,
            gate=labelled.gate,
            strategy=variant.how,
            experts=len(self.mixtures(variant)[0].experts if phases is None else phases),
            positions=sum(network.positions for network in own),
            loss=entry.differences[ALL]["total"],
            matches=played,
        )


def _variant_of(network: PlannedTraining) -> str:
    """Return the role of the variant that a network belongs to."""
    return network.role.removesuffix(STARTED)
