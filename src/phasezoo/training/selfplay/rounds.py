"""The rounds of a run: games, replay, learning, a new version, its match."""

import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from phasezoo import arena
from phasezoo.arena.streams import stream
from phasezoo.errors import CheckpointError, RunDirectoryError
from phasezoo.inference.counts import Counts
from phasezoo.runs import RowLog
from phasezoo.training.selfplay.config import SelfPlayConfig
from phasezoo.training.selfplay.generation import Generation
from phasezoo.training.selfplay.learners import Learners, is_published
from phasezoo.training.selfplay.measurements import Stopwatch
from phasezoo.training.selfplay.outcome import GAMES, Row, Update, version_folder
from phasezoo.training.selfplay.recording import PlayedGame
from phasezoo.training.selfplay.replay import Replay
from phasezoo.training.selfplay.shards import Shards, Tally


def metrics_row(row: Update) -> Row:
    """Return a round as a row of ``metrics.csv``."""
    return {"update": row.update, "positions": row.learned, **row.numbers}


def row_of_games(tally: Tally) -> Row:
    """Return the numbers of a round's games."""
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


def columns_of(players: int, learners: Sequence[str]) -> list[str]:
    """Return the columns of ``metrics.csv``.

    Args:
        players: Number of players.
        learners: Names of the learners; none if there is one alone.
    """
    learned = ["loss", "policy_loss", "value_mse", "policy_accuracy", "wdl_loss", "plies_mse"]
    learned += ["samples", "spikes"]
    names = [f"{name}/" for name in learners] or [""]
    won = (0,) * players
    return [
        "update",
        "positions",
        *row_of_games(Tally(won=won)),
        "replay/samples",
        "replay/skipped_files",
        *(f"learn/{name}{column}" for name in names for column in learned),
        "match/score",
        "match/elo",
        "inference/rows",
        "inference/mean_rows",
        "time/inference",
        "time/playing",
        "time/learning",
        "time/promoting",
    ]


_LOGGER = logging.getLogger(__name__)

UPDATES, LEARNERS = "updates.jsonl", "learners"
"""File of rounds, and folder of learners, in a run's directory."""


class MakesPlayer(Protocol):
    """Makes the agent that plays a version."""

    def __call__(self, version: int, nodes: int | None, *, is_measured: bool) -> Any:
        """Return the agent of ``version``; None for as many nodes as in self-play."""
        ...


class PlaysGames(Protocol):
    """Plays games of a round."""

    def __call__(
        self, version: int, numbers: Sequence[int], finished: Callable[[PlayedGame], None]
    ) -> Counts:
        """Let ``version`` play games; return rows, calls and seconds of inference."""
        ...


class Rounds:
    """Rounds of a run, one after the other; each goes on from what is on the disk.

    Args:
        out: The run's directory.
        config: Settings of the run.
        generation: Settings of its games.
        learners: The learners.
        player: Makes the agents of matches.
        play: Plays the games of a round.
        report: Called with the round, the work that is being done, and the games that have ended.
    """

    def __init__(
        self,
        out: Path,
        config: SelfPlayConfig,
        generation: Generation,
        learners: Learners,
        player: MakesPlayer,
        play: PlaysGames,
        report: Callable[[int, str, int], None],
    ) -> None:
        self._out = out
        self._config = config
        self._generation = generation
        self._learners = learners
        self._player = player
        self._play = play
        self._report = report
        self._journal: RowLog[Update] = RowLog(out / UPDATES, Update, is_in_order=True)
        found = [row.update for row in self.rows]
        if found != list(range(1, len(found) + 1)):
            message = (
                f"{out / UPDATES}: its lines are of rounds {', '.join(map(str, found))}, expected "
                f"are 1 to {len(found)}; put the file back as it was, or begin anew in another "
                "directory"
            )
            raise RunDirectoryError(message)
        self._per_round = config.games_per_update
        game = generation.game
        self._shards = Shards(out / GAMES, game, config.shard_games, self._per_round)
        self.spent: dict[str, Any] = {}
        """Costs of the last round in this session: games, inference, seconds."""
        gate = "none" if learners.gate is None else learners.gate
        self._replay = Replay(game, config.replay, gate=gate)
        check_versions(out, self.rows)
        played = len(self.rows) * self._per_round
        self._replay.skipped += warn_of_games(self._shards.folder, self._shards.lost(played))
        new = self._replay.read(self._shards.files(0, played))
        before = sum(row.samples for row in self.rows)
        is_whole = not self._replay.skipped and before <= config.replay.capacity
        if is_whole and new != before:
            message = (
                f"{self._shards.folder}: games of finished rounds have {new:,} samples, and had "
                f"{before:,}; put the files back as they were, or begin anew in another directory"
            )
            raise RunDirectoryError(message)

    @property
    def rows(self) -> list[Update]:
        """Rounds that have ended."""
        return self._journal.rows

    def files(self, update: int) -> list[Path]:
        """Return the files of a round's games."""
        return self._shards.files((update - 1) * self._per_round, update * self._per_round)

    def play(self, update: int) -> Update:
        """Play and learn a round, or the rest of it."""
        knobs = self._config
        rows = self.rows
        best = rows[-1].best if rows else 0
        first, last = (update - 1) * self._per_round, update * self._per_round
        stopwatch, seconds = Stopwatch(), {}
        played = self._generate(update, best, first, last)
        seconds["playing"], _ = stopwatch.read()
        tally = self._shards.tally(first, last)
        new = self._replay.read(self._shards.files(first, last), every=True)
        samples = knobs.samples_per_update or max(2, round(knobs.samples_per_new * new))
        if not len(self._replay):  # for example if every search was cheap
            samples = 0
        self._report(update, "learning", self._per_round)
        learned = self._learners.learn(self._replay, samples, self._out / LEARNERS, update)
        self._learners.publish(version_folder(self._out, update), update)
        seconds["learning"], _ = stopwatch.read()
        match: Row = {}
        promoted = True
        if knobs.promote_games:
            self._report(update, "promoting", self._per_round)
            promoted, match = self._promote(update, best)
        seconds["promoting"], _ = stopwatch.read()
        self.spent = {**played, "seconds": {**seconds, "inference": played.get("seconds", 0.0)}}
        numbers: Row = {
            **row_of_games(tally),
            "replay/samples": len(self._replay),
            "replay/skipped_files": len(self._replay.skipped),
            **{f"learn/{name}": value for name, value in learned.items()},
            **match,
            "inference/rows": played.get("rows"),
            "inference/mean_rows": played.get("mean_rows"),
            "time/inference": played.get("seconds"),
            **{f"time/{name}": round(value, 3) for name, value in seconds.items()},
        }
        before = rows[-1].learned if rows else 0
        # Experts' shares are whole numbers, and half a batch at least: they need not add up.
        drawn = sum(int(learned[name] or 0) for name in learned if name.endswith("samples"))
        row = Update(update, last, new, before + drawn, update if promoted else best, numbers)
        self._journal.append(row)
        _LOGGER.info("update %d: %s", update, numbers)
        return row

    def _generate(self, update: int, best: int, first: int, last: int) -> Mapping[str, Any]:
        """Play the games of a round that have not ended; return their costs."""
        missing = self._shards.missing(first, last)
        if not missing:
            return {}
        done, plies = self._per_round - len(missing), 0
        self._report(update, "playing", done)

        def finished(played: PlayedGame) -> None:
            nonlocal done, plies
            self._shards.add(played)
            done += 1
            plies += played.plies
            self._report(update, "playing", done)

        counts = self._play(best, missing, finished)
        return {**counts.as_dict(), "games": len(missing), "plies": plies}

    def _promote(self, update: int, best: int) -> tuple[bool, Row]:
        """Play the match of a new version; return True if it is promoted, and the numbers."""
        knobs = self._config
        # Games begin with drawn actions, because otherwise all pairs would be the same.
        player = partial(self._player, nodes=knobs.promote_nodes, is_measured=True)
        folder = self._out / "matches"
        match = arena.play_match(
            player(update),
            player(best),
            game=self._generation.game,
            games=knobs.promote_games,
            seed=stream(self._generation.seed, "selfplay", "promote", update),
            concurrency=knobs.concurrency,
            max_plies=knobs.max_plies,
            names=(f"version {update}", f"version {best}"),
            log=folder / f"version-{update:05}.jsonl",
        )
        elo = match.elo.value if match.num_players == 2 else None
        row: Row = {"match/score": match.score, "match/elo": elo}
        return match.score >= knobs.promote_score, row


_SHOWN = 5
"""Most names in a message; the others are counted."""


def check_versions(out: Path, rows: Sequence[Update]) -> None:
    """Look for the versions of all rounds, and warn of missing ones that the run can do without."""
    if not rows:
        return
    folders = [version_folder(out, update) for update in range(len(rows) + 1)]
    missing = [folder for folder in folders if not is_published(folder)]
    best = version_folder(out, rows[-1].best)
    if best in missing:
        message = (
            f"{best}: the version that plays next is gone, and the run cannot go on without it: "
            "put it back, or begin anew in another directory"
        )
        raise CheckpointError(message)
    if missing:
        message = (
            f"{out}: of {len(folders)} versions {len(missing)} are gone: {_named(missing)}. The "
            "run goes on without them; what was not measured of them yet stays unmeasured"
        )
        warnings.warn(message, stacklevel=2)


def warn_of_games(folder: Path, missing: Sequence[str]) -> list[str]:
    """Warn of missing files of finished games; return a reason for each, with its name."""
    if missing:
        message = (
            f"{folder}: {len(missing)} files of games that had been finished are gone: "
            f"{_named([folder / name for name in missing])}. The run goes on without their "
            "samples; put them back to have it as it was"
        )
        warnings.warn(message, stacklevel=2)
    return [f"{folder / name}: is gone" for name in missing]


def _named(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(path.name for path in paths[:_SHOWN]) + more
