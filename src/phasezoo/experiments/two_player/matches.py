"""Games of a run: mixtures, experts alone, other searches and learned gates against one network."""

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.agents import Limit, M2CTSAgent, MCTSAgent, SearchConfig
from phasezoo.arena import (
    Adjudication,
    GameRecord,
    Match,
    OpeningSuite,
    SideStats,
    pgn_of,
    play_match,
)
from phasezoo.arena.opening_files import Opening
from phasezoo.arena.statistics.elo import elo_of_score
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.networks import TrainingRun
from phasezoo.experiments.two_player.answers import Recalibration
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import equal_limits, measure_prices
from phasezoo.experiments.two_player.losses import TrainedNetworks
from phasezoo.experiments.two_player.measurements import Boundaries, Map, Prices
from phasezoo.experiments.two_player.preparation import Prepared, load
from phasezoo.experiments.two_player.results import Matches, MatchSide, Pairing, Results, Series
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, ONE, Search, searches_of
from phasezoo.inference.evaluator import Evaluation, name_of
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.training.experts import training_names
from phasezoo.types import Planes


class RecalibratedEvaluator:
    """Another evaluator with its values mapped.

    Chances of win, draw and loss are left out: the map says nothing of them.

    Args:
        evaluator: What is asked.
        change: The map of its values.
    """

    def __init__(self, evaluator: Any, change: Map) -> None:
        self.plane_spec = evaluator.plane_spec
        self.packed = getattr(evaluator, "packed", False)
        self.policy_size = getattr(evaluator, "policy_size", None)
        self.name = name_of(evaluator)
        self._evaluator = evaluator
        self._map = Recalibration(change.slope, change.shift, change.positions)

    def evaluate(self, planes: Planes) -> Evaluation:
        """The evaluator's answer, recalibrated."""
        answer: Evaluation = self._evaluator.evaluate(planes)
        values = self._map(answer.values()).astype(np.float32)
        return replace(answer, value=values, wdl=None)


NAMES = ("M2CTS", "MCTS")
ALONE = ("expert", "MCTS")
"""Names of the sides: a mixture, or one expert that answers everywhere, and one network."""

MOST_STARTS = 500
"""Positions at which test games first reach a phase, at the most."""


def phase_suite(prepared: Prepared, phase: str) -> tuple[OpeningSuite | None, int]:
    """Where test games first reach a phase, without positions of training games.

    Those at which a game would end at once, because no more plies are played, are left out too.

    Returns:
        The positions, None if fewer than two are left, as where games begin with the phase; and
        how many were left out because no more plies are played.
    """
    test, gate = prepared.splits.test, prepared.config.gate
    try:
        suite = OpeningSuite.at_phase(
            test, gate, phase, game=prepared.config.game, count=MOST_STARTS
        )
        suite, _ = suite.without(prepared.tables["train"].key)
    except InvalidConfig:  # no game gets there, or all such positions were trained on
        return None, 0
    most = prepared.config.max_plies
    kept = [
        Opening(suite.start(i), suite.lines[i])
        for i in range(len(suite))
        if most is None or suite.state(i).ply < most
    ]
    left = OpeningSuite.of(suite.game, kept) if len(kept) > 1 else None
    return left, len(suite) - len(kept)


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Every training of a mixture against every training of one network."""

    prepared: Prepared
    """The games, with the openings and the settings of the search."""
    folder: str
    """First part of the names of its files."""
    who: str
    """The mixture, for people."""
    mixtures: Sequence[Mapping[str, Path]]
    """Of each training, the directory of each phase's expert; a single one answers everywhere."""
    baselines: Sequence[Path]
    """Of each training, the directory of the one network."""
    gate: str
    """Names the phases of the experts."""
    boundaries: Boundaries | None = None
    """Recalibrates the values of both sides; None: they stay as trained."""
    search_gates: Sequence[str] | None = None
    """Of each training, the gate that chooses among the experts; None: :attr:`gate`."""
    limits: tuple[Limit, Limit] | None = None
    """Bounds a move of the mixture and of one network; None: the settings' limit both."""

    @property
    def limit(self) -> str:
        """Limit of a move, in words."""
        config = self.prepared.config
        if self.limits is not None:
            own, other = (numbers.count(each.nodes or 0) for each in self.limits)
            return f"{own} nodes a move against {other}"
        limit = f"{limit_text(config)} a move"
        if config.movetime is None and config.simulations_per_node is not None:
            limit += f" and {config.simulations_per_node} simulations a node"
        return limit

    def play(self, mixture: int, baseline: int, log: Path, console: Console) -> tuple[Pairing, str]:
        """Play, or finish playing, one training against one.

        Args:
            mixture: Index of the mixture's training.
            baseline: Index of the one network's.
            log: Where finished games are kept; a match found there goes on.
            console: Where progress is shown.

        Returns:
            The summary, and the games as PGN; empty if the game has none. No opening is played more
            than once with each side, so that there may be fewer games than were asked for.
        """
        config, openings = self.prepared.config, self.prepared.match_openings
        names = ALONE if len(self.mixtures[mixture]) == 1 else NAMES
        # The same opening again would be the same games again, which tell nothing new.
        most = config.games_played if openings is None else 2 * len(openings)
        count = min(config.games_played, most)
        started = time.perf_counter()
        title = f"Playing {self.who} {mixture + 1} against baseline {baseline + 1}"
        tally: Counter[float] = Counter()
        with console.task(title, count) as task:

            def show(record: GameRecord) -> None:
                tally[record.score] += 1
                task.update(sum(tally.values()), _running(tally))

            for record in _finished(log):
                show(record)
            match = play_match(
                *self._agents(mixture, baseline),
                game=config.game,
                games=count,
                openings=openings,
                seed=self.prepared.seed("match", mixture, baseline),
                concurrency=config.concurrency if config.movetime is None else None,
                threads=config.threads,
                limit=self.limits,
                max_plies=config.max_plies,
                adjudication=Adjudication() if config.adjudicate else None,
                names=names,
                log=log,
                on_game=show,
            )
        event = f"{self.who.capitalize()} {mixture + 1} v baseline {baseline + 1}"
        has_pgn = hasattr(games.make(config.game).initial_state(), "san")
        written = [pgn_of(r, names, config.game, event) for r in match.games if has_pgn]
        found = _pairing(match, (mixture, baseline), time.perf_counter() - started)
        return found, "".join(written)

    def _agents(self, mixture: int, baseline: int) -> tuple[MCTSAgent, MCTSAgent]:
        """The two sides; an expert that is the only one answers in every phase."""
        config = self.prepared.config
        options = search_options(config)
        loaded = {phase: load(config, path) for phase, path in self.mixtures[mixture].items()}
        one = load(config, self.baselines[baseline])
        if len(loaded) == 1:
            (alone,) = loaded.values()
            return MCTSAgent(alone, **options), MCTSAgent(one, **options)
        options_of_mixture = {"gate": self.gate, "routing": config.routing, **options}
        if self.boundaries is None:
            own = None if self.search_gates is None else self.search_gates[mixture]
            return (
                M2CTSAgent(loaded, search_gate=own, **options_of_mixture),
                MCTSAgent(one, **options),
            )
        # One network too is mapped phase by phase, so that both sides know as much of their values.
        experts = self.boundaries.maps_of(EXPERT, mixture)
        alike = self.boundaries.maps_of(ONE, baseline)
        mapped = (
            {phase: RecalibratedEvaluator(loaded[phase], experts[phase]) for phase in loaded},
            {phase: RecalibratedEvaluator(one, alike[phase]) for phase in loaded},
        )
        first, second = (M2CTSAgent(each, **options_of_mixture) for each in mapped)
        return first, second


def limit_text(config: M2ctsConfig) -> str:
    """Return what bounds a move of both sides, in words."""
    if config.movetime is not None:
        return f"{config.movetime:g} ms"
    return f"{numbers.count(config.nodes)} nodes"


def search_options(config: M2ctsConfig) -> dict[str, Any]:
    """Return the options of both sides' search."""
    is_published = config.search == "published"
    return {
        "config": SearchConfig.published() if is_published else SearchConfig(),
        "limit": config.limit(),
        "batch_size": config.search_batch,
        "game": config.game,
        "threads": config.threads,
    }


def _pairing(match: Match, pair: tuple[int, int], seconds: float) -> Pairing:
    first, second = (_side(stats) for stats in match.sides)
    return Pairing(
        mixture=pair[0],
        baseline=pair[1],
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
        mean_plies=sum(record.plies for record in match.games) / len(match.games),
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


def _finished(log: Path) -> list[GameRecord]:
    """Games of an earlier attempt, for the running score; the match itself checks them."""
    if not log.exists():
        return []
    records = []
    for line in log.read_bytes().splitlines()[1:]:
        try:
            records.append(GameRecord.from_dict(json.loads(line)["game"]))
        except (ValueError, KeyError, TypeError):
            break  # cut short by a kill
    return records


def _running(tally: Counter[float]) -> str:
    played = sum(tally.values())
    score = sum(score * number for score, number in tally.items()) / played
    won, drawn, lost = (tally[value] for value in (1.0, 0.5, 0.0))
    elo = numbers.signed(elo_of_score(score), 0)
    return f"{played} games: +{won} ={drawn} −{lost}, Elo {elo}"


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

    def alone(self) -> list[Series]:
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
            found.append(Series(phase, self.against_all(slug, f"{phase} expert", mixtures)))
        return found

    def from_phases(self) -> list[Series]:
        """Each expert of the phase mixture alone, from where test games reach its phase."""
        if not self.config.from_phases:
            return []
        self.console.heading("Games: from the beginning of each phase")
        phases = self.prepared.phases
        found = []
        for phase, slug in zip(phases, training_names("from", phases), strict=True):
            suite, too_late = phase_suite(self.prepared, phase)
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
                limits = equal_limits(search.config, self._prices(), equal)
            played[search] = self.against_all(
                slugs[search],
                f"mixture, {search.text},",
                self.experts(),
                prepared=replace(self.prepared, config=search.config),
                boundaries=boundaries if search.recalibrated else None,
                limits=limits,
            )
        return [Series(search.text, played[search]) for search in others]

    def _prices(self) -> Prices:
        return self.once(
            "prices",
            "prices.json",
            Prices,
            lambda: measure_prices(self.prepared, self.trained[0]),
        )

    def against_all(
        self, folder: str, who: str, mixtures: Sequence[Mapping[str, Path]], **own: Any
    ) -> Matches:
        """All trainings of a mixture against all of the one network; see :class:`Contest`."""
        baselines = [networks[BASELINE][0] for networks in self.trained]
        usual: dict[str, Any] = {
            "prepared": self.prepared,
            "gate": self.config.gate,
            "baselines": baselines,
        }
        contest = Contest(folder=folder, who=who, mixtures=mixtures, **usual | own)

        def meet(mixture: int, baseline: int) -> Pairing:
            name = f"matches/{folder}-{mixture + 1}-baseline-{baseline + 1}"

            def play() -> Pairing:
                log = self.path / f"{name}.jsonl"
                pairing, pgn = contest.play(mixture, baseline, log, self.console)
                self.directory.write_text(f"{name}.pgn", pgn)
                return pairing

            found = self.once(name, f"{name}.json", Pairing, play)
            self.pgns.append(self.path / f"{name}.pgn")
            return found

        trainings = range(self.config.trainings)
        return Matches(contest.limit, [meet(i, j) for i in trainings for j in trainings])
