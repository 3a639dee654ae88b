"""Looks on at a run: measures versions, notes what rounds cost, and keeps the page up to date."""

import importlib.util
import time
from collections.abc import Sequence
from pathlib import Path

from phasezoo import gating
from phasezoo.games import Game
from phasezoo.runs import RowLog
from phasezoo.runs.directory import read_record
from phasezoo.runs.files import describe_disk_errors, write_whole
from phasezoo.training.probes.probe import Probe
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.costs import COSTS, CostRow, Stopwatch, cost_row, phases_of
from phasezoo.training.selfplay.report import Seen, report
from phasezoo.training.selfplay.rounds import Rounds
from phasezoo.training.selfplay.students import Students
from phasezoo.training.selfplay.watch import Watch

__all__ = ["Onlooker"]

REPORT = "report.html"
"""Page of a run, written whole or not at all; there is none without the extra ``plot``."""

PATIENCE = 20
"""The page is not written again before so many times the time that writing it took."""


class Onlooker:
    """What is done besides the rounds of a run; nothing of it changes a number of a round.

    Args:
        out: The run's directory.
        kind: What its record calls it.
        config: Its knobs.
        game: What is played.
        students: Who learns.
        watch: Measures versions.
        probes: What it measures.
    """

    def __init__(
        self,
        out: Path,
        kind: str,
        config: SelfPlayConfig,
        game: Game,
        students: Students,
        watch: Watch,
        probes: Sequence[Probe],
    ) -> None:
        self._config = config
        self._game = game
        self._students = students
        self._watch = watch
        self._scores = tuple(score for probe in probes for score in probe.scores)
        self._costs: RowLog[CostRow] = RowLog(out / COSTS, CostRow)
        self._out, self._kind = out, kind
        can_write = importlib.util.find_spec("matplotlib") is not None
        self._has_page = config.watching.report and can_write
        self._next_page = 0.0
        self._watched = Stopwatch()
        self._whole = Stopwatch()

    def begun(self, rounds: Rounds) -> None:
        """The run begins, or goes on."""
        self._watch.catch_up(len(rounds.rows), self._config.updates)
        self._write(rounds)
        self._whole.read()

    def ended(self, rounds: Rounds) -> None:
        """A round has ended."""
        update = len(rounds.rows)
        self._watched.read()
        self._watch.catch_up(update, self._config.updates)
        gate = self._students.gate
        phases = {} if gate is None else phases_of(rounds.files(update), gate)
        watched, _ = self._watched.read()
        _, cpu = self._whole.read()
        seconds = {**rounds.spent["seconds"], "watching": watched}
        self._costs.append(cost_row(update, {**rounds.spent, "seconds": seconds}, cpu, phases))
        self._write(rounds)

    def stopped(self, rounds: Rounds) -> None:
        """The run was stopped or has failed: the page shows what there is."""
        self._write(rounds, is_stopped=True)

    def _write(self, rounds: Rounds, *, is_stopped: bool = False) -> None:
        began = time.perf_counter()
        if not self._has_page or not rounds.rows:
            return
        learners = self._students.learners
        gate = self._students.gate
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
            probes=tuple(self._watch.probes.rows),
            ladder=tuple(self._watch.ladder.rows),
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
