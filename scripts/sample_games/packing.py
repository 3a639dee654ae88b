"""Writes games of any kind to the package's files, by the package's own store."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.training import GameStore

from . import play
from .self_play import Game

MAX_BYTES = {"chess": 4_000_000}
"""Size limits of files."""
USUAL_BYTES = 2_000_000
"""Size limit of the others."""


def packaged(game: str) -> Path:
    """Return where the package has the sample games of a game."""
    data = Path(__file__).resolve().parents[2] / "src" / "phasezoo" / "data" / "samples"
    return data / f"{game}_games.parquet"


def from_engine(played: Iterable[play.Game], game: str) -> list[Game]:
    """Games of chess or chess960 that Stockfish played, as actions, each once.

    Args:
        played: The games.
        game: Which of the two.
    """
    handle, found = games.make(game), {}
    for one in played:
        state = handle.initial_state() if one.start_fen is None else handle.from_fen(one.start_fen)
        actions = []
        for code in one.moves:
            actions.append(int(state.parse_uci(play.decode_move(code).uci())))
            state = state.play(actions[-1])
        returns = [float(one.result), -float(one.result)]
        found.setdefault(
            (one.start_fen, tuple(actions)),
            Game(one.start_fen, actions, returns, one.end, ["stockfish", "stockfish"]),
        )
    return list(found.values())


def write(path: Path, game: str, played: list[Game], about: dict[str, Any]) -> str:
    """Writes a store, replacing what was there only once the new file is whole.

    Args:
        path: The file.
        game: Which game.
        played: The games, in order.
        about: How they were made, for the metadata.

    Returns:
        What it holds, in words.

    Raises:
        ValueError: The file is larger than the package may carry.
    """
    offsets = np.cumsum([0, *(len(one.actions) for one in played)], dtype=np.int64)
    ends = dict(sorted(Counter(one.end for one in played).items()))
    store = GameStore(
        game,
        np.array([action for one in played for action in one.actions], dtype=np.uint16),
        offsets,
        np.array([one.returns for one in played], dtype=np.float32),
        starts={number: one.start for number, one in enumerate(played) if one.start},
        players=[tuple(one.players) for one in played],
        metadata={"generator": about, "ends": ends},
    )
    table = store.positions()  # checks every action
    store.save(path, overwrite=True)
    limit = MAX_BYTES.get(game, USUAL_BYTES)
    if path.stat().st_size > limit:
        message = f"{path}: {path.stat().st_size:,} bytes, more than {limit:,}"
        raise ValueError(message)
    won = [int((store.returns[:, 0] == value).sum()) for value in (1, 0, -1)]
    return (
        f"{path}: {path.stat().st_size:,} bytes, {len(store):,} games, {len(table):,} positions, "
        f"{table.num_unique():,} different; first player won {won[0]:,}, drawn {won[1]:,}, lost "
        f"{won[2]:,}; ends {ends}"
    )
