"""Learning by play: games, replay, learner, new version, again."""

import dataclasses
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo import _core, arena, gating
from phasezoo import games as known_games
from phasezoo.agents import Limit, MCTSAgent, SearchConfig
from phasezoo.arena.streams import stream
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.inference.storage import digest
from phasezoo.networks.registry import Factory
from phasezoo.runs import RowLog, jsonable
from phasezoo.training.checkpoint import model_bytes
from phasezoo.training.loggers import LoggedRun, Logger, TensorBoardLogger
from phasezoo.training.metrics import MetricsLog, read_metrics
from phasezoo.training.run_files import RunDetails, claimed
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.generation import Generation
from phasezoo.training.selfplay.recording import PlayedGame
from phasezoo.training.selfplay.replay import Replay
from phasezoo.training.selfplay.shards import Shards, Tally
from phasezoo.training.selfplay.start_texts import source_of_texts
from phasezoo.training.selfplay.students import Row, Students
from phasezoo.training.store import GameStore

__all__ = ["SelfPlay", "SelfPlayOutcome", "SelfPlayProgress", "Update"]

_LOGGER = logging.getLogger(__name__)

KIND = "self-play"
UPDATES, GAMES, VERSIONS, LEARNERS = "updates.jsonl", "games", "versions", "learners"
"""What a run's directory holds."""

_INCIDENTAL = ("updates", "concurrency", "backend")
"""Options that change no number of a round, which a run that goes on may change."""


@dataclass(frozen=True)
class Update:
    """A round of playing and learning that has ended."""

    update: int
    """Which one, from 1."""
    games: int
    """Games of all rounds."""
    samples: int
    """New samples of this round."""
    learnt: int
    """Samples that were learnt from, in all rounds."""
    best: int
    """The version that plays next: that of the last round that was promoted."""
    numbers: Row = field(default_factory=dict)
    """Everything else that was measured, by the columns of ``metrics.csv``."""


@dataclass(frozen=True)
class SelfPlayProgress:
    """Where a run is."""

    update: int
    """The round that goes on, from 1."""
    updates: int
    """Rounds in all."""
    doing: str
    """``"playing"``, ``"learning"`` or ``"promoting"``."""
    done: int
    """Games of it that have ended."""
    total: int
    """Games in all."""
    last: Update | None = None
    """The last round that has ended."""


@dataclass(frozen=True)
class SelfPlayOutcome:
    """What a run has come to."""

    path: Path
    """Its directory."""
    game: str
    """What was played."""
    updates: tuple[Update, ...]
    """Its rounds."""
    best: int
    """The version that plays best: the last that was promoted."""
    loads: Callable[..., Any] = field(repr=False, compare=False)
    """Makes an evaluator of a version's directory."""

    def version(self, update: int | None = None) -> Path:
        """The directory of the network after a round, 0 for the first weights; None: the best."""
        return self.path / VERSIONS / f"{self.best if update is None else update:05}"

    def evaluator(self, update: int | None = None, **options: Any) -> Any:
        """The network, or the mixture of experts, of :meth:`version`.

        Args:
            update: After which round; None: the best.
            **options: As for :func:`phasezoo.inference.load`.

        Raises:
            CheckpointError: There is no such version.
        """
        return self.loads(self.version(update), **options)

    def store(self) -> GameStore:
        """All games of the run."""
        return GameStore.open(self.path / GAMES)

    def describe(self) -> str:
        """What came of it, in one line."""
        if not self.updates:
            return f"{self.game}: nothing was played yet"
        last = self.updates[-1]
        loss = last.numbers.get("learn/loss")
        shown = "" if loss is None else f", loss {loss:.3f}"
        return (
            f"{self.game}: {last.update} updates, {last.games:,} games, {last.learnt:,} samples "
            f"learnt from{shown}; best is version {self.best}"
        )


class SelfPlay:
    """Lets a network learn a game by playing it against itself.

    Every round plays games with the best version so far, adds them to a replay, learns from it and
    publishes a new version, which may have to win a match before it plays.

    Args:
        game: The game, or its name; a user's own too.
        network: What the network is made from; None: what ``initial`` is, else ``resnet-16x2``.
        gate: Names phases, each of which gets an expert, by ``config.strategy``; None: one network.
        config: The knobs; None: the defaults.
        out: A new or empty directory, or that of this very run.
        seed: Everything random comes from it.
        initial: Directory of a network to start from.
        planes: Input planes; None: the game's default.
        history: How many of the last moves they show; None: all.
        agent: Makes the agent that plays from an evaluator, for games in which it takes more than a
            tree search, such as those in which players move at once; None: a
            :class:`phasezoo.agents.MCTSAgent` with ``config.search`` and ``config.nodes``.
        load: Makes an evaluator of a version's directory; None: :func:`phasezoo.inference.load`.
        progress: Told of every game and round.
        on_update: Called with every round that has ended.
        loggers: Take the numbers of every round.
        **overrides: Fields of ``config`` to replace.

    Raises:
        GameMismatch: ``initial`` is a network of another game.
        InvalidConfig: An option does not exist or is out of range.
        PhasezooError: What else :class:`Learner` raises.
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
        agent: Callable[[Any], Any] | None = None,
        load: Callable[..., Any] | None = None,
        progress: Callable[[SelfPlayProgress], None] | None = None,
        on_update: Callable[[Update], None] | None = None,
        loggers: "tuple[Logger, ...] | list[Logger]" = (),
        **overrides: Any,
    ) -> None:
        handle = known_games.make(game)
        self.game = handle if handle.options else handle.with_options(**handle.match_options)
        try:
            self.config = dataclasses.replace(config or SelfPlayConfig(), **overrides)
        except TypeError as error:
            message = f"{error}; SelfPlayConfig has {', '.join(vars(SelfPlayConfig()))}"
            raise InvalidConfig(message) from error
        self.out = Path(out)
        self.seed = seed
        knobs = self.config
        self._students = Students(
            self.game,
            network,
            gate,
            knobs,
            seed,
            planes=planes,
            history=history,
            initial=initial,
        )
        self._generation = Generation(
            self.game,
            seed,
            source_of_texts(knobs.starts),
            knobs.concurrency,
            knobs.max_plies,
            knobs.adjudication,
        )
        self._agent = agent
        self._load = load
        self._progress = progress
        self._on_update = on_update
        self._loggers = tuple(loggers)
        self._last: Update | None = None
        self._identity = self._identified()

    def run(self) -> SelfPlayOutcome:
        """Play and learn until ``config.updates`` rounds have ended.

        Called again, or with the same arguments in another process, it goes on where it was: with
        the games that had ended, the replay, the optimisers and every counter. It then comes to the
        same as a run that was never stopped, if the evaluator answers a row alike in any batch;
        networks do so but for rounding.

        Raises:
            CheckpointError: Files are truncated or changed, or the disk is full.
            InvalidEvaluation: The network's answer is not valid; finished games are kept.
            InvalidNetwork: Too many rounds ended in NaN.
            InvalidState: A game would start where it is over.
            RunDirectoryError: The directory belongs to another run, or cannot be written.
        """
        identity = self._identity
        incidental = {name: getattr(self.config, name) for name in _INCIDENTAL}
        details = RunDetails(incidental, {"self-play": self.seed}, _core.default_threads())
        with claimed(self.out, identity, details, resume=True, kind=KIND):
            journal = RowLog(self.out / UPDATES, Update)
            self._students.restore(self.out / LEARNERS, len(journal.rows))
            if not journal.rows:
                self._students.publish(self._version(0), 0)
            rounds = _Rounds(self, journal)
            done = len(journal.rows)
            board = (TensorBoardLogger(),) if self.config.learning.tensorboard else ()
            run = LoggedRun(self.out, identity)
            with MetricsLog(run, _columns(rounds), done, [*board, *self._loggers]) as log:
                for row in journal.rows[len(read_metrics(self.out)) :]:
                    log.add(_metrics(row))
                for update in range(done + 1, self.config.updates + 1):
                    row = rounds.play(update)
                    log.add(_metrics(row))
                    self._last = row
                    if self._on_update is not None:
                        self._on_update(row)
            return self._outcome(journal.rows)

    def _identified(self) -> dict[str, Any]:
        """All that the numbers of the run depend on, as JSON."""
        knobs = jsonable.plain(self.config)
        for name in _INCIDENTAL:
            del knobs[name]
        learners = self._students.learners
        gate = self._students.gate
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
            **knobs,
        }

    def _version(self, update: int) -> Path:
        return self.out / VERSIONS / f"{update:05}"

    def _loaded(self, folder: Path, **options: Any) -> Any:
        if self._load is not None:
            return self._load(folder, **options)
        return self._students.load(folder, **options)

    def _player(self, version: int, search: SearchConfig, nodes: int) -> Any:
        """The agent that plays a version."""
        options = {} if self._load is not None else {"backend": self.config.backend}
        evaluator = self._loaded(self._version(version), **options)
        if self._agent is not None:
            return self._agent(evaluator)
        return MCTSAgent(evaluator, limit=Limit(nodes=nodes), config=search, game=self.game)

    def _outcome(self, rows: list[Update]) -> SelfPlayOutcome:
        best = rows[-1].best if rows else 0
        return SelfPlayOutcome(self.out, self.game.name, tuple(rows), best, self._loaded)

    def _tell(self, update: int, doing: str, done: int) -> None:
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


class _Rounds:
    """The rounds of a run, one after the other."""

    def __init__(self, run: SelfPlay, journal: "RowLog[Update]") -> None:
        knobs = run.config
        self._run = run
        self._journal = journal
        self._per_round = knobs.games_per_update
        self._shards = Shards(run.out / GAMES, run.game, knobs.shard_games, self._per_round)
        gate = "none" if run._students.gate is None else run._students.gate
        self._replay = Replay(run.game, knobs.replay, gate=gate)
        self._replay.read(self._shards.files(0, len(journal.rows) * self._per_round))

    def play(self, update: int) -> Update:
        """A round, or what is left of it."""
        run, knobs = self._run, self._run.config
        rows = self._journal.rows
        best = rows[-1].best if rows else 0
        first, last = (update - 1) * self._per_round, update * self._per_round
        clock = _Clock()
        played = self._generate(update, best, first, last)
        clock.lap("playing")
        tally = self._shards.tally(first, last)
        new = self._replay.read(self._shards.files(first, last))
        samples = knobs.samples_per_update or max(2, round(knobs.samples_per_new * new))
        learnt: Row = {}
        run._tell(update, "learning", self._per_round)
        if len(self._replay):
            learnt = run._students.learn(self._replay, samples, run.out / LEARNERS, update)
        else:
            samples = 0
        run._students.publish(run._version(update), update)
        clock.lap("learning")
        match: Row = {}
        promoted = True
        if knobs.promote_games:
            run._tell(update, "promoting", self._per_round)
            promoted, match = self._promote(update, best)
        clock.lap("promoting")
        numbers: Row = {
            **_told(tally),
            "replay/samples": len(self._replay),
            "replay/skipped_files": len(self._replay.skipped),
            **{f"learn/{name}": value for name, value in learnt.items()},
            **match,
            "inference/rows": played.get("rows"),
            "inference/mean_rows": played.get("mean_rows"),
            "time/inference": played.get("seconds"),
            **clock.seconds,
        }
        before = rows[-1].learnt if rows else 0
        row = Update(update, last, new, before + samples, update if promoted else best, numbers)
        self._journal.append(row)
        _LOGGER.info("update %d: %s", update, numbers)
        return row

    def _generate(self, update: int, best: int, first: int, last: int) -> Mapping[str, float]:
        """Play the games of a round that have not ended; what inference took."""
        run, knobs = self._run, self._run.config
        missing = self._shards.missing(first, last)
        if not missing:
            return {}
        done = self._per_round - len(missing)
        run._tell(update, "playing", done)

        def finished(played: PlayedGame) -> None:
            nonlocal done
            self._shards.add(played)
            done += 1
            run._tell(update, "playing", done)

        player = run._player(best, knobs.search, knobs.nodes)
        return run._generation.play(player, missing, finished).as_dict()

    def _promote(self, update: int, best: int) -> tuple[bool, Row]:
        """Whether the new version beats the best so far."""
        run, knobs = self._run, self._run.config
        nodes = knobs.promote_nodes or knobs.nodes
        # Games begin with drawn actions, as otherwise all pairs would be the same.
        search = knobs.search.with_(dirichlet_epsilon=0.0, cheap_search_prob=0.0)
        folder = run.out / "matches"
        folder.mkdir(exist_ok=True)
        match = arena.play_match(
            run._player(update, search, nodes),
            run._player(best, search, nodes),
            game=run.game,
            games=knobs.promote_games,
            seed=stream(run.seed, "selfplay", "promote", update),
            concurrency=knobs.concurrency,
            max_plies=knobs.max_plies,
            names=(f"version {update}", f"version {best}"),
            log=folder / f"version-{update:05}.jsonl",
        )
        elo = match.elo.value if match.num_players == 2 else None
        row: Row = {"match/score": match.score, "match/elo": elo}
        return match.score >= knobs.promote_score, row


class _Clock:
    """Seconds that the parts of a round took, in this session."""

    def __init__(self) -> None:
        self.seconds: Row = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """A part has ended."""
        now = time.perf_counter()
        self.seconds[f"time/{name}"] = round(now - self._since, 3)
        self._since = now


def _metrics(row: Update) -> Row:
    """A round as a row of ``metrics.csv``."""
    return {"update": row.update, "positions": row.learnt, **row.numbers}


def _told(tally: Tally) -> Row:
    """What is told of a round's games."""
    games, checked = max(tally.games, 1), tally.checked
    row: Row = {
        "games/played": tally.games,
        "games/mean_plies": tally.plies / games,
        "games/resigned": tally.resigned,
        "games/cut": tally.cut,
        "games/verdicts_checked": checked,
        "games/verdicts_false": tally.misjudged,
        "games/cheap_searches": tally.cheap,
        "games/target_entropy": tally.entropy / max(tally.searched, 1),
    }
    for player, won in enumerate(tally.won):
        row[f"games/won_by_{player}"] = won
    return row


def _columns(rounds: _Rounds) -> list[str]:
    """The columns of ``metrics.csv``."""
    run = rounds._run
    learnt = ["loss", "policy_loss", "value_mse", "policy_accuracy", "wdl_loss", "plies_mse"]
    learnt += ["samples", "spikes"]
    names = [""] if run._students.gate is None else [f"{n}/" for n in run._students.learners]
    won = tuple(0 for _ in range(run.game.num_players))
    return [
        "update",
        "positions",
        *_told(Tally(won=won)),
        "replay/samples",
        "replay/skipped_files",
        *(f"learn/{name}{column}" for name in names for column in learnt),
        "match/score",
        "match/elo",
        "inference/rows",
        "inference/mean_rows",
        "time/inference",
        "time/playing",
        "time/learning",
        "time/promoting",
    ]
