"""Monitors of a run: measurements of versions, costs of rounds, and the report."""

import importlib.util
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from phasezoo import arena, gating
from phasezoo.arena.streams import stream
from phasezoo.games import Game
from phasezoo.runs import RowLog
from phasezoo.runs.directory import read_record
from phasezoo.runs.files import describe_disk_errors, write_whole
from phasezoo.training.probes.probe import Probe, Probed
from phasezoo.training.selfplay.config import SelfPlayConfig, Watching
from phasezoo.training.selfplay.learners import Learners
from phasezoo.training.selfplay.measurements import (
    COSTS,
    LADDER,
    PROBES,
    CostRow,
    ProbeRow,
    RungRow,
    Stopwatch,
    cost_row,
    phases_of,
)
from phasezoo.training.selfplay.outcome import version_folder
from phasezoo.training.selfplay.report import Seen, report
from phasezoo.training.selfplay.rounds import Rounds

REPORT = "report.html"
"""Report of a run, written whole or not at all, and only with the extra ``plot``."""

PATIENCE = 20
"""Least time between two reports, in times that writing one takes."""

_SEED = 1
"""Seed of probes: the same in every run, so that they can be compared."""


class VersionMonitor:
    """Measures versions when they are due, each once.

    It reads versions from the disk and writes files of its own, so that it changes nothing of the
    run; measurements that a kill left out are made when the run goes on.

    Args:
        out: The run's directory.
        config: The measurements, and when they are due.
        game: The game.
        probes: The probes.
        evaluator: Makes the evaluator of a version.
        searching: Makes the agent that searches with an evaluator, without noise, and always plays
            the best action.
        playing: The same, but it draws actions as self-play does, so that games differ; without
            nodes it searches as there.
        nodes: Nodes of the matches' searches, unless ``config`` gives them.
        seed: Seed of the matches.
        concurrency: Number of games of a match at once.
        max_plies: Plies at which they are cut.
        phases: Phases that have experts.
        on_probe: Called with every row of a probe.
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
        playing: Callable[[Any, int | None], Any],
        nodes: int,
        seed: int,
        concurrency: int,
        max_plies: int | None,
        phases: Sequence[str] = (),
        on_probe: Callable[[ProbeRow], None] | None = None,
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
        self._on_probe = on_probe
        self.probes: RowLog[ProbeRow] = RowLog(out / PROBES, ProbeRow)
        self.ladder: RowLog[RungRow] = RowLog(out / LADDER, RungRow)

    def catch_up(self, done: int, last: int) -> None:
        """Make all measurements due of versions 0 to ``done``, in a run of ``last`` rounds."""
        for version in range(done + 1):
            if self._probes and self._config.is_probed(version, last):
                self._probe(version)
        for count in range(1, len(rungs := self._config.rungs(done)) + 1):
            self._climb(rungs[:count])

    def _probe(self, version: int) -> None:
        knobs = self._config
        settings = f"{knobs.probe_positions} positions, {knobs.probe_nodes} nodes"
        known = [row for row in self.probes.rows if row.version == version]
        done = {name for row in known if row.settings == settings for name in row.numbers}
        missing = [p for p in self._probes if {s.name for s in p.scores} - done]
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
            if self._on_probe is not None:
                self._on_probe(row)

    def _climb(self, rungs: list[int]) -> None:
        """Play the matches of the last rung."""
        for other in self._config.opponents(rungs):
            self._match(rungs[-1], other)
        if len(rungs) > 1:
            for phase in self._phases:
                self._match(rungs[-1], rungs[-2], phase)

    def _match(self, version: int, other: int, phase: str | None = None) -> None:
        """Play a match, unless it was played."""
        played = {(row.first, row.second, row.nodes, row.phase) for row in self.ladder.rows}
        if (version, other, self._nodes, phase) in played:
            return
        if not all(version_folder(self._out, each).exists() for each in (version, other)):
            return
        later, earlier = self._evaluator(version), self._evaluator(other)
        if phase is not None:
            later = earlier.with_expert(phase, later.experts[later.names.index(phase)])
        first, second = (
            self._playing(evaluator, self._config.ladder_nodes) for evaluator in (later, earlier)
        )
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


class RunMonitor:
    """Measures versions and costs beside the rounds, and writes the report.

    Args:
        out: The run's directory.
        kind: Kind of the run in its record.
        config: Settings of the run.
        game: The game.
        learners: The learners.
        versions: Measures versions.
        probes: The probes.
    """

    def __init__(
        self,
        out: Path,
        kind: str,
        config: SelfPlayConfig,
        game: Game,
        learners: Learners,
        versions: VersionMonitor,
        probes: Sequence[Probe],
    ) -> None:
        self._config = config
        self._game = game
        self._learners = learners
        self._versions = versions
        self._scores = tuple(score for probe in probes for score in probe.scores)
        self._costs: RowLog[CostRow] = RowLog(out / COSTS, CostRow)
        self._out, self._kind = out, kind
        can_write = importlib.util.find_spec("matplotlib") is not None
        self._has_page = config.watching.report and can_write
        # As if one had just taken a second: a run that has ended by then needs no other.
        self._next_page = time.perf_counter() + PATIENCE
        self._measuring = Stopwatch()
        self._round = Stopwatch()

    def begun(self, rounds: Rounds) -> None:
        """Measure the versions that there are, as the run begins or goes on."""
        self._versions.catch_up(len(rounds.rows), self._config.updates)
        self._write(rounds)
        self._round.read()

    def ended(self, rounds: Rounds) -> None:
        """Measure the version and the costs of a round that has ended."""
        update = len(rounds.rows)
        self._measuring.read()
        self._versions.catch_up(update, self._config.updates)
        gate = self._learners.gate
        phases = {} if gate is None else phases_of(rounds.files(update), gate)
        measuring, _ = self._measuring.read()
        _, cpu = self._round.read()
        seconds = {**rounds.spent["seconds"], "watching": measuring}
        self._costs.append(cost_row(update, {**rounds.spent, "seconds": seconds}, cpu, phases))
        self._write(rounds)

    def stopped(self, rounds: Rounds) -> None:
        """Write the report of a run that was stopped or has failed."""
        self._write(rounds, is_stopped=True)

    def _write(self, rounds: Rounds, *, is_stopped: bool = False) -> None:
        began = time.perf_counter()
        if not self._has_page or not rounds.rows:
            return
        learners, gate = self._learners.by_name, self._learners.gate
        one = next(iter(learners.values()))
        seen = Seen(
            config=self._config,
            game=self._game.name,
            players=self._game.num_players,
            network=str(one.manifest.network_text),
            parameters=sum(each.numel() for each in one.network.parameters()),
            gate=None if gate is None else str(gating.spec_of(gate)),
            learners=() if gate is None else tuple(learners),
            scores=self._scores,
            rows=tuple(rounds.rows),
            probes=tuple(self._versions.probes.rows),
            ladder=tuple(self._versions.ladder.rows),
            costs=tuple(self._costs.rows),
            is_stopped=is_stopped,
        )
        if seen.goes_on and began < self._next_page:
            return
        record = read_record(self._out, self._kind)
        assert record is not None  # the run is in it
        text = report(seen, record).to_html()
        with describe_disk_errors(self._out):
            write_whole(self._out / REPORT, text)
        now = time.perf_counter()
        self._next_page = now + PATIENCE * (now - began)
