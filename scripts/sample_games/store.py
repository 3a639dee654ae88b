"""Writes and reads the games store: one Parquet file, format version 1.

The columns are those of `phasezoo.training.GameStore`; this script writes them by itself so that
the package's data can be made before the package is built.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from .play import Game

FORMAT_VERSION: Final = 1
METADATA_KEY: Final = b"phasezoo"
MAX_BYTES: Final = 4_000_000
"""Size limit of the packaged store."""
ROW_GROUP: Final = 8_192
"""Games in a row group: few enough to read in parts, enough to share one dictionary of moves."""

SCHEMA: Final = pa.schema(
    [
        pa.field("variant", pa.string(), nullable=False),
        pa.field("start_fen", pa.string()),
        pa.field("moves", pa.list_(pa.field("element", pa.uint16(), nullable=False)), False),
        pa.field("result", pa.int8(), nullable=False),
        pa.field("white_elo", pa.int16()),
        pa.field("black_elo", pa.int16()),
        pa.field("date", pa.string()),
    ]
)


class StoreError(ValueError):
    """A games store is damaged, or not of this format."""


def without_duplicates(games: Iterable[Game]) -> list[Game]:
    """Keeps the first of all games that have the same moves."""
    first: dict[tuple[int, ...], Game] = {}
    for game in games:
        first.setdefault(tuple(game.moves), game)
    return list(first.values())


def figures(games: Sequence[Game]) -> dict[str, Any]:
    """Counts for the metadata: positions, results and ends."""
    results = Counter(game.result for game in games)
    return {
        "games": len(games),
        "positions": sum(len(game.moves) for game in games),
        "results": {"white": results[1], "draw": results[0], "black": results[-1]},
        "ends": dict(sorted(Counter(game.end for game in games).items())),
    }


def write_store(path: Path, games: Sequence[Game], generator: dict[str, Any]) -> None:
    """Writes a store, replacing what was there only once the new file is whole.

    Args:
        path: The file to write.
        games: The games, in order.
        generator: Parameters of the games, for the metadata.
    """
    about = {"format_version": FORMAT_VERSION, "kind": "games", "game": "chess"}
    about |= figures(games) | {"generator": generator}
    nothing = [None] * len(games)
    table = pa.table(
        {
            "variant": ["chess"] * len(games),
            "start_fen": nothing,
            "moves": [game.moves for game in games],
            "result": [game.result for game in games],
            "white_elo": nothing,
            "black_elo": nothing,
            "date": nothing,
        },
        schema=SCHEMA.with_metadata({METADATA_KEY: json.dumps(about).encode()}),
    )
    partial = path.with_name(path.name + ".partial")
    # About 1,900 different moves occur, so a dictionary needs 11 bits a move: less than zstd makes
    # of the plain numbers (13) or of split bytes (12).
    pq.write_table(
        table,
        partial,
        compression="zstd",
        compression_level=22,
        use_dictionary=True,
        row_group_size=ROW_GROUP,
    )
    partial.replace(path)


def read_store(path: Path) -> tuple[list[tuple[list[int], int]], dict[str, Any]]:
    """Reads a store.

    Args:
        path: The file.

    Returns:
        (moves, result) of each game, and the metadata.

    Raises:
        StoreError: The columns or the metadata are not those of format version 1.
    """
    table = pq.read_table(path)
    if not table.schema.equals(SCHEMA):
        message = f"{path} has the columns {table.schema}, not {SCHEMA}"
        raise StoreError(message)
    about = json.loads((table.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    if about.get("format_version") != FORMAT_VERSION:
        found = about.get("format_version")
        message = f"{path} has format version {found}; expected {FORMAT_VERSION}"
        raise StoreError(message)
    moves, results = table["moves"].to_pylist(), table["result"].to_pylist()
    return list(zip(moves, results, strict=True)), about
