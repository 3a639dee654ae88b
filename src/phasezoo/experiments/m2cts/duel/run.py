"""The comparison of two searches, stage by stage: data, training, losses, games, report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phasezoo import gating
from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.experiments.console import Console
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.duel import dataset, evaluation, exact, matches, page, show
from phasezoo.experiments.m2cts.duel import overfitting as fitted
from phasezoo.experiments.m2cts.duel.arms import (
    BASELINE,
    EXPERT,
    ONE,
    STARTED,
    Arm,
    mixture_name,
    plan_arm,
)
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.m2cts.duel.cost import measuring as timing
from phasezoo.experiments.m2cts.duel.cost.results import Cost
from phasezoo.experiments.m2cts.duel.evaluation import TrainedNetworks
from phasezoo.experiments.m2cts.duel.preparation import Prepared, prepare
from phasezoo.experiments.m2cts.duel.results import (
    ALL,
    AloneRow,
    ArmRow,
    Dataset,
    Exact,
    Losses,
    Matches,
    Overfitting,
    Pairing,
    PhaseSuiteRow,
    Results,
    SearchRow,
)
from phasezoo.experiments.m2cts.duel.seam import measuring
from phasezoo.experiments.m2cts.duel.seam.results import Seam
from phasezoo.experiments.m2cts.duel.searches import searches_of
from phasezoo.experiments.m2cts.duel.tabular import losses_csv
from phasezoo.experiments.m2cts.plan import PlannedNetwork, budget, folders, number
from phasezoo.experiments.m2cts.run import M2ctsRun
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.experts import PlannedTraining, plan_baseline, training_names

if TYPE_CHECKING:
    from phasezoo.networks import NetworkSpec

__all__ = ["DuelRun"]


class DuelRun(M2ctsRun[M2ctsConfig, Results]):
    """M2CTS against MCTS with one network, in a game of two players with stored games."""

    prepared: Prepared

    @classmethod
    def prepare(cls, config: M2ctsConfig, console: Console) -> Prepared:
        """Load, split and label the games; see :func:`~.preparation.prepare`."""
        console.heading("Reading the games")
        return prepare(config)

    def work(self) -> Results:
        """Do every stage that is not done."""
        data = self._dataset()
        show.show_dataset(self.console, data)
        planned = self._plan()
        seeds = self._seeds(planned)
        self.same("seeds.json", seeds)
        cards = self.train(planned)
        show.show_networks(self.console, cards)
        losses = self._losses(planned)
        show.show_losses(self.console, losses)
        overfitting = self._overfitting(planned)
        show.show_overfitting(self.console, overfitting)
        seam = self._seam(planned)
        show.show_seam(self.console, seam)
        cost = self._cost(planned, cards)
        show.show_cost(self.console, cost)
        judged = self._exact(planned)
        if judged is not None:
            show.show_exact(self.console, judged)
        self._games: list[Path] = []
        played = self._matches(planned)
        alone = self._alone(planned)
        from_phases = self._from_phases(planned)
        searches = self._searches(planned, seam)
        together_pgn = "".join(path.read_text(encoding="utf-8") for path in self._games)
        self.directory.write_text("games.pgn", together_pgn)
        together = played[EXPERT]
        self.directory.write_json("match.json", together)
        show.show_match(self.console, together)
        arms = [self._arm_row(arm, planned, losses, played.get(arm.role)) for arm in self.arms]
        show.show_arms(self.console, arms, alone)
        show.show_phase_suites(self.console, from_phases)
        show.show_searches(self.console, searches)
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
            overfitting=overfitting,
            exact=judged,
            seam=seam,
            cost=cost,
            seconds=self.times(
                cards,
                {
                    "reading and labelling games": ["prepare", "data"],
                    "measuring losses": ["losses", "overfitting", "seam", "cost", "exact"],
                    "playing games": ["matches/"],
                },
            ),
        )

    def render(self, results: Results) -> str:
        """The report as one HTML page."""
        return page.render(results)

    def show(self, results: Results) -> None:
        """The answer in a few lines."""
        show.show_verdict(self.console, results)

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
        data = self.once("data", "dataset.json", Dataset, lambda: dataset.describe(self.prepared))
        if data.sha256 != self.prepared.sha256:
            message = (
                f"{self.config.games or 'the sample games'}: changed since this run began; start "
                "a new run with --out"
            )
            raise StoreError(message)
        if data.openings_digest != self.prepared.openings.digest():
            message = (
                f"{self.path}: begun with other openings than this version of phasezoo has; "
                "finish it with the version in config.json, or start a new run with --out"
            )
            raise RunDirectoryError(message)
        return data

    @property
    def arms(self) -> Sequence[Arm]:
        """The mixtures of the run."""
        return self.prepared.arms

    def _plan(self) -> list[PlannedNetwork]:
        """The experts of every arm together see as many positions as the baseline."""
        config = self.config
        seen = budget(config.positions, config.epochs, len(self.prepared.tables["train"]))
        one = plan_baseline(seen, gate=self.prepared.gate)
        groups: list[tuple[str, Sequence[PlannedTraining]]] = [(BASELINE, [one])]
        for arm in self.arms:
            begun, experts = plan_arm(arm, self.prepared.labelled[arm.gate]["train"], seen)
            groups += [(arm.role + STARTED, begun), (arm.role, experts)]
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
            **{f"match {i + 1} v {j + 1}": self.seed("match", i, j) for i, j in pairs},
        }

    def _losses(self, planned: Sequence[PlannedNetwork]) -> Losses:
        self.console.heading("Losses on test positions")

        def measure() -> Losses:
            found = evaluation.measure(self.prepared, self._networks(planned), self.console)
            self.directory.write_text("losses.csv", losses_csv(found))
            return found

        return self.once("losses", "losses.json", Losses, measure)

    def _overfitting(self, planned: Sequence[PlannedNetwork]) -> Overfitting:
        """Losses on positions that networks learnt from, beside those on new ones."""
        self.console.heading("Losses on positions learnt from")
        return self.once(
            "overfitting",
            "overfitting.json",
            Overfitting,
            lambda: fitted.measure(
                self.prepared, planned, self.networks, self.recipe, self.console
            ),
        )

    def _seam(self, planned: Sequence[PlannedNetwork]) -> Seam:
        """What neighbouring experts say where phases meet."""
        self.console.heading("Where phases meet")
        networks = self._networks(planned)
        return self.once(
            "seam",
            "seam.json",
            Seam,
            lambda: measuring.measure(self.prepared, networks, self.console),
        )

    def _cost(self, planned: Sequence[PlannedNetwork], cards: Sequence[NetworkCard]) -> Cost:
        """What the networks weigh, and how long they take to answer."""
        self.console.heading("Memory and time of experts")
        first = self._networks(planned)[0]
        return self.once(
            "cost",
            "cost.json",
            Cost,
            lambda: timing.measure(self.prepared, first, cards, self.console),
        )

    def _exact(self, planned: Sequence[PlannedNetwork]) -> Exact | None:
        """Moves judged by perfect play, if the game knows it."""
        if not exact.is_solved(self.prepared):
            return None
        self.console.heading("Moves by perfect play")
        return self.once(
            "exact",
            "exact.json",
            Exact,
            lambda: exact.measure(self.prepared, self._networks(planned), self.console),
        )

    def _networks(self, planned: Sequence[PlannedNetwork]) -> list[TrainedNetworks]:
        """The directories of every training's networks."""
        return [
            {
                role: list(folders(planned, self.networks, training, role).values())
                for role in (BASELINE, *(arm.role for arm in self.arms))
            }
            for training in range(self.config.trainings)
        ]

    def _matches(self, planned: Sequence[PlannedNetwork]) -> dict[str, Matches]:
        """Every arm that plays, all its trainings against all of the one network, by its role."""
        self.console.heading("Games: M2CTS against MCTS")
        return {
            arm.role: self._against_all(
                planned,
                "mixture" if arm.role == EXPERT else arm.folder,
                "mixture" if arm.role == EXPERT else arm.role,
                arm.gate,
                [self._experts(planned, k, arm.role) for k in range(self.config.trainings)],
            )
            for arm in self.arms
            if arm.plays
        }

    def _alone(self, planned: Sequence[PlannedNetwork]) -> list[AloneRow]:
        """Each expert of the phase mixture with the one network of its training beside it."""
        if not self.config.alone:
            return []
        self.console.heading("Games: one expert at a time")
        phases = self.prepared.phases
        slugs = training_names("alone", phases)
        found = []
        for phase, slug in zip(phases, slugs, strict=True):
            sides = []
            for training in range(self.config.trainings):
                everywhere = dict.fromkeys(phases, self._baseline(planned, training))
                own = self._experts(planned, training, EXPERT)[phase]
                sides.append(everywhere | {phase: own})
            who = f"{phase} expert"
            row = self._against_all(planned, slug, who, self.config.gate, sides)
            found.append(AloneRow(phase, row))
        return found

    def _from_phases(self, planned: Sequence[PlannedNetwork]) -> list[PhaseSuiteRow]:
        """Each expert of the phase mixture alone, from where test games reach its phase."""
        if not self.config.from_phases:
            return []
        self.console.heading("Games: from the beginning of each phase")
        phases = self.prepared.phases
        found = []
        for phase, slug in zip(phases, training_names("from", phases), strict=True):
            suite, too_late = matches.phase_suite(self.prepared, phase)
            if suite is None:
                late = f"; {too_late:,} reach it after max_plies" if too_late else ""
                note = f"{phase}: too few test games reach it behind their start{late}"
                self.console.note(note)
                continue
            trainings = range(self.config.trainings)
            own = [self._experts(planned, training, EXPERT)[phase] for training in trainings]
            row = self._against_all(
                planned,
                slug,
                f"{phase} expert",
                self.config.gate,
                [{phase: path} for path in own],
                prepared=replace(self.prepared, openings=suite),
            )
            found.append(PhaseSuiteRow(phase, len(suite), too_late, row))
        return found

    def _searches(self, planned: Sequence[PlannedNetwork], seam: Seam) -> list[SearchRow]:
        """The phase mixture by every other search."""
        others = searches_of(self.config)
        if others:
            self.console.heading("Games: other searches")
        trainings = range(self.config.trainings)
        sides = [self._experts(planned, training, EXPERT) for training in trainings]
        slugs = training_names("search", [search.text for search in others])
        return [
            SearchRow(
                search.text,
                self._against_all(
                    planned,
                    slug,
                    f"mixture, {search.text},",
                    search.config.gate,
                    sides,
                    prepared=replace(self.prepared, config=search.config),
                    seam=seam if search.recalibrated else None,
                ),
            )
            for search, slug in zip(others, slugs, strict=True)
        ]

    def _experts(
        self, planned: Sequence[PlannedNetwork], training: int, role: str
    ) -> dict[str, Path]:
        found = folders(planned, self.networks, training, role)
        return {str(phase): path for phase, path in found.items()}

    def _baseline(self, planned: Sequence[PlannedNetwork], training: int) -> Path:
        return folders(planned, self.networks, training, BASELINE)[None]

    def _against_all(
        self,
        planned: Sequence[PlannedNetwork],
        folder: str,
        who: str,
        gate: str,
        sides: Sequence[Mapping[str, Path]],
        *,
        prepared: Prepared | None = None,
        seam: Seam | None = None,
    ) -> Matches:
        """All trainings of a mixture against all of the one network.

        Args:
            planned: All networks of the run.
            folder: First part of the names of its files.
            who: What plays, for people.
            gate: Names the phases of its experts.
            sides: Of each training, the network of each phase, or a single one for all phases.
            prepared: The games, with openings and the settings of the search; None: those of the
                run.
            seam: What recalibrates the values of both sides; None: they stay as trained.
        """
        used = self.prepared if prepared is None else prepared

        def meet(mixture: int, baseline: int) -> Pairing:
            name = f"matches/{folder}-{mixture + 1}-baseline-{baseline + 1}"

            def play() -> Pairing:
                log = self.path / f"{name}.jsonl"
                maps = None
                if seam is not None:
                    maps = seam.maps_of(EXPERT, mixture), seam.maps_of(ONE, baseline)
                pairing, pgn = matches.play_pairing(
                    used,
                    who,
                    gate,
                    sides[mixture],
                    self._baseline(planned, baseline),
                    (mixture, baseline),
                    log,
                    self.console,
                    maps,
                )
                self.directory.write_text(f"{name}.pgn", pgn)
                return pairing

            found = self.once(name, f"{name}.json", Pairing, play)
            self._games.append(self.path / f"{name}.pgn")
            return found

        trainings = range(self.config.trainings)
        pairings = [meet(i, j) for i in trainings for j in trainings]
        return matches.summarise(used.config, pairings)

    def _arm_row(
        self,
        arm: Arm,
        planned: Sequence[PlannedNetwork],
        losses: Losses,
        played: Matches | None,
    ) -> ArmRow:
        name = mixture_name(arm.role)
        entry = next(one for one in losses.entries if one.name == name)
        own = [n for n in planned if n.training == 0 and n.role in (arm.role, arm.role + STARTED)]
        return ArmRow(
            name=name,
            gate=self.prepared.labelled[arm.gate]["train"].gate,
            strategy=str(arm.strategy),
            experts=sum(network.role == arm.role for network in own),
            positions=sum(network.positions for network in own),
            loss=entry.differences[ALL].total,
            matches=played,
        )
