"""Watches a run of self-play: probes of its versions, and a ladder of matches between them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo import arena
from phasezoo.arena.statistics.ratings import Rating, Result, ratings
from phasezoo.arena.streams import stream
from phasezoo.games import Game
from phasezoo.runs import RowLog
from phasezoo.training.probes.probe import Probe, Probed
from phasezoo.training.selfplay.outcome import version_folder
from phasezoo.training.selfplay.watching import Watching

__all__ = ["LADDER", "PROBES", "ProbeRow", "RungRow", "Watch", "elo_of", "gains_of"]

PROBES, LADDER = "probes.jsonl", "ladder.jsonl"
"""What a run's directory holds of them."""

_SEED = 1
"""Of what probes draw: the same in all runs, so that these can be compared."""


@dataclass(frozen=True)
class ProbeRow:
    """What a probe told of a version."""

    version: int
    """Which one, 0 the first weights."""
    settings: str
    """With how many positions and nodes: rows of other settings are no points of one curve."""
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    """By score, then by who was measured."""

    def describe(self) -> str:
        """The first score in a few words."""
        name, numbers = next(iter(self.numbers.items()))
        told = ", ".join(f"{who} {number:.3g}".strip() for who, number in numbers.items())
        return f"{name}: {told}"


@dataclass(frozen=True)
class RungRow:
    """A match between two versions, whole."""

    first: int
    """The later version."""
    second: int
    """The earlier one."""
    nodes: int
    """Of its searches."""
    scores: list[float] = field(default_factory=list)
    """What the later one scored in each game."""
    openings: list[int] = field(default_factory=list)
    """What each game began from."""
    phase: str | None = None
    """The later version's expert of this phase alone played, among the earlier one's others; None:
    the later version played."""


class Watch:
    """Measures versions when they are due; what was measured is not measured again.

    It reads versions from the disk and writes files of its own: what it does changes nothing of the
    run, and what a kill left out is done when the run goes on.

    Args:
        out: The run's directory.
        config: What is measured, and when.
        game: What is played.
        probes: What is measured of versions.
        evaluator: Makes the evaluator of a version.
        searching: Makes the agent that searches with an evaluator, without noise; it draws none of
            its actions.
        playing: The same, but it draws actions as self-play does, so that games differ.
        nodes: Of matches' searches, unless ``config`` says so.
        seed: The run's, for the matches.
        concurrency: Games of a match at once.
        max_plies: Plies at which they are cut.
        phases: Phases that have experts.
        told: Called with every row of a probe.
    """

    def __init__(
        self,
        out: Path,
        config: Watching,
        game: Game,
        probes: Sequence[Probe],
        *,
        evaluator: Callable[[int], Any],
        searching: Callable[[Any, int], Any],
        playing: Callable[[Any, int], Any],
        nodes: int,
        seed: int,
        concurrency: int,
        max_plies: int | None,
        phases: Sequence[str] = (),
        told: Callable[[ProbeRow], None] | None = None,
    ) -> None:
        self._out = out
        self._config = config
        self._game = game
        self._probes = tuple(probes)
        self._evaluator = evaluator
        self._searching = searching
        self._playing = playing
        self._nodes = config.ladder_nodes or nodes
        self._seed = seed
        self._concurrency = concurrency
        self._max_plies = max_plies
        self._phases = tuple(phases) if config.ladder_phases else ()
        self._told = told
        self.probes: RowLog[ProbeRow] = RowLog(out / PROBES, ProbeRow)
        self.ladder: RowLog[RungRow] = RowLog(out / LADDER, RungRow)

    def catch_up(self, done: int, last: int) -> None:
        """Measure all that is due of versions 0 to ``done``, of a run of ``last`` rounds."""
        for version in range(done + 1):
            if self._probes and self._config.is_probed(version, last):
                self._probe(version)
        for count in range(1, len(rungs := self._config.rungs(done)) + 1):
            self._climb(rungs[:count])

    def _probe(self, version: int) -> None:
        knobs = self._config
        settings = f"{knobs.probe_positions} positions, {knobs.probe_nodes} nodes"
        known = [row for row in self.probes.rows if row.version == version]
        told = {name for row in known if row.settings == settings for name in row.numbers}
        missing = [p for p in self._probes if {s.name for s in p.scores} - told]
        if not missing or not version_folder(self._out, version).exists():
            return
        evaluator = self._evaluator(version)
        probed = Probed(
            self._game,
            evaluator,
            lambda nodes: self._searching(evaluator, nodes),
            knobs.probe_nodes,
            _SEED,
        )
        for probe in missing:
            row = ProbeRow(version, settings, probe(probed))
            self.probes.append(row)
            if self._told is not None:
                self._told(row)

    def _climb(self, rungs: list[int]) -> None:
        """The matches of the last rung."""
        for other in self._config.opponents(rungs):
            self._meet(rungs[-1], other)
        if len(rungs) > 1:
            for phase in self._phases:
                self._meet(rungs[-1], rungs[-2], phase)

    def _meet(self, version: int, other: int, phase: str | None = None) -> None:
        """A match, unless it was played."""
        played = {(row.first, row.second, row.nodes, row.phase) for row in self.ladder.rows}
        if (version, other, self._nodes, phase) in played:
            return
        if not all(version_folder(self._out, each).exists() for each in (version, other)):
            return
        later, earlier = self._evaluator(version), self._evaluator(other)
        if phase is not None:
            later = earlier.with_expert(phase, later.experts[later.names.index(phase)])
        first, second = (self._playing(evaluator, self._nodes) for evaluator in (later, earlier))
        match = arena.play_match(
            first,
            second,
            game=self._game,
            games=self._config.ladder_games,
            seed=stream(self._seed, "selfplay", "ladder", version, other, *filter(None, [phase])),
            names=(str(version), str(other)),
            concurrency=self._concurrency,
            max_plies=self._max_plies,
        )
        scores = [float(record.score) for record in match.games]
        openings = [int(record.group) for record in match.games]
        self.ladder.append(RungRow(version, other, self._nodes, scores, openings, phase))


def elo_of(rows: Sequence[RungRow]) -> dict[int, Rating]:
    """The ratings of versions by all matches between them, version 0's is 0; empty without any.

    The search with the most games counts, if there were several.
    """
    whole = _of_one_search([row for row in rows if row.phase is None])
    if not whole:
        return {}
    versions = sorted({version for row in whole for version in (row.first, row.second)})
    found = ratings(_results(whole), players=[str(version) for version in versions])
    return {int(rating.name): rating for rating in found}


def gains_of(rows: Sequence[RungRow]) -> dict[str, dict[int, Rating]]:
    """What the expert of each phase adds to the rung before, by phase and version.

    Ratings are of matches in which it plays alone among that rung's experts; that rung's is 0.
    """
    found: dict[str, dict[int, Rating]] = {}
    for row in _of_one_search([row for row in rows if row.phase is not None]):
        _, rating = ratings(_results([row]), players=[str(row.second), str(row.first)])
        found.setdefault(str(row.phase), {})[row.first] = rating
    return found


def _of_one_search(rows: Sequence[RungRow]) -> list[RungRow]:
    """Those with the number of nodes that most have."""
    counts = [row.nodes for row in rows]
    most = max(set(counts), key=counts.count, default=0)
    return [row for row in rows if row.nodes == most]


def _results(rows: Sequence[RungRow]) -> list[Result]:
    return [
        Result(str(row.first), str(row.second), (row.first, row.second, opening), score)
        for row in rows
        for opening, score in zip(row.openings, row.scores, strict=True)
    ]
