"""Playing a match."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from phasezoo.agents import Limit
from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.conditions import Conditions
from phasezoo.arena.match import Match
from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.playing import Plan, play_plans
from phasezoo.arena.records import GameRecord
from phasezoo.arena.schedule import OpeningsAs
from phasezoo.arena.statistics.sprt import Sprt
from phasezoo.arena.stopping import sequential_test
from phasezoo.games import Game
from phasezoo.types import Gate


def play_match(
    agent_a: Any,
    agent_b: Any,
    game: str | Game = "chess",
    games: int = 200,
    limit: Limit | tuple[Limit | None, Limit | None] | None = None,
    *,
    gate: str | Gate | None = None,
    openings: OpeningSuite | Sequence[Sequence[str]] | Path | str | None = None,
    openings_as: OpeningsAs = "moves",
    seed: int = 0,
    concurrency: int | None = None,
    pool_rows: int | None = None,
    threads: int | None = None,
    max_plies: int | None = None,
    adjudication: Adjudication | None = None,
    sprt: Sprt | None = None,
    names: tuple[str, str] | None = None,
    pgn: Path | str | None = None,
    log: Path | str | None = None,
    completed: Sequence[GameRecord] = (),
    on_game: Callable[[GameRecord], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Match:
    """Play a match: each opening once with each colour, many games at once.

    What exactly is played and compared is on the page ``docs/definitions/matches.md``.

    In a game of n players each opening is played n times: ``agent_a`` is each player once and
    ``agent_b`` the others. The same agents, seed, concurrency and node limit give the same games;
    with evaluators that answer a row alike in any batch, the concurrency does not matter either.

    Args:
        agent_a: Side 0: an agent, a callable ``(observation, info) -> action``, or a text such as
            ``"mcts:nodes=400"`` (:func:`phasezoo.agents.make`). A callable receives what an
            environment returns, and may choose its input by its attributes ``plane_spec`` and
            ``gate``.
        agent_b: Side 1, likewise.
        game: What is played. A game that is made with options starts as they say, for example
            ``games.make("krk", start="train")``; without, each pair of games of ``"krk"`` has a
            start of its own, drawn from all, as each pair of ``"chess960"`` has.
        games: How many games; a multiple of the number of players.
        limit: Replaces the limits of both agents' searches; a pair gives each its own.
        gate: Gives the phases that callables receive, as in an environment; default the gate that
            each asks for by its attribute ``gate``, or phase 0. Searches have gates of their own.
        openings: A suite; a file of openings (:meth:`OpeningSuite.read`), or lines as such a file
            has them; lists of moves; the name of a suite in the package; or ``"random:2-8"``, up
            to 100 of so many random moves (:meth:`OpeningSuite.random`). Default the suite that
            the game has for matches (:meth:`OpeningSuite.load`).
        openings_as: ``"fen"`` starts from the opening's last position without its history.
        seed: Everything random comes from it.
        concurrency: Games at once; default 64, with engines from outside 8, or 1 if a search is
            limited by time.
        pool_rows: The most rows that a side's evaluator gets at once; default 256.
        threads: Threads that walk trees and make planes; default the agents' own settings.
        max_plies: Plies, the opening's included, at which a game is cut: it is counted as a draw
            and as truncated. Default none.
        adjudication: Ends games early by the searches' values; default never.
        sprt: A test that ends the match as soon as it decides, games in progress unfinished; it
            counts pairs in order of their numbers. ``games`` is how many are played at most.
            Finished games beyond the pair that decided stay in the log only.
        names: How reports call the sides; default the agents' names.
        pgn: Where to write the games, each as soon as it ends. One process at a time writes it.
        log: A log of finished games, with the settings, versions and machine they were played
            with. If it exists, and is of this very match, the match goes on after the games in it.
            One process at a time writes it.
        completed: Games of this match that were finished earlier, in place of ``log``.
        on_game: Called with each game as it ends.
        progress: Called with the number of finished games and of all, after each game.

    Returns:
        The match, with the games finished earlier.

    Raises:
        InvalidConfig: ``games`` is not a multiple of the number of players, another option is out
            of range, or agents without randomness have a single opening and play the same game
            again and again (``log`` and ``pgn`` are removed then, unless they are gone on with).
        SideFailed: An evaluator answered with NaN, or in the wrong shape; an
            :class:`~phasezoo.errors.InvalidEvaluation` that names the side and has the games
            finished before.
        GameContract: A user's own game changes states that were played from, or names a player
            that does not exist.
        IllegalAction: An agent chose an action that is not legal, or answered with no action.
        EngineFailed: An engine from outside cannot be started, or does not play the game; one that
            fails in a game forfeits it.
        RunDirectoryError: ``pgn`` or ``log`` exists already, is being written by another process,
            or cannot be written.
    """
    conditions = Conditions.of(
        game,
        openings,
        gate=gate,
        openings_as=openings_as,
        seed=seed,
        concurrency=concurrency,
        pool_rows=pool_rows,
        threads=threads,
        max_plies=max_plies,
        adjudication=adjudication,
    )
    test = sequential_test(sprt, 2, conditions.game)
    plan = Plan(
        (agent_a, agent_b),
        conditions,
        [(0, 1)],
        games,
        limit=limit,
        names=names,
        pgn=pgn,
        log=log,
        completed=completed,
        on_game=on_game,
        progress=progress,
        test=test,
    )
    return play_matches([plan])[0]


def play_matches(plans: Sequence[Plan]) -> list[Match]:
    """Play matches side by side; see :func:`~phasezoo.arena.playing.play_plans`."""
    return [
        Match(
            game=plan.conditions.game.name,
            sides=(sides[0], sides[1]),
            games=done,
            verdict=None if plan.test is None else plan.test.verdict,
        )
        for plan, (sides, done) in zip(plans, play_plans(plans), strict=True)
    ]
