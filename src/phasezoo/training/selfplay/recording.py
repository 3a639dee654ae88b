"""Records of games of self-play: actions, visits and values of searches, the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phasezoo.agents import Move
from phasezoo.arena.concurrent_games import Scheduled
from phasezoo.arena.records import GameRecord
from phasezoo.data.columns import Start
from phasezoo.data.game_entry import GameEntry
from phasezoo.data.replayed import replayed
from phasezoo.data.starts import pickled, start_state, start_text
from phasezoo.data.state_records import played as replay
from phasezoo.data.store_file import decisions_a_ply
from phasezoo.games import Game
from phasezoo.training.selfplay.start_sources import Begun

PARTS = 1_000_000
"""Units in which a policy is stored that is not a count of visits: millionths."""

_SAME = 1e-5
"""Largest difference between a policy and shares of visits that are taken for equal."""


@dataclass(frozen=True)
class Ply:
    """Record of a ply; the entries of players who did not search are None."""

    joint: tuple[int, ...]
    """Action, or the actions of all players if they move at once (0 for players who are out)."""
    visits: tuple[Mapping[int, int] | None, ...]
    """Policy target of each decision, as counts; None: no target."""
    values: tuple[float | None, ...]
    """Value of each search."""
    surprises: tuple[float | None, ...]
    """How far each search was from its priors."""
    phases: tuple[int | None, ...]
    """Phase of each search."""


@dataclass(frozen=True)
class PlayedGame:
    """A game of self-play."""

    number: int
    """Number of the game, from 0."""
    entry: GameEntry
    """Game as stores have it."""
    plies: int
    """Number of plies, including those before the agent's first if the store has them."""
    ending: str
    """Reason of its end: ``"rules"``, ``"max_plies"``, ``"resignation"`` or ``"agreement"``."""
    searched: int
    """Number of decisions with a policy target."""
    cheap: int
    """Number of decisions of cheap searches, which have none."""
    verdict: tuple[float, ...] | None = None
    """Returns by a resignation after which the game was played on."""

    @property
    def is_misjudged(self) -> bool:
        """True if the verdict was wrong."""
        returns = self.entry.returns
        if self.verdict is None or returns is None:
            return False
        return self.ending == "rules" and list(self.verdict) != returns.tolist()


@dataclass
class _Notes:
    """Records of a game that is being played."""

    begun: Begun
    plies: list[Ply] = field(default_factory=list)
    cheap: int = 0
    last: Any = None
    """State before the last ply."""
    is_searched: bool = False
    """True if there was a search, cheap ones included."""


class Recorder:
    """Records games that are being played, and makes entries of those that end.

    Args:
        game: The game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._width = decisions_a_ply(game)
        self._notes: dict[int, _Notes] = {}

    def begin(self, number: int, begun: Begun) -> None:
        """Start a game."""
        self._notes[number] = _Notes(begun)

    def moved(self, scheduled: Scheduled, state: Any, moves: Mapping[int, Move]) -> None:
        """Record moves before they are played."""
        notes = self._notes[scheduled.number]
        notes.last = state
        by_player = dict(moves)
        if self._width == 1:
            by_player = {0: next(iter(moves.values()))}
        every = [by_player.get(player) for player in range(self._width)]
        searches = [getattr(move, "search", None) for move in every]
        notes.is_searched |= any(search is not None for search in searches)
        teaching = [None if getattr(search, "cheap", False) else search for search in searches]
        notes.cheap += sum(bool(getattr(search, "cheap", False)) for search in searches)
        notes.plies.append(
            Ply(
                joint=tuple(0 if move is None else int(move.action) for move in every),
                visits=tuple(_target(search) for search in teaching),
                values=tuple(_value(move) for move in every),
                surprises=tuple(_surprise(search) for search in teaching),
                phases=tuple(getattr(move, "phase", None) for move in every),
            )
        )

    def finished(self, record: GameRecord) -> PlayedGame:
        """Return the record of a game that has ended."""
        notes = self._notes.pop(record.number)
        start, before = self._start(notes.begun)
        nothing = (None,) * self._width
        plies = [Ply(joint, nothing, nothing, nothing, nothing) for joint in before] + notes.plies
        entry = GameEntry.of(
            self._game,
            self._width,
            start=start,
            actions=np.array([ply.joint for ply in plies], np.int64).reshape(-1, self._width),
            returns=None if record.ending == "rules" else _returns(record, notes),
            # A game with cheap searches alone has the column, with no target in it.
            visits=_column([p.visits for p in plies], self._width, known=notes.is_searched),
            values=_column([ply.values for ply in plies], 1),
            surprises=_column([ply.surprises for ply in plies], 1),
            phases=_column([ply.phases for ply in plies], 1),
            source="self-play" if record.ending == "rules" else f"self-play: {record.ending}",
        )
        if entry.returns is None:
            entry = replayed(self._game, entry, self._width, start_state(self._game, start))
        searched = sum(v is not None for ply in notes.plies for v in ply.visits)
        return PlayedGame(
            record.number,
            entry,
            len(plies),
            record.ending,
            searched,
            notes.cheap,
            record.verdict,
        )

    def _start(self, begun: Begun) -> tuple[Start, list[tuple[int, ...]]]:
        """Return the start as stores have it, and the plies before the agent's first."""
        text = begun.start
        if begun.actions:
            text = start_text(self._game, begun.states[-1])
            if text is None and begun.start is not None:
                joints = [np.atleast_1d(action).tolist() for action in begun.actions]
                return begun.start, [tuple(joint) for joint in joints]
        if text is None:
            return pickled(self._game, begun.states[-1], allowed=False), []
        return text, []


def _returns(record: GameRecord, notes: _Notes) -> list[float]:
    """Return the returns of a game that was cut or resigned; players who are out keep theirs."""
    settled = getattr(notes.last, "settled", None)
    if settled is None:
        return list(record.returns)
    after = replay(notes.last, list(notes.plies[-1].joint))
    pairs = ((after.settled(player), value) for player, value in enumerate(record.returns))
    return [value if early is None else early for early, value in pairs]


def _column(
    plies: Sequence[tuple[Any, ...]], width: int, *, known: bool = False
) -> list[Any] | None:
    """Return a column of a game; None if all entries are, unless the column is ``known``."""
    if not known and all(one is None for ply in plies for one in ply):
        return None
    if width == 1:
        return [one for ply in plies for one in ply]
    return [list(ply) for ply in plies]


def _value(move: Move | None) -> float | None:
    value = None if move is None else move.value
    return None if value is None else min(max(value, -1.0), 1.0)


def _surprise(search: Any) -> float | None:
    """Return the Kullback-Leibler divergence, in nats, of a search's policy from its priors.

    Priors below a millionth count as one, so that no decision outweighs all others.
    """
    prior = getattr(search, "prior", None)
    if prior is None:
        return None
    target = np.asarray(search.policy, np.float64)[np.asarray(search.actions)]
    least = np.maximum(np.asarray(prior, np.float64), 1 / PARTS)
    kept = target > 0
    return max(float((target[kept] * np.log(target[kept] / least[kept])).sum()), 0.0)


def _target(search: Any) -> dict[int, int] | None:
    """Return the policy target of a search, as counts; None without a search.

    The counts are visits if the search's policy are their shares, else millionths of the policy: of
    proven wins and planning with Gumbel noise.
    """
    if search is None:
        return None
    actions, policy = np.asarray(search.actions), np.asarray(search.policy)
    shares = policy[actions]
    visits = np.asarray(search.visits)
    if visits.sum() > 0 and np.abs(visits / visits.sum() - shares).max() < _SAME:
        counts = visits
    else:
        counts = np.rint(shares.astype(np.float64) * PARTS).astype(np.int64)
    return {int(a): int(n) for a, n in zip(actions, counts, strict=True) if n > 0} or None
