"""Files that are written at once: all of one is there, or nothing of it."""

from collections.abc import Callable
from pathlib import Path

from drills.disk.commands import command
from drills.kill.victim import Finished, Victim

Write = Callable[[Path], object]
"""Writes into a folder."""


def _at_once(made: Callable[[], Write]) -> Callable[[], Victim]:
    """Return a victim that leaves nothing but what is written whole."""

    def victim() -> Victim:
        write = made()

        def run(out: Path, _: Finished) -> None:
            out.mkdir(exist_ok=True)
            write(out)

        return Victim(run, _everything)

    return victim


def _everything(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and path.name != "run.lock")
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def _store_file() -> Write:
    """Games in one file of Parquet, over an older one."""
    from phasezoo.training import GameStore

    store = GameStore.sample("chess").subset(range(300))
    return lambda out: store.save(out / "games.parquet", overwrite=True)


def _store_folder() -> Write:
    """Games in a folder."""
    from phasezoo.training import GameStore

    store = GameStore.sample("chess").subset(range(300))
    return lambda out: store.save(out / "games", overwrite=True)


def _pgn() -> Write:
    """Games as PGN."""
    from phasezoo.training import GameStore

    store = GameStore.sample("chess").subset(range(200))
    return lambda out: store.to_pgn(out / "games.pgn")


def _film(name: str) -> Callable[[], Write]:
    """Return a game as a film."""

    def made() -> Write:
        from phasezoo.envs.rendering import save_replay
        from phasezoo.training import GameStore

        states = GameStore.sample("connect-four").records.states(0)
        return lambda out: save_replay(states, out / name)

    return made


def _network() -> Write:
    """Return a network with its manifest, over an older one."""
    from phasezoo import inference

    network = inference.load("phasezoo/connect-four-small", backend="torch")
    return lambda out: inference.save(network, out / "network", overwrite=True)


def _gate() -> Write:
    """Return a learned gate."""
    from phasezoo import gating
    from phasezoo.training import GameStore

    store = GameStore.sample("connect-four").subset(range(40))

    def write(out: Path) -> None:
        if not (out / "gate").exists():
            gating.train(store, out=out / "gate", labels="plies:10", positions=200, seed=1)

    return write


def _pictures() -> Write:
    """Return the pictures of phases."""
    words = ("data", "phases", "sample:connect-four", "--gate", "plies:10")
    return lambda out: command(*words, "--out", str(out / "pictures"))


def _shown() -> Write:
    """Return a position as text."""
    words = ("data", "show", "sample:connect-four", "--game", "3")
    return lambda out: command(*words, "--out", str(out / "position.txt"))


FILES: dict[str, Callable[[], Victim]] = {
    "store-file": _at_once(_store_file),
    "store-folder": _at_once(_store_folder),
    "pgn": _at_once(_pgn),
    "film-svg": _at_once(_film("game.svg")),
    "film-gif": _at_once(_film("game.gif")),
    "network": _at_once(_network),
    "gate": _at_once(_gate),
    "pictures": _at_once(_pictures),
    "shown": _at_once(_shown),
}
"""By the names that the command takes."""
