"""Tournaments: matches between more than two agents, played side by side."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from phasezoo import agents
from phasezoo.agents import Limit
from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.conditions import Conditions
from phasezoo.arena.openings import OpeningSuite
from phasezoo.arena.playing import Plan, play_plans
from phasezoo.arena.records import GameRecord
from phasezoo.arena.schedule import OpeningsAs
from phasezoo.arena.sides import names_of
from phasezoo.arena.standings import Standings, place_in
from phasezoo.arena.statistics.sprt import Sprt
from phasezoo.arena.stopping import sequential_test
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.games.options import at_least
from phasezoo.specs import check_value
from phasezoo.types import Gate

Format = Literal["round-robin", "gauntlet", "ladder"]
"""Who plays whom: everybody everybody, the first everybody else, or each the next."""


def tournament(
    players: Sequence[Any],
    game: str | Game = "chess",
    games: int = 100,
    limit: Limit | Sequence[Limit | None] | None = None,
    *,
    format: Format = "round-robin",
    trainings: int | None = None,
    anchor: str | int | None = None,
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
    names: Sequence[str] | None = None,
    pgn: Path | str | None = None,
    log: Path | str | None = None,
    on_game: Callable[[GameRecord], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Standings:
    """Play a tournament: matches as :func:`phasezoo.arena.play_match` plays them, all at once.

    Every pairing plays the same openings, each with both colours. Each agent has one pool for all
    its games, so that the leaves of all of them share its evaluator's batches. In games of more
    than two players, each agent of a pairing is alone among players of the other in half of the
    games.

    Args:
        players: Two agents or more: agents, callables ``(observation, info) -> action``, or texts
            (:func:`phasezoo.agents.make`).
        game: What is played.
        games: Games of each pairing; a multiple of the number of players, of twice that if there
            are more than two.
        limit: Replaces the limits of all agents' searches, or one for each agent.
        format: Who plays whom: ``"round-robin"`` everybody everybody, ``"gauntlet"`` the first
            agent everybody else, ``"ladder"`` each agent the next in the list.
        trainings: The first so many agents are trainings of one kind and the others of another:
            each of one kind plays each of the other, and
            :attr:`~phasezoo.arena.Standings.between_kinds` is their difference with an interval
            that counts trainings. In place of a format; for games of two players.
        anchor: The player, by name or place, whose rating is 0; default the first.
        gate: Gives the phases that callables receive.
        openings: A suite, move lists, or a file of them; default the package's suite.
        openings_as: ``"fen"`` starts from the opening's last position without its history.
        seed: Everything random comes from it.
        concurrency: Games at once; default 64, with engines from outside 8, or 1 if a search is
            limited by time.
        pool_rows: The most rows that an evaluator gets at once; default 256.
        threads: Threads that walk trees and make planes; default the agents' own settings.
        max_plies: Plies at which a game is cut and counted as a draw. Default none.
        adjudication: Ends games early by the searches' values; default never.
        sprt: A test that may end a match of two players early, as that of
            :func:`~phasezoo.arena.play_match`.
        names: How the standings call the players; default the agents' names, made unique by letters
            if some are equal.
        pgn: Where to write the games, each as soon as it ends.
        log: A log of finished games. If it exists, and is of this very tournament, it is gone on
            with after the games in it.
        on_game: Called with each game as it ends.
        progress: Called with the number of finished games and of all, after each game.

    Returns:
        The standings.

    Raises:
        InvalidConfig: There are fewer than two players, or an option is out of range.
        PhasezooError: See :func:`phasezoo.arena.play_match`.
    """
    if isinstance(players, str) or not isinstance(players, Sequence) or len(players) < 2:
        message = f"players={players!r}: expected a list of at least two agents"
        raise InvalidConfig(message)
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
    found = [agents.make(agent) if isinstance(agent, str) else agent for agent in players]
    called = names_of(found, names)
    anchored = place_in(called, 0 if anchor is None else anchor)
    test = sequential_test(sprt, len(found), conditions.game)
    pairings = (
        pairings_of(len(players), format)
        if trainings is None
        else _of_kinds(len(players), trainings, format, conditions.game)
    )
    each = games
    if conditions.game.num_players > 2:
        pairings = [seated for a, b in pairings for seated in ((a, b), (b, a))]
        each = _half(games, conditions.game)
    plan = Plan(
        found,
        conditions,
        pairings,
        each,
        limit=limit,
        names=called,
        pgn=pgn,
        log=log,
        on_game=on_game,
        progress=progress,
        test=test,
    )
    ((sides, done),) = play_plans([plan])
    return Standings(
        game=conditions.game.name,
        sides=sides,
        games=done,
        format=format if trainings is None else "trainings",
        trainings=trainings,
        anchor=anchored,
        verdict=None if test is None else test.verdict,
    )


def pairings_of(count: int, format: str) -> list[tuple[int, int]]:
    """Return the pairings of ``count`` players, by their places."""
    check_value("format", Format, format)
    if format == "round-robin":
        return list(itertools.combinations(range(count), 2))
    if format == "gauntlet":
        return [(0, other) for other in range(1, count)]
    return list(itertools.pairwise(range(count)))


def _of_kinds(count: int, first: int, format: str, game: Game) -> list[tuple[int, int]]:
    """Return each of the ``first`` players with each of the others."""
    if not 0 < at_least("trainings", first, 1) < count:
        message = (
            f"trainings={first}: the first kind's of {count} agents; leave one at least for the "
            "second kind"
        )
        raise InvalidConfig(message)
    if format != "round-robin":
        message = f"trainings={first} says who plays whom: leave format={format!r} out"
        raise InvalidConfig(message)
    if game.num_players != 2:
        message = f"trainings={first}: {game.name} has {game.num_players} players, it needs two"
        raise InvalidConfig(message)
    return list(itertools.product(range(first), range(first, count)))


def playable(games: int, game: Game) -> int:
    """The most games of a pairing up to ``games``, or the fewest that there can be."""
    step = 2 * game.num_players
    return max(games - games % step, step)


def _half(games: int, game: Game) -> int:
    """Games of a pairing in which one of the two agents is alone."""
    if at_least("games", games, 1) != playable(games, game):
        message = (
            f"games={games}: must be a multiple of {2 * game.num_players}, because in {game.name} "
            f"each agent of a pairing is alone as each player once; give {playable(games, game)}"
        )
        raise InvalidConfig(message)
    return games // 2
