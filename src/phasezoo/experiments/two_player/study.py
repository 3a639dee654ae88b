"""The comparison of two searches, stage by stage: data, training, losses, games, report."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phasezoo import gating
from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.plan import PlannedNetwork, budget, number
from phasezoo.experiments.two_player import (
    boundary,
    cost,
    exact,
    learned,
    losses,
    overfitting,
    preparation,
    report,
    report_boundary,
    report_cost,
    report_games,
    report_losses,
)
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.measurements import (
    ALL,
    Boundaries,
    Dataset,
    Exact,
    Losses,
    Overfitting,
)
from phasezoo.experiments.two_player.playing import PlayingRun
from phasezoo.experiments.two_player.preparation import Prepared, label_digest, prepare
from phasezoo.experiments.two_player.results import (
    Cost,
    Division,
    GateCard,
    LearnedGates,
    Matches,
    Results,
    VariantRow,
)
from phasezoo.experiments.two_player.variants import (
    BASELINE,
    EXPERT,
    STARTED,
    Variant,
    mixture_name,
    plan_variant,
)
from phasezoo.report.console import Console
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.experts import PlannedTraining, plan_baseline

if TYPE_CHECKING:
    from phasezoo.networks import NetworkSpec


class TwoPlayerRun(PlayingRun):
    """M2CTS against MCTS with one network, in a game of two players with stored games."""

    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: M2ctsConfig, console: Console) -> Prepared:
        """Load, split and label the games; see :func:`~.preparation.prepare`."""
        console.heading("Reading the games")
        return prepare(config)

    def work(self) -> Results:
        """Do every stage that is not done."""
        data = self._dataset()
        self.table(report.dataset_table(data))
        self.console.note(f"Games: {data.source}.")
        planned = self._plan()
        seeds = self._seeds(planned)
        self.same("seeds.json", seeds)
        cards = self.train(planned)
        for training in range(self.config.trainings):
            own = [card for card in cards if card.training == training]
            self.table(report.networks_table(own, training))
        gates = self._gates(planned)
        losses = self._losses(planned)
        self.table(report_losses.losses_table(losses))
        for column in losses.columns:
            self.table(report_losses.numbers_table(losses, column))
        self.table(report_losses.comparisons_table(losses))
        overfitting = self._overfitting(planned)
        self.table(report_losses.overfitting_table(overfitting))
        boundaries = self._boundaries(planned)
        self.table(report_boundary.boundary_table(boundaries))
        self.table(report_boundary.brier_table(boundaries))
        cost = self._cost(planned, cards, gates)
        self.table(report_cost.sizes_table(cost))
        if cost.calls:
            self.table(report_cost.calls_table(cost))
        judged = self._exact(planned, gates)
        if judged is not None:
            self.table(report_boundary.exact_table(judged))
        played = self.matches(planned)
        alone = self.alone(planned)
        from_phases = self.from_phases(planned)
        searches = self.searches(planned, boundaries, played[EXPERT])
        learned = self._learned(planned, gates)
        together_pgn = "".join(path.read_text(encoding="utf-8") for path in self.pgns)
        self.directory.write_text("games.pgn", together_pgn)
        together = played[EXPERT]
        self.directory.write_json("match.json", together)
        self.table(report_games.match_table(together))
        self.table(report_games.inference_table(together.total))
        arms = [
            self._variant_row(variant, planned, losses, played.get(variant.role))
            for variant in self.variants
        ]
        self.table(report_games.variants_table(arms))
        if alone:
            self.table(report_games.alone_table(alone))
        if from_phases:
            self.table(report_games.phase_suites_table(from_phases))
        if searches:
            self.table(report_games.searches_table(searches))
        if learned is not None:
            self.table(report_cost.learned_table(learned.division))
        return Results(
            **self.head(),
            seeds=seeds,
            dataset=data,
            networks=cards,
            losses=losses,
            matches=together,
            arms=arms,
            alone=alone,
            from_phases=from_phases,
            searches=searches,
            learned=learned,
            overfitting=overfitting,
            exact=judged,
            seam=boundaries,
            cost=cost,
            seconds=self.times(
                cards,
                {
                    "reading and labelling games": ["prepare", "data"],
                    **({"learning gates": ["gates/"]} if self.config.learned_gate else {}),
                    "measuring losses": [
                        "losses",
                        "overfitting",
                        "seam",
                        "cost",
                        "prices",
                        "exact",
                        "division",
                    ],
                    "playing games": ["matches/"],
                },
            ),
        )

    def recipe(self, network: PlannedNetwork) -> Mapping[str, Any]:
        """All networks learn the same way from the training games."""
        config = self.config
        watches = network.gate == self.prepared.gate
        return {
            "store": self.prepared.splits.train,
            "splits": self.prepared.splits,
            "network": self._architecture(network),
            "planes": config.planes,
            "config": SupervisedConfig(
                batch_size=config.training_batch,
                optimizer=config.optimizer,
                max_lr=config.learning_rate,
                validation_positions=config.validation_positions,
                watched_positions=config.watched_positions if watches else 0,
                init_seed=network.initial_seed,
                device=config.device,
                threads=config.threads,
            ),
        }

    def _architecture(self, network: PlannedNetwork) -> "str | NetworkSpec":
        """The network of the settings, told the phase if the plan says so."""
        from phasezoo import networks

        config = self.config
        if network.phase_input is None:
            return config.network
        phases = gating.make(network.gate, config.game).num_phases
        return networks.conditioned(config.network, network.phase_input, phases)

    def _dataset(self) -> Dataset:
        data = self.once(
            "data", "dataset.json", Dataset, lambda: preparation.describe(self.prepared)
        )
        if data.sha256 != self.prepared.sha256:
            message = (
                f"{self.config.games or 'the sample games'}: changed since this run began; start "
                "a new run with --out"
            )
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

        Raises:
            RunDirectoryError: One does.
        """
        labels = {gate: label_digest(tables) for gate, tables in self.prepared.labelled.items()}
        if not self.directory.has("labels.json"):
            self.directory.write_json("labels.json", labels)
        begun = self.directory.read_json("labels.json", dict[str, str])
        for gate, digest in labels.items():
            if begun.get(gate) != digest:
                message = (
                    f"{self.path}: the gate {gate!r} names other phases now than when this run "
                    "was begun; go on with that gate, or start a new run with --out"
                )
                raise RunDirectoryError(message)

    def _plan(self) -> list[PlannedNetwork]:
        """The experts of every variant together see as many positions as the baseline."""
        config = self.config
        seen = budget(config.positions, config.epochs, len(self.prepared.tables["train"]))
        one = plan_baseline(seen, gate=self.prepared.gate)
        groups: list[tuple[str, Sequence[PlannedTraining]]] = [(BASELINE, [one])]
        for variant in self.variants:
            begun, experts = plan_variant(
                variant, self.prepared.labelled[variant.gate]["train"], seen
            )
            groups += [(variant.role + STARTED, begun), (variant.role, experts)]
        return [
            network
            for training in range(config.trainings)
            for role, plans in groups
            for network in number(plans, role, training, self.seed)
        ]

    def _seeds(self, planned: Sequence[PlannedNetwork]) -> dict[str, int]:
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
    def _answers(self) -> losses.TestAnswers:
        return losses.TestAnswers(self.prepared)

    def _losses(self, planned: Sequence[PlannedNetwork]) -> Losses:
        self.console.heading("Losses on test positions")

        def measure() -> Losses:
            found = losses.measure(
                self.prepared, self.trained(planned), self._answers, self.console
            )
            self.directory.write_text("losses.csv", found.to_csv())
            return found

        return self.once("losses", "losses.json", Losses, measure)

    def _overfitting(self, planned: Sequence[PlannedNetwork]) -> Overfitting:
        """Losses on positions that networks learned from, beside those on new ones."""
        self.console.heading("Losses on positions learned from")
        return self.once(
            "overfitting",
            "overfitting.json",
            Overfitting,
            lambda: overfitting.measure(
                self.prepared, planned, self.networks, self.recipe, self.console
            ),
        )

    def _boundaries(self, planned: Sequence[PlannedNetwork]) -> Boundaries:
        """What neighbouring experts say where phases meet."""
        self.console.heading("Where phases meet")
        networks = self.trained(planned)
        return self.once(
            "seam",
            "seam.json",
            Boundaries,
            lambda: boundary.measure(self.prepared, networks, self._answers, self.console),
        )

    def _cost(
        self,
        planned: Sequence[PlannedNetwork],
        cards: Sequence[NetworkCard],
        gates: Sequence[GateCard],
    ) -> Cost:
        """What the networks weigh, and how long they and a learned gate take to answer."""
        self.console.heading("Memory and time of experts")
        first = self.trained(planned)[0]
        gate = learned.spec_of(self._gate_path(gates[0])) if gates else None
        return self.once(
            "cost",
            "cost.json",
            Cost,
            lambda: cost.measure(self.prepared, first, cards, gate, self.console),
        )

    def _gates(self, planned: Sequence[PlannedNetwork]) -> list[GateCard]:
        """A gate for each training's experts, if the settings ask for them."""
        if not self.config.learned_gate:
            return []
        self.console.heading("Learning to choose among experts")
        return [self._gate(planned, training) for training in range(self.config.trainings)]

    def _gate(self, planned: Sequence[PlannedNetwork], training: int) -> GateCard:
        name = f"gates/gate-{training + 1}"
        experts = self.experts(planned, training, EXPERT)
        return self.once(
            name,
            f"{name}.json",
            GateCard,
            lambda: learned.train(self.prepared, experts, training, self.path / name),
        )

    def _gate_path(self, gate: GateCard) -> Path:
        return self.path / "gates" / gate.name

    def _learned(
        self, planned: Sequence[PlannedNetwork], gates: Sequence[GateCard]
    ) -> LearnedGates | None:
        """The phase mixture's experts by learned gates, beside the gate under study."""
        if not gates:
            return None
        self.console.heading("Learned gates")
        paths, networks = [self._gate_path(gate) for gate in gates], self.trained(planned)
        division = self.once(
            "division",
            "division.json",
            Division,
            lambda: learned.measure(self.prepared, networks, paths, self._answers, self.console),
        )
        played = self.against_all(
            planned,
            "learned",
            "mixture by learned gate",
            self.config.gate,
            [self.experts(planned, k, EXPERT) for k in range(self.config.trainings)],
            search_gates=[learned.spec_of(path) for path in paths],
        )
        return LearnedGates(list(gates), division, played)

    def _exact(self, planned: Sequence[PlannedNetwork], gates: Sequence[GateCard]) -> Exact | None:
        """Moves judged by perfect play, if the game knows it."""
        if not exact.is_solved(self.prepared):
            return None
        self.console.heading("Moves by perfect play")
        return self.once(
            "exact",
            "exact.json",
            Exact,
            lambda: exact.measure(
                self.prepared,
                self.trained(planned),
                [learned.spec_of(self._gate_path(gate)) for gate in gates],
                self.console,
            ),
        )

    def _variant_row(
        self,
        variant: Variant,
        planned: Sequence[PlannedNetwork],
        losses: Losses,
        played: Matches | None,
    ) -> VariantRow:
        name = mixture_name(variant.role)
        entry = next(one for one in losses.entries if one.name == name)
        own = [
            n
            for n in planned
            if n.training == 0 and n.role in (variant.role, variant.role + STARTED)
        ]
        return VariantRow(
            name=name,
            gate=self.prepared.labelled[variant.gate]["train"].gate,
            strategy=str(variant.strategy),
            experts=sum(network.role == variant.role for network in own),
            positions=sum(network.positions for network in own),
            loss=entry.differences[ALL].total,
            matches=played,
        )
