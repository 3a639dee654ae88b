"""Stored games of a user's own game, replayed through its states.

The same questions as the native core's ``Records`` answers, so that a store does not know which of
the two it asks.
"""

import hashlib
import json
import math
import pickle
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.data.columns import GameColumns
from phasezoo.data.positions import chunk_phases, chunks
from phasezoo.data.starts import start_state
from phasezoo.errors import CorruptRecord, about
from phasezoo.games import Game, acting_players, encode, legal_actions_of
from phasezoo.games.queries import joint_action
from phasezoo.games.symmetries import Symmetry, symmetries_of
from phasezoo.types import SIMULTANEOUS


def records_of(game: Game, columns: GameColumns) -> Any:
    """Return the records that replay the games."""
    if not game.native:
        return StateRecords(game, columns)
    starts = []
    for number, start in columns.starts.items():
        if isinstance(start, bytes):
            message = f"game {number}: a start of {game.name!r} is text, and this one is pickled"
            raise CorruptRecord(message)
        starts.append((number, start))
    options = json.dumps(dict(game.options)) if game.options else None
    actions: Any = columns.actions  # the core's games have few enough for two bytes
    return _core.Records(game.name, actions, columns.offsets, starts, options)


class KnownPlanes:
    """Planes of decisions, made once and read after that; the memory is taken as it is filled.

    Args:
        entries: How many decisions there are.
        shape: Channels, height and width.
    """

    def __init__(self, entries: int, shape: tuple[int, ...]) -> None:
        self._planes = np.empty((entries, *shape), dtype=np.float32)
        self._is_known = np.zeros(entries, dtype=np.bool_)

    def missing(self, decisions: npt.NDArray[np.int64]) -> list[int]:
        """Return which of these are not known yet, each once."""
        unknown = np.flatnonzero(~self._is_known[decisions])
        _, first = np.unique(decisions[unknown], return_index=True)
        rows: list[int] = unknown[first].tolist()
        return rows

    def keep(self, decisions: npt.NDArray[np.int64], planes: npt.NDArray[np.float32]) -> None:
        """Remember the planes ``float32[B, C, H, W]`` of some decisions."""
        self._planes[decisions] = planes
        self._is_known[decisions] = True

    def read(self, decisions: npt.NDArray[np.int64], out: npt.NDArray[np.float32]) -> None:
        """Write the planes of some decisions, all known, to ``out``."""
        np.take(self._planes, decisions, axis=0, out=out)


KEPT_BYTES = 256 << 20
"""Bytes that the states kept of one store may take, about."""

STATE_BYTES = 400
"""Approximate bytes of a Python object beyond its pickled size."""

Labels = tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int8],
    npt.NDArray[np.int8],
    npt.NDArray[np.uint64],
]
"""Game, ply, player, phase and key of every row."""


class StateRecords:
    """Stored games whose states are made again by replaying their actions from their starts.

    Some states of each game are kept once they were made: every one, or every second, fourth and so
    on, so that all of them together take about 256 MiB. So are all planes, if they take no more:
    batches of tic-tac-toe are then made eight times as fast as of kept states, and worker processes
    would help in the first epoch alone.

    Args:
        game: The game.
        columns: The games.

    Raises:
        CorruptRecord: A start is not valid.
    """

    def __init__(self, game: Game, columns: GameColumns) -> None:
        self.game = game
        self.columns = columns
        self._usual = game.initial_state()
        self.num_symmetries = 1 + len(symmetries_of(self._usual, game.num_actions))
        self._kept: dict[int, list[Any]] = {}
        self._planes: dict[str, KnownPlanes | None] = {}
        self._every = _distance(self._usual, columns.num_plies)
        for number in columns.starts:
            self._start(number)

    def label(self, gate: Any, threads: int | None = None) -> Labels:
        """Game, ply, player, phase and key of every row, by game, ply and player.

        Every action is checked.
        """
        parts: list[Labels] = []
        for some in chunks(range(len(self.columns))):
            states = {number: self.states(number) for number in some}
            parts.append(self._label_chunk(gate, states))
        if not parts:
            kinds = (np.int32, np.int32, np.int8, np.int8, np.uint64)
            return tuple(np.empty(0, dtype=kind) for kind in kinds)  # type: ignore[return-value]
        game, ply, player, phase, key = (np.concatenate(c) for c in zip(*parts, strict=True))
        return game, ply, player, phase, key

    def states(self, number: int) -> list[Any]:
        """Return the states of a game before each of its plies, every action checked."""
        states = self._walked(number, 0, self._start(number), self._plies(number))
        self._kept.setdefault(number, states[:: self._every])
        return states[:-1]

    def last(self, number: int) -> Any:
        """Return the state after a game's last ply; see :meth:`states`."""
        return self._walked(number, 0, self._start(number), self._plies(number))[-1]

    def hashes(self, seed: int) -> npt.NDArray[np.uint64]:
        """``uint64[N]``: a number per game that depends on seed, start and actions alone."""
        hashes = np.empty(len(self.columns), dtype=np.uint64)
        salt = seed.to_bytes(8, "little")
        bounds = (self.columns.offsets * self.columns.width).tolist()
        for number, (low, high) in enumerate(pairwise(bounds)):
            start = self.columns.starts.get(number, "")
            text = start if isinstance(start, bytes) else start.encode()
            actions = self.columns.actions[low:high].astype("<i4").tobytes()
            digest = hashlib.blake2b(text, digest_size=8, salt=salt)
            digest.update(b"\0" + actions)
            hashes[number] = int.from_bytes(digest.digest(), "little")
        return hashes

    def symmetries(self, states: Sequence[Any]) -> npt.NDArray[np.uint8]:
        """``uint8[B]``: in how many ways each of some states can be turned."""
        symmetries = (symmetries_of(state, self.game.num_actions) for state in states)
        ways = [1 + sum(symmetry is not None for symmetry in own) for own in symmetries]
        return np.array(ways, dtype=np.uint8)

    def sample(
        self,
        games: npt.NDArray[np.int32],
        plies: npt.NDArray[np.int32],
        players: npt.NDArray[np.int8],
        spec: str,
        planes: npt.NDArray[np.float32],
        action: npt.NDArray[np.int64],
        plies_left: npt.NDArray[np.float32],
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
        policy: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None = None,
        threads: int | None = None,
    ) -> npt.NDArray[np.int32] | None:
        """Fill the arrays for some rows; see the core's ``Records.sample``."""
        columns, width = self.columns, self.columns.width
        places = columns.offsets[games] + plies
        decisions = places if width == 1 else places * width + players
        rows = list(zip(games.tolist(), plies.tolist(), players.tolist(), strict=True))
        self._fill(rows, decisions, spec, planes, hidden)
        action[:] = columns.actions[decisions]
        plies_left[:] = columns.offsets[games + 1] - places
        turned = None if policy is None else policy[1].copy()
        if symmetries is not None:
            offsets = None if policy is None else policy[0]
            for row in np.flatnonzero(symmetries).tolist():
                state = self._at(*rows[row][:2])
                symmetry = self._symmetry(state, int(symmetries[row]))
                if symmetry is None:
                    continue
                planes[row] = symmetry.planes(planes[row])
                action[row] = symmetry.actions[action[row]]
                if turned is not None and offsets is not None:
                    part = slice(offsets[row], offsets[row + 1])
                    turned[part] = symmetry.actions[turned[part]]
        return turned

    def _fill(
        self,
        rows: Sequence[tuple[int, int, int]],
        decisions: npt.NDArray[np.int64],
        spec: str,
        planes: npt.NDArray[np.float32],
        hidden: npt.NDArray[np.bool_] | None,
    ) -> None:
        """Make the planes of some rows, each a game, a ply and a player."""
        known = None if hidden is not None else self._known_planes(spec, planes.shape[1:])
        missing = range(len(rows)) if known is None else known.missing(decisions)
        if missing:
            states = [self._at(game, ply) for game, ply, _ in (rows[row] for row in missing)]
            if hidden is not None:
                pairs = zip(states, hidden.tolist(), strict=True)
                states = [state.without_history() if hide else state for state, hide in pairs]
            made = encode(states, spec, players=[rows[row][2] for row in missing])
            if known is None:
                planes[:] = made
            else:
                known.keep(decisions[list(missing)], made)
        if known is not None:
            known.read(decisions, planes)

    def _known_planes(self, spec: str, shape: tuple[int, ...]) -> "KnownPlanes | None":
        """Planes made before, if all of the store's fit into the memory allowed."""
        if spec not in self._planes:
            entries = len(self.columns.actions)
            fits = 4 * entries * math.prod(shape) <= KEPT_BYTES
            self._planes[spec] = KnownPlanes(entries, shape) if fits else None
        return self._planes[spec]

    def _symmetry(self, state: Any, symmetry: int) -> Symmetry | None:
        """How a state is turned; None if this symmetry is not one of this state."""
        own = symmetries_of(state, self.game.num_actions)
        return own[symmetry - 1] if symmetry <= len(own) else None

    def _plies(self, number: int) -> int:
        return int(self.columns.offsets[number + 1] - self.columns.offsets[number])

    def _start(self, number: int) -> Any:
        start = self.columns.starts.get(number)
        if start is None:
            return self._usual
        kept = self._kept.get(~number)
        if kept is None:
            with about(f"game {number}", CorruptRecord):
                kept = self._kept[~number] = [start_state(self.game, start)]
        return kept[0]

    def _at(self, number: int, ply: int) -> Any:
        """Return the state of a game after so many plies."""
        kept = self._kept.get(number)
        if kept is None:
            whole = self._walked(number, 0, self._start(number), self._plies(number))
            kept = self._kept[number] = whole[:: self._every]
        first, rest = divmod(ply, self._every)
        if rest == 0:
            return kept[first]
        return self._walked(number, first * self._every, kept[first], rest)[-1]

    def _walked(self, number: int, first: int, state: Any, plies: int) -> list[Any]:
        """Return a state of a game after ``first`` plies, and one after each of the next plies."""
        states, width = [state], self.columns.width
        begin = int(self.columns.offsets[number]) + first
        actions = self.columns.actions[begin * width : (begin + plies) * width].tolist()
        for ply in range(plies):
            joint = actions[ply * width : (ply + 1) * width]
            try:
                states.append(played(states[-1], joint))
            except Unplayable as error:
                message = f"game {number}, ply {first + ply}: {error}"
                raise CorruptRecord(message) from None
            except Exception as error:
                error.add_note(f"raised in game {number} of the store, ply {first + ply}")
                raise
        return states

    def _label_chunk(self, gate: Any, states: Mapping[int, list[Any]]) -> Labels:
        game, ply, player, keys = [], [], [], []
        for number, path in states.items():
            for place, state in enumerate(path):
                idle = getattr(state, "is_idle", _never)
                for who in acting_players(state):
                    if idle(who):  # out of the game, and nothing depends on what they do
                        continue
                    game.append(number)
                    ply.append(place)
                    player.append(who)
                    keys.append(_key(state, who))
        rows = (np.array(game, np.int32), np.array(ply, np.int32), np.array(player, np.int8))
        phase = chunk_phases(gate, states, *rows, self.columns.width)
        return (*rows, phase, np.array(keys, dtype=np.uint64))


class Unplayable(Exception):
    """An action that cannot be played."""


def played(state: Any, joint: list[int]) -> Any:
    """Return the state after an action, or one of each player (ignoring those who do not act)."""
    if state.is_terminal:
        message = "the game is over before it"
        raise Unplayable(message)
    acting = acting_players(state)
    if state.to_play == SIMULTANEOUS and len(joint) == 1:
        message = "players move at once, and the initial state of this game has one player to move"
        raise Unplayable(message)
    chosen = joint if len(joint) == 1 else [joint[player] for player in acting]
    for player, action in zip(acting, chosen, strict=True):
        legal = legal_actions_of(state, player)
        if action not in legal:
            known = ", ".join(map(str, legal[:10].tolist())) + (", …" if len(legal) > 10 else "")
            message = f"action {action} of player {player} is not legal; legal are {known}"
            raise Unplayable(message)
    return state.play(joint_action(state, chosen))


def _never(player: int) -> bool:
    return False


def _key(state: Any, player: int) -> int:
    """Return a key of the position: the state's own, or one of the planes that the player sees."""
    own = getattr(state, "key", None)
    if own is not None and state.to_play != SIMULTANEOUS:
        return int(own)
    digest = hashlib.blake2b(digest_size=8)
    if own is None:
        digest.update(encode([state], players=[player]).tobytes())
    else:
        digest.update(int(own).to_bytes(8, "little") + bytes([player]))
    return int.from_bytes(digest.digest(), "little")


def _distance(state: Any, plies: int) -> int:
    """Plies between states that are kept, so that they fit into the memory allowed."""
    try:
        size = len(pickle.dumps(state)) + STATE_BYTES
    except Exception:  # a user's own code
        size = 10 * STATE_BYTES
    every = 1
    while plies // every * size > KEPT_BYTES:
        every *= 2
    return every
