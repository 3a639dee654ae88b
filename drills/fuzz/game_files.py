"""Files of games: PGN, plain and compressed, and Parquet stores."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path
from random import Random
from typing import Any

from drills.fuzz.board_texts import positions
from drills.fuzz.mutations import mutated, mutated_value
from drills.fuzz.target import Target
from phasezoo import _core, games, training
from phasezoo.data.importer import read_games
from phasezoo.errors import CorruptRecord, InvalidPgn, StoreError

VARIANTS = {"chess": "", "chess960": "Chess960", "atomic": "Atomic", "crazyhouse": "Crazyhouse"}

PGN_WORDS = tuple(
    word.encode()
    for word in (
        *('[Event "x"]\n', '[FEN "', '[Variant "', '[Result "1-0"]', '"]\n', "\n\n", "1. e4 ", "{"),
        *(
            "}",
            "(",
            ")",
            ";",
            "%",
            "$",
            "1-0 ",
            "1/2-1/2\n",
            "*",
            "O-O ",
            "e8=Q ",
            "\\",
            "\r\n\r\n",
        ),
        *("½-½", "--", "Z0", "P@e4", "e.p. ", "0-0-0", "\x00", "\x1a", "\ufeff", "1...", "N@", "["),
        *(
            "[pgn]",
            "[/pgn]",
            "\r",
            '[Fen "',
            "[event ",
            '[SetUp "1"]\n',
            "[-]",
            "[2P",
            "\xfc",
            "1/2",
        ),
        *('[WhiteElo "99999"]\n', '[Date "2024.13.99"]\n', '[SetUp "1"]\n', "[%clk 0:01]"),
    )
)


def pgn(folder: Path) -> Target:
    """PGN of four variants, one to three games a file, a file in ten compressed."""
    import zstandard

    kept = [_game(name, state) for name in VARIANTS for state in positions(games.make(name), 25, 3)]
    packs = (gzip.compress, bz2.compress, lzma.compress, zstandard.compress, _zipped, _tarred)
    file = folder / "games.pgn"

    def drawn(draw: Random) -> tuple[bool, bytes]:
        text = b"".join(draw.choice(kept) for _ in range(draw.randrange(1, 4)))
        if draw.random() < 0.9:
            return draw.random() < 0.3, mutated(draw, text, (draw.choice(kept),), PGN_WORDS)
        packed = draw.choice(packs)(text)
        return False, packed if draw.random() < 0.2 else mutated(draw, packed, (), ())

    def read(given: tuple[bool, bytes]) -> None:
        salvage, data = given
        file.write_bytes(data)
        text = _core.read_text(file)
        for name in VARIANTS:
            openings, _ = _core.read_openings(text, name, 6)
            assert all(len(moves) <= 6 for _, moves in openings), "moves beyond those asked for"
        stores, report = read_games(file, salvage=salvage, evals=salvage, threads=1)
        assert report.games == report.kept + sum(report.skipped.values()), "games are missing"
        assert report.kept == sum(map(len, stores.values())), "games are missing in the stores"
        for store in stores.values():
            assert (store.offsets[1:] > store.offsets[:-1]).all(), "a game has no moves"
            store.records.states(len(store) - 1)

    return Target(drawn, read, (InvalidPgn,))


def _zipped(data: bytes) -> bytes:
    """Return a zip archive with one member."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("games.pgn", data)
    return out.getvalue()


def _tarred(data: bytes) -> bytes:
    """Return a tar archive with one member."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("games.pgn")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _game(name: str, state: Any) -> bytes:
    """Return a game as PGN."""
    game = games.make(name)
    now = game.initial_state() if state.start_fen is None else game.from_fen(state.start_fen)
    words = []
    for ply, move in enumerate(state.moves):
        action = now.parse_uci(move)
        number = f"{ply // 2 + 1}. " if ply % 2 == 0 else ""
        words.append(f"{number}{now.san(action)}")
        now = now.play(action)
    tags = ['[Event "drill"]', '[White "a"]', '[WhiteElo "1500"]', '[Date "2024.01.02"]']
    tags += [f'[Variant "{VARIANTS[name]}"]'] if VARIANTS[name] else []
    tags += [f'[FEN "{state.start_fen}"]', '[SetUp "1"]'] if state.start_fen else []
    text = "\n".join([*tags, '[Result "1-0"]']) + "\n\n" + " ".join([*words, "1-0"]) + "\n\n"
    return text.encode()


def parquet(folder: Path) -> Target:
    """Stores of one file: bytes that were changed, and whole files with other columns or words."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from phasezoo.agents import Limit, MCTSAgent
    from phasezoo.inference import Uniform

    file, kept = folder / "games.parquet", []
    for number, game in enumerate(("chess", "krk")):
        training.GameStore.sample(game).subset(range(3)).save(folder / f"{number}.parquet")
    searched = MCTSAgent(Uniform(), limit=Limit(nodes=6))
    training.play_games(
        searched, game="connect-four", games=2, seed=1, out=folder / "searched", max_plies=9
    ).save(folder / "2.parquet")
    kept = [(folder / f"{number}.parquet").read_bytes() for number in range(3)]
    tables = [pq.read_table(io.BytesIO(data)) for data in kept]

    def drawn(draw: Random) -> bytes:
        if draw.random() < 0.5:
            return mutated(draw, draw.choice(kept), kept, ())
        table = draw.choice(tables)
        other = _other_columns(draw, pa, table)
        about = mutated_value(draw, json.loads(table.schema.metadata[b"phasezoo"]))
        data = {b"phasezoo": json.dumps(about, ensure_ascii=True).encode()}
        try:
            return written(other.replace_schema_metadata(data))
        except pa.ArrowInvalid:  # no file has none where its schema says that there is none
            return written(table.replace_schema_metadata(data))

    def written(table: Any) -> bytes:
        out = io.BytesIO()
        pq.write_table(table, out)
        return out.getvalue()

    def read(data: bytes) -> None:
        file.write_bytes(data)
        store = training.GameStore.open(file)
        for game in range(len(store)):
            store.records.states(game)

    return Target(drawn, read, (StoreError, CorruptRecord))


def _other_columns(draw: Random, pa: Any, table: Any) -> Any:
    """A table in which some columns are missing, of other types, empty, or hold other values."""
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        at = draw.randrange(table.num_columns)
        name, column = table.column_names[at], table.column(at)
        kind = draw.randrange(5)
        if kind == 0:
            table = table.remove_column(at)
        elif kind == 1:
            table = table.set_column(at, name, pa.nulls(len(table), column.type))
        elif kind == 2:
            kinds = (pa.int32(), pa.string(), pa.float64(), pa.list_(pa.int64()))
            table = table.set_column(at, name, pa.nulls(len(table), draw.choice(kinds)))
        elif kind == 3:
            values = mutated_value(draw, column.to_pylist()) if _is_plain(pa, column) else None
            table = _replaced(pa, table, at, values)
        else:
            table = table.take(pa.array(draw.choices(range(len(table)), k=2), pa.int64()))
        if table.num_columns == 0 or len(table) == 0:
            break
    return table


def _is_plain(pa: Any, column: Any) -> bool:
    return not pa.types.is_binary(column.type)


def _replaced(pa: Any, table: Any, at: int, values: Any) -> Any:
    """Return the table with other values in a column, if they are of its type."""
    field = table.schema.field(at)
    try:
        return table.set_column(at, field, pa.array(values, field.type))
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return table
