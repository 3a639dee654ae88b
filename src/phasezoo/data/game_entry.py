"""One game as it is given to a writer, checked and made small."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.columns import (
    GameColumns,
    Start,
    Texts,
    Visits,
    joined_searches,
    why_unwritable,
)
from phasezoo.data.store_file import action_type
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.games.varlen import offsets_of

_PHASES = 127
_RATING = 32_767
_MOST_VISITS = np.iinfo(np.int32).max


@dataclass(frozen=True)
class GameEntry:
    """A game; columns per ply have ``width`` entries a ply, one after the other."""

    start: Start
    """Start of the game, ``""`` for the usual one."""
    actions: npt.NDArray[Any]
    """``[plies * width]``."""
    returns: npt.NDArray[np.float32] | None
    """``float32[players]``; None: to be found at the end of the game."""
    visits: Visits | None = None
    values: npt.NDArray[np.float32] | None = None
    surprises: npt.NDArray[np.float32] | None = None
    phases: npt.NDArray[np.int8] | None = None
    players: Sequence[str | None] | None = None
    ratings: Sequence[int] | None = None
    date: bytes = b""
    source: str | None = None
    salvaged: bool = False

    @classmethod
    def of(
        cls,
        game: Game,
        width: int,
        *,
        start: Start = "",
        actions: npt.ArrayLike,
        returns: npt.ArrayLike | None,
        visits: Sequence[Any] | None = None,
        values: Sequence[Any] | None = None,
        surprises: Sequence[Any] | None = None,
        phases: Sequence[Any] | None = None,
        players: Sequence[str | None] | None = None,
        ratings: Sequence[int | None] | None = None,
        date: str | None = None,
        source: str | None = None,
        salvaged: bool = False,
    ) -> "GameEntry":
        """Check a game as :meth:`phasezoo.training.StoreWriter.add` takes it."""
        played = _actions(game, width, actions)
        decisions = len(played)
        return cls(
            start=start,
            actions=played,
            returns=None if returns is None else _returns(game, returns),
            visits=None if visits is None else _visits(game, visits, width, decisions),
            values=None if values is None else _values(values, decisions),
            surprises=None if surprises is None else _surprises(surprises, decisions),
            phases=None if phases is None else _phases(phases, decisions),
            players=_names(players, game),
            ratings=_ratings(ratings, game),
            date=_date(date),
            source=_text("source", source),
            salvaged=bool(salvaged),
        )


def columns_of(game: Game, width: int, entries: Sequence[GameEntry]) -> GameColumns:
    """Return the games in columns."""
    count, players = len(entries), game.num_players
    kind = action_type(game)
    lengths = [len(entry.actions) // width for entry in entries]
    ratings = np.zeros((count, players), dtype=np.int16)
    for row, entry in enumerate(entries):
        if entry.ratings is not None:
            ratings[row] = entry.ratings
    names = [(None,) * players if entry.players is None else entry.players for entry in entries]
    return GameColumns(
        actions=np.concatenate([np.empty(0, kind), *(entry.actions for entry in entries)]),
        offsets=offsets_of(lengths),
        returns=np.array([e.returns for e in entries], np.float32).reshape(count, players),
        starts={row: entry.start for row, entry in enumerate(entries) if entry.start},
        ratings=ratings,
        players=Texts.of(np.array(names, dtype=object).reshape(count, players), (count, players)),
        dates=np.array([entry.date for entry in entries], dtype="S10"),
        sources=Texts.of([entry.source for entry in entries], (count,)),
        salvaged=np.array([entry.salvaged for entry in entries], dtype=np.bool_),
        width=width,
        **joined_searches(entries, [len(entry.actions) for entry in entries]),
    )


def _actions(game: Game, width: int, actions: npt.ArrayLike) -> npt.NDArray[Any]:
    try:
        given = np.asarray(actions)
    except ValueError:  # rows of different lengths
        given = np.array(None)
    if given.size == 0:
        return np.empty(0, dtype=action_type(game))
    shaped = given.ndim == 1 or (given.ndim == 2 and given.shape[1] == width)
    if not shaped or given.dtype.kind not in "iu" or given.size % width:
        wanted = "whole numbers, one a ply" if width == 1 else f"int[plies, {width}]"
        message = f"actions: {given.dtype}{list(given.shape)}, needed are {wanted}"
        raise InvalidConfig(message)
    lowest, highest = 0 if given.dtype.kind == "u" else given.min(), given.max()
    if lowest < 0 or highest >= game.num_actions:
        wrong = highest if lowest >= 0 else lowest
        message = f"actions: {wrong} is no action; {game.name!r} has {game.num_actions}, from 0"
        raise InvalidConfig(message)
    return given.astype(action_type(game)).ravel()


def _returns(game: Game, returns: npt.ArrayLike) -> npt.NDArray[np.float32]:
    try:
        given = np.asarray(returns, dtype=np.float32)
    except (TypeError, ValueError):
        given = np.empty(0, dtype=np.float32)
    wanted = given.shape == (game.num_players,)
    if not wanted or not all(-1 <= value <= 1 for value in given.tolist()):
        message = (
            f"returns={returns!r}: needed is a number from -1 to 1 for each of the "
            f"{game.num_players} players"
        )
        raise InvalidConfig(message)
    return given


def _visits(game: Game, visits: Sequence[Any], width: int, decisions: int) -> Visits:
    """Sparse counts of all decisions."""
    try:
        given = list(visits) if width == 1 else [one for p in visits for one in _of_ply(p, width)]
    except TypeError:
        message = f"visits={visits!r}: needed is one search, or None, for each action"
        raise InvalidConfig(message) from None
    _check_length("visits", given, decisions)
    actions, counts = [], []
    for place, one in enumerate(given):
        visited, times = _visited(one, game.num_actions, place // width)
        actions.append(visited)
        counts.append(times)
    nothing = np.empty(0, dtype=np.int32)
    return Visits(
        offsets_of([len(visited) for visited in actions]),
        np.concatenate([nothing, *actions]).astype(np.int32),
        np.concatenate([nothing, *counts]).astype(np.int32),
    )


def _of_ply(ply: Any, width: int) -> Any:
    return [None] * width if ply is None else ply


def _visited(one: Any, num_actions: int, ply: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the actions that one search visited, ascending, and how often."""
    if one is None:
        nothing = np.empty(0, dtype=np.int32)
        return nothing, nothing
    if isinstance(one, Mapping):
        actions, counts = np.array(list(one)), np.array(list(one.values()))
        order = np.argsort(actions)
        actions, counts = actions[order], counts[order]
    else:
        counts = np.asarray(one)
        if counts.shape != (num_actions,):
            message = (
                f"visits of ply {ply}: shape {list(counts.shape)}, needed is int[{num_actions}] or "
                "a mapping of actions to counts"
            )
            raise InvalidConfig(message)
        actions = np.flatnonzero(counts)
        counts = counts[actions]
    whole = all(not len(c) or c.dtype.kind in "iu" for c in (actions, counts))
    inside = whole and all(
        ((numbers >= 0) & (numbers <= most)).all()
        for numbers, most in ((actions, num_actions - 1), (counts, _MOST_VISITS))
    )
    if not inside:
        message = (
            f"visits of ply {ply}: needed are counts that are whole numbers from 0 to "
            f"{_MOST_VISITS}, of actions from 0 to {num_actions - 1}"
        )
        raise InvalidConfig(message)
    kept = counts > 0
    if not kept.any():
        message = f"visits of ply {ply}: no action was visited; give None where nobody searched"
        raise InvalidConfig(message)
    return actions[kept], counts[kept]


def _values(values: Sequence[Any], decisions: int) -> npt.NDArray[np.float32]:
    flat = _numbers("values", values, decisions, np.nan)
    if (np.abs(flat) > 1).any():
        message = "values: needed are numbers from -1 to 1 for who acts, or None"
        raise InvalidConfig(message)
    return flat.astype(np.float32)


def _surprises(surprises: Sequence[Any], decisions: int) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what overflows is infinite
        flat = _numbers("surprises", surprises, decisions, np.nan).astype(np.float32)
    if (flat < 0).any() or np.isinf(flat).any():
        message = "surprises: needed are finite numbers from 0 on, in nats, or None"
        raise InvalidConfig(message)
    return flat


def _phases(phases: Sequence[Any], decisions: int) -> npt.NDArray[np.int8]:
    flat = _numbers("phases", phases, decisions, -1)
    if (flat != np.floor(flat)).any() or flat.min(initial=0) < -1 or flat.max(initial=0) >= _PHASES:
        message = f"phases: needed are whole numbers from 0 to {_PHASES - 1}, or None"
        raise InvalidConfig(message)
    return flat.astype(np.int8)


def _numbers(
    name: str, given: Sequence[Any], decisions: int, unknown: float
) -> npt.NDArray[np.float64]:
    """One number a decision; None is ``unknown``."""
    try:
        numbers = np.array(given, dtype=np.float64).ravel()  # None becomes nan
    except (TypeError, ValueError):
        message = f"{name}: needed is a number or None for each decision"
        raise InvalidConfig(message) from None
    _check_length(name, numbers, decisions)
    return np.where(np.isnan(numbers), unknown, numbers)


def _check_length(name: str, given: Any, decisions: int) -> None:
    if len(given) != decisions:
        message = f"{name}: {len(given)} entries for {decisions} actions; needed is one for each"
        raise InvalidConfig(message)


def _each(name: str, given: Sequence[Any] | None, game: Game) -> Sequence[Any] | None:
    listed = isinstance(given, Sequence) and not isinstance(given, str)
    if given is not None and not (listed and len(given) == game.num_players):
        message = f"{name}={given!r}: needed is one for each of the {game.num_players} players"
        raise InvalidConfig(message)
    return given


def _names(names: Sequence[str | None] | None, game: Game) -> Sequence[str | None] | None:
    given = _each("players", names, game)
    return None if given is None else [_text("players", name) for name in given]


def _text(name: str, text: str | None) -> str | None:
    """Refuse a text that no file could hold: one such name would cost the whole file."""
    wrong = why_unwritable(str(text))
    if wrong is not None:
        message = f"{name}: {wrong}"
        raise InvalidConfig(message)
    return text


def _ratings(ratings: Sequence[int | None] | None, game: Game) -> Sequence[int] | None:
    given = _each("ratings", ratings, game)
    if given is None:
        return None
    try:
        numbers = [0 if rating is None else int(rating) for rating in given]
    except (OverflowError, TypeError, ValueError):
        numbers = [-1]
    if min(numbers) < 0 or max(numbers) > _RATING:
        message = f"ratings={ratings!r}: must be from 0 to {_RATING:,}"
        raise InvalidConfig(message)
    return numbers


def _date(date: str | None) -> bytes:
    if date is None:
        return b""
    plain = isinstance(date, str) and date.isascii()
    digits = date.replace("?", "0").split(".") if plain else []
    if [len(part) for part in digits] != [4, 2, 2] or not all(p.isdecimal() for p in digits):
        message = f"date={date!r}: expected YYYY.MM.DD, with ? for what is not known"
        raise InvalidConfig(message)
    return date.encode("ascii")
