"""The rounds of a run: games, replay, learning, a new version, its match."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from phasezoo import arena
from phasezoo.agents import SearchConfig
from phasezoo.arena.streams import stream
from phasezoo.inference.counts import Counts
from phasezoo.runs import RowLog
from phasezoo.training.selfplay.config import SelfPlayConfig, measuring_search
from phasezoo.training.selfplay.generation import Generation
from phasezoo.training.selfplay.gone import check_versions, warn_of_games
from phasezoo.training.selfplay.numbers import Clock, row_of_games
from phasezoo.training.selfplay.outcome import GAMES, Row, Update, version_folder
from phasezoo.training.selfplay.recording import PlayedGame
from phasezoo.training.selfplay.replay import Replay
from phasezoo.training.selfplay.shards import Shards
from phasezoo.training.selfplay.students import Students

__all__ = ["LEARNERS", "UPDATES", "Rounds"]

_LOGGER = logging.getLogger(__name__)

UPDATES, LEARNERS = "updates.jsonl", "learners"
"""What a run's directory holds besides games and versions."""


class MakesPlayer(Protocol):
    """Makes the agent that plays a version."""

    def __call__(self, version: int, search: SearchConfig, nodes: int) -> Any:
        """The agent of ``version``, which searches so."""
        ...


class PlaysGames(Protocol):
    """Plays games of a round."""

    def __call__(
        self, version: int, numbers: Sequence[int], finished: Callable[[PlayedGame], None]
    ) -> Counts:
        """Let ``version`` play games and tell of each; what inference took."""
        ...


class Rounds:
    """The rounds of a run, one after the other; each goes on with what is on the disk of it.

    Args:
        out: The run's directory.
        config: The knobs.
        generation: How games are played.
        students: Who learns from them.
        player: Makes who plays matches.
        play: Plays the games of a round.
        tell: Told of the round, of what is being done, and of how many of its games have ended.
    """

    def __init__(
        self,
        out: Path,
        config: SelfPlayConfig,
        generation: Generation,
        students: Students,
        player: MakesPlayer,
        play: PlaysGames,
        tell: Callable[[int, str, int], None],
    ) -> None:
        self._out = out
        self._config = config
        self._generation = generation
        self._students = students
        self._player = player
        self._play = play
        self._tell = tell
        self._journal: RowLog[Update] = RowLog(out / UPDATES, Update)
        self._per_round = config.games_per_update
        game = generation.game
        self._shards = Shards(out / GAMES, game, config.shard_games, self._per_round)
        self.spent: dict[str, Any] = {}
        """What the last round took of this session: games, inference, seconds."""
        gate = "none" if students.gate is None else students.gate
        self._replay = Replay(game, config.replay, gate=gate)
        check_versions(out, self.rows)
        played = len(self.rows) * self._per_round
        self._replay.skipped += warn_of_games(self._shards.folder, self._shards.gone(played))
        self._replay.read(self._shards.files(0, played))

    @property
    def rows(self) -> list[Update]:
        """The rounds that have ended."""
        return self._journal.rows

    def files(self, update: int) -> list[Path]:
        """The files of a round's games."""
        return self._shards.files((update - 1) * self._per_round, update * self._per_round)

    def play(self, update: int) -> Update:
        """A round, or what is left of it."""
        knobs = self._config
        rows = self.rows
        best = rows[-1].best if rows else 0
        first, last = (update - 1) * self._per_round, update * self._per_round
        clock = Clock()
        played = self._generate(update, best, first, last)
        clock.lap("playing")
        tally = self._shards.tally(first, last)
        new = self._replay.read(self._shards.files(first, last))
        samples = knobs.samples_per_update or max(2, round(knobs.samples_per_new * new))
        if not len(self._replay):  # every search was cheap, say
            samples = 0
        self._tell(update, "learning", self._per_round)
        learnt = self._students.learn(self._replay, samples, self._out / LEARNERS, update)
        self._students.publish(version_folder(self._out, update), update)
        clock.lap("learning")
        match: Row = {}
        promoted = True
        if knobs.promote_games:
            self._tell(update, "promoting", self._per_round)
            promoted, match = self._promote(update, best)
        clock.lap("promoting")
        seconds = {name.removeprefix("time/"): spent for name, spent in clock.seconds.items()}
        self.spent = {**played, "seconds": {**seconds, "inference": played.get("seconds", 0.0)}}
        numbers: Row = {
            **row_of_games(tally),
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
        # Experts' parts are whole numbers, and half a batch at least: they need not add up.
        taught = sum(int(learnt[name] or 0) for name in learnt if name.endswith("samples"))
        row = Update(update, last, new, before + taught, update if promoted else best, numbers)
        self._journal.append(row)
        _LOGGER.info("update %d: %s", update, numbers)
        return row

    def _generate(self, update: int, best: int, first: int, last: int) -> Mapping[str, Any]:
        """Play the games of a round that have not ended; how many, and what inference took."""
        missing = self._shards.missing(first, last)
        if not missing:
            return {}
        done, plies = self._per_round - len(missing), 0
        self._tell(update, "playing", done)

        def finished(played: PlayedGame) -> None:
            nonlocal done, plies
            self._shards.add(played)
            done += 1
            plies += played.plies
            self._tell(update, "playing", done)

        counts = self._play(best, missing, finished)
        return {**counts.as_dict(), "games": len(missing), "plies": plies}

    def _promote(self, update: int, best: int) -> tuple[bool, Row]:
        """Whether the new version beats the best so far."""
        knobs = self._config
        nodes = knobs.promote_nodes or knobs.nodes
        # Games begin with drawn actions, as otherwise all pairs would be the same.
        search = measuring_search(knobs.search)
        folder = self._out / "matches"
        match = arena.play_match(
            self._player(update, search, nodes),
            self._player(best, search, nodes),
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
