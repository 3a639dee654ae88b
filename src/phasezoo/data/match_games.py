"""Games of a match as games of a store."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from phasezoo.data.game_entry import GameEntry
from phasezoo.data.replayed import returns_of
from phasezoo.data.starts import start_state, start_text
from phasezoo.errors import CorruptRecord, InvalidConfig, PhasezooError, StoreError, about
from phasezoo.games import Game, acting_players
from phasezoo.games.queries import action_of

_NEEDED = ("start_fen", "start", "opening_moves", "moves", "returns", "ending", "sides")


def entries_of(game: Game, width: int, games: Any) -> Iterator[GameEntry]:
    """Yield the games of a match, or of records of one."""
    names = None
    if hasattr(games, "sides") and hasattr(games, "games"):
        if games.game != game.name:
            message = f"a match of {games.game!r}: this store is of {game.name!r}"
            raise StoreError(message)
        names = [side.name for side in games.sides]
        games = games.games
    if not isinstance(games, Iterable):
        games = (games,)
    for record in games:
        if not all(hasattr(record, name) for name in _NEEDED):
            message = (
                f"{str(record)[:80]!r} is no record of a game: give a match (arena.play_match), "
                "its records, or a GameStore"
            )
            raise InvalidConfig(message)
        with about(f"game {record.number} of the match", PhasezooError, CorruptRecord):
            entry = _entry(game, width, record, names)
        yield entry


def _entry(game: Game, width: int, record: Any, names: list[str] | None) -> GameEntry:
    begun: str = record.start_fen or record.start
    state = start_state(game, begun)
    for text in record.opening_moves:
        state = state.play(action_of(state, text))
    start = start_text(game, state) if record.opening_moves else begun
    moves = record.moves
    if start is None:  # its states are no text: the opening's moves are moves like others
        start, state = begun, start_state(game, begun)
        moves = (*record.opening_moves, *record.moves)
    joints: list[list[int]] = []
    last = state
    for text in moves:
        action = action_of(state, text)
        joints.append(_joint(state, action, width))
        last, state = state, state.play(action)
    if record.ending == "rules":
        returns = returns_of(last, state)
    else:
        settled = getattr(state, "settled", lambda player: None)
        ends = ((settled(player), value) for player, value in enumerate(record.returns))
        returns = np.array([v if early is None else early for early, v in ends], dtype=np.float32)
    return GameEntry.of(
        game,
        width,
        start=start,
        actions=np.array(joints, dtype=np.int64).reshape(-1, width),
        returns=returns,
        players=None if names is None else [names[agent] for agent in record.agents],
        source="match",
    )


def _joint(state: Any, action: Any, width: int) -> list[int]:
    """Return an action of every player, 0 of those who do not act."""
    if width == 1:
        return [int(action)]
    joint = [0] * width
    for player, chosen in zip(acting_players(state), np.atleast_1d(action).tolist(), strict=True):
        joint[player] = chosen
    return joint
