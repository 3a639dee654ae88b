"""Games of a run: mixtures, experts alone, other searches and learned gates against one network."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from phasezoo import games
from phasezoo.agents import Limit, M2CTSAgent, MCTSAgent
from phasezoo.arena import (
    Adjudication,
    Match,
    OpeningSuite,
    SideStats,
    equal_cost_limits,
    pgn_of,
)
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.matches import play
from phasezoo.experiments.networks import TrainingRun
from phasezoo.experiments.two_player.boundary import Boundaries, Map
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import Prices, measure_prices
from phasezoo.experiments.two_player.matches import Matches, MatchSide, Pairing, Results, Series
from phasezoo.experiments.two_player.preparation import Prepared, limit_text, loader, search_options
from phasezoo.experiments.two_player.tested import Shared, TrainedNetworks, mixed, parts_of
from phasezoo.experiments.two_player.variants import (
    BASELINE,
    EXPERT,
    ONE,
    Search,
    Variant,
    searches_of,
)
from phasezoo.inference.counts import Counts
from phasezoo.inference.recalibration import RecalibratedEvaluator
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.training.experts.plans import training_names

NAMES = ("M2CTS", "MCTS")
ALONE = ("expert", "MCTS")
"""Names of the sides: a mixture, or one expert that answers everywhere, and one network."""


def _limit_of(config: M2ctsConfig, limits: tuple[Limit, Limit] | None) -> str:
    """Return the limit of a move, in words."""
    if limits is not None:
        own, other = (numbers.count(each.nodes or 0) for each in limits)
        return f"{own} nodes a move against {other}"
    limit = f"{limit_text(config)} a move"
    if config.movetime is None and config.simulations_per_node is not None:
        limit += f" and {config.simulations_per_node} simulations a node"
    return limit


def _agents(
    config: M2ctsConfig,
    experts: Mapping[str, Path],
    one: Path,
    gate: str,
    search_gate: str | None,
    maps: tuple[Mapping[str, Map], Mapping[str, Map]] | None,
    shared: Shared,
) -> dict[str, Any]:
    """Return both players by name; an expert that is the only one answers in every phase.

    Args:
        config: The settings of the run.
        experts: Directory of each phase's expert.
        one: That of the one network.
        gate: Names the phases of the experts.
        search_gate: Chooses among the experts; None: the gate does.
        maps: Recalibrate the values of both sides; None: they stay as trained.
        shared: Directories of networks that answer a part in every phase.
    """
    load, options = loader(config), search_options(config)
    if len(experts) == 1:
        alone = zip(ALONE, (*experts.values(), one), strict=True)
        return {name: MCTSAgent(load(path), **options) for name, path in alone}
    by_phase = {"gate": gate, "routing": config.routing, **options}
    if maps is None:
        mixture = M2CTSAgent(**mixed(load, experts, shared), search_gate=search_gate, **by_phase)
        return dict(zip(NAMES, (mixture, MCTSAgent(load(one), **options)), strict=True))
    # One network too is mapped phase by phase, so that both sides know as much of their values.
    alike = dict.fromkeys(experts, one)
    mapped = [
        {phase: RecalibratedEvaluator(load(path), own[phase]) for phase, path in asked.items()}
        for asked, own in zip((experts, alike), maps, strict=True)
    ]
    return {name: M2CTSAgent(own, **by_phase) for name, own in zip(NAMES, mapped, strict=True)}


@dataclass(frozen=True)
class PairingJob:
    """One training of a mixture against one of the one network, in this process or another."""

    name: str
    """Its stage, and the names of its files."""
    path: Path
    """Directory of the run."""
    config: M2ctsConfig
    """Settings of the search and the games, with the threads to play with."""
    openings: OpeningSuite | None
    """Where games begin; None: where the game draws."""
    games: int
    """How many are played."""
    seed: int
    """Everything random of the games derives from it."""
    pair: tuple[int, int]
    """Indices of both trainings."""
    who: str
    """The mixture, for people."""
    experts: Mapping[str, Path]
    """See :func:`_agents`, as what follows."""
    one: Path
    gate: str
    search_gate: str | None
    maps: tuple[Mapping[str, Map], Mapping[str, Map]] | None
    shared: Shared
    limits: tuple[Limit, Limit] | None
    """Bounds a move of either side; None: the settings' limit does."""

    @property
    def place(self) -> Path:
        """The file of its finished games."""
        return self.path / f"{self.name}.jsonl"

    @property
    def steps(self) -> int:
        """Its games."""
        return self.games

    @property
    def after(self) -> tuple[()]:
        """It waits for none."""
        return ()

    def work(self, console: Console) -> tuple[Pairing, str]:
        """Play the games that are not played, and return the result and the games as PGN."""
        config, started = self.config, time.perf_counter()
        mixture, baseline = (training + 1 for training in self.pair)
        first, second = f"{self.who} {mixture}", f"baseline {baseline}"
        players = _agents(
            config, self.experts, self.one, self.gate, self.search_gate, self.maps, self.shared
        )
        match = play(
            console,
            f"Playing {first} against {second}",
            players,
            self.place,
            game=config.game,
            games=self.games,
            openings=self.openings,
            seed=self.seed,
            concurrency=config.concurrency if config.movetime is None else None,
            threads=config.threads,
            limit=self.limits,
            max_plies=config.max_plies,
            adjudication=Adjudication() if config.adjudicate else None,
        )
        names, event = tuple(players), f"{first.capitalize()} v {second}"
        has_pgn = hasattr(games.make(config.game).initial_state(), "san")
        written = [pgn_of(record, names, config.game, event) for record in match.games if has_pgn]
        return self._result(match, time.perf_counter() - started), "".join(written)

    def _result(self, match: Match, seconds: float) -> Pairing:
        first, second = (_side(stats) for stats in match.sides)
        return Pairing(
            mixture=self.pair[0],
            baseline=self.pair[1],
            games=len(match.games),
            wins=match.wins,
            draws=match.draws,
            losses=match.losses,
            pentanomial=list(match.pentanomial),
            elo=match.elo,
            elo_trinomial=match.elo_trinomial,
            los=match.los,
            sides=(first, second),
            reasons=dict(Counter(record.reason for record in match.games)),
            duplicates=match.duplicates,
            mean_plies=match.mean_plies,
            seconds=seconds,
        )


def _side(stats: SideStats) -> MatchSide:
    counts = stats.counts
    return MatchSide(
        name=stats.name,
        nodes=stats.nodes,
        rows=counts.rows,
        padded_rows=counts.padded_rows,
        calls=counts.calls,
        off_phase_rows=counts.off_phase_rows,
        seconds=counts.seconds,
    )


def equal_limits(config: M2ctsConfig, prices: Prices, played: Matches) -> tuple[Limit, Limit]:
    """The limits of the mixture and of one network at which their inference costs the same."""
    first, second = (_spent(side) for side in played.total.sides)
    given = config.limit()
    found, _ = equal_cost_limits((first, second), (prices.expert, prices.one), given)
    return replace(config, nodes=found.nodes or config.nodes).limit(), given


def _spent(side: MatchSide) -> SideStats:
    counts = Counts(rows=side.rows, padded_rows=side.padded_rows, calls=side.calls)
    if side.nodes is None:
        message = (
            "equal-cost: the games at equal nodes were played by a version that did not count "
            "nodes; run the command again with another --out"
        )
        raise InvalidConfig(message)
    return SideStats(side.name, nodes=side.nodes, counts=counts)


class PlayingRun(TrainingRun[M2ctsConfig, Results]):
    """The games of a run: every training of a mixture against every training of one network."""

    prepared: Prepared

    def __init__(self, *attempt: Any, **own: Any) -> None:
        super().__init__(*attempt, **own)
        self.pgns: list[Path] = []
        """Files of the games that are played, in the order in which they are."""
        self._playing = self.processes()

    def finish(self) -> Results:
        """Do the work, and end the processes that played."""
        with self._playing:
            return super().finish()

    @cached_property
    def trained(self) -> list[TrainedNetworks]:
        """The directories of every training's networks."""
        variants = [variant for variant in self.prepared.variants if not variant.networks]
        roles = (BASELINE, *(variant.role for variant in variants))
        return [
            {role: list(self.folders(training, role).values()) for role in roles}
            for training in range(self.config.trainings)
        ]

    def experts(self, variant: Variant | None = None) -> list[dict[str, Path]]:
        """Return the directory of each phase's network in a variant, of each training.

        Args:
            variant: The variant; None: the mixture under study.
        """
        return [experts for experts, _ in self._parts(variant or self.prepared.variants[0])]

    def _parts(self, variant: Variant) -> list[tuple[dict[str, Path], Shared]]:
        """Return what a variant is put together from, of each training."""
        return [parts_of(self.prepared, variant, trained) for trained in self.trained]

    def matches(self) -> dict[str, Matches]:
        """Every variant that plays, all its trainings against all of the one network."""
        self.console.heading("Games: M2CTS against MCTS")
        return {
            variant.role: self.against_all(
                "mixture" if variant.role == EXPERT else variant.folder,
                "mixture" if variant.role == EXPERT else variant.role,
                self.experts(variant),
                gate=variant.gate,
                shared=[shared for _, shared in self._parts(variant)],
            )
            for variant in self.prepared.variants
            if variant.plays
        }

    def _phases(self, kind: str) -> Iterator[tuple[str, str]]:
        """Yield every phase, and the first part of the names of its matches' files."""
        phases = self.prepared.phases
        return zip(phases, training_names(kind, phases), strict=True)

    def alone(self) -> list[Series]:
        """Each expert of the phase mixture with the one network of its training beside it."""
        if not self.config.alone:
            return []
        self.console.heading("Games: one expert at a time")
        found = []
        for phase, folder in self._phases("alone"):
            mixtures = [
                dict.fromkeys(experts, networks[BASELINE][0]) | {phase: experts[phase]}
                for networks, experts in zip(self.trained, self.experts(), strict=True)
            ]
            found.append(Series(phase, self.against_all(folder, f"{phase} expert", mixtures)))
        return found

    def from_phases(self) -> list[Series]:
        """Each expert of the phase mixture alone, from where test games reach its phase."""
        if not self.config.from_phases:
            return []
        self.console.heading("Games: from the beginning of each phase")
        found = []
        for phase, folder in self._phases("from"):
            suite, too_late = self.prepared.openings_at(phase)
            if suite is None:
                late = f"; {too_late:,} reach it after max_plies" if too_late else ""
                note = f"{phase}: too few test games reach it behind their start{late}"
                self.console.note(note)
                continue
            row = self.against_all(
                folder,
                f"{phase} expert",
                [{phase: experts[phase]} for experts in self.experts()],
                prepared=replace(self.prepared, openings=suite),
            )
            found.append(Series(phase, row, len(suite), too_late))
        return found

    def searches(self, boundaries: Boundaries, itself: Matches) -> list[Series]:
        """The phase mixture by every other search, beside its games by the one of the settings."""
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
                prices = self.once(
                    "prices", Prices, lambda: measure_prices(self.prepared, self.trained[0])
                )
                limits = equal_limits(search.config, prices, equal)
            played[search] = self.against_all(
                slugs[search],
                f"mixture, {search.text},",
                self.experts(),
                prepared=replace(self.prepared, config=search.config),
                boundaries=boundaries if search.recalibrated else None,
                limits=limits,
            )
        return [Series(search.text, played[search]) for search in others]

    def against_all(
        self,
        folder: str,
        who: str,
        mixtures: Sequence[Mapping[str, Path]],
        *,
        prepared: Prepared | None = None,
        gate: str | None = None,
        search_gates: Sequence[str] | None = None,
        boundaries: Boundaries | None = None,
        limits: tuple[Limit, Limit] | None = None,
        shared: Sequence[Shared] | None = None,
    ) -> Matches:
        """Play every training of a mixture against every training of one network.

        Args:
            folder: First part of the names of its files.
            who: The mixture, for people.
            mixtures: Directory of each phase's expert, of each training; a single one answers
                everywhere.
            prepared: Openings and settings of the search, if others than the run's.
            gate: Gate that names the phases of the experts, if another than the one under study.
            search_gates: Gate that chooses among the experts, of each training.
            boundaries: Recalibrates the values of both sides; None: they stay as trained.
            limits: Bounds a move of the mixture and of one network; None: the settings' limit both.
            shared: Directories of networks that answer a part in every phase, of each training;
                None: experts answer alone.
        """
        prepared = prepared or self.prepared
        # Searches that share cores would share the time of a move.
        is_shared = self.config.train_workers > 1 and prepared.config.movetime is None
        threads = self.threads_each if is_shared else prepared.config.threads

        def job(mixture: int, baseline: int) -> PairingJob:
            maps = None
            if boundaries is not None:
                maps = boundaries.maps_of(EXPERT, mixture), boundaries.maps_of(ONE, baseline)
            return PairingJob(
                name=f"matches/{folder}-{mixture + 1}-baseline-{baseline + 1}",
                path=self.path,
                config=replace(prepared.config, threads=threads),
                openings=prepared.match_openings,
                games=prepared.games_a_pairing,
                seed=prepared.seed("match", mixture, baseline),
                pair=(mixture, baseline),
                who=who,
                experts=mixtures[mixture],
                one=self.trained[baseline][BASELINE][0],
                gate=gate or self.config.gate,
                search_gate=None if search_gates is None else search_gates[mixture],
                maps=maps,
                shared={} if shared is None else shared[mixture],
                limits=limits,
            )

        trainings = range(self.config.trainings)
        jobs = [job(i, j) for i in trainings for j in trainings]
        missing = [job for job in jobs if not self.has_done(job.name, f"{job.name}.json")]
        if is_shared and len(missing) > 1:
            self._playing.do("Playing", "pairings", missing, self.console, self._begin)
        self.pgns += [self.path / f"{job.name}.pgn" for job in jobs]
        return Matches(_limit_of(prepared.config, limits), [self._pairing(job) for job in jobs])

    def _begin(self, job: PairingJob) -> Callable[[tuple[Pairing, str]], None]:
        """Journal the beginning of a pairing, and return what keeps its result."""
        end = self.directory.begin(job.name)

        def done(played: tuple[Pairing, str]) -> None:
            self.directory.write_json(f"{job.name}.json", self._kept(job, *played))
            end()

        return done

    def _pairing(self, job: PairingJob) -> Pairing:
        return self.once(job.name, Pairing, lambda: self._kept(job, *job.work(self.console)))

    def _kept(self, job: PairingJob, pairing: Pairing, pgn: str) -> Pairing:
        """Write the games of a pairing, and return its result."""
        if pgn:  # a game without SAN has none
            self.directory.write_text(f"{job.name}.pgn", pgn)
        return pairing
