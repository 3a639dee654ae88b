"""Learning by play: rounds of games, replay, training and a new version."""

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from phasezoo import _core, games as known_games, gating
from phasezoo.agents.arguments import seed_of
from phasezoo.agents.search.beam_pool import no_turns
from phasezoo.agents.search.others import check_others, needs_others
from phasezoo.errors import InvalidConfig, PhasezooError
from phasezoo.games import Game
from phasezoo.games.options import folder_path, function_or_none, instance_of, list_of
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Uniform
from phasezoo.inference.storage.weights import model_bytes
from phasezoo.networks.registry import Factory
from phasezoo.runs import jsonable
from phasezoo.runs.saved import digest
from phasezoo.runs.whole import recover
from phasezoo.specs import changed, removed
from phasezoo.training.catalogue import probes_of
from phasezoo.training.loggers import LoggedRun, Logger, TensorBoardLogger
from phasezoo.training.metrics import MetricsLog, read_metrics
from phasezoo.training.preparation import INCIDENTAL
from phasezoo.training.probes.probe import as_probe
from phasezoo.training.run_files import RunDetails, claimed
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.generation import Generation, Players
from phasezoo.training.selfplay.learners import Learners
from phasezoo.training.selfplay.measurements import ProbeRow
from phasezoo.training.selfplay.monitor import RunMonitor, VersionMonitor
from phasezoo.training.selfplay.outcome import (
    SelfPlayOutcome,
    SelfPlayProgress,
    Update,
    version_folder,
)
from phasezoo.training.selfplay.recording import PlayedGame
from phasezoo.training.selfplay.rounds import LEARNERS, Rounds, columns_of, metrics_row
from phasezoo.training.selfplay.start_texts import source_of_texts
from phasezoo.types import SIMULTANEOUS

KIND = "self-play"

_INCIDENTAL = ("updates", "concurrency", "backend", "watching")
"""Options that change no number of a round; a run that goes on may have others."""


class SelfPlay:
    """A run in which a network learns a game by playing it against itself.

    Every round plays games with the best version so far, adds them to a replay, learns from it and
    publishes a new version, which may have to win a match before it plays.

    Args:
        game: The game, or its name; a user's own too.
        network: Architecture; None: that of ``initial``, else ``resnet-16x2``.
        gate: Gate whose phases each get an expert, by ``config.strategy``; None: one network.
        config: Settings; None: the defaults.
        out: A new or empty directory, or that of this very run.
        seed: Seed of everything random.
        initial: Folder or name of a network to start from.
        planes: Input planes; None: the game's default.
        history: Number of last moves that they show; None: all.
        agent: Makes the agent from an evaluator, for games that need more than a tree search, such
            as those in which players move at once; or ``config.agent``, such as ``"beam:plies=3"``.
            In self-play it plays as it was made; where versions are measured, one that searches by
            MCTS, beams or decoupled gets the nodes that are asked for there, and no noise.
            None: as ``config`` says.
        load: Makes an evaluator of a version's directory; None: :func:`phasezoo.inference.load`.
        progress: Called with the progress after every game and stage.
        on_update: Called with every round that has ended.
        loggers: Loggers of the numbers of every round.
        probes: Probes of versions besides the game's own: functions of a
            :class:`phasezoo.training.Probed`, or :class:`phasezoo.training.Probe`.
        on_probe: Called with every result of a probe.
        **overrides: Fields of ``config`` to replace.

    Raises:
        GameMismatch: ``initial`` is a network of another game.
        InvalidConfig: An option does not exist or is out of range.
        InvalidGate: ``gate`` fits no state of this game.
        InvalidState: The first game is over at its start, or cut.
        PhasezooError: See :class:`Learner`.
    """

    def __init__(
        self,
        game: str | Game,
        network: str | Factory | None = None,
        *,
        gate: Any = None,
        config: SelfPlayConfig | None = None,
        out: str | Path,
        seed: int = 0,
        initial: str | Path | None = None,
        planes: str | None = None,
        history: int | None = None,
        agent: Callable[[Any], Any] | str | None = None,
        load: Callable[..., Any] | None = None,
        progress: Callable[[SelfPlayProgress], None] | None = None,
        on_update: Callable[[Update], None] | None = None,
        loggers: "tuple[Logger, ...] | list[Logger]" = (),
        probes: Sequence[Any] = (),
        on_probe: Callable[[ProbeRow], None] | None = None,
        **overrides: Any,
    ) -> None:
        base = SelfPlayConfig()
        if config is not None:
            base = instance_of("config", config, SelfPlayConfig)
        if isinstance(agent, str):
            overrides, agent = {**overrides, "agent": agent}, None
        handle = known_games.make(game)
        self.game = handle if handle.options else handle.with_options(**handle.match_options)
        self.config = changed(base, overrides, "self-play")
        if agent is None:
            _check_turns(self.game, self.config)
        self.out = folder_path("out", out)
        self.seed = seed_of(seed)
        knobs = self.config
        self._learners = Learners(
            self.game,
            network,
            gate,
            knobs,
            seed,
            planes=planes,
            history=history,
            initial=initial,
        )
        if knobs.watching.ladder_phases and self._learners.gate is None:
            message = "ladder_phases=True: one network has no experts; give a gate to learn some"
            raise InvalidConfig(message)
        self._generation = Generation(
            self.game,
            seed,
            source_of_texts(knobs.starts),
            knobs.concurrency,
            knobs.max_plies,
            knobs.adjudication,
        )
        self._generation.check_start(self._learners.gate)
        self._players = Players(
            self.game,
            knobs,
            gate,
            function_or_none("agent", agent),
            function_or_none("load", load),
        )
        self._progress = function_or_none("progress", progress)
        self._on_update = function_or_none("on_update", on_update)
        self._loggers = tuple(list_of("loggers", loggers, "loggers"))
        self._on_probe = function_or_none("on_probe", on_probe)
        self._probes = [*map(as_probe, list_of("probes", probes, "functions of a version"))]
        if knobs.watching.probe_every:
            watching = knobs.watching
            self._probes += probes_of(
                self.game, watching.probe_positions, everywhere=watching.probe_everywhere
            )
        self._last: Update | None = None
        self._identity = self._identified()

    def run(self) -> SelfPlayOutcome:
        """Play and learn until ``config.updates`` rounds have ended.

        Called again, or with the same arguments in another process, it goes on where it was: with
        the finished games, the replay, the optimisers and every counter. Its result is that of a
        run that was never stopped if the evaluator answers a row alike in any batch; networks do so
        except for rounding.

        Raises:
            CheckpointError: Files are truncated or changed, or the disk is full.
            InvalidEvaluation: The network's answer is not valid; finished games are kept.
            InvalidNetwork: Too many rounds ended in NaN.
            InvalidState: A game is over at its start.
            RunDirectoryError: The directory belongs to another run, or cannot be written.
        """
        identity = self._identity
        incidental = {name: getattr(self.config, name) for name in _INCIDENTAL}
        details = RunDetails(incidental, {"self-play": self.seed}, _core.default_threads())
        known = _decisive(SelfPlayConfig())
        known["search"] |= removed.DEFAULTS
        with claimed(self.out, identity, details, resume=True, kind=KIND, defaults=known):
            rounds = Rounds(
                self.out,
                self.config,
                self._generation,
                self._learners,
                self._player,
                self.generate,
                self._report,
            )
            done = len(rounds.rows)
            recover(version_folder(self.out, 0).parent, below=True)
            learned = rounds.rows[-1].learned if done else 0
            self._learners.restore(self.out / LEARNERS, done, learned)
            if done == 0:
                self._learners.publish(version_folder(self.out, 0), 0)
            monitor = self._monitor()
            try:
                monitor.begun(rounds)
                self._play(rounds, monitor)
            except BaseException:
                # The error of the run is raised even if the report cannot be written.
                with contextlib.suppress(PhasezooError):
                    monitor.stopped(rounds)
                raise
            best = rounds.rows[-1].best if rounds.rows else 0
            updates = tuple(rounds.rows)
            return SelfPlayOutcome(self.out, self.game.name, updates, best, self._players.loaded)

    def _play(self, rounds: Rounds, monitor: RunMonitor) -> None:
        """Play and learn from the first round that has not ended to the last."""
        done = len(rounds.rows)
        with self._metrics(done) as log:
            for row in rounds.rows[len(read_metrics(self.out)) :]:
                log.add(metrics_row(row))  # a kill came between the two
            for update in range(done + 1, self.config.updates + 1):
                self._last = rounds.play(update)
                log.add(metrics_row(self._last))
                if self._on_update is not None:
                    self._on_update(self._last)
                monitor.ended(rounds)

    def _metrics(self, done: int) -> MetricsLog:
        """Return the log of the numbers of rounds, after those of the rounds that are done."""
        board = (TensorBoardLogger(),) if self.config.learning.tensorboard else ()
        learners = self._learners
        names = () if learners.gate is None else tuple(learners.by_name)
        columns = columns_of(self.game.num_players, names)
        run = LoggedRun(self.out, self._identity)
        return MetricsLog(run, columns, done, [*board, *self._loggers])

    def _identified(self) -> dict[str, Any]:
        """Return the settings and weights that the numbers of the run depend on, as JSON."""
        learners = self._learners.by_name
        gate = self._learners.gate
        return {
            "game": self.game.name,
            "options": dict(self.game.options),
            "gate": None if gate is None else str(gating.spec_of(gate)),
            "seed": self.seed,
            "planes": next(iter(learners.values())).manifest.planes,
            "network": next(iter(learners.values())).manifest.network_text,
            "initial_weights_sha256": {
                name: digest(model_bytes(learner.network)) for name, learner in learners.items()
            },
            **_decisive(self.config),
        }

    def _player(self, version: int, nodes: int | None = None, **options: Any) -> Any:
        """Make the agent that plays with a version."""
        return self._players.searching(self._evaluator(version), nodes, **options)

    def _evaluator(self, version: int) -> Any:
        return self._players.evaluator(version_folder(self.out, version))

    def generate(
        self, version: int, numbers: Sequence[int], finished: Callable[[PlayedGame], None]
    ) -> Counts:
        """Let a version play games; a subclass may play them in another way.

        Args:
            version: The version.
            numbers: Numbers of the games, ascending.
            finished: To be called with each game, once, when it has ended.

        Returns:
            Rows, calls and seconds of inference.
        """
        return self._generation.play(self._player(version), numbers, finished)

    def _monitor(self) -> RunMonitor:
        """Make the monitor, whose versions search without noise."""
        knobs, searching = self.config, partial(self._players.searching, is_measured=True)
        versions = VersionMonitor(
            self.out,
            knobs.watching,
            self.game,
            self._probes,
            evaluator=self._evaluator,
            searching=partial(searching, draws=False),
            playing=searching,
            nodes=knobs.positions,
            seed=self.seed,
            concurrency=knobs.concurrency,
            max_plies=knobs.max_plies,
            phases=() if self._learners.gate is None else self._learners.gate.names,
            on_probe=self._on_probe,
        )
        return RunMonitor(self.out, KIND, knobs, self.game, self._learners, versions, self._probes)

    def _report(self, update: int, doing: str, done: int) -> None:
        if self._progress is None:
            return
        knobs = self.config
        event = SelfPlayProgress(
            update,
            knobs.updates,
            doing,
            (update - 1) * knobs.games_per_update + done,
            knobs.updates * knobs.games_per_update,
            self._last,
        )
        self._progress(event)


def _check_turns(game: Game, config: SelfPlayConfig) -> None:
    """Refuse games of simultaneous moves without agents for the other players, and the reverse."""
    at_once = game.initial_state().to_play == SIMULTANEOUS
    if at_once and config.beam(Uniform()) is not None:
        raise no_turns(game)
    if at_once and config.others is None:
        raise needs_others(game)
    check_others(config.others, game)


def _decisive(config: SelfPlayConfig) -> dict[str, Any]:
    """Return the options that the numbers of a run depend on, as JSON."""
    knobs: dict[str, Any] = jsonable.plain(config)
    for name in _INCIDENTAL:
        del knobs[name]
    for name in INCIDENTAL:
        del knobs["learning"][name]
    return knobs
