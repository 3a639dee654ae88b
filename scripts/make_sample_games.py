"""Makes and checks the sample games and the opening suite inside the package.

    python scripts/make_sample_games.py games       # play what is missing, write the store
    python scripts/make_sample_games.py pack        # write the store from the chunks there are
    python scripts/make_sample_games.py others krk  # the same, by this package's own players
    python scripts/make_sample_games.py openings    # needs the store
    python scripts/make_sample_games.py verify      # replay everything with python-chess

Needs Stockfish (Debian: `apt install stockfish`) and this package with the extras chess and data;
`others connect-four` needs its solver too.
`games` and `others` may be killed at any turn; the same command goes on from the last whole
chunk. See scripts/README.md.
"""

import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from sample_games import chunks, openings, verify
from sample_games.engine import Engine, EngineError

DATA = Path(__file__).resolve().parents[1] / "src" / "phasezoo" / "data" / "samples"
STORE = DATA / "chess_games.parquet"
SUITE = DATA / "chess_openings.txt"
UNBALANCED = DATA / "chess_unbalanced_openings.txt"


@dataclass(frozen=True)
class Games:
    """Play the games that are missing in the work folder and write the store."""

    series: Annotated[chunks.SeriesConfig, tyro.conf.arg(name="")] = field(
        default_factory=chunks.SeriesConfig
    )
    out: Path = STORE
    """The store to write."""

    def run(self) -> None:
        """Plays and packs."""
        start = time.monotonic()
        for done, total in chunks.play_missing(self.series):
            minutes = (time.monotonic() - start) / 60
            print(f"{done} of {total} chunks, {minutes:.1f} minutes", flush=True)
        pack(self.series, self.out)


@dataclass(frozen=True)
class Pack:
    """Write the store from the chunks that are there, be they all or not."""

    series: Annotated[chunks.SeriesConfig, tyro.conf.arg(name="")] = field(
        default_factory=chunks.SeriesConfig
    )
    out: Path = STORE
    """The store to write."""

    def run(self) -> None:
        """Packs."""
        pack(self.series, self.out)


@dataclass(frozen=True)
class Openings:
    """Draw, score and filter the openings; the store of games must be there."""

    suite: Annotated[openings.OpeningConfig, tyro.conf.arg(name="")] = field(
        default_factory=openings.OpeningConfig
    )
    games: Path = STORE
    """Store of games in which no opening's last position may occur."""
    out: Path = SUITE
    """The suite to write."""

    def run(self) -> None:
        """Draws candidates, chooses, and writes the suite."""
        games = verify.read_moves(self.games)
        with Engine(self.suite.engine) as engine:
            about = openings.parameters(self.suite, engine.name)
        candidates = openings.draw_candidates(self.suite, counter("openings drawn", 200))
        chosen, left = openings.choose(self.suite, candidates, games)
        chunks.write_atomically(self.out, openings.suite_text(chosen, left, about))
        print(f"{self.out}: {len(chosen)} openings; candidates left by each test: {left}")


@dataclass(frozen=True)
class Verify:
    """Check the store and the suite by replaying all of it with python-chess."""

    games: Path = STORE
    """The store."""
    suite: Path = SUITE
    """The suite."""
    again: int = 0
    """Number of games to play anew from the seed in the metadata; they must come out the same."""
    engine: str = chunks.SeriesConfig.engine
    """Executable of the engine for that; must be the version named in the metadata."""

    def run(self) -> None:
        """Checks and prints what is there."""
        keys = verify.check_openings(self.suite)
        keys |= openings.last_positions(UNBALANCED)
        summary = verify.check_store(self.games, keys, counter("games replayed", 4_000))
        print(f"{self.games}: {self.games.stat().st_size} bytes, {summary.text()}")
        print(f"{len(keys)} openings, none ends in a position of the games")
        if self.again:
            verify.play_again(self.games, keys, self.again, self.engine)
            print(f"{self.again} games played anew came out the same")


@dataclass(frozen=True)
class Others:
    """Play the games that are missing in the work folder, by this package's players; write them."""

    game: Annotated[str, tyro.conf.Positional]
    """Which game: atomic, connect-four, crazyhouse or krk."""
    games: int = 3_000
    """Number of games to play."""
    seed: int = 20_260
    """Seed of the series; (seed, number of the game) fixes each game."""
    chunk: int = 50
    """Games a chunk; a killed run loses at most one."""
    work: Path = Path("target/sample_games")
    """Folder for the chunks; may be deleted once the store is written."""
    pack_only: bool = False
    """Whether to write what there is and play nothing."""
    out: Path | None = None
    """The store to write; default the package's."""

    def run(self) -> None:
        """Plays and packs."""
        from sample_games import packing, self_play
        from sample_games.recipes import RECIPES

        if self.game not in RECIPES:
            message = f"{self.game!r}: expected one of {', '.join(sorted(RECIPES))}"
            raise ValueError(message)
        recipe = RECIPES[self.game]
        if not self.pack_only:
            for name in self_play.play_missing(
                recipe, self.seed, self.games, self.chunk, self.work
            ):
                print(name, flush=True)
        played = self_play.read(self.work, recipe, self.seed)[: self.games]
        about = {"script": "scripts/make_sample_games.py others", "seed": self.seed}
        print(packing.write(self.out or packing.packaged(self.game), recipe.game, played, about))


Command = Games | Pack | Openings | Verify | Others


def counter(what: str, every: int) -> Callable[[], None]:
    """Return a progress report that prints a line for each `every` things done."""
    # Taking a number is one step, so threads may report without a lock.
    numbers = itertools.count(1)

    def report() -> None:
        done = next(numbers)
        if done % every == 0:
            print(f"{done} {what}", flush=True)

    return report


def pack(series: chunks.SeriesConfig, out: Path) -> None:
    """Writes the store from the chunks in the work folder.

    Games of chess that meet the last position of an opening are left out.
    """
    from sample_games import packing

    played = chunks.read_chunks(series)
    game = "chess960" if series.play.chess960 else "chess"
    about = {"script": "scripts/make_sample_games.py"} | chunks.noted_parameters(series)
    about |= {"played": len(played)}
    if game == "chess":
        keys = openings.last_positions(SUITE) | openings.last_positions(UNBALANCED)
        played = openings.without_positions(keys, played)
        about |= {"without_openings": len(played)}
    file = packing.packaged(game) if out == STORE else out
    print(packing.write(file, game, packing.from_engine(played, game), about))


def main() -> int:
    """Runs the command; an expected failure is one sentence and exit status 1."""
    commands: dict[str, Callable[..., Command]] = {
        "games": Games,
        "pack": Pack,
        "openings": Openings,
        "verify": Verify,
        "others": Others,
    }
    command = tyro.extras.subcommand_cli_from_dict(commands, description=__doc__)
    try:
        command.run()
    except (EngineError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
