"""Games of a data set as others publish them: Hugging Face ``datasets``, pandas, lists of rows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from phasezoo.data.columns import GameColumns
from phasezoo.data.game_entry import GameEntry, columns_of
from phasezoo.data.replayed import replayed
from phasezoo.data.starts import start_state
from phasezoo.errors import CorruptRecord, InvalidConfig, PhasezooError
from phasezoo.games import Game, legal_actions_of
from phasezoo.types import SIMULTANEOUS

Named = str | Sequence[str] | None
"""The name of a column; names of several, one for each player; None without a column."""

_RESULTS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
_NO_MOVES = re.compile(r"\d+\.+|\{[^}]*\}|\$\d+|1-0|0-1|1/2-1/2|\*")
_PROBLEMS = (PhasezooError, ValueError, TypeError)


def columns_of_rows(
    game: Game,
    width: int,
    dataset: Any,
    names: Mapping[str, Named],
    *,
    skip: bool,
) -> tuple[GameColumns, int]:
    """Return the games of the rows of a data set, and how many rows were skipped.

    Args:
        game: The game.
        width: Actions of a ply.
        dataset: Rows, each a mapping; a data frame.
        names: The columns for ``moves``, ``result``, ``start``, ``players``, ``ratings``, ``date``
            and ``source``.
        skip: Whether rows that are no game are skipped; else they raise.
    """
    entries, skipped = [], 0
    for number, row in enumerate(_rows(dataset)):
        if number == 0:
            _check_names(row, names)
        try:
            entries.append(_entry(game, width, row, names))
        except _PROBLEMS as error:
            if not skip:
                message = f"row {number} of the data set: {error}"
                raise CorruptRecord(message) from error
            skipped += 1
    return columns_of(game, width, entries), skipped


def _rows(dataset: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of anything that has some."""
    if hasattr(dataset, "to_dict") and hasattr(dataset, "columns"):  # a data frame
        known = dataset.astype(object).where(dataset.notna(), None)
        names = [str(name) for name in known.columns]
        for cells in zip(*(known[name].tolist() for name in known.columns), strict=True):
            yield dict(zip(names, cells, strict=True))
        return
    if isinstance(dataset, Mapping):
        message = (
            f"a mapping of {', '.join(map(repr, list(dataset)[:5]))} is no data set of rows; "
            "choose one of its parts, such as dataset['train']"
        )
        raise InvalidConfig(message)
    if not isinstance(dataset, Iterable):
        message = f"{str(dataset)[:80]!r} is no data set: give rows that are mappings of columns"
        raise InvalidConfig(message)
    for row in dataset:
        if not isinstance(row, Mapping):
            message = f"rows of a data set are mappings of columns; given is {str(row)[:80]}"
            raise InvalidConfig(message)
        yield row


def _check_names(row: Mapping[str, Any], names: Mapping[str, Named]) -> None:
    for what, name in names.items():
        for one in [name] if isinstance(name, str) else name or ():
            if one not in row:
                message = (
                    f"{what}={one!r}: the data set has no such column; it has "
                    f"{', '.join(map(repr, row))}"
                )
                raise InvalidConfig(message)


def _entry(game: Game, width: int, row: Mapping[str, Any], names: Mapping[str, Named]) -> GameEntry:
    start = str(_cell(row, names["start"]) or "")
    begun = start_state(game, start) if start else game.initial_state()
    date = _cell(row, names["date"])
    entry = GameEntry.of(
        game,
        width,
        start=start,
        actions=_actions(begun, _cell(row, names["moves"]), width),
        returns=_returns(_cell(row, names["result"]), game.num_players),
        players=_cells(row, names["players"], lambda cell: None if cell is None else str(cell)),
        ratings=_cells(row, names["ratings"], _rating),
        date=None if date is None else str(date).replace("-", ".")[:10],
        source=None if (source := _cell(row, names["source"])) is None else str(source),
    )
    return replayed(game, entry, width, begun)


def _cell(row: Mapping[str, Any], name: Named) -> Any:
    return None if name is None else row[str(name)]


def _cells(row: Mapping[str, Any], name: Named, read: Any) -> list[Any] | None:
    """One cell a player, of a column of lists or of a column each."""
    if name is None:
        return None
    cells = row[name] if isinstance(name, str) else [row[one] for one in name]
    return None if cells is None else [read(cell) for cell in cells]


def _rating(cell: Any) -> int | None:
    """Return a rating; a missing one is None, or NaN in a column of numbers."""
    return None if cell is None or cell != cell else int(cell)


def _actions(state: Any, moves: Any, width: int) -> Any:
    """Actions of moves as text (UCI or SAN, move numbers are passed over), or as numbers."""
    if moves is None:
        raise CorruptRecord("there are no moves")  # noqa: EM101
    words = _NO_MOVES.sub(" ", moves).split() if isinstance(moves, str) else list(moves)
    if not words or not isinstance(words[0], str) or state.to_play == SIMULTANEOUS:
        given = np.asarray(words)
        if given.dtype.kind == "f":  # of columns with missing cells
            is_action = (given == np.trunc(given)) & (np.abs(given) < 2**31)
            if not is_action.all():
                return given  # which is refused later
        return np.asarray(words, dtype=np.int64)
    actions = []
    for ply, word in enumerate(words):
        if state.is_terminal:
            message = f"ply {ply}: {word!r} comes after the end of the game"
            raise CorruptRecord(message)
        actions.append(_action(state, word))
        state = state.play(actions[-1])
    return np.array(actions, dtype=np.int64)


def _action(state: Any, word: str) -> int:
    """Return the action that a word means: UCI, SAN or a number."""
    for parse in (getattr(state, "parse_uci", None), getattr(state, "parse_san", None)):
        if parse is not None:
            try:
                return int(parse(word))
            except PhasezooError as error:
                problem = error
    if not hasattr(state, "parse_uci"):
        if word.isdecimal() and int(word) in legal_actions_of(state, int(state.to_play)):
            return int(word)
        problem = CorruptRecord(f"{word!r} is no legal action")
    raise problem


def _returns(result: Any, players: int) -> Any:
    """Return each player's return: from ``"1-0"``, a number for the first of two, or a list."""
    if result is None or result == "*":
        return None
    if isinstance(result, str):
        returns = _RESULTS.get(result.strip())
        if returns is None:
            message = f"result {result!r}: expected one of {', '.join(_RESULTS)}, or numbers"
            raise CorruptRecord(message)
        return returns
    if np.ndim(result) == 0 and players == 2:
        return float(result), -float(result)
    return result
