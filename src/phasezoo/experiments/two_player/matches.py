"""Networks whose values are recalibrated, to play with."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from phasezoo import games
from phasezoo.agents import Limit, M2CTSAgent, MCTSAgent, SearchConfig
from phasezoo.arena import (
    Adjudication,
    GameRecord,
    Match,
    OpeningSuite,
    SideStats,
    crossed_pairs,
    los,
    pentanomial_elo,
    pgn_of,
    play_match,
    trinomial_elo,
)
from phasezoo.arena.opening_files import Opening
from phasezoo.arena.statistics.elo import elo_of_score
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.two_player.answers import Recalibration
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.measurements import Map
from phasezoo.experiments.two_player.preparation import Prepared, load
from phasezoo.experiments.two_player.results import Matches, MatchSide, Pairing
from phasezoo.inference.evaluator import Evaluation, name_of
from phasezoo.report import numbers
from phasezoo.report.console import Console
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

Maps: TypeAlias = tuple[Mapping[str, Map], Mapping[str, Map]]
"""What recalibrates the values of each phase's expert, and those of one network in each phase."""


@dataclass(frozen=True)
class How:
    """What of the search of a pairing is not in the settings."""

    maps: Maps | None = None
    """What recalibrates the values of both sides; None: they stay as they were trained."""
    search_gate: str | None = None
    """Chooses among the experts in place of the gate that they learned under."""
    limits: tuple[Limit, Limit] | None = None
    """What bounds a move of the mixture and of one network; None: the settings' limit both."""


MOST_STARTS = 500
"""Positions at which test games first reach a phase, at the most."""


def phase_suite(prepared: Prepared, phase: str) -> tuple[OpeningSuite | None, int]:
    """Where test games first reach a phase, without positions of training games.

    Those at which a game would end at once, because no more plies are played, are left out too.

    Args:
        prepared: The run's games and settings.
        phase: Name of the phase.

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


def play_pairing(
    prepared: Prepared,
    who: str,
    gate: str,
    experts: Mapping[str, Path],
    baseline: Path,
    pair: tuple[int, int],
    log: Path,
    console: Console,
    how: How,
) -> tuple[Pairing, str]:
    """Play, or finish playing, one mixture against one baseline.

    Args:
        prepared: The run's games and settings.
        who: What plays, for people.
        gate: Names the phases of its experts.
        experts: Network directory of each of its experts, by phase; a single one answers in all.
        baseline: Network directory of the baseline.
        pair: Training indices of mixture and baseline.
        log: Where finished games are kept; a match found there goes on.
        console: Where progress is shown.
        how: What else there is to their search.

    Returns:
        The summary, and the games as PGN; empty if the game has none. No opening is played more
        than once with each side, so that there may be fewer games than were asked for.
    """
    config, openings = prepared.config, prepared.match_openings
    names = ALONE if len(experts) == 1 else NAMES
    # The same opening again would be the same games again, which tell nothing new.
    most = config.games_played if openings is None else 2 * len(openings)
    count = min(config.games_played, most)
    started = time.perf_counter()
    agents = _agents(prepared, gate, experts, baseline, how)
    title = f"Playing {who} {pair[0] + 1} against baseline {pair[1] + 1}"
    tally: Counter[float] = Counter()
    with console.task(title, count) as task:

        def show(record: GameRecord) -> None:
            tally[record.score] += 1
            task.update(sum(tally.values()), _running(tally))

        for record in _finished(log):
            show(record)
        match = play_match(
            *agents,
            game=config.game,
            games=count,
            openings=openings,
            seed=prepared.seed("match", *pair),
            concurrency=config.concurrency if config.movetime is None else None,
            threads=config.threads,
            limit=how.limits,
            max_plies=config.max_plies,
            adjudication=Adjudication() if config.adjudicate else None,
            names=names,
            log=log,
            on_game=show,
        )
    event = f"{who.capitalize()} {pair[0] + 1} v baseline {pair[1] + 1}"
    has_pgn = hasattr(games.make(config.game).initial_state(), "san")
    written = [pgn_of(r, names, config.game, event) for r in match.games if has_pgn]
    return _pairing(match, pair, time.perf_counter() - started), "".join(written)


def summarise(
    config: M2ctsConfig,
    pairings: Sequence[Pairing],
    limits: tuple[Limit, Limit] | None = None,
) -> Matches:
    """Put the pairings together, with the chance between trainings apart from that in games.

    Args:
        config: The settings of the search.
        pairings: Every mixture against every baseline.
        limits: What bounded a move of both sides, if that is not the same.
    """
    total = collect(pairings)
    limit = f"{limit_text(config)} a move"
    if config.movetime is None and config.simulations_per_node is not None:
        limit += f" and {config.simulations_per_node} simulations a node"
    if limits is not None:
        own, other = (numbers.count(each.nodes or 0) for each in limits)
        limit = f"{own} nodes a move against {other}"
    if config.trainings == 1:
        return Matches(limit, list(pairings), total, None)
    scores: list[list[list[float]]] = [[[]] * config.trainings for _ in range(config.trainings)]
    for pairing in pairings:
        scores[pairing.mixture][pairing.baseline] = _pair_scores(pairing).tolist()
    return Matches(limit, list(pairings), total, crossed_pairs(scores))


def collect(pairings: Sequence[Pairing]) -> Pairing:
    """All games of several pairings as if they were of one; intervals count games only."""
    pentanomial = np.sum([p.pentanomial for p in pairings], axis=0).tolist()
    wins, draws, lost = (sum(getattr(p, n) for p in pairings) for n in ("wins", "draws", "losses"))
    games = sum(p.games for p in pairings)
    scores = np.concatenate([_pair_scores(p) for p in pairings]).tolist()
    reasons: Counter[str] = Counter()
    for pairing in pairings:
        reasons.update(pairing.reasons)
    first, second = (_joined([p.sides[i] for p in pairings]) for i in (0, 1))
    return Pairing(
        mixture=pairings[0].mixture,
        baseline=pairings[0].baseline,
        games=games,
        wins=wins,
        draws=draws,
        losses=lost,
        pentanomial=pentanomial,
        elo=pentanomial_elo(scores),
        elo_trinomial=trinomial_elo(wins, draws, lost),
        los=los(scores),
        sides=(first, second),
        reasons=dict(reasons),
        duplicates=sum(p.duplicates for p in pairings),
        mean_plies=sum(p.mean_plies * p.games for p in pairings) / games,
        seconds=sum(p.seconds for p in pairings),
    )


def _agents(
    prepared: Prepared,
    gate: str,
    experts: Mapping[str, Path],
    baseline: Path,
    how: How,
) -> tuple[MCTSAgent, MCTSAgent]:
    """The two sides; an expert that is the only one answers in every phase."""
    config = prepared.config

    options = search_options(config)
    loaded = {phase: load(config, path) for phase, path in experts.items()}
    one = load(config, baseline)
    if len(loaded) == 1:
        (alone,) = loaded.values()
        return MCTSAgent(alone, **options), MCTSAgent(one, **options)
    maps = how.maps
    if maps is None:
        mixture = M2CTSAgent(
            loaded, gate=gate, routing=config.routing, search_gate=how.search_gate, **options
        )
        return mixture, MCTSAgent(one, **options)
    # One network too is mapped phase by phase, so that both sides know as much of their values.
    mapped = (
        {phase: RecalibratedEvaluator(loaded[phase], maps[0][phase]) for phase in loaded},
        {phase: RecalibratedEvaluator(one, maps[1][phase]) for phase in loaded},
    )
    first, second = (
        M2CTSAgent(each, gate=gate, routing=config.routing, **options) for each in mapped
    )
    return first, second


def limit_text(config: M2ctsConfig) -> str:
    """What a move of both sides may take, in words."""
    if config.movetime is not None:
        return f"{config.movetime:g} ms"
    return f"{numbers.count(config.nodes)} nodes"


def search_options(config: M2ctsConfig) -> dict[str, Any]:
    """What both sides search with."""
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


def _joined(sides: Sequence[MatchSide]) -> MatchSide:
    totals = {
        name: sum(getattr(side, name) for side in sides)
        for name in ("rows", "padded_rows", "calls", "off_phase_rows", "seconds")
    }
    nodes = [side.nodes for side in sides if side.nodes is not None]
    return MatchSide(
        name=sides[0].name, **totals, nodes=sum(nodes) if len(nodes) == len(sides) else None
    )


def _pair_scores(pairing: Pairing) -> Any:
    return np.repeat(np.arange(5) / 4, pairing.pentanomial)


def _finished(log: Path) -> list[GameRecord]:
    """Games of an earlier attempt, for the running score; the match itself checks them."""
    import json

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
