"""Games and positions that a run plays in every setting of the search; records of what it finds."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.arena import stream
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.starts import evenly_by_ply
from phasezoo.data.store import GameStore
from phasezoo.experiments.krk.config import KrkConfig, Variant
from phasezoo.experiments.statistics import Estimates
from phasezoo.experiments.study import RunResults
from phasezoo.training.solved import Starts
from phasezoo.zoo.krk.game import MAX_ROLLOUT_PLIES
from phasezoo.zoo.krk.readings import ENDINGS, Ending, Reading, reply

OTHER_GAME = "connect-four"
"""Game in whose positions C and T are tried too."""

MOST_MOVES = 7
"""The largest number of legal moves in it."""


@dataclass(frozen=True, order=True)
class Cell:
    """One setting of the search."""

    variant: Variant
    """Which search."""
    constant: float
    """The exploration constant C."""
    threshold: int
    """T: a node visited more often selects, others start a rollout."""
    budget: int
    """Simulations before each of White's moves."""
    reading: str = ""
    """How the study is read, if not as the run says."""
    ending: str = ""
    """Name of the ending, if not king and rook."""


@dataclass(frozen=True)
class Task:
    """A game to be played: its cell, its number in it from 0, and its seed."""

    cell: Cell
    number: int
    seed: int


@dataclass(frozen=True)
class FirstSearch:
    """State of the root after the search before the first move."""

    actions: list[int]
    """The root's children, ascending."""
    visits: list[int]
    """Visits of each child."""
    mates: list[float]
    """Mates delivered below each child."""


@dataclass(frozen=True)
class GameRow:
    """A finished game, seen from White."""

    cell: Cell
    """The setting White played with."""
    number: int
    """Number of the game in its cell, from 0."""
    seed: int
    """Seed of the game."""
    won: bool
    """True if Black was mated."""
    reason: str
    """How the game ended."""
    moves: int
    """White's moves."""
    differences: list[int | None]
    """Of each of White's moves, the distance to mate after it less that after the best move (in
    White's moves); None if the win was given away or already gone."""
    given_away: int
    """Moves that turned a won position into a drawn one."""
    collapses: int
    """Times that Black's reply was not in the tree."""
    simulations: int
    """Simulations of all searches together."""
    rollout_plies: int
    """Half-moves of all rollouts together."""
    seconds: float
    """Time the game took."""
    first: FirstSearch
    """The search before the first move."""

    @property
    def finite(self) -> list[int]:
        """The differences of moves that kept the win."""
        return [d for d in self.differences if d is not None]


def cells_of(config: KrkConfig) -> dict[Cell, int]:
    """Return the cells, every C with every T and budget, with the games each plays."""
    cells = {}
    for variant in config.variants:
        own = variant == "uct"
        for cell in grid_of(config, variant, config.budgets if own else config.other_budgets):
            cells[cell] = config.games if own else config.other_games
    for reading in config.compared():
        grid = grid_of(config, "uct", config.budgets, reading=reading)
        cells |= dict.fromkeys(grid, config.reading_games)
    for ending in config.endings:
        grid = grid_of(config, "uct", config.budgets, ending=ending)
        cells |= dict.fromkeys(grid, config.ending_games)
    return cells


def grid_of(
    config: KrkConfig,
    variant: Variant,
    budgets: tuple[int, ...],
    *,
    reading: str = "",
    ending: str = "",
) -> list[Cell]:
    """Return the cells of a search with every C, T and budget, in a reading and an ending."""
    return [
        Cell(variant, float(c), t, b, reading, ending)
        for c in config.constants
        for t in config.thresholds
        for b in budgets
    ]


def tasks_of(config: KrkConfig) -> Iterator[Task]:
    """Yield every game: the first of all cells, then the second of all cells, and so on.

    A run that is stopped early has therefore played about as many games in each cell.
    """
    cells = cells_of(config)
    for number in range(max(cells.values())):
        for cell, count in cells.items():
            if number < count:
                yield Task(cell, number, seed_of(config.seed, cell, number))


def seed_of(seed: int, cell: Cell, number: int) -> int:
    """Return the seed of a cell's game, which no other cell or game has a part in.

    Readings share seeds, and endings do: the same game of two differs by what they do alone.
    """
    names = (cell.variant, f"{cell.constant:g}", cell.threshold, cell.budget, number)
    return stream(seed, "krk", *names)


def make_agent(cell: Cell, config: KrkConfig) -> Any:
    """Return the agent of a cell: the study's UCT, or it with one thing changed."""
    from phasezoo.agents import Limit, UCTAgent

    reading, ending = _reading_of(cell, config), ENDINGS[cell.ending]
    first = reading.first_simulations(config.first_simulations, cell.budget)
    return UCTAgent(
        c=cell.constant,
        threshold=reading.threshold(cell.threshold),
        rollout="random" if cell.variant == "random" else reading.rollout(ending.policy),
        limit=Limit(simulations=cell.budget),
        first_limit=Limit(simulations=first),
        selection="puct" if cell.variant == "puct" else "ucb1",
        defender=config.defender,
        max_rollout_plies=MAX_ROLLOUT_PLIES,
        game=ending.game,
        **reading.search_options(),
    )


def _reading_of(cell: Cell, config: KrkConfig) -> Reading:
    if cell.reading:
        return Reading.parse(cell.reading)
    return Reading.parse(config.reading, config.defender_ties)


def play_game(task: Task, config: KrkConfig) -> GameRow:
    """Play one game from the reading's or ending's start: White by search, Black by the table.

    Black plays one of its longest defences, drawn by seed or as the reading says; the game ends by
    the rules of chess (mate, stalemate, too few pieces left, threefold repetition, 50 moves).
    """
    agent = make_agent(task.cell, config)
    session = agent.session(stream(task.seed, "search"))
    defender = np.random.default_rng(stream(task.seed, "defender"))
    reading = _reading_of(task.cell, config)
    state = _start_of(ENDINGS[task.cell.ending], reading)
    started = time.perf_counter()
    differences: list[int | None] = []
    first, given_away, simulations, rollout_plies = None, 0, 0, 0
    limit = agent.first_limit
    while not state.is_terminal:
        # The limit is given: thresholds above a budget are among those to compare, no mistake.
        result = session.search(state, limit)
        limit = agent.limit
        first = first or _first(result)
        simulations += int(result.simulations)
        rollout_plies += int(result.rollout_plies)
        difference = state.dtm_difference(int(result.action))
        given_away += difference is None and state.dtm is not None
        differences.append(None if difference is None else int(difference))
        state = state.play(int(result.action))
        if not state.is_terminal:
            state = state.play(reply(state, reading.ties, defender))
    return GameRow(
        cell=task.cell,
        number=task.number,
        seed=task.seed,
        won=bool(state.returns[0] > 0),
        reason=str(state.outcome.reason),
        moves=len(differences),
        differences=differences,
        given_away=given_away,
        collapses=int(session.collapses),
        simulations=simulations,
        rollout_plies=rollout_plies,
        seconds=round(time.perf_counter() - started, 4),
        first=first or FirstSearch([], [], []),
    )


def _start_of(ending: Ending, reading: Reading) -> Any:
    state = games.make(ending.game).from_fen(ending.start or reading.start)
    _ = state.dtm  # the first question makes the ending's table, which is no game's time
    return state


def _first(result: Any) -> FirstSearch:
    return FirstSearch(
        actions=[int(a) for a in result.actions],
        visits=[int(v) for v in result.visits],
        mates=[float(m) for m in result.totals],
    )


@dataclass(frozen=True, order=True)
class Setting:
    """A setting of the search in positions of the other game, as in :class:`Cell`."""

    constant: float
    threshold: int
    budget: int


@dataclass(frozen=True)
class PositionRow:
    """Losses of the moves of one setting."""

    setting: Setting
    seed: int
    """Of its searches."""
    lost: list[float]
    """The regret in each position: 0.5 a win turned into a draw, 1 into a loss."""
    seconds: float
    """Time of all searches."""


def starts(config: KrkConfig) -> Starts:
    """Return the positions, drawn evenly by ply from the sample games, for every setting."""
    store = GameStore.sample(OTHER_GAME)
    states = evenly_by_ply(store, config.positions, stream(config.seed, "krk", "positions"))
    return Starts(games.make(OTHER_GAME), tuple(states))


def settings_of(config: KrkConfig) -> Iterator[Setting]:
    """Yield every C with every T and budget."""
    for budget in config.position_budgets:
        for constant in config.constants:
            for threshold in config.thresholds:
                yield Setting(float(constant), threshold, budget)


def search_positions(
    config: KrkConfig, positions: Starts, setting: Setting, seed: int
) -> PositionRow:
    """Ask the study's search for one move in each position, with random rollouts.

    The search of the first position has the seed, those of the next ones have the following.
    """
    from phasezoo.agents import Limit, UCTAgent

    started = time.perf_counter()
    reading = Reading.parse(config.reading, config.defender_ties)
    agent = UCTAgent(
        c=setting.constant,
        threshold=reading.threshold(setting.threshold),
        limit=Limit(simulations=setting.budget),
        game=OTHER_GAME,
        **reading.search_options(),
    )
    # The limit is given: thresholds above a budget are among those to compare, no mistake.
    found = [
        agent.session(seed + row).search(state, agent.limit)
        for row, state in enumerate(positions.states)
    ]
    lost = positions.judge([int(result.action) for result in found]).lost.tolist()
    return PositionRow(setting, seed, lost, round(time.perf_counter() - started, 4))


@dataclass(frozen=True)
class Tally:
    """Counts over some games."""

    games: int
    """Games played."""
    won: int
    """Games in which Black was mated."""
    gave_away: int
    """Games in which a move turned the win into a draw."""
    given_away: int
    """Such moves."""
    moves: int
    """White's moves."""
    identities: int
    """Won games whose length is 15 plus the sum of their DTM differences."""
    reasons: dict[str, int]
    """Games by the reason of their end."""
    simulations: int
    """Simulations of all games."""
    rollout_plies: int
    """Half-moves of all rollouts."""
    seconds: float
    """Seconds of all games."""


@dataclass(frozen=True)
class CellSummary:
    """One cell of the sweep; intervals are over its games."""

    cell: Cell
    """The setting."""
    tally: Tally
    """Its games."""
    difference: Interval | None
    """DTM difference a move, over the moves that kept the win, in moves."""
    length: Interval | None
    """White's moves in a won game."""
    collapses: Interval | None
    """Collapses of the tree in a game."""


@dataclass(frozen=True)
class GroupSummary:
    """One reading or ending, over all settings of the run with equal weight.

    A setting in which no game was won has no length, and is left out of it.
    """

    name: str
    """The reading, or the ending's name, which is empty for king and rook."""
    tally: Tally
    """Its games."""
    length: Interval | None
    """White's moves in a won game."""
    difference: Interval | None
    """The DTM difference a move."""
    best: list[Estimates]
    """That by C, for each budget."""
    base: str | None = None
    """The reading that a reading changes; None of the study's text and of its program."""
    change: Interval | None = None
    """Its length less that of ``base``, over the settings in which both won games; the intervals
    hold for all readings together."""


@dataclass(frozen=True)
class Curves:
    """Curves of the study's figures, of UCT and of the DTM difference if not said otherwise."""

    link: Interval | None
    """Correlation of DTM difference and length over the cells."""
    lengths: Estimates
    """White's moves in a won game, of every cell."""
    root: dict[str, dict[Variant, Estimates]]
    """By C: the measures of the first search, by name and search."""
    root_taus: dict[str, Interval | None]
    """Kendall's tau with C of UCT's of these."""
    links: Estimates
    """By C: correlation over T of DTM difference and collapses, from different games."""
    collapses: list[Estimates]
    """By T, for each C: collapses of the tree in a game."""
    by_threshold: list[Estimates]
    """By T, for each C."""
    low: Estimates | None
    """By T, averaged over C up to ``published.LOW_CONSTANT``."""
    high: Estimates | None
    """By T, averaged over C from ``published.HIGH_CONSTANT`` on."""
    taus: Estimates | None
    """By C, up to ``published.LOW_CONSTANT``: Kendall's tau with T."""
    by_constant: list[Estimates]
    """By C, for each budget."""
    change: Estimates | None
    """By C: with most simulations less that with fewest."""
    variants: dict[Variant, Estimates]
    """By C, of every search with the budgets that all share; empty for one search."""
    variants_at: dict[str, dict[Variant, Estimates]]
    """The same by T, for one low and one high C, by its name."""


@dataclass(frozen=True)
class Elsewhere:
    """Curves of the regret in positions of another game."""

    positions: int
    """Positions."""
    by_constant: list[Estimates]
    """By C, averaged over T, for each budget."""
    by_threshold: list[Estimates]
    """By T, averaged over budgets, for each C."""
    high: Estimates | None
    """By T, averaged over C from ``published.HIGH_CONSTANT`` on."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a report shows; variants, cells and curves are of the run's own reading."""

    config: KrkConfig
    variants: dict[Variant, Tally]
    cells: list[CellSummary]
    curves: Curves
    readings: list[GroupSummary]
    """The run's own first; empty if no other was played."""
    endings: list[GroupSummary]
    """King and rook first; empty if no other was played."""
    elsewhere: Elsewhere | None
