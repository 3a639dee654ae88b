"""Reads files of format 1, which held packed moves of games on the board of 64 squares.

| column | type |
|---|---|
| variant | string |
| start_fen | string, null for the usual start |
| moves | list of uint16, ``from | to << 6 | promotion << 12`` with a1 = 0 |
| result | int8: +1, 0, -1 |
| white_elo, black_elo | int16, null if unknown |
| date | string ``YYYY.MM.DD``, null if unknown |
"""

from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import _core
from phasezoo.data.columns import GameColumns, Texts, as_column
from phasezoo.errors import CorruptRecord, StoreError
from phasezoo.games.varlen import offsets_of

COLUMNS = ("variant", "start_fen", "moves", "result", "white_elo", "black_elo", "date")


def wrong_columns(schema: Any) -> list[str]:
    """The columns of a file that are missing or of another type."""
    types = {name: str(schema.field(name).type) for name in schema.names}
    wanted = {
        **dict.fromkeys(("variant", "start_fen", "date"), ("string", "large_string")),
        **dict.fromkeys(("white_elo", "black_elo"), ("int16",)),
        "result": ("int8",),
    }
    wrong = [name for name, allowed in wanted.items() if types.get(name) not in allowed]
    moves = schema.field("moves").type if "moves" in types else None
    if moves is None or moves.num_fields != 1 or str(moves.field(0).type) != "uint16":
        wrong.append("moves")
    return wrong


def columns_of(path: Path, game: str, table: Any) -> GameColumns:
    """The games of a row group.

    Raises:
        StoreError: They cannot be used.
    """
    read = {name: table[name].combine_chunks() for name in COLUMNS}
    others = set(read["variant"].unique().to_pylist()) - {game}
    if others:
        message = f"{path}: holds games of {sorted(map(str, others))} beside {game!r}"
        raise StoreError(message)
    moves = read["moves"].flatten()
    if read["moves"].null_count or read["result"].null_count or moves.null_count:
        message = f"{path}: a game has no moves or no result; the file is damaged: make it anew"
        raise StoreError(message)
    lengths = read["moves"].value_lengths().to_numpy()
    offsets = offsets_of(lengths)
    fens = read["start_fen"]
    starts = {
        int(row): fens[row].as_py() for row in np.flatnonzero(fens.is_valid().to_numpy(False))
    }
    result = read["result"].to_numpy()
    if result.size and (result.min() < -1 or result.max() > 1):
        message = "result: only +1, 0 and -1 are results of a game"
        raise CorruptRecord(message)
    dates = read["date"].fill_null("").cast("binary").to_numpy(zero_copy_only=False)
    elos = [read[name].fill_null(0).to_numpy() for name in ("white_elo", "black_elo")]
    packed = np.ascontiguousarray(moves.to_numpy())
    actions = _core.unpack_moves(game, packed, offsets, list(starts.items()))
    return GameColumns(
        actions=as_column("actions", actions, np.uint16),
        offsets=as_column("offsets", offsets, np.int64),
        returns=as_column("returns", np.stack([result, -result], axis=1), np.float32, 2),
        starts=starts,
        ratings=as_column("ratings", np.stack(elos, axis=1), np.int16, 2),
        players=Texts.of(None, (len(result), 2)),
        dates=as_column("dates", dates.astype("S10"), "S10"),
        sources=Texts.of(None, (len(result),)),
        salvaged=as_column("salvaged", np.zeros(len(result), dtype=np.bool_), np.bool_),
    )
