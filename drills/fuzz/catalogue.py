"""The parsers that are fuzzed, by name; each gets a folder for its files."""

from collections.abc import Callable, Mapping
from pathlib import Path

from drills.fuzz import (
    board_texts,
    engine_lines,
    game_files,
    json_files,
    network_files,
    web_messages,
)
from drills.fuzz.target import Target

TARGETS: Mapping[str, Callable[[Path], Target]] = {
    "fen": board_texts.fen,
    "moves": board_texts.moves,
    "pgn": game_files.pgn,
    "json": json_files.states_and_options,
    "records": json_files.records,
    "manifest": network_files.manifest,
    "parquet": game_files.parquet,
    "safetensors": network_files.safetensors,
    "uci": engine_lines.target,
    "web": web_messages.target,
}
