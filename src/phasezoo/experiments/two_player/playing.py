"""Everything that plays in a comparison: mixtures, experts alone, other searches, learned gates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from phasezoo.agents import Limit
from phasezoo.experiments.m2cts.plan import PlannedNetwork, folders
from phasezoo.experiments.m2cts.run import M2ctsRun
from phasezoo.experiments.two_player import cost, matches
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import equal_limits
from phasezoo.experiments.two_player.losses import TrainedNetworks
from phasezoo.experiments.two_player.measurements import Boundaries
from phasezoo.experiments.two_player.preparation import Prepared
from phasezoo.experiments.two_player.results import (
    AloneRow,
    Matches,
    Pairing,
    PhaseSuiteRow,
    Prices,
    Results,
    SearchRow,
)
from phasezoo.experiments.two_player.variants import (
    BASELINE,
    EXPERT,
    ONE,
    Search,
    Variant,
    searches_of,
)
from phasezoo.training.experts import training_names


class PlayingRun(M2ctsRun[M2ctsConfig, Results]):
    """The games of a run: every training of a side against every training of one network."""

    prepared: Prepared

    def __init__(self, *attempt: Any, **own: Any) -> None:
        super().__init__(*attempt, **own)
        self.pgns: list[Path] = []
        """Files of the games that are played, in the order in which they are."""

    @property
    def variants(self) -> Sequence[Variant]:
        """The mixtures of the run."""
        return self.prepared.variants

    def matches(self, planned: Sequence[PlannedNetwork]) -> dict[str, Matches]:
        """Every arm that plays, all its trainings against all of the one network, by its role."""
        self.console.heading("Games: M2CTS against MCTS")
        return {
            variant.role: self.against_all(
                planned,
                "mixture" if variant.role == EXPERT else variant.folder,
                "mixture" if variant.role == EXPERT else variant.role,
                variant.gate,
                [self.experts(planned, k, variant.role) for k in range(self.config.trainings)],
            )
            for variant in self.variants
            if variant.plays
        }

    def alone(self, planned: Sequence[PlannedNetwork]) -> list[AloneRow]:
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
                own = self.experts(planned, training, EXPERT)[phase]
                sides.append(everywhere | {phase: own})
            who = f"{phase} expert"
            row = self.against_all(planned, slug, who, self.config.gate, sides)
            found.append(AloneRow(phase, row))
        return found

    def from_phases(self, planned: Sequence[PlannedNetwork]) -> list[PhaseSuiteRow]:
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
            own = [self.experts(planned, training, EXPERT)[phase] for training in trainings]
            row = self.against_all(
                planned,
                slug,
                f"{phase} expert",
                self.config.gate,
                [{phase: path} for path in own],
                prepared=replace(self.prepared, openings=suite),
            )
            found.append(PhaseSuiteRow(phase, len(suite), too_late, row))
        return found

    def searches(
        self, planned: Sequence[PlannedNetwork], boundaries: Boundaries, itself: Matches
    ) -> list[SearchRow]:
        """The phase mixture by every other search.

        Args:
            planned: All networks of the run.
            boundaries: What recalibrates values.
            itself: Its games by the search of the settings.
        """
        others = searches_of(self.config)
        if others:
            self.console.heading("Games: other searches")
        trainings = range(self.config.trainings)
        sides = [self.experts(planned, training, EXPERT) for training in trainings]
        slugs = dict(
            zip(others, training_names("search", [one.text for one in others]), strict=True)
        )
        played: dict[Search, Matches] = {}
        for search in sorted(others, key=lambda one: one.equal_cost):
            limits = None
            if search.equal_cost:
                same = search.at_equal_nodes(others)
                limits = equal_limits(
                    search.config, self.prices(planned), itself if same is None else played[same]
                )
            played[search] = self.against_all(
                planned,
                slugs[search],
                f"mixture, {search.text},",
                search.config.gate,
                sides,
                prepared=replace(self.prepared, config=search.config),
                boundaries=boundaries if search.recalibrated else None,
                limits=limits,
            )
        return [SearchRow(search.text, played[search]) for search in others]

    def prices(self, planned: Sequence[PlannedNetwork]) -> Prices:
        """What calls and rows of the networks cost."""
        first = self.trained(planned)[0]
        return self.once(
            "prices", "prices.json", Prices, lambda: cost.measure_prices(self.prepared, first)
        )

    def trained(self, planned: Sequence[PlannedNetwork]) -> list[TrainedNetworks]:
        """The directories of every training's networks."""
        return [
            {
                role: list(folders(planned, self.networks, training, role).values())
                for role in (BASELINE, *(variant.role for variant in self.variants))
            }
            for training in range(self.config.trainings)
        ]

    def experts(
        self, planned: Sequence[PlannedNetwork], training: int, role: str
    ) -> dict[str, Path]:
        """The directory of each phase's expert in a variant of a training."""
        found = folders(planned, self.networks, training, role)
        return {str(phase): path for phase, path in found.items()}

    def _baseline(self, planned: Sequence[PlannedNetwork], training: int) -> Path:
        return folders(planned, self.networks, training, BASELINE)[None]

    def against_all(
        self,
        planned: Sequence[PlannedNetwork],
        folder: str,
        who: str,
        gate: str,
        sides: Sequence[Mapping[str, Path]],
        *,
        prepared: Prepared | None = None,
        boundaries: Boundaries | None = None,
        search_gates: Sequence[str] | None = None,
        limits: tuple[Limit, Limit] | None = None,
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
            boundaries: What recalibrates the values of both sides; None: they stay as trained.
            search_gates: Of each training, the gate that chooses among the mixture's experts;
                None: ``gate``.
            limits: What bounds a move of both sides; None: the settings' limit.
        """
        used = self.prepared if prepared is None else prepared

        def meet(mixture: int, baseline: int) -> Pairing:
            name = f"matches/{folder}-{mixture + 1}-baseline-{baseline + 1}"

            def play() -> Pairing:
                log = self.path / f"{name}.jsonl"
                maps = None
                if boundaries is not None:
                    maps = boundaries.maps_of(EXPERT, mixture), boundaries.maps_of(ONE, baseline)
                pairing, pgn = matches.play_pairing(
                    used,
                    who,
                    gate,
                    sides[mixture],
                    self._baseline(planned, baseline),
                    (mixture, baseline),
                    log,
                    self.console,
                    matches.How(
                        maps, None if search_gates is None else search_gates[mixture], limits
                    ),
                )
                self.directory.write_text(f"{name}.pgn", pgn)
                return pairing

            found = self.once(name, f"{name}.json", Pairing, play)
            self.pgns.append(self.path / f"{name}.pgn")
            return found

        trainings = range(self.config.trainings)
        pairings = [meet(i, j) for i in trainings for j in trainings]
        return matches.summarise(used.config, pairings, limits)
