"""PGN to a games store on disk, beside python-chess reading the same games with a visitor."""

import io
import tempfile
from pathlib import Path

import chess
import chess.pgn

from benchmarks.common import Row, compared
from phasezoo.training.importer import import_pgn
from phasezoo.training.store import GameStore

GAMES = 4_000
TIMES = 5
"""How often our file holds the games: enough for its size to be that of a real one."""
PEER_GAMES = 100
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


def pgn_texts() -> list[str]:
    """Games of the package as PGN."""
    store = GameStore.sample("chess")
    return [text_of(store, game) for game in range(min(GAMES, len(store)))]


def text_of(store: GameStore, game: int) -> str:
    """One game as PGN, with the tags that games on the net have."""
    result = RESULTS[int(store.returns[game, 0])]
    states = store.records.states(game)
    moves = [later.moves[-1] for later in states[1:]]
    words = []
    for ply, (state, uci) in enumerate(zip(states, moves, strict=False)):
        number = f"{ply // 2 + 1}. " if ply % 2 == 0 else ""
        words.append(number + state.san(state.parse_uci(uci)))
    tags = {
        "Event": "Rated game",
        "Site": "?",
        "Date": "2024.05.06",
        "White": "First, Player",
        "Black": "Second, Player",
        "Result": result,
        "WhiteElo": "2400",
        "BlackElo": "2350",
    }
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{head}\n{' '.join(words)} {result}\n\n"


class PackingVisitor(chess.pgn.BaseVisitor[int]):
    """Keeps what a store keeps, as fast as a visitor of python-chess can."""

    def begin_game(self) -> None:
        """A new list."""
        self.moves: list[int] = []

    def begin_variation(self) -> chess.pgn.SkipType:
        """Variations are not read."""
        return chess.pgn.SKIP

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """One move in sixteen bits."""
        self.moves.append(
            move.from_square | move.to_square << 6 | ((move.promotion or 1) - 1) << 12
        )

    def result(self) -> int:
        """How many moves there were."""
        return len(self.moves)


def rows() -> list[Row]:
    """Two rows: one thread and two."""
    texts = pgn_texts()
    short = "".join(texts[:PEER_GAMES])
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "games.pgn"), Path(folder, "games.parquet")
        source.write_text("".join(texts) * TIMES)

        def ours(threads: int) -> float:
            return import_pgn(source, target, overwrite=True, threads=threads).games

        def theirs() -> float:
            text = io.StringIO(short)
            while chess.pgn.read_game(text, Visitor=PackingVisitor) is not None:
                pass
            return PEER_GAMES

        return [
            compared(
                f"PGN to a store, {threads} thread{'s' * (threads > 1)}",
                "games/s",
                "≥ 20 k games/s",
                lambda threads=threads: ours(threads),
                f"python-chess {chess.__version__}, visitor, 1 thread",
                theirs,
            )
            for threads in (1, 2)
        ]
