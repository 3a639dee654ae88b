"""Plays the games chunk by chunk into a work folder, so that a killed run can go on."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import tyro

from .engine import Engine
from .play import FIRST_MOVES, Game, PlayConfig, play_game

NOTE: Final = "parameters.json"
"""File in the work folder with the parameters of its chunks."""


class ChunkError(ValueError):
    """The work folder holds chunks made with other parameters."""


@dataclass(frozen=True)
class SeriesConfig:
    """A series of games: what is played, by which engine, and where the chunks lie."""

    games: int = 30_000
    """Number of games to play."""
    seed: int = 20_260
    """Seed of the series; (seed, number of the game) fixes each game."""
    workers: int = 2
    """Engines at work at once, each with one thread."""
    chunk: int = 50
    """Games a chunk; a killed run loses at most one chunk for each worker."""
    engine: str = "/usr/games/stockfish"
    """Executable of a UCI engine."""
    hash_mb: int = 1
    """Transposition table of each engine, in MiB."""
    work: Path = Path("target/sample_games")
    """Folder for the chunks; may be deleted once the store is written."""
    play: Annotated[PlayConfig, tyro.conf.arg(name="")] = field(default_factory=PlayConfig)
    """How a game is played."""

    def __post_init__(self) -> None:
        for name in ("games", "chunk", "workers"):
            if getattr(self, name) < 1:
                message = f"{name} is {getattr(self, name)}; it must be at least 1"
                raise ValueError(message)


def write_atomically(path: Path, text: str) -> None:
    """Writes a file so that a reader sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def engine_name(config: SeriesConfig) -> str:
    """Return the engine's own name and version."""
    with Engine(config.engine, config.hash_mb) as engine:
        return engine.name


def parameters(config: SeriesConfig) -> dict[str, Any]:
    """Return all that a game depends on besides its number, as JSON values."""
    return {
        "engine": engine_name(config),
        "threads": 1,
        "hash_mb": config.hash_mb,
        "seed": config.seed,
        "chunk": config.chunk,
        "first_moves": FIRST_MOVES,
        "play": json.loads(json.dumps(asdict(config.play))),
    }


def _chunk_path(work: Path, number: int) -> Path:
    return work / f"chunk-{number:05d}.jsonl"


def _sizes(config: SeriesConfig) -> list[int]:
    """Return number of games in each chunk; only the last may be smaller than the others."""
    starts = range(0, config.games, config.chunk)
    return [min(config.chunk, config.games - start) for start in starts]


def _is_whole(config: SeriesConfig, number: int, size: int) -> bool:
    path = _chunk_path(config.work, number)
    # The last chunk of a shorter run is played anew when the series is made longer.
    return path.exists() and path.read_bytes().count(b"\n") >= size


def _play_chunk(config: SeriesConfig, number: int, size: int) -> None:
    first = number * config.chunk
    with Engine(config.engine, config.hash_mb, chess960=config.play.chess960) as engine:
        games = [
            play_game(engine, config.play, config.seed, index)
            for index in range(first, first + size)
        ]
    text = "".join(json.dumps(asdict(game)) + "\n" for game in games)
    write_atomically(_chunk_path(config.work, number), text)


def noted_parameters(config: SeriesConfig) -> dict[str, Any]:
    """Return the parameters that the chunks in the work folder were made with.

    Raises:
        ChunkError: The folder holds none.
    """
    noted = config.work / NOTE
    if not noted.exists():
        message = f"{config.work} has no {NOTE}; run `games` with this --work first"
        raise ChunkError(message)
    parsed: dict[str, Any] = json.loads(noted.read_text(encoding="utf-8"))
    return parsed


def _claim_folder(config: SeriesConfig) -> None:
    """Notes the parameters in the work folder, or checks that they are the ones noted there."""
    noted = config.work / NOTE
    wanted = parameters(config)
    if not noted.exists():
        if any(config.work.glob("chunk-*.jsonl")):
            message = f"{config.work} has chunks but no {NOTE}; give another --work"
            raise ChunkError(message)
        write_atomically(noted, json.dumps(wanted, indent=2) + "\n")
        return
    found = noted_parameters(config)
    changed = sorted(key for key in wanted if found.get(key) != wanted[key])
    if changed:
        message = f"{config.work} was made with another {', '.join(changed)}; give another --work"
        raise ChunkError(message)


def play_missing(config: SeriesConfig) -> Iterator[tuple[int, int]]:
    """Plays the chunks that are not yet there.

    Args:
        config: The series.

    Yields:
        After each chunk: chunks done so far (also by earlier runs) and all chunks.

    Raises:
        ChunkError: The work folder belongs to a series with other parameters.
    """
    _claim_folder(config)
    sizes = _sizes(config)
    missing = [(n, size) for n, size in enumerate(sizes) if not _is_whole(config, n, size)]
    done = len(sizes) - len(missing)
    yield done, len(sizes)
    # Threads suffice: nearly all the time goes by in the engines, which are processes, and these
    # end by themselves when this process is killed, because their input closes.
    with ThreadPoolExecutor(config.workers) as pool:
        jobs = [pool.submit(_play_chunk, config, number, size) for number, size in missing]
        try:
            for job in as_completed(jobs):
                job.result()
                done += 1
                yield done, len(sizes)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def read_chunks(config: SeriesConfig) -> list[Game]:
    """Reads the games of all chunks in the work folder, in the order of their numbers.

    Args:
        config: The series; at most `config.games` games are read.

    Returns:
        The games, duplicates included.
    """
    games: list[Game] = []
    for path in sorted(config.work.glob("chunk-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            games.extend(Game(**json.loads(line)) for line in lines)
    return games[: config.games]
