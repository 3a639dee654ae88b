"""Everything that plays in a comparison: mixtures, experts alone, other searches, learned gates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from phasezoo.agents import Limit
from phasezoo.experiments.networks import TrainingRun
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
    searches_of,
)
from phasezoo.training.experts import training_names


class PlayingRun(TrainingRun[M2ctsConfig, Results]):
    """The games of a run: every training of a mixture against every training of one network."""

    prepared: Prepared

    def __init__(self, *attempt: Any, **own: Any) -> None:
        super().__init__(*attempt, **own)
        self.pgns: list[Path] = []
        """Files of the games that are played, in the order in which they are."""

    @cached_property
    def trained(self) -> list[TrainedNetworks]:
        """The directories of every training's networks."""
        roles = (BASELINE, *(variant.role for variant in self.prepared.variants))
        return [
            {role: list(self.folders(training, role).values()) for role in roles}
            for training in range(self.config.trainings)
        ]

    def experts(self, role: str = EXPERT) -> list[dict[str, Path]]:
        """Return the directory of each phase's expert in a variant, of each training."""
        return [
            {str(phase): path for phase, path in self.folders(training, role).items()}
            for training in range(self.config.trainings)
        ]

    def matches(self) -> dict[str, Matches]:
        """Every variant that plays, all its trainings against all of the one network."""
        self.console.heading("Games: M2CTS against MCTS")
        return {
            variant.role: self.against_all(
                "mixture" if variant.role == EXPERT else variant.folder,
                "mixture" if variant.role == EXPERT else variant.role,
                self.experts(variant.role),
                gate=variant.gate,
            )
            for variant in self.prepared.variants
            if variant.plays
        }

    def alone(self) -> list[AloneRow]:
        """Each expert of the phase mixture with the one network of its training beside it."""
        if not self.config.alone:
            return []
        self.console.heading("Games: one expert at a time")
        phases = self.prepared.phases
        found = []
        for phase, slug in zip(phases, training_names("alone", phases), strict=True):
            mixtures = [
                dict.fromkeys(phases, networks[BASELINE][0]) | {phase: experts[phase]}
                for networks, experts in zip(self.trained, self.experts(), strict=True)
            ]
            found.append(AloneRow(phase, self.against_all(slug, f"{phase} expert", mixtures)))
        return found

    def from_phases(self) -> list[PhaseSuiteRow]:
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
            row = self.against_all(
                slug,
                f"{phase} expert",
                [{phase: experts[phase]} for experts in self.experts()],
                prepared=replace(self.prepared, openings=suite),
            )
            found.append(PhaseSuiteRow(phase, len(suite), too_late, row))
        return found

    def searches(self, boundaries: Boundaries, itself: Matches) -> list[SearchRow]:
        """The phase mixture by every other search.

        Args:
            boundaries: What recalibrates values.
            itself: Its games by the search of the settings.
        """
        others = searches_of(self.config)
        if others:
            self.console.heading("Games: other searches")
        names = training_names("search", [one.text for one in others])
        slugs = dict(zip(others, names, strict=True))
        played: dict[Search, Matches] = {}
        for search in sorted(others, key=lambda one: one.equal_cost):
            limits = None
            if search.equal_cost:
                same = search.at_equal_nodes(others)
                equal = itself if same is None else played[same]
                limits = equal_limits(search.config, self._prices(), equal)
            played[search] = self.against_all(
                slugs[search],
                f"mixture, {search.text},",
                self.experts(),
                prepared=replace(self.prepared, config=search.config),
                boundaries=boundaries if search.recalibrated else None,
                limits=limits,
            )
        return [SearchRow(search.text, played[search]) for search in others]

    def _prices(self) -> Prices:
        return self.once(
            "prices",
            "prices.json",
            Prices,
            lambda: cost.measure_prices(self.prepared, self.trained[0]),
        )

    def against_all(
        self,
        folder: str,
        who: str,
        mixtures: Sequence[Mapping[str, Path]],
        *,
        gate: str | None = None,
        prepared: Prepared | None = None,
        boundaries: Boundaries | None = None,
        search_gates: Sequence[str] | None = None,
        limits: tuple[Limit, Limit] | None = None,
    ) -> Matches:
        """All trainings of a mixture against all of the one network.

        Args:
            folder: First part of the names of its files.
            who: What plays, for people.
            mixtures: Of each training, the network of each phase, or a single one for all phases.
            gate: Names the phases of its experts; None: the gate under study.
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
                    self.config.gate if gate is None else gate,
                    mixtures[mixture],
                    self.trained[baseline][BASELINE][0],
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
