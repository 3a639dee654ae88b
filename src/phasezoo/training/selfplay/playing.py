"""Games of an agent against itself, written to a store."""

import contextlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from phasezoo import games as known_games
from phasezoo.agents import Limit
from phasezoo.arena.adjudication import Adjudication
from phasezoo.data.store import GameStore
from phasezoo.data.store_folder import next_file
from phasezoo.data.store_writer import SHARD_GAMES, StoreWriter
from phasezoo.games import Game
from phasezoo.games.options import at_least, flag, folder_path, function_or_none
from phasezoo.training.selfplay.config import exploring
from phasezoo.training.selfplay.game_log import LOG, GameLog
from phasezoo.training.selfplay.generation import Generation
from phasezoo.training.selfplay.recording import PlayedGame
from phasezoo.training.selfplay.start_texts import start_source


def play_games(
    agent: Any,
    *,
    game: str | Game,
    games: int,
    seed: int = 0,
    out: str | Path,
    starts: Any = None,
    limit: Limit | None = None,
    explore: bool = True,
    random_moves: float = 0.0,
    concurrency: int = 64,
    max_plies: int | None = None,
    adjudication: Adjudication | None = None,
    pool_rows: int | None = None,
    threads: int | None = None,
    append: bool = False,
    shard_games: int = SHARD_GAMES,
    on_game: Callable[[PlayedGame], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GameStore:
    """Let an agent play all players of many games, and store the results of its searches.

    The games run side by side with one tree each, and their leaves are answered in one batch. A
    game depends on ``seed`` and its number alone, not on ``concurrency``, as long as the evaluator
    answers a row alike in any batch. ``docs/definitions/self_play.md`` defines what is stored.

    Args:
        agent: An agent, or its text such as ``"mcts:nodes=100"``. Temperature by ply, noise and
            cheap searches are options of its search (:class:`phasezoo.agents.SearchConfig`).
        game: The game, or its name; a user's own too.
        games: Number of games (1 or more).
        seed: Seed of everything random (0 to 2^64 - 1).
        out: The folder of the store, which must not exist unless ``append`` is set.
        starts: Start positions: texts such as ``"random:2-8"``, an opening suite, a store of games,
            states, a source of your own, or a mapping of texts to their shares
            (``docs/definitions/self_play.md#starts``). None: the usual start.
        limit: Replaces the limit of the agent's searches.
        explore: If set, an agent whose searches have neither noise nor temperature gets those of
            the published self-play (:meth:`phasezoo.agents.SearchConfig.self_play`).
        random_moves: Share of moves (0 to 1) that are drawn from the legal ones in place of the
            agent's, for games with blunders; their searches are stored as all others. Such games
            teach values (``value_games`` of :func:`train_supervised`).
        concurrency: Number of games at once.
        max_plies: Plies at which a game is cut, and counts as a draw.
        adjudication: Rules of resignation; its ``check=`` is the share of those games that are
            played on to see if that was right. None: never.
        pool_rows: Largest number of rows of a call of the evaluator.
        threads: Number of threads for trees and planes.
        append: If set, the store may exist already; give another ``seed`` then.
        shard_games: Number of games of a file. Every game is on the disk when it has ended: until
            its file is full it is in ``unfinished.jsonl``, from which the next call with ``append``
            takes the games that a kill has left.
        on_game: Called with each game as it ends.
        progress: Called with the number of finished games and of all.

    Raises:
        GameMismatch: The agent's evaluator is a network of another game.
        InvalidConfig: An argument is out of range.
        InvalidEvaluation: The evaluator's answer is not valid; finished games are kept.
        InvalidState: A game is over at its start.
        StoreError: The store exists, or cannot be written.
    """
    at_least("games", games, 1)
    handle = known_games.make(game)
    if not handle.options:
        handle = handle.with_options(**handle.match_options)
    generation = Generation(
        handle,
        seed,
        start_source(starts),
        concurrency,
        max_plies,
        adjudication,
        limit,
        pool_rows,
        threads,
        random_moves,
    )
    player = exploring(agent) if flag("explore", explore) else agent
    for name, function in (("on_game", on_game), ("progress", progress)):
        function_or_none(name, function)
    folder = folder_path("out", out)
    done, is_new, is_ours = 0, not folder.exists(), False

    def finished(played: PlayedGame) -> None:
        nonlocal done
        files.add(played)
        done += 1
        if on_game is not None:
            on_game(played)
        if progress is not None:
            progress(done, games)

    options: dict[str, Any] = {"append": append, "shard_games": shard_games, **handle.options}
    try:
        with (
            StoreWriter(folder, handle.name, **options),
            contextlib.closing(_Files(folder, handle, shard_games)) as files,
        ):
            is_ours = is_new  # no other process has begun here either
            generation.play(player, range(games), finished)
    except BaseException:
        if is_ours and done == 0:  # a corrected call may use the folder
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return GameStore.open(folder)


class _Files:
    """Writes games to a store's files in the order of their numbers."""

    def __init__(self, folder: Path, game: Game, size: int) -> None:
        self._folder = folder
        self._size = size
        self._log = GameLog(folder / LOG, folder, game)
        self._write(sorted(self._log.waiting))  # of a call that was killed
        self._first = 0

    def add(self, played: PlayedGame) -> None:
        """Add a game."""
        self._log.add(played)
        numbers = range(self._first, self._first + self._size)
        if all(number in self._log.waiting for number in numbers):
            self._write(numbers)
            self._first += self._size

    def close(self) -> None:
        """Write the games that wait for games that were never finished."""
        self._write(sorted(self._log.waiting))
        self._log.close()

    def _write(self, numbers: Sequence[int]) -> None:
        if numbers:
            self._log.write(next_file(self._folder).name, numbers, {})
