"""What is kept of a game of self-play: actions, what searches visited and expected, its end."""

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

__all__ = ["PARTS", "Ply", "PlayedGame", "Recorder"]

PARTS = 1_000_000
"""What a policy that is no count of visits is kept in: millionths."""

_SAME = 1e-5
"""How near a policy is to shares of visits that counts as being them."""


@dataclass(frozen=True)
class Ply:
    """What is known of a ply; of players who did not search there is nothing to know."""

    joint: tuple[int, ...]
    """The action, or one of each player where all move at once (0 of those who are out)."""
    visits: tuple[Mapping[int, int] | None, ...]
    """What is to be learnt of each decision; None: nothing."""
    values: tuple[float | None, ...]
    """What each search expected."""
    phases: tuple[int | None, ...]
    """The phase that each search was in."""


@dataclass(frozen=True)
class PlayedGame:
    """A game of self-play."""

    number: int
    """Which one, from 0."""
    entry: GameEntry
    """The game as stores keep it."""
    ending: str
    """What ended it: ``"rules"``, ``"max_plies"``, ``"resignation"`` or ``"agreement"``."""
    searched: int
    """Decisions that are to be learnt from."""
    cheap: int
    """Decisions of cheap searches, which are not."""
    verdict: tuple[float, ...] | None = None
    """What each player would have got from a resignation after which the game was played on."""

    @property
    def plies(self) -> int:
        """Plies, those before the agent took over among them if they are rows of the store."""
        return len(self.entry.actions)

    @property
    def is_misjudged(self) -> bool:
        """Whether the verdict was wrong."""
        returns = self.entry.returns
        if self.verdict is None or returns is None:
            return False
        return self.ending == "rules" and list(self.verdict) != returns.tolist()


@dataclass
class _Notes:
    """What has been noted of a game that is being played."""

    begun: Begun
    plies: list[Ply] = field(default_factory=list)
    cheap: int = 0
    last: Any = None
    """The state before the last ply."""
    is_searched: bool = False
    """Whether anybody searched, however cheaply."""


class Recorder:
    """Notes what happens in games, and makes entries of those that end.

    Args:
        game: What is played.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._width = decisions_a_ply(game)
        self._notes: dict[int, _Notes] = {}

    def begin(self, number: int, begun: Begun) -> None:
        """A game starts."""
        self._notes[number] = _Notes(begun)

    def moved(self, scheduled: Scheduled, state: Any, moves: Mapping[int, Move]) -> None:
        """Moves are about to be played."""
        notes = self._notes[scheduled.number]
        notes.last = state
        told = dict(moves)
        if self._width == 1:
            told = {0: next(iter(moves.values()))}
        seats = range(self._width)
        searches = [getattr(told.get(seat), "search", None) for seat in seats]
        notes.is_searched |= any(search is not None for search in searches)
        notes.cheap += sum(bool(getattr(search, "cheap", False)) for search in searches)
        notes.plies.append(
            Ply(
                joint=tuple(int(told[seat].action) if seat in told else 0 for seat in seats),
                visits=tuple(_target(search) for search in searches),
                values=tuple(_value(told.get(seat)) for seat in seats),
                phases=tuple(getattr(told.get(seat), "phase", None) for seat in seats),
            )
        )

    def finished(self, record: GameRecord) -> PlayedGame:
        """A game has ended.

        Raises:
            StoreError: What it started from cannot be written.
        """
        notes = self._notes.pop(record.number)
        start, before = self._start(notes.begun)
        nothing = (None,) * self._width
        plies = [Ply(joint, nothing, nothing, nothing) for joint in before] + notes.plies
        entry = GameEntry.of(
            self._game,
            self._width,
            start=start,
            actions=np.array([ply.joint for ply in plies], np.int64).reshape(-1, self._width),
            returns=None if record.ending == "rules" else _returns(record, notes),
            # Cheap searches alone are searches too: no decision of such a game is to be learnt.
            visits=_told([p.visits for p in plies], self._width, known=notes.is_searched),
            values=_told([ply.values for ply in plies], 1),
            phases=_told([ply.phases for ply in plies], 1),
            source="self-play" if record.ending == "rules" else f"self-play: {record.ending}",
        )
        if entry.returns is None:
            entry = replayed(self._game, entry, self._width, start_state(self._game, start))
        searched = sum(v is not None for ply in notes.plies for v in ply.visits)
        return PlayedGame(
            record.number, entry, record.ending, searched, notes.cheap, record.verdict
        )

    def _start(self, begun: Begun) -> tuple[Start, list[tuple[int, ...]]]:
        """The start as a store keeps it, and the plies of the game before the agent took over."""
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
    """What each player got from a game that was cut or given up; who was out keeps theirs."""
    settled = getattr(notes.last, "settled", None)
    if settled is None:
        return list(record.returns)
    after = replay(notes.last, list(notes.plies[-1].joint))
    told = ((after.settled(player), value) for player, value in enumerate(record.returns))
    return [value if early is None else early for early, value in told]


def _told(plies: Sequence[tuple[Any, ...]], width: int, *, known: bool = False) -> list[Any] | None:
    """What is told of each ply; None if nothing is told of any, unless that is ``known``."""
    if not known and all(one is None for ply in plies for one in ply):
        return None
    if width == 1:
        return [one for ply in plies for one in ply]
    return [list(ply) for ply in plies]


def _value(move: Move | None) -> float | None:
    value = None if move is None else move.value
    return None if value is None else min(max(value, -1.0), 1.0)


def _target(search: Any) -> dict[int, int] | None:
    """The policy to learn from a search, as counts; None if there was none, or a cheap one.

    They are the visits if the search's policy are their shares, else millionths of the policy: of
    proven wins, pruned playouts and planning with Gumbel noise.
    """
    if search is None or getattr(search, "cheap", False):
        return None
    actions, policy = np.asarray(search.actions), np.asarray(search.policy)
    shares = policy[actions]
    visits = np.asarray(search.visits)
    if visits.sum() > 0 and np.abs(visits / visits.sum() - shares).max() < _SAME:
        counts = visits
    else:
        counts = np.rint(shares.astype(np.float64) * PARTS).astype(np.int64)
    return {int(a): int(n) for a, n in zip(actions, counts, strict=True) if n > 0} or None
