"""Plays games between this package's own players; each is a function of (seed, index).

A game begins with some plies drawn uniformly. Then each player moves as the recipe of the game
says: by search, by perfect play if it is known, and now and then uniformly at random, at a rate
drawn per player and game, so that games differ and are decided. Many games are played side by side,
so that a search asks its evaluator about many positions at once; that changes no game.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import games

from .chunks import write_atomically

PERFECT = "perfect"
"""The player who asks for perfect play."""

CAP_LEAD = 8.0
"""Lead that wins at the cap, in pawns."""


@dataclass(frozen=True)
class Game:
    """A finished game.

    Attributes:
        start: Where it started, as the game writes it; empty for the usual start.
        actions: One for each ply.
        returns: One for each player: +1 won, 0 drawn, -1 lost.
        end: Why it ended: the outcome's reason, or `cap`.
        players: The names of those who played.
    """

    start: str
    actions: list[int]
    returns: list[float]
    end: str
    players: list[str]


@dataclass(frozen=True)
class Recipe:
    """How the games of one kind are played."""

    game: str
    """Registered name."""
    lineups: Sequence[tuple[tuple[str, ...], float]]
    """Who plays, by name for each player, and with which probability."""
    searches: Mapping[str, Callable[[], Any]]
    """The agents behind these names, but for `perfect`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""
    opening_plies: tuple[int, int] = (0, 8)
    """Fewest and most plies drawn at the beginning, both included."""
    blunder_rate: tuple[float, float] = (0.0, 0.06)
    """Lowest and highest chance of a random move per ply; drawn per player and game."""
    max_plies: int = 200
    """Cap: a game that reaches it is won by who is ahead by `CAP_LEAD`, else drawn."""
    lead: Callable[[Any], float] = lambda state: 0.0
    """By how much the player to move is ahead, for that."""
    start_text: Callable[[Any], str] = lambda state: ""
    """How a start is written, in games that draw it."""


class _Line:
    """A game in the making."""

    def __init__(self, recipe: Recipe, handle: games.Game, seed: int, index: int) -> None:
        self.index = index
        self.rng = np.random.default_rng([seed, index])
        self.state = handle.initial_state(int(self.rng.integers(2**63)))
        self.start = recipe.start_text(self.state)
        self.actions: list[int] = []
        chances = [chance for _, chance in recipe.lineups]
        self.players = recipe.lineups[int(self.rng.choice(len(chances), p=chances))][0]
        low, high = recipe.opening_plies
        self.opening = int(self.rng.integers(low, high + 1))
        self.rates = self.rng.uniform(*recipe.blunder_rate, size=handle.num_players)
        self.seeds = {name: int(self.rng.integers(2**63)) for name in dict.fromkeys(self.players)}

    def own_choice(self, handle: games.Game) -> int | None:
        """Return the action, unless a search must be asked for it."""
        player, legal = int(self.state.to_play), self.state.legal_actions
        if len(self.actions) < self.opening or self.rng.random() < self.rates[player]:
            return int(self.rng.choice(legal))
        if self.players[player] == PERFECT:
            return int(self.rng.choice(handle.best_actions(self.state)))
        return None


def play(recipe: Recipe, seed: int, indices: Sequence[int], at_once: int = 64) -> list[Game]:
    """Plays the games of these numbers.

    Args:
        recipe: How to play.
        seed: Seed of the series.
        indices: Numbers of the games; (seed, index) fixes every random choice in one.
        at_once: Games played side by side.

    Returns:
        The finished games, in the order of the numbers.
    """
    handle = games.make(recipe.game, **recipe.options)
    pools = {name: make().session_pool(handle) for name, make in recipe.searches.items()}
    left, waiting, done = list(reversed(indices)), dict[tuple[str, int], _Line](), dict[int, Game]()

    def go_on(line: _Line) -> None:
        """Plays up to the next search or the end."""
        while not line.state.is_terminal and len(line.actions) < recipe.max_plies:
            action = line.own_choice(handle)
            if action is None:
                player = int(line.state.to_play)
                name = line.players[player]
                # A tree for every move: what was searched before would change with the batch.
                slot = pools[name].open(line.seeds[name] + len(line.actions))
                pools[name].ask(slot, line.state, player)
                waiting[name, slot] = line
                return
            _push(line, action)
        done[line.index] = Game(line.start, line.actions, *_end(recipe, line), list(line.players))

    while left or waiting:
        while left and len(waiting) < at_once:
            go_on(_Line(recipe, handle, seed, left.pop()))
        for name, pool in pools.items():
            for slot, move in pool.poll():
                line = waiting.pop((name, slot))
                pool.close(slot)
                _push(line, move.action)
                go_on(line)
    return [done[index] for index in indices]


def _end(recipe: Recipe, line: _Line) -> tuple[list[float], str]:
    """Returns and end of a finished game."""
    if line.state.is_terminal:
        return [float(value) for value in line.state.returns], line.state.outcome.reason
    lead = recipe.lead(line.state)
    if abs(lead) < CAP_LEAD:
        return [0.0, 0.0], "cap"
    winner = int(line.state.to_play) if lead > 0 else 1 - int(line.state.to_play)
    return [1.0 if player == winner else -1.0 for player in (0, 1)], "cap"


def play_missing(recipe: Recipe, seed: int, count: int, chunk: int, work: Path) -> Iterator[str]:
    """Plays the chunks of a series that are not yet in a folder.

    Args:
        recipe: How to play.
        seed: Seed of the series.
        count: Total games.
        chunk: Games of a chunk; a killed run loses at most one.
        work: The folder.

    Yields:
        After each chunk its file's name.
    """
    work.mkdir(parents=True, exist_ok=True)
    for first in range(0, count, chunk):
        file = work / f"{recipe.game}-{seed}-{first:06d}-{min(chunk, count - first)}.jsonl"
        if not file.exists():
            played = play(recipe, seed, range(first, min(first + chunk, count)))
            write_atomically(file, "".join(json.dumps(asdict(game)) + "\n" for game in played))
        yield file.name


def read(work: Path, recipe: Recipe, seed: int) -> list[Game]:
    """The games of a series that are in a folder, each once, in the order of their numbers."""
    found = list[Game]()
    for file in sorted(work.glob(f"{recipe.game}-{seed}-*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            found.extend(Game(**json.loads(line)) for line in lines)
    return list({(game.start, tuple(game.actions)): game for game in reversed(found)}.values())[
        ::-1
    ]


def _push(line: _Line, action: int) -> None:
    line.actions.append(int(action))
    line.state = line.state.play(int(action))
