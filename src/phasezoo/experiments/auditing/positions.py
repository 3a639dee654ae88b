"""The positions of an audit, in groups, and the answers of networks about each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.batches import decisions_of, policy_of
from phasezoo.data.positions import PositionTable
from phasezoo.data.store import GameStore
from phasezoo.errors import StoreError
from phasezoo.experiments.auditing.config import AuditConfig
from phasezoo.games.varlen import segment_softmax
from phasezoo.inference import Evaluation, StateBatch
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import evaluate_leaves
from phasezoo.report.console import Console

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

METRICS = ("policy", "accuracy", "value", "wdl")
"""Measured on every position: cross-entropy over the legal actions in nats; whether the likeliest
is the one played (a share where several are alike); squared errors of value and of win, draw and
loss, the latter summed over the three."""

DISTANCES = {
    "1–2 plies": 2,
    "3–4 plies": 4,
    "5–8 plies": 8,
    "9–16 plies": 16,
    "17 plies or more": 0,
}
"""Last distance to the nearest boundary of each group; 0 for no end."""

NO_BOUNDARY = "no boundary in the game"


@dataclass(frozen=True)
class Subjects:
    """Networks and games to be measured with."""

    networks: dict[str, Any]
    """Evaluators by name."""
    store: GameStore
    """The games that were drawn."""
    gate: Any
    """Gate of the phases."""


@dataclass(frozen=True)
class Answers:
    """Answers of one network on P positions, and how they compare with the games."""

    metrics: dict[str, Array]
    """``float64[P]`` by metric; without ``wdl`` if the network has no such probabilities."""
    value: Array
    """``float64[P]``: value for the player to move."""
    likeliest: Indices
    """``int64[P]``: the likeliest action, the first among equals."""


def positions_of(subjects: Subjects, config: AuditConfig) -> tuple[PositionTable, list[str]]:
    """Return all positions of the games, and the group of each by its distance to a boundary."""
    table = subjects.store.positions(subjects.gate, threads=config.threads)
    groups = distance_groups(table)
    counted = table.ply >= config.from_ply
    if not counted.any():
        message = f"the games have no position from ply {config.from_ply} on: give a lower one"
        raise StoreError(message)
    return table.select(counted), groups[counted].tolist()


def distance_groups(table: PositionTable) -> npt.NDArray[Any]:
    """Return the group of each position of whole games by its plies to the nearest other phase."""
    same = (np.diff(table.game) == 0) & (np.diff(table.ply) == 0)
    # Where several players act at one ply, each has positions of its own.
    chain = table.game.astype(np.int64) * 128 + (table.player if same.any() else 0)
    order = np.lexsort((table.ply, chain))
    chain, phase = chain[order], table.phase[order]
    place = np.arange(len(chain))
    first = np.flatnonzero((np.diff(chain) == 0) & (np.diff(phase) != 0)) + 1
    far = len(chain) + 1
    distance = np.full(len(chain), far)
    if len(first):
        after = np.searchsorted(first, place, side="right")
        before = first[np.maximum(after - 1, 0)]
        following = first[np.minimum(after, len(first) - 1)]
        since = np.where((after > 0) & (chain[before] == chain), place - before + 1, far)
        until = np.where((after < len(first)) & (chain[following] == chain), following - place, far)
        distance = np.minimum(since, until)
    names = np.array([*DISTANCES, NO_BOUNDARY], dtype=object)
    ends = [end for end in DISTANCES.values() if end]
    number = np.searchsorted(ends, distance)
    number[distance == far] = len(DISTANCES)
    groups = np.empty(len(chain), dtype=object)
    groups[order] = names[number]
    return groups


def bands_of(store: GameStore, rows: PositionTable, edges: Sequence[int]) -> list[str]:
    """Return the band of the rating of each position's player."""
    rating = store.columns.ratings[rows.game, rows.player]
    last = [f"{low}–{high - 1}" for low, high in pairwise(edges)]
    names = [f"below {edges[0]}", *last, f"{edges[-1]} or more"]
    found = np.array(names, dtype=object)[np.searchsorted(edges, rating, side="right")]
    found[rating == 0] = "not rated"
    return list(found.tolist())


def answers_of(
    subjects: Subjects, rows: PositionTable, results: Array, config: AuditConfig, console: Console
) -> tuple[dict[str, Answers], Array, npt.NDArray[np.bool_]]:
    """Ask every network about every position.

    Returns:
        The answers by network; the number of legal actions of each position that they are of; and
        ``bool[P]``: which positions these are. Games that were played on after their end by the
        rules have others.
    """
    columns = subjects.store.columns
    routed = _routing_phases(subjects, rows, config)
    parts: dict[str, list[tuple[dict[str, Array], Array, Indices]]]
    parts = {name: [] for name in subjects.networks}
    legal = list[Array]()
    alive = np.ones(len(rows), dtype=np.bool_)
    with console.task("Positions", len(rows)) as task:
        for where, states in batches_of(subjects.store, rows, config.batch):
            alive[where] = [not state.is_terminal for state in states]
            some = where[alive[where]]
            task.update(int(where[-1]) + 1)
            if not len(some):
                continue
            asked = [state for state, kept in zip(states, alive[where], strict=True) if kept]
            players = rows.player[some].tolist()
            batches: dict[bytes, StateBatch] = {}
            decisions = decisions_of(
                columns, *(c[some] for c in (rows.game, rows.ply, rows.player))
            )
            played, policy = columns.actions[decisions], policy_of(columns, decisions)
            for name, evaluator in subjects.networks.items():
                phases = routed[name][some]
                leaves = batches.setdefault(
                    phases.tobytes(), StateBatch(asked, phases, config.threads, players)
                )
                answer = evaluate_leaves(evaluator, leaves, Counts(), name)
                parts[name].append(_judged(answer, leaves, played, policy, results[some]))
            legal.append(np.diff(leaves.legal[0]).astype(np.float64))
    answers = {}
    for name, found in parts.items():
        metrics, values, likeliest = zip(*found, strict=True)
        kinds = [kind for kind in METRICS if all(kind in each for each in metrics)]
        joined = {kind: np.concatenate([each[kind] for each in metrics]) for kind in kinds}
        answers[name] = Answers(joined, np.concatenate(values), np.concatenate(likeliest))
    return answers, np.concatenate(legal), alive


def batches_of(
    store: GameStore, rows: PositionTable, size: int
) -> Iterator[tuple[Indices, list[Any]]]:
    """Yield places of rows and their states, which are replayed once a game."""
    number, states = -1, list[Any]()
    for start in range(0, len(rows), size):
        where = np.arange(start, min(start + size, len(rows)))
        found = []
        for game, ply in zip(rows.game[where].tolist(), rows.ply[where].tolist(), strict=True):
            if game != number:
                number, states = game, store.records.states(game)
            found.append(states[ply])
        yield where, found


def _routing_phases(
    subjects: Subjects, rows: PositionTable, config: AuditConfig
) -> dict[str, npt.NDArray[np.int8]]:
    """Return the phases that each network gets: a mixture's are those of its own gate."""
    found = {}
    for name, evaluator in subjects.networks.items():
        own = getattr(evaluator, "search_gate", None)
        if own is None or own == subjects.gate:
            found[name] = rows.phase
        else:
            table = subjects.store.positions(own, threads=config.threads)
            found[name] = table.matching(rows).phase
    return found


def _judged(
    answer: Evaluation, leaves: StateBatch, played: Any, policy: Any, results: Array
) -> tuple[dict[str, Array], Array, Indices]:
    """Return the metrics, values and likeliest actions of a batch."""
    offsets, actions = leaves.legal
    row = np.repeat(np.arange(len(leaves)), np.diff(offsets))
    logits = answer.legal_logits
    if logits is None:
        logits = np.zeros(len(actions), dtype=np.float32)
    chances = segment_softmax(logits, offsets)
    highest = np.maximum.reduceat(logits, offsets[:-1])
    best = logits == highest[row]
    taken = actions == np.asarray(played)[row]
    if policy is None:
        wanted = taken.astype(np.float64)
    else:
        wanted = policy.dense(leaves.num_actions)[row, actions].astype(np.float64)
    floor = np.finfo(np.float64).tiny
    entropy = -np.bincount(row, wanted * np.log(np.maximum(chances, floor)), len(leaves))
    hits = np.bincount(row, best & taken, len(leaves)) / np.bincount(row, best, len(leaves))
    value = answer.values().astype(np.float64)
    if value.ndim == 2:
        value = value[np.arange(len(value)), leaves.players]
    metrics = {"policy": entropy, "accuracy": hits, "value": np.square(value - results)}
    if answer.wdl is not None:
        metrics["wdl"] = np.square(answer.wdl - happened_of(results)).sum(axis=1)
    first = np.flatnonzero(best)[np.unique(row[best], return_index=True)[1]]
    return metrics, value, actions[first].astype(np.int64)


def happened_of(results: Array) -> Array:
    """``float64[P, 3]``: 1 for the one of win, draw and loss that happened."""
    return np.stack([results > 0, results == 0, results < 0], axis=1).astype(np.float64)
