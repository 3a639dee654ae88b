"""Matches as stages of a study: played once, gone on with after a stop, the score beside them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from phasezoo import arena
from phasezoo.arena.log import finished_games
from phasezoo.arena.play import play_matches
from phasezoo.arena.playing import Plan
from phasezoo.arena.statistics.elo import elo_of_score
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.arena.statistics.rates import rate_of
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.study import StudyRun
from phasezoo.games import Game
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.report.document import Column


def check_two_players(game: Game) -> None:
    """Refuse games of other than two players: differences between agents in them are no Elo.

    Raises:
        InvalidConfig: It is one.
    """
    if game.num_players != 2:
        message = f"--game {game.name}: experts and one network meet in games of two players"
        raise InvalidConfig(message)


def play(
    console: Console,
    title: str,
    players: Mapping[str, Any],
    log: Path,
    *,
    games: int,
    **options: Any,
) -> arena.Match:
    """Play a match between two agents, or go on with the games in ``log``."""
    first, second = players
    with _score_shown(console, title, games, [log]) as show:
        return arena.play_match(
            players[first],
            players[second],
            games=games,
            names=(first, second),
            log=log,
            on_game=show,
            **options,
        )


def play_beside(console: Console, title: str, plans: Sequence[Plan]) -> list[arena.Match]:
    """Play matches side by side, or go on with the games in their logs."""
    games, logs = sum(plan.games for plan in plans), [Path(str(plan.log)) for plan in plans]
    with _score_shown(console, title, games, logs) as show:
        return play_matches([replace(plan, on_game=show) for plan in plans])


@contextmanager
def _score_shown(
    console: Console, title: str, games: int, logs: Sequence[Path]
) -> Iterator[Callable[[arena.GameRecord], None]]:
    tally: Counter[float] = Counter()
    with console.task(title, games) as task:

        def show(record: arena.GameRecord) -> None:
            tally[record.score] += 1
            task.update(tally.total(), _score_so_far(tally))

        for log in logs:
            for record in finished_games(log):
                show(record)
        yield show


def _score_so_far(tally: Counter[float]) -> str:
    played = tally.total()
    mean = sum(score * number for score, number in tally.items()) / played
    won, drawn, lost = (tally[value] for value in (1.0, 0.5, 0.0))
    elo = numbers.signed(elo_of_score(mean), 0)
    return f"{played} games: +{won} ={drawn} −{lost}, Elo {elo}"


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Games between two players by their result, from the first one's view."""

    games: int
    wins: int
    draws: int
    losses: int


def counts_of(*matches: arena.Match | Counted) -> dict[str, Any]:
    """Return the games of all matches by their result, as :class:`Counted` takes them."""
    results = ("wins", "draws", "losses")
    found = {name: sum(getattr(match, name) for match in matches) for name in results}
    return {"games": sum(found.values()), **found}


@dataclass(frozen=True)
class MatchSummary(Counted):
    """A match between two players of a study, from the first one's view."""

    first: str
    second: str
    score: Interval
    """The first one's share of the points, with its 95 % interval."""
    elo: Interval
    """The same as a difference of ratings."""
    mover: Interval
    """Player 0's share of the points, whichever of the two that is; they move first at the start of
    a game."""
    plies: float
    """Mean length of a game."""
    seconds: float
    """Time that the evaluators took, of both."""
    pairs: list[float]
    """The first one's share of the points in each pair of games from one opening."""
    moving: list[int] | None = None
    """Games that the first one won, drew and lost where it moves first; None in older records."""


def result_columns(match_of: Callable[[Any], MatchSummary]) -> list[Column]:
    """Return the columns of a match's result."""
    return [
        Column("won", lambda row: match_of(row).wins),
        Column("drawn", lambda row: match_of(row).draws),
        Column("lost", lambda row: match_of(row).losses),
        Column("points", lambda row: match_of(row).score.value, numbers.percent),
        Column("Elo", lambda row: match_of(row).elo, numbers.elo_interval),
    ]


def match_once(
    run: StudyRun[Any, Any], stage: str, players: Callable[[], Mapping[str, Any]], **options: Any
) -> MatchSummary:
    """Play a match between two agents as a stage of a study, unless it is done."""

    def work() -> MatchSummary:
        sides = players()
        log = run.path / f"{stage}.jsonl"
        return _summary(sides, play(run.console, " against ".join(sides), sides, log, **options))

    return run.once(stage, MatchSummary, work)


def _summary(players: Mapping[str, Any], match: arena.Match) -> MatchSummary:
    first, second = players
    by_mover = [
        record.score if record.sides.index(0) == 0 else 1 - record.score for record in match.games
    ]
    return MatchSummary(
        first=first,
        second=second,
        **counts_of(match),
        score=match.score_rate,
        elo=match.elo,
        mover=rate_of([sum(pair) / 2 for pair in zip(*[iter(by_mover)] * 2, strict=True)], 2),
        plies=match.mean_plies,
        seconds=sum(side.counts.seconds for side in match.sides),
        pairs=list(match.group_scores),
        moving=list(match.by_player[0]),
    )
