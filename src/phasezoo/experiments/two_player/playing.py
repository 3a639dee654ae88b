"""Games of a run: mixtures, experts alone, other searches and learned gates against one network."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
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
from phasezoo.arena.conditions import Conditions
from phasezoo.arena.playing import Plan
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.matches import counts_of, play_beside
from phasezoo.experiments.networks import TrainingRun
from phasezoo.experiments.two_player.boundary import Boundaries, Map
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import Prices, measure_prices
from phasezoo.experiments.two_player.matches import Matches, MatchSide, Pairing, Results, Series
from phasezoo.experiments.two_player.preparation import Prepared, limit_text, loader, search_options
from phasezoo.experiments.two_player.tested import Mixture, TrainedNetworks
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


@dataclass(frozen=True)
class PairingPlan:
    """One training of a mixture against one of the one network."""

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
    mixture: Mixture
    """Its networks and gates."""
    one: Path
    """Directory of the one network."""
    maps: tuple[Mapping[str, Map], Mapping[str, Map]] | None
    """Recalibrate the values of both sides; None: they stay as trained."""
    limits: tuple[Limit, Limit] | None
    """Bounds a move of either side; None: the settings' limit does."""

    @property
    def place(self) -> Path:
        """The file of its finished games."""
        return self.path / f"{self.name}.jsonl"

    @property
    def players(self) -> tuple[str, str]:
        """Names of both sides."""
        return ALONE if len(self.mixture.experts) == 1 else NAMES

    @property
    def trainings(self) -> tuple[str, str]:
        """Both trainings, for people."""
        return f"{self.who} {self.pair[0] + 1}", f"baseline {self.pair[1] + 1}"

    def agent(self) -> Any:
        """Return the agent of the mixture."""
        load, options, mixture = loader(self.config), search_options(self.config), self.mixture
        if len(mixture.experts) == 1:
            return MCTSAgent(load(*mixture.experts.values()), **options)
        if self.maps is not None:
            return self._recalibrated(mixture.experts, self.maps[0])
        return M2CTSAgent(
            **mixture.loaded(load),
            gate=mixture.gate,
            search_gate=mixture.search_gate,
            routing=self.config.routing,
            **options,
        )

    def baseline(self) -> Any:
        """Return the agent of the one network."""
        experts = self.mixture.experts
        if self.maps is not None and len(experts) > 1:
            # It is mapped phase by phase too, so that both sides know as much of their values.
            return self._recalibrated(dict.fromkeys(experts, self.one), self.maps[1])
        return MCTSAgent(loader(self.config)(self.one), **search_options(self.config))

    def _recalibrated(self, asked: Mapping[str, Path], maps: Mapping[str, Map]) -> Any:
        load = loader(self.config)
        mapped = {p: RecalibratedEvaluator(load(path), maps[p]) for p, path in asked.items()}
        options = search_options(self.config)
        return M2CTSAgent(mapped, gate=self.mixture.gate, routing=self.config.routing, **options)

    def match(self, mixture: Any, baseline: Any) -> Plan:
        """Return the match of both agents."""
        config = self.config
        conditions = Conditions.of(
            config.game,
            self.openings,
            gate=None,
            openings_as="moves",
            seed=self.seed,
            concurrency=config.concurrency if config.movetime is None else None,
            pool_rows=None,
            threads=config.threads,
            max_plies=config.max_plies,
            adjudication=Adjudication() if config.adjudicate else None,
        )
        return Plan(
            (mixture, baseline),
            conditions,
            [(0, 1)],
            self.games,
            limit=self.limits,
            names=self.players,
            log=self.place,
        )

    def result(self, match: Match, seconds: float) -> tuple[Pairing, str]:
        """Return the result, and the games as PGN: empty for a game without SAN."""
        first, second = (
            MatchSide(name=side.name, nodes=side.nodes, **asdict(side.counts))
            for side in match.sides
        )
        pairing = Pairing(
            mixture=self.pair[0],
            baseline=self.pair[1],
            **counts_of(match),
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
        game = self.config.game
        if not hasattr(games.make(game).initial_state(), "san"):
            return pairing, ""
        event = " v ".join(self.trainings).capitalize()
        written = [pgn_of(record, self.players, game, event) for record in match.games]
        return pairing, "".join(written)


@dataclass(frozen=True)
class PairingsJob:
    """Pairings that are played side by side, in this process or another.

    Each training's agent plays in all of its pairings at once: a network that is asked about many
    positions at once answers more of them a second.
    """

    pairings: tuple[PairingPlan, ...]
    """The pairings, which differ by trainings alone."""

    @property
    def name(self) -> str:
        """The names of the first and the last."""
        return " to ".join(dict.fromkeys((self.pairings[0].name, self.pairings[-1].name)))

    @property
    def place(self) -> Path:
        """The file of the first one's finished games."""
        return self.pairings[0].place

    @property
    def steps(self) -> int:
        """Its games."""
        return sum(pairing.games for pairing in self.pairings)

    @property
    def after(self) -> tuple[()]:
        """It waits for none."""
        return ()

    def work(self, console: Console) -> list[tuple[Pairing, str]]:
        """Play the games that are not played, and return each result and the games as PGN."""
        started = time.perf_counter()
        mixtures: dict[int, Any] = {}
        baselines: dict[int, Any] = {}
        plans = []
        for each in self.pairings:
            first, second = each.pair
            if first not in mixtures:
                mixtures[first] = each.agent()
            if second not in baselines:
                baselines[second] = each.baseline()
            plans.append(each.match(mixtures[first], baselines[second]))
        title = " against ".join(self.pairings[0].trainings)
        if len(self.pairings) > 1:
            title = f"{self.pairings[0].who} against baselines, {len(self.pairings)} pairings"
        matches = play_beside(console, f"Playing {title}", plans)
        seconds = time.perf_counter() - started
        plies = [sum(record.plies for record in match.games) for match in matches]
        return [
            each.result(match, seconds * length / max(1, sum(plies)))
            for each, match, length in zip(self.pairings, matches, plies, strict=True)
        ]


def equal_limits(config: M2ctsConfig, prices: Prices, played: Matches) -> tuple[Limit, Limit]:
    """The limits of the mixture and of one network at which their inference costs the same."""
    first, second = (_spent(side) for side in played.total.sides)
    given = config.limit()
    found, _ = equal_cost_limits((first, second), (prices.expert, prices.one), given)
    return replace(config, nodes=found.nodes or config.nodes).limit(), given


def _spent(side: MatchSide) -> SideStats:
    if side.nodes is None:
        message = (
            "equal-cost: the games at equal nodes were played by a version that did not count "
            "nodes; run the command again with another --out"
        )
        raise InvalidConfig(message)
    counts = Counts(**{each.name: getattr(side, each.name) for each in fields(Counts)})
    return SideStats(side.name, nodes=side.nodes, counts=counts)


class PlayingRun(TrainingRun[M2ctsConfig, Results]):
    """The games of a run: every training of a mixture against every training of one network."""

    prepared: Prepared

    def __init__(self, *attempt: Any) -> None:
        super().__init__(*attempt)
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

    def mixtures(self, variant: Variant | None = None) -> list[Mixture]:
        """Return a variant's mixture of each training.

        Args:
            variant: The variant; None: the one under study.
        """
        own = variant or self.prepared.variants[0]
        return [Mixture.of(self.prepared, own, trained) for trained in self.trained]

    def matches(self) -> dict[str, Matches]:
        """Every variant that plays, all its trainings against all of the one network."""
        self.console.heading("Games: M2CTS against MCTS")
        return {
            variant.role: self.against_all(
                "mixture" if variant.role == EXPERT else variant.folder,
                "mixture" if variant.role == EXPERT else variant.role,
                self.mixtures(variant),
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
            mixtures = []
            for networks, one in zip(self.trained, self.mixtures(), strict=True):
                others = dict.fromkeys(one.experts, networks[BASELINE][0])
                mixtures.append(replace(one, experts=others | {phase: one.experts[phase]}))
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
                [replace(one, experts={phase: one.experts[phase]}) for one in self.mixtures()],
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
                self.mixtures(),
                prepared=replace(self.prepared, config=search.config),
                boundaries=boundaries if search.recalibrated else None,
                limits=limits,
            )
        return [Series(search.text, played[search]) for search in others]

    def against_all(
        self,
        folder: str,
        who: str,
        mixtures: Sequence[Mixture],
        *,
        prepared: Prepared | None = None,
        boundaries: Boundaries | None = None,
        limits: tuple[Limit, Limit] | None = None,
    ) -> Matches:
        """Play every training of a mixture against every training of one network.

        Args:
            folder: First part of the names of its files.
            who: The mixture, for people.
            mixtures: The mixture of each training.
            prepared: Openings and settings of the search, if others than the run's.
            boundaries: Recalibrates the values of both sides; None: they stay as trained.
            limits: Bounds a move of the mixture and of one network; None: the settings' limit both.
        """
        prepared = prepared or self.prepared
        # Searches that share cores would share the time of a move.
        is_shared = self.config.train_workers > 1 and prepared.config.movetime is None
        threads = self.threads_each if is_shared else prepared.config.threads

        def plan(mixture: int, baseline: int) -> PairingPlan:
            maps = None
            if boundaries is not None:
                maps = boundaries.maps_of(EXPERT, mixture), boundaries.maps_of(ONE, baseline)
            return PairingPlan(
                name=f"matches/{folder}-{mixture + 1}-baseline-{baseline + 1}",
                path=self.path,
                config=replace(prepared.config, threads=threads),
                openings=prepared.match_openings,
                games=prepared.games_a_pairing,
                seed=prepared.seed("match", mixture, baseline),
                pair=(mixture, baseline),
                who=who,
                mixture=mixtures[mixture],
                one=self.trained[baseline][BASELINE][0],
                maps=maps,
                limits=limits,
            )

        trainings = range(self.config.trainings)
        plans = [plan(i, j) for i in trainings for j in trainings]
        missing = [each for each in plans if not self.has_done(each.name, f"{each.name}.json")]
        # Searches by time share no time with others.
        size = 1 if prepared.config.movetime is not None else len(missing)
        if is_shared:
            size = math.ceil(len(missing) / self.config.train_workers)
        jobs = [
            PairingsJob(tuple(missing[begin : begin + size]))
            for begin in range(0, len(missing), max(1, size))
        ]
        if is_shared and len(jobs) > 1:
            self._playing.do("Playing", "parts of the games", jobs, self.console, self._begin)
        else:
            for job in jobs:
                self._begin(job)(job.work(self.console))
        self.pgns += [self.path / f"{each.name}.pgn" for each in plans]
        pairings = [self.directory.read_json(f"{each.name}.json", Pairing) for each in plans]
        return Matches(_limit_of(prepared.config, limits), pairings)

    def _begin(self, job: PairingsJob) -> Callable[[list[tuple[Pairing, str]]], None]:
        """Journal the beginning of pairings, and return what keeps their results."""
        ends = [self.directory.begin(each.name, f"{each.name}.json") for each in job.pairings]

        def done(played: list[tuple[Pairing, str]]) -> None:
            for each, end, (pairing, pgn) in zip(job.pairings, ends, played, strict=True):
                if pgn:
                    self.directory.write_text(f"{each.name}.pgn", pgn)
                self.directory.write_json(f"{each.name}.json", pairing)
                end()

        return done
