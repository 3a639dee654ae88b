"""Training batches, the same for every game, and how they are made of stored games."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.data.columns import GameColumns
from phasezoo.data.positions import PositionTable
from phasezoo.errors import CorruptRecord, InvalidArray, InvalidConfig
from phasezoo.games import PackedPlanes
from phasezoo.games.packed import general_planes
from phasezoo.games.varlen import entries_of, offsets_of
from phasezoo.specs import Share, check_value
from phasezoo.types import Planes

if TYPE_CHECKING:
    from phasezoo.data.store import GameStore


Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SparsePolicy:
    """A distribution over actions for each of B positions; actions left out have probability 0.

    Raises:
        InvalidArray: The columns do not fit together.
    """

    offsets: npt.NDArray[np.int64]
    """``int64[B + 1]``: position ``i`` has the entries ``offsets[i]`` to ``offsets[i + 1]``."""
    actions: npt.NDArray[np.int32]
    """``int32[P]``: the action of each entry; an action comes once at most in a position."""
    probabilities: npt.NDArray[np.float32]
    """``float32[P]``: its probability; those of a position add up to 1."""

    def __post_init__(self) -> None:
        entries = len(self.actions)
        whole = len(self.offsets) > 0 and self.offsets[0] == 0 and self.offsets[-1] == entries
        if not whole or len(self.probabilities) != entries or (np.diff(self.offsets) < 0).any():
            message = (
                f"a sparse policy of {entries} actions and {len(self.probabilities)} probabilities "
                "has other offsets: they begin at 0, never fall and end at the number of entries"
            )
            raise InvalidArray(message)

    @classmethod
    def of(cls, actions: npt.NDArray[np.integer]) -> "SparsePolicy":
        """Return distributions that are certain of one action each."""
        ones = np.ones(len(actions), np.float32)
        return cls(np.arange(len(actions) + 1), actions.astype(np.int32), ones)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.offsets) - 1

    def take(self, rows: npt.NDArray[np.integer]) -> "SparsePolicy":
        """Return the distributions of some of the positions, by their indices."""
        offsets, entries = entries_of(self.offsets, rows)
        return SparsePolicy(offsets, self.actions[entries], self.probabilities[entries])

    def dense(self, num_actions: int) -> npt.NDArray[np.float32]:
        """``float32[B, num_actions]``."""
        filled = np.zeros((len(self), num_actions), dtype=np.float32)
        rows = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        filled[rows, self.actions] = self.probabilities
        return filled

    def padded(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """``int64[B, K]`` actions and ``float32[B, K]`` probabilities, K the longest's entries.

        What fills the shorter ones is action 0 with probability 0.
        """
        counts = np.diff(self.offsets)
        rows = np.repeat(np.arange(len(self)), counts)
        places = np.arange(len(self.actions)) - np.repeat(self.offsets[:-1], counts)
        shape = (len(self), max(int(counts.max(initial=0)), 1))
        actions = np.zeros(shape, dtype=np.int64)
        probabilities = np.zeros(shape, dtype=np.float32)
        actions[rows, places] = self.actions
        probabilities[rows, places] = self.probabilities
        return actions, probabilities

    @classmethod
    def joined(cls, parts: "Sequence[SparsePolicy]") -> "SparsePolicy":
        """Return the distributions of several batches, one after the other."""
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            offsets_of(counts),
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
        )


@dataclass(frozen=True)
class Batch:
    """Positions with their training targets, all from the view of the player who acts."""

    planes: Planes | PackedPlanes
    """``float32[B, C, H, W]``, or packed if the sampler was asked so."""
    action: npt.NDArray[np.int64]
    """``int64[B]``: the action that was played."""
    value: npt.NDArray[np.float32]
    """``float32[B]``: how the game ended for the player to move, in [-1, 1]; in part what a search
    expected, if the store was asked to mix the two."""
    wdl: npt.NDArray[np.int64]
    """``int64[B]``: how the game ended as a class: 0 won, 1 drawn, 2 lost."""
    plies_left: npt.NDArray[np.float32]
    """``float32[B]``: plies to the end of the game; 1 before its last move. If all move at once,
    the steps."""
    phase: npt.NDArray[np.int8]
    """``int8[B]``: the phase by the gate of the position table."""
    game: npt.NDArray[np.int32]
    """``int32[B]``: index of the game in the store."""
    weight: npt.NDArray[np.float32]
    """``float32[B]``: what the losses of each position are multiplied by; 1 unless phases are
    weighed."""
    policy: SparsePolicy | None = None
    """The target distribution over actions; None: the action played, for certain."""
    values: npt.NDArray[np.float32] | None = None
    """``float32[B, players]``: how the game ended for each player: for who acts first, then for the
    others by index. None if the store does not hold it."""

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.action)

    @property
    def float_planes(self) -> Planes:
        """``float32[B, C, H, W]``, unpacked if need be."""
        return self.planes.unpack() if isinstance(self.planes, PackedPlanes) else self.planes

    def take(self, rows: npt.NDArray[np.integer]) -> Self:
        """Some of the positions, by their indices."""
        return type(self)(**{name: _taken(column, rows) for name, column in vars(self).items()})

    @classmethod
    def joined(cls, batches: "Sequence[Batch]") -> Self:
        """Return the positions of several batches, one after the other.

        Raises:
            InvalidConfig: Some have the returns of all players, and others do not.
        """
        batches = _alike(batches)
        columns = {}
        for field in fields(cls):
            parts: list[Any] = [getattr(batch, field.name) for batch in batches]
            columns[field.name] = _joined(parts)
        return cls(**columns)


def _alike(batches: Sequence[Batch]) -> Sequence[Batch]:
    """Return batches that all have distributions, or none; those that lack them have the action."""
    if len({batch.values is None for batch in batches}) > 1:
        message = "some of the games have the returns of all players, and others do not"
        raise InvalidConfig(message)
    if len({batch.policy is None for batch in batches}) == 1:
        return batches
    return [
        batch if batch.policy is not None else replace(batch, policy=SparsePolicy.of(batch.action))
        for batch in batches
    ]


def _taken(column: Any, rows: npt.NDArray[np.integer]) -> Any:
    if column is None:
        return None
    return column.take(rows) if isinstance(column, SparsePolicy) else column[rows]


def _joined(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    if isinstance(parts[0], SparsePolicy | PackedPlanes):
        return type(parts[0]).joined(parts)
    return np.concatenate(parts)


def batch_of(
    store: "GameStore",
    table: PositionTable,
    rows: npt.NDArray[np.int64],
    planes: str,
    hidden: npt.NDArray[np.bool_] | None,
    symmetries: npt.NDArray[np.uint8] | None,
    value_mix: float,
    threads: int | None,
    *,
    packed: bool,
) -> Batch:
    """Return the batch of some rows of a table of ``store``; see :meth:`GameStore.batch`."""
    if symmetries is not None and store.num_symmetries == 1:
        message = f"positions of {store.variant} have no symmetries: leave them out"
        raise InvalidConfig(message)
    if hidden is not None and not store.has_history:
        message = f"planes of {store.variant} show no last moves that could be hidden"
        raise InvalidConfig(message)
    value_mix = check_value("value_mix", Share, value_mix)
    count = len(rows)
    if count and not 0 <= np.min(rows) <= np.max(rows) < len(table):
        ends = f"{np.min(rows)} to {np.max(rows)}"
        message = f"rows from {ends}: the table has the rows 0 to {len(table) - 1}"
        raise InvalidArray(message)
    game, ply, player = table.game[rows], table.ply[rows], table.player[rows]
    shown: Planes | PackedPlanes
    if packed and store.game.native:
        shown = store.game.plane_layout(planes).empty(count)
    else:
        shown = np.empty((count, *store.game.plane_shape(planes)), dtype=np.float32)
    action = np.empty(count, dtype=np.int64)
    plies_left = np.empty(count, dtype=np.float32)
    decisions = decisions_of(store.columns, game, ply, player)
    policy = policy_of(store.columns, decisions)
    given = None if policy is None else (policy.offsets, policy.actions)
    turned = store.records.sample(
        game, ply, player, planes, shown, action, plies_left, hidden, symmetries, given, threads
    )
    if packed and isinstance(shown, np.ndarray):
        shown = general_planes(shown)
    if policy is not None:
        policy = SparsePolicy(policy.offsets, turned, policy.probabilities)
    values = own_first(store.returns[game], player)
    value = values[:, 0].copy()
    return Batch(
        planes=shown,
        action=action,
        value=mixed(value, store.columns.values, decisions, value_mix),
        wdl=(1 - np.sign(value)).astype(np.int64),
        plies_left=plies_left,
        phase=table.phase[rows],
        game=game,
        weight=np.ones(count, dtype=np.float32),
        policy=policy,
        values=values,
    )


def decisions_of(columns: GameColumns, game: Any, ply: Any, player: Any) -> Rows:
    """Return where rows are in the columns that have one entry a decision."""
    if len(game) == 0:
        return np.empty(0, dtype=np.int64)
    if game.min() >= 0 and game.max() < len(columns) and ply.min() >= 0:
        places: Rows = columns.offsets[game] + ply
        if (places < columns.offsets[game + 1]).all():
            return places if columns.width == 1 else places * columns.width + player
    message = "there are no such positions: give rows of this very store's positions()"
    raise CorruptRecord(message)


def policy_of(columns: GameColumns, decisions: Rows) -> SparsePolicy | None:
    """Return the visits of searches as shares; the action played where there was no search.

    None if nothing is known of any search.
    """
    visits = columns.visits
    if visits is None:
        return None
    counts = visits.offsets[decisions + 1] - visits.offsets[decisions]
    offsets = offsets_of(np.maximum(counts, 1))
    actions = np.empty(offsets[-1], dtype=np.int32)
    shares = np.ones(offsets[-1], dtype=np.float32)
    searched = np.flatnonzero(counts)
    if searched.size:
        ends, source = entries_of(visits.offsets, decisions[searched])
        _, target = entries_of(offsets, searched)
        times = visits.counts[source]
        sums = np.add.reduceat(times, ends[:-1], dtype=np.int64)
        actions[target] = visits.actions[source]
        shares[target] = times / np.repeat(sums, counts[searched])
    played = counts == 0
    actions[offsets[:-1][played]] = columns.actions[decisions[played]]
    return SparsePolicy(offsets, actions, shares)


def own_first(returns: Floats, player: npt.NDArray[np.int8]) -> Floats:
    """Return ``float32[B, players]``: each row's player's return, then the others' by index."""
    players = range(returns.shape[1])
    orders = np.array([[own, *(other for other in players if other != own)] for own in players])
    ordered: Floats = np.take_along_axis(returns, orders[player], axis=1)
    return ordered


def mixed(value: Floats, expected: Floats | None, decisions: Rows, share: float) -> Floats:
    """Values with a share of what searches expected, where that is known."""
    if share == 0 or expected is None:
        return value
    found = expected[decisions]
    both = (1 - np.float32(share)) * value + np.float32(share) * found
    return np.where(np.isnan(found), value, both)
