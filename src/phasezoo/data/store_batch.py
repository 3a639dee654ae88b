"""Batches of stored games: what :meth:`phasezoo.training.GameStore.batch` answers."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from phasezoo.data import targets
from phasezoo.data.batches import Batch, SparsePolicy
from phasezoo.data.positions import PositionTable
from phasezoo.errors import InvalidConfig
from phasezoo.games import PackedPlanes
from phasezoo.games.packed import general_planes
from phasezoo.types import Planes

if TYPE_CHECKING:
    from phasezoo.data.store import GameStore


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
    count = len(rows)
    game, ply, player = table.game[rows], table.ply[rows], table.player[rows]
    shown: Planes | PackedPlanes
    if packed and store.game.native:
        shown = store.game.plane_layout(planes).empty(count)
    else:
        shown = np.empty((count, *store.game.plane_shape(planes)), dtype=np.float32)
    action = np.empty(count, dtype=np.int64)
    plies_left = np.empty(count, dtype=np.float32)
    decisions = targets.decisions_of(store.columns, game, ply, player)
    policy = targets.policy_of(store.columns, decisions)
    given = None if policy is None else (policy.offsets, policy.actions)
    turned = store.records.sample(
        game, ply, player, planes, shown, action, plies_left, hidden, symmetries, given, threads
    )
    if packed and isinstance(shown, np.ndarray):
        shown = general_planes(shown)
    if policy is not None:
        policy = SparsePolicy(policy.offsets, turned, policy.probabilities)
    values = targets.own_first(store.returns[game], player)
    value = values[:, 0].copy()
    return Batch(
        planes=shown,
        action=action,
        value=targets.mixed(value, store.columns.values, decisions, value_mix),
        wdl=(1 - np.sign(value)).astype(np.int64),
        plies_left=plies_left,
        phase=table.phase[rows],
        game=game,
        weight=np.ones(count, dtype=np.float32),
        policy=policy,
        values=values,
    )
